package extract

import "strings"

// lineResult says what readSteps found; the steps themselves are in lineReader.out.
type lineResult struct {
	itemFlags
	steps  int
	end    int  // token after the last step
	verb   bool // the line begins like a step
	proper bool // the first step has an action of the domain and all its objects
}

// itemFlags say how a line tells its steps.
type itemFlags struct {
	bad       bool // a malformed step among them: it begins like a step but names none
	firm      bool // which can only be meant as one: "stack red under", not "stack your bets"
	cancelled bool // the line takes a step back
	told      bool // the line talks about its first step: "we then attack object c"
	label     bool // a label stands before the first step, "Action: attack c"; or a line "Step 2:" without a step
	action    bool // "Action:" or the like stands before the first step, which is proper
	formal    bool // the first step is in parentheses, or a call
}

// leads says what kinds of words stand before a step.
type leads struct{ told, label bool }

var leadSigns = signsIn(",:\"->['{")

// skipLeads skips words that may stand before a step, "then", "finally,", "perform the action", and
// numbers and punctuation. Words that only talk about a step ("we can attack") are skipped if tell is
// set.
func (l *lineReader) skipLeads(i int, tell bool) (at int, had leads) {
	for start := i; i < len(l.toks) && i < start+12; {
		t := &l.toks[i]
		w := l.info(i)
		if w.action >= 0 || l.plainWord(i) { // which most are
			return max(i, l.receiver(i)), had
		}
		switch {
		case l.subject && w.third > 0:
			t.word, t.bits, w = w.third, l.r.bits[w.third], &l.r.info[w.third] // "..., puts down b"
		case w.gerund > 0 && (tell || l.gerunds):
			t.word, t.bits, w, l.gerunds, had.told = w.gerund, l.r.bits[w.gerund], &l.r.info[w.gerund], true, true // "picking up b"
		}
		skip := 1
		switch {
		case t.kind == tokPunct && t.punct == '(' && l.wrapper(i):
			skip = 2
		case t.punct == '(' && l.numberAhead(i+1) && l.punct(i+2) == ')', t.punct == '[' && l.info(i+1).class == classLabel && l.punct(i+2) == ']':
			skip = 3
		case t.punct == ',' && i > start:
			skip = l.inserted(i)
		case t.kind == tokPunct:
			if !leadSigns[t.punct] {
				return i, had
			}
		case l.seen&hasStep != 0 && w.object < 0 && !w.noun && l.acts(i+1) && (w.class == classIt || l.in(i, receivers)):
			l.subject, had.told = true, true
		case w.sentence && w.class != classLead && w.class != classDo:
			return max(i, l.receiver(i)), had
		case l.subject && l.obliges(i) > 0:
			skip = l.obliges(i)
		case l.wordAt(i, wordAfter) && l.afterThat(i):
			if skip = 2; l.says(i+2, "comes") {
				skip = 3
			}
		case w.class == classTell && tell, tell && t.word == wordTo && i > start && l.info(i-1).class == classTell: // "we need to"
			had.told = true
		case w.class == classLead || w.class == classDo || w.class == classAdverb:
		case w.class == classLabel && (l.punct(i+1) == ':' || l.info(i-1).class == classDo || l.numberAhead(i+1)):
			had.label = true
		case w.class == classLabel && l.in(i+1, numerals) || l.ordinal(i):
			had.label = true
			if skip = 1; w.class == classLabel {
				skip = 2 // "step one"
			}
		case t.kind == tokNumber && (l.punct(i+1) == '.' || l.punct(i+1) == ')' || l.punct(i+1) == ':'), l.punct(i+1) == '!' && l.in(i, greetings):
			skip = 2
		default:
			if skip = l.receiver(i) - i; skip <= 0 {
				_, end := l.longest(l.r.leads, i)
				skip = end - i
			}
		}
		if skip <= 0 {
			return i, had
		}
		i += skip
	}
	return i, had
}

// plainWord reports whether a word at token i of a line without a step leads to none, as most of its words.
func (l *lineReader) plainWord(i int) bool {
	t := &l.toks[i]
	return l.seen&hasStep == 0 && l.info(i).class == classNone && t.kind == tokWord && l.punct(i+1) == 0 && l.line[t.start] > '9' && t.word != wordAfter && !l.leadsOn(l.r.leads, i)
}

// inserted returns the number of tokens of a few words between commas, at token i behind a word that leads to a step: "then, for
// good measure, pick up a"; 1 if there are none, for the comma.
func (l *lineReader) inserted(i int) int {
	for k := i + 1; l.info(i-1).class == classLead && k < i+8 && k < len(l.toks); k++ {
		if l.punct(k) == ',' && k > i+1 && (l.info(k+1).step || l.in(k+1, receivers) || l.info(k+1).class == classIt) {
			return k + 1 - i
		}
		if w := l.info(k); l.toks[k].kind == tokPunct || w.action >= 0 || w.step || w.object >= 0 || w.class == classIf || w.class == classOr || w.class == classNot || w.says() == doubts || l.in(k, withholds) {
			break
		}
	}
	return 1
}

// ordinal reports whether a number such as "2nd" stands at token i.
func (l *lineReader) ordinal(i int) bool {
	text := l.text(i)
	if len(text) < 3 || text[0] > '9' || l.toks[i].word >= 0 {
		return false
	}
	return ordinalEnds.fold(strings.TrimLeft(text, "0123456789"))
}

// acts reports whether a verb in the third person stands at token i, "unstacks", or "first unstacks"; or a step behind
// "must first" or "has to".
func (l *lineReader) acts(i int) bool {
	must := l.obliges(i)
	if i += must; l.info(i).class == classLead {
		i++
	}
	return must > 0 && l.info(i).step || l.info(i).third > 0 || l.subject && l.info(i).step // which it was before it was read
}

// obliges returns the number of words at token i that say that a step has to be done: "must", "has to".
func (l *lineReader) obliges(i int) int {
	switch {
	case l.wordAt(i, wordMust), l.wordAt(i, wordShould), l.wordAt(i, wordWill):
		return 1
	case (l.wordAt(i, wordHas) || l.wordAt(i, wordNeeds)) && l.wordAt(i+1, wordTo):
		return 2
	}
	return 0
}

// afterThat reports whether "that" or "this" follows token i.
func (l *lineReader) afterThat(i int) bool {
	return l.wordAt(i+1, wordThat) || l.wordAt(i+1, wordThis)
}

// wrapper reports whether the bracket at token i encloses steps rather than a step, as in
// "(plan (stack a b) (put-down c))".
func (l *lineReader) wrapper(i int) bool {
	w := l.info(i + 1)
	return (w.role == roleCommit || w.class == classWrap) && w.action < 0 && !w.fact && l.punct(i+2) == '('
}

// readSteps reads the steps from token i to the end of the line into l.out, and says in res what it found.
func (l *lineReader) readSteps(i int, res *lineResult) {
	*res = lineResult{}
	l.stepsFrom(i, res)
	asks := l.punct(len(l.toks)-1) == '?' && (l.info(0).class == classIs || l.info(0).class == classTell) // "Would ... work?"
	if res.steps > 0 && (l.multiplied() || asks || l.tags.denied && l.punct(0) != '|' ||
		l.seen&hasDenial != 0 && l.deniedRemark(res.end)) {
		l.out = append(l.out[:0], "")
		res.steps, res.bad, res.firm = 0, true, true
	}
}

// multiplied reports whether the line says that a step is done more than once: "twice", "x2", "3 times".
func (l *lineReader) multiplied() bool {
	if l.seen&hasTimes == 0 {
		return false
	}
	for k := range l.toks {
		w := l.info(k)
		if w.class == classTimes && w.action < 0 && w.object < 0 && (k > 2 || l.punct(k+1) != ':' || !l.says(k, "repeat")) { // but "Repeat: ..."
			return true
		}
		if t := &l.toks[k]; t.kind == tokWord && t.word < 0 && timesWord(l.text(k)) {
			return true
		}
	}
	return false
}

// timesWord reports whether a word is a factor: "x2", "2x", "×3".
func timesWord(w string) bool {
	w = strings.ReplaceAll(strings.ToLower(w), "×", "x")
	digits := strings.Trim(w, "x")
	return digits != "" && len(w) == len(digits)+1 && strings.Trim(digits, "0123456789") == ""
}

// stepsFrom is readSteps for lines that do each step once; res is empty.
func (l *lineReader) stepsFrom(i int, res *lineResult) {
	l.out, l.telling, l.cells, l.subject, l.gerunds, l.behind = l.out[:0], false, cellSpan{}, false, false, false
	var it *argument // the first object of the step before
	var first argument
	more, formal := false, false // a step was read; it was in formal notation
	last := ""                   // that step
	for {
		k, had := l.skipLeads(i, !more || l.telling)
		f, status := l.one(k, it)
		l.telling = l.telling || had.told
		res.told, res.label = res.told || had.told, res.label || had.label && !more
		if status == parsedNone || more && status == parsedBad || !more && status == parsedBad && l.defines(k) {
			return // what follows a step may be a remark
		}
		if status == parsedBad {
			if i = l.badStep(res, k); i == 0 {
				return
			}
			continue
		}
		res.verb = true
		written := f.formal() || l.calls(k)
		if !more {
			res.formal = written || l.bracket(k-1)
			res.proper = l.proper(&f)
			res.action = had.label && res.proper
		}
		// Reading ahead reuses the buffers of the arguments.
		text := l.format(&f)
		if it = nil; len(f.args) > 0 {
			first = f.args[0]
			it = &first
		}
		t, next := l.after(&f, it)
		switch t {
		case tailCancel:
			res.cancelled = true
			if i = l.replacement(next); i == 0 {
				return
			}
			continue
		case tailBad:
			res.bad, res.firm = true, true
			l.out = append(l.out, "")
			return
		}
		// "Stack(a, b): stack a on b" says one step twice, "(paint n k) - paint n" some of it.
		if !more || !formal || written || l.out[len(l.out)-1] != text && !restates(last, text) {
			last = text
			l.out = append(l.out, text)
			res.steps++
		}
		formal = written
		res.end = f.end
		if t != tailMore {
			return
		}
		i, more = next, true
	}
}

// badStep notes a step at token i that cannot be read. It returns the token at which the line goes on, after a caption
// or with the step that replaces this one, and 0 if it does not.
func (l *lineReader) badStep(res *lineResult, i int) int {
	if next := l.caption(i); next > 0 {
		return next
	}
	res.verb = true
	if at, ok := l.negated(i+1, 12); ok {
		res.cancelled = true
		return l.replacement(at)
	}
	res.bad, res.firm, res.formal = true, l.firm(i), l.punct(i) == '(' || l.bracket(i-1) || l.calls(i)
	l.out = append(l.out, "")
	return 0
}

// restates reports whether a step has the action and the first arguments of another, and fewer of them.
func restates(full, part string) bool {
	return strings.HasPrefix(full, strings.TrimSuffix(part, ")")+" ")
}

// objectAt reports whether an object phrase stands at token i.
func (l *lineReader) objectAt(i int) bool {
	_, _, ok := l.object(i)
	return ok
}
