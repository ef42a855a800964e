package extract

import (
	"slices"
	"strings"
)

// What the words of headings and labels say about the steps below and behind them.

// labelled reads the steps after a label into res. A label counts only if a step follows at once: "the final
// plan is: unstack, then stack" only talks about a plan. Words that are no label of the reader's own must be few,
// or the step in formal notation and the last on the line; it must be a step of the domain with all arguments. The
// role is what the label says about the steps below it.
func (o *outline) labelled(h *lineHead, res *lineResult) role {
	*res = lineResult{}
	k, role, known := o.label(h)
	if k == 0 {
		return roleNone
	}
	itemised := o.itemised
	o.itemised = true
	o.readSteps(k, res)
	o.itemised = itemised
	if res.steps == 0 || o.gerunds && o.in(h.at, remarkLabels) || !known && !res.formal && (k-h.at > fewWords || !res.proper) || !known && k-h.at > fewWords && (o.namesTask(res.end, len(o.toks)) || o.words(res.end, len(o.toks)) > 1) {
		*res = lineResult{}
		return roleNone
	}
	return role
}

// optionNames are numbers of options, in their order.
var optionNames = [][]string{{"I", "II", "III", "IV", "V"}, {"Alpha", "Beta", "Gamma", "Delta"}, {"One", "Two", "Three", "Four"}}

// optionAt reads "Option 2", "Approach B" or "Either" at token i.
func (o *outline) optionAt(i int) (x option) {
	if !o.info(i).option {
		return option{}
	}
	x.word = o.toks[i].word
	at := i + 1
	inBrackets := o.punct(at) == '(' && o.punct(at+2) == ')' // "Solution (ii)"
	if o.punct(at) == '#' || inBrackets {
		at++
	}
	name := o.lineReader.text(at)
	if inBrackets && roman(strings.ToUpper(name)) {
		name = strings.ToUpper(name)
	}
	if x.word == wordEither {
		x.number = 1
	} else if o.numberAhead(at) {
		x.number = o.value(at) + 1
	} else if len(name) == 1 && o.toks[at].kind == tokWord {
		x.number = int32(lowerByte[name[0]])
	}
	if name != "" && name[0] <= 'Z' {
		for _, names := range optionNames {
			if k := slices.Index(names, name); k >= 0 {
				x.number = int32(k) + 2
			}
		}
	}
	return x
}

// onlyOption reports whether a line has nothing but a word and a number from token i on: "Solution 1", "Solution #1", "Solution (i)".
func (o *outline) onlyOption(i int) bool {
	return len(o.toks) == i+2 || len(o.toks) == i+3 && o.punct(i+1) == '#' || len(o.toks) == i+4 && o.punct(i+1) == '(' && o.punct(i+3) == ')'
}

// settled returns the option that a line chooses, the last one that it names, if it has a word of choosing; and if it
// has none, the one that it names.
func (o *outline) settled(i int) (chosen, x option) {
	for k := i; o.seen&hasOption != 0 && k < len(o.toks); k++ {
		if o.toks[k].bits&hasOption == 0 {
			continue
		}
		if y := o.optionAt(k); y.number > 0 && y.word != wordEither {
			x = y
		}
	}
	if x.number > 0 && (o.any(i, len(o.toks), func(w *wordInfo) bool { return w.settles }) || o.onlyValid(i)) {
		return x, option{}
	}
	if x.number == 0 {
		return o.answerName(i), x
	}
	return option{}, x
}

// chooses reports whether a line from token i on chooses one of several plans: "I pick option 2."
func (o *outline) chooses(i int) bool {
	chosen, _ := o.settled(i)
	return o.seen&hasOption != 0 && chosen.number > 0
}

// onlyValid reports whether words from token i on call one of several plans the valid one, or say that only it works.
func (o *outline) onlyValid(i int) bool {
	only, sound := false, false
	for ; i < len(o.toks); i++ {
		w := o.info(i)
		if d := w.says(); d == negates || d == denies || w.class == classNot || w.class == classNo || w.class == classIf || w.class == classOr {
			return false
		}
		only, sound = only || o.wordAt(i, wordOnly) || o.wordAt(i, wordOne), sound || w.says() == asserts
		if o.says(i, "it") && o.info(i+1).class == classIs && o.endsClause(i+2) {
			return true // "option 2 it is"
		}
	}
	return only && sound
}

// anyWord stands for the word of an option that is named by its number only.
const anyWord = -1

// answerName reads a line "Final answer: 2" or "Answer: B." that begins at token i.
func (o *outline) answerName(i int) option {
	k := len(o.toks) - 1
	if o.punct(k) == '.' {
		k--
	}
	if o.seen&hasLabel == 0 || k < i+2 || k > i+fewWords || o.punct(k-1) != ':' || !o.info(k-2).strong && !o.info(k-2).settles {
		return option{} // most lines
	}
	switch name := o.lineReader.text(k); {
	case o.numberAhead(k):
		return option{anyWord, o.value(k) + 1}
	case len(name) == 1 && byteClass[name[0]] == classWord:
		return option{anyWord, int32(lowerByte[name[0]])}
	}
	return option{}
}

// sentenceStart returns the first token of the last sentence on the line.
func (o *outline) sentenceStart() int {
	for k := len(o.toks) - 2; k > 0 && o.seen&hasStop != 0; k-- {
		if p := o.punct(k); (p == '.' || p == '!' || p == '?') && o.toks[k+1].kind == tokWord {
			return k + 1
		}
	}
	return 0
}

// roleOf returns the strongest role that the words of a heading have: "explanation of the plan" is an
// explanation, "final state" a state.
func (o *outline) roleOf(i, end int) role {
	best := roleNone
	for ; i < end; i++ {
		if o.toks[i].bits&hasRole != 0 {
			best = max(best, o.info(i).role)
		}
	}
	return best
}

// strong reports whether a label names the plan itself.
func (o *outline) strong(i, end int) bool {
	return o.any(i, end, func(w *wordInfo) bool { return w.strong })
}

// endsInDigit reports whether a word ends in a digit.
func endsInDigit(word string) bool {
	return word != "" && '0' <= word[len(word)-1] && word[len(word)-1] <= '9'
}

// transition returns the token after the states before a step, "s0 --" and "s0 -> s1 via", "start ->" or "the plan consists of", or 0.
func (o *outline) transition(i int) int {
	if o.punct(i+1) == '-' && o.punct(i+2) == '>' && o.says(i, "start") && o.stepAt(i+3, nil) {
		return i + 3
	}
	for k := i + 1; o.seen&hasRole != 0 && k <= i+2 && k < len(o.toks); k++ {
		if o.toks[k-1].bits&hasRole != 0 && o.wordAt(k, wordConsists) && o.says(k+1, "of") && o.strong(i, k) && o.stepAt(k+2, nil) {
			return k + 2
		}
	}
	k, states := i, 0
	for ; k < i+maxDecoration && k < len(o.toks); k++ {
		switch t := &o.toks[k]; {
		case t.punct == '-', t.punct == '>', t.punct == ':', states > 0 && t.punct == '[', states == 2 && (o.says(k, "via") || o.says(k, "by")):
		case states < 2 && t.word < 0 && endsInDigit(o.lineReader.text(k)):
			states++
		case states > 0 && k > i+2 && o.stepAt(k, nil):
			return k
		default:
			return 0
		}
	}
	return 0
}

// counts reports whether a list within the line begins at token i: "(1) stack a b", "1. stack a b".
func (o *outline) counts(i int) bool {
	if o.punct(i) == '(' {
		i++
	}
	return o.numberAhead(i) && o.value(i) <= 1 && (o.punct(i+1) == ')' || o.punct(i+1) == '.')
}

// maxLabel bounds the tokens of a label.
const maxLabel = 12

// signWithin reports whether one of the first n tokens from token i on is a sign. It is false of most sentences.
func (l *lineReader) signWithin(i, n int) bool {
	for end := min(len(l.toks), i+n); i < end; i++ {
		if l.toks[i].kind == tokPunct {
			return true
		}
	}
	return false
}

var labelSigns = signsIn(".,:='#-+>)")

// mayBeLabel reports whether the first sign from token i on may end or stand in a label, or "is" may end one.
func (o *outline) mayBeLabel(i int) bool {
	if o.seen&(hasRole|hasIs) == hasRole|hasIs {
		return true
	}
	for i < len(o.toks) && o.toks[i].kind != tokPunct {
		i++
	}
	p := o.punct(i)
	return p == '(' || p == '|' || labelSigns[p]
}

// label reads a label such as "Final answer:", "Time 0:" or "Schritt 1 -". It returns the token after it, 0 for
// none, the label's role, and whether it is one that announces steps; on a numbered line any short label does. A
// label that denies ("Wrong:") is none.
func (o *outline) label(h *lineHead) (int, role, bool) {
	i := h.at
	if k := o.transition(i); k > 0 {
		return k, 0, true
	}
	if o.seen&(hasLabel|hasTag) == 0 && o.seen&(hasRole|hasIs) != hasRole|hasIs && !o.numberAhead(i+1) && (h.style == styleBare || o.seen&hasBracket == 0) || !o.mayBeLabel(i) {
		return 0, 0, false // most lines
	}
	for k := i; k < len(o.toks) && k < i+maxLabel; k++ {
		p, w := o.punct(k), o.info(k)
		switch w.class {
		case classIs:
			if r := o.roleOf(i, k); !o.says(k, "was") && (r == roleCommit || r == roleFinal) && o.strong(i, k) {
				if o.stepAt(k+1, nil) {
					return k + 1, r, true // "My answer is (stack a b)"
				}
			}
		case classNot, classNo, classIf:
			return 0, 0, false
		}
		if d := w.says(); d == denies || d == doubts {
			return 0, 0, false
		}
		if p == 0 {
			continue
		}
		if p == '(' && k == i+2 && o.remarked(i) {
			k, p = o.closingOf(k), ':'
		}
		numbered := k == i+2 && o.numberAhead(k-1) && (p == '-' && !(o.punct(k+1) == '>' && o.foreignFrom(i)) || p == ')' || p == '.') // but "destroy 1 -> move 1 2"
		named := k == i+1 && o.toks[i].word < 0 && (endsInDigit(o.lineReader.text(i)) || beyondASCII(o.lineReader.text(i)))            // s1 = (stack a b)
		bar := p == '|' && named                                                                                                       // T1 | (stack a b)
		if !bar && !labelSigns[p] {
			return 0, 0, false // no label has brackets or quotes
		}
		prompt := bar || p == '-' && h.style != styleBare && k > i && o.punct(k+1) == '(' || p == '>' && k > i && k <= i+2 && o.punct(k-1) == 0
		if p == '=' && k == i+1 && o.numberAhead(k+1) && (o.punct(k+2) == '(' || o.stepAt(k+2, nil)) {
			return k + 2, 0, true // t=0 (stack a b)
		}
		titled := p == '-' && numbered && o.info(i).class == classPhase && !o.stepAt(k+1, nil)                               // "Phase 1 - clear: ..."
		if titled || p != ':' && p != '=' && !numbered && !prompt || p == '=' && o.numberAhead(k+1) && o.punct(k+2) == ':' { // t=0:
			continue
		}
		r := o.roleOf(i, k)
		known := r != roleNone || o.info(k-1).class == classLabel || o.info(i).class == classLabel || o.info(i).class == classPhase && o.numberAhead(i+1) || h.style == styleNumber && k-i <= 4 && p != '=' || o.counts(k+1)
		if p == '=' && !known && !named {
			return 0, 0, false
		}
		if p == ':' && k == i+1 && !known && (o.info(i).mends || o.in(i, correctWords)) && !o.stepAt(k+1, nil) {
			continue // "Correction: the answer is (stack a b)"
		}
		if r == roleCommit && !o.strong(i, k) || r == roleState && o.numberAhead(k-1) {
			r = roleNone // "Steps 3-4:" does not begin a section, nor does "State 1: (stack a b)"
		}
		return k + 1, r, known
	}
	return 0, 0, false
}

// remarked reports whether a label at token i has a remark in brackets before its colon: "Option 1 (4 steps): ...", "Phase 1
// (clear): ...".
func (o *outline) remarked(i int) bool {
	phase := o.info(i).class == classPhase && o.numberAhead(i+1) && !o.foreignAt(i+2)
	return (phase || o.seen&hasOption != 0 && o.optionAt(i).number > 0) && o.closingOf(i+2) > 0 && o.punct(o.closingOf(i+2)) == ':'
}

// lastStep returns the token of a step in formal notation that is all of the last clause of a line: "The truck is not
// there, so: (move truck a b)." The clause before it must not deny or suppose it. It returns 0 if there is none.
func (o *outline) lastStep(i int) int {
	closed := false
	for k := len(o.toks) - 1; k > i+1; k-- {
		if p := o.punct(k); p == 0 && !closed {
			return 0 // most lines end in words
		} else if p == ')' {
			closed = true
		}
		if o.punct(k) != '(' || o.punct(k-1) == '(' {
			continue
		}
		p := o.punct(k - 1)
		if p != 0 && p != ':' && p != '.' && p != '!' && p != '?' && p != ',' && p != '>' {
			return 0
		}
		f, status := o.one(k, nil)
		if status != parsedStep || !o.proper(&f) || !o.endsLine(f.end) || p == 0 && (o.toks[k-1].bits&(hasStep|hasIs) != 0 || o.info(k-1).class != classNone && o.info(k-1).object < 0 || o.withheld(i, k) || o.namesOther(&f, i, k) || o.tags.script || !plainASCII(o.lineReader.line)) {
			return 0
		}
		clause := true // the last one
		for n := k - 2; n >= i; n-- {
			w := o.info(n)
			clause = clause && o.toks[n].kind != tokPunct
			if d := w.says(); o.bracket(n) || w.class == classIf || w.class == classOr || o.in(n, onceWords) || w.role != roleNone || clause && (d != 0 && d != keeps || w.class == classNot || w.class == classNo || w.class == classTell || w.action >= 0) {
				return 0
			}
		}
		return k
	}
	return 0
}

// plainASCII reports whether a text has only ASCII characters.
func plainASCII(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c >= 0x80 }) < 0
}

// agent returns the token of a step in formal notation behind whoever does it, "[alice] (move alice hall)", or 0.
func (o *outline) agent(i int) int {
	if o.seen&hasBracket == 0 {
		return 0
	}
	if p := o.punct(i); p == '[' || p == '@' || o.in(i, receivers) {
		i++
	}
	x, end, ok := o.name(i)
	for p := o.punct(end); ok && (p == ']' || p == ':' || p == '-' || p == '>'); p = o.punct(end) {
		end++
	}
	if !ok || o.punct(end) != '(' {
		return 0
	}
	f, status := o.one(end, nil)
	if status != parsedStep || !o.proper(&f) || !o.endsLine(f.end) || !slices.ContainsFunc(f.args, func(a argument) bool { return a.object == x.object }) {
		return 0
	}
	return end
}

// cellStep returns the token of the only step that fills a cell of a row behind words, "| Go there | `sail harbor island` |",
// or 0. The cells before it name nothing that the step has not.
func (o *outline) cellStep(i int) (at int) {
	for k := i; o.punct(0) == '|' && k < len(o.toks); k++ {
		if o.punct(k) != '|' {
			continue
		}
		if f, status := o.one(k+1, nil); status == parsedStep && o.proper(&f) && (f.end == len(o.toks) || o.punct(f.end) == '|') {
			if at > 0 || o.namesOther(&f, i, k) || o.withheld(i, k) {
				return 0
			}
			at = k + 1
		}
	}
	return at
}

// behindWords reads the steps behind words that are no label, or behind decoration without meaning: "t1: (stack a b)".
func (o *outline) behindWords(h *lineHead, res *lineResult) (label bool) {
	*res = lineResult{}
	if k := o.announced(h.at); k > 0 && h.style == styleBare {
		o.readSteps(k, res)
		return true
	}
	if o.seen&hasBracket == 0 && o.punct(0) != '|' {
		return false
	}
	if k := o.agent(h.at); k > 0 {
		o.readSteps(k, res)
		return true
	}
	if k := o.cellStep(h.at); k > 0 {
		o.readSteps(k, res)
		return false
	}
	if k := o.lastStep(h.at); k > 0 && (h.style == styleBare) == (o.punct(k-1) != 0 && o.punct(k-1) != '>') {
		o.readSteps(k, res)
		return true
	}
	if d := o.opening(h.at); d.at >= 0 && d.harmless && o.punct(d.at) == '(' && o.groupHead(d.at) == d.at+1 {
		o.readSteps(d.at, res)
	}
	return false
}
