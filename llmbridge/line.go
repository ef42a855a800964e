package llmbridge

// lineResult tells what readSteps found; the steps are in lineReader.out.
type lineResult struct {
	steps     int
	end       int  // token after the last step
	bad       bool // a malformed step among them
	cancelled bool // a step that the line itself takes back
	verb      bool // began as a step does
	told      bool // the first step is told: "we then attack object c"
	firm      bool // the malformed step could be nothing else: "stack red under", not "stack your bets"
	label     bool // a label stands before the first step: "Action: attack c"
	formal    bool // the first step is in parentheses, or a call
}

// leads tells what kinds of words stand before a step.
type leads struct{ told, label bool }

// skipLeads moves over words that may stand before a step: "then", "finally,",
// "perform the action", and over numbers and punctuation before it.
// A step that is told about ("we can attack") is found only when tell is true.
func (l *lineReader) skipLeads(i int, tell bool) (at int, had leads) {
	for start := i; i < len(l.toks) && i < start+8; {
		t := &l.toks[i]
		w := l.info(i)
		switch {
		case t.kind == tokPunct && t.punct == '(' && l.wrapper(i):
			i += 2
		case w.action >= 0 || l.beginsSentence(i) && w.class != classLead && w.class != classDo:
			return i, had
		case l.wordAt(i, l.r.phrases.after) && (l.wordAt(i+1, l.r.phrases.that) || l.wordAt(i+1, l.r.phrases.this)):
			i += 2 // "after that, ..."
		case w.class == classTell && tell:
			had.told = true
			i++
		case w.class == classLead || w.class == classDo || w.class == classAdverb:
			i++
		case w.class == classLabel && (l.punct(i+1) == ':' || l.info(i-1).class == classDo || l.numberAhead(i+1)):
			had.label = true
			i++
		case t.kind == tokNumber && (l.punct(i+1) == '.' || l.punct(i+1) == ')' || l.punct(i+1) == ':'):
			i += 2
		case t.kind == tokPunct && (t.punct == ',' || t.punct == ':' || t.punct == '"' || t.punct == '-' || t.punct == '>' || t.punct == '[' || t.punct == '\'' || t.punct == '{'):
			i++
		default:
			return i, had
		}
	}
	return i, had
}

// wrapper tells whether a bracket opens around steps rather than a step, as in
// "(plan (stack a b) (put-down c))".
func (l *lineReader) wrapper(i int) bool {
	w := l.info(i + 1)
	return (w.role == roleCommit || w.class == classWrap) && w.action < 0 && !w.fact && l.punct(i+2) == '('
}

func (l *lineReader) numberAhead(i int) bool {
	return i < len(l.toks) && l.toks[i].kind == tokNumber
}

// readSteps reads the steps from token i to the end of the line into out.
func (l *lineReader) readSteps(i int) (res lineResult) {
	l.out = l.out[:0]
	var it *argument // what the step before handled
	var first argument
	more, formal := false, false // a step was read, and how it was written
	for {
		k, had := l.skipLeads(i, !more)
		f, status := l.one(k, it)
		res.told, res.label = res.told || had.told, res.label || had.label && !more
		if status == parsedNone {
			return res
		}
		if status == parsedBad {
			if more {
				return res // what follows a step may be a remark
			}
			if l.defines(k) {
				return res
			}
			if next := l.caption(k); next > 0 {
				i = next
				continue
			}
			res.verb = true
			if at, ok := l.negated(k+1, 12); ok {
				res.cancelled = true
				if i, ok = l.replacement(at); ok {
					continue
				}
				return res
			}
			res.bad, res.firm, res.formal = true, l.firm(k), l.punct(k) == '(' || l.bracket(k-1) || l.calls(k)
			l.out = append(l.out, readStep{malformed: true})
			return res
		}
		res.verb = true
		if !more {
			res.formal = f.formal() || l.bracket(k-1) || l.calls(k)
		}
		// Looking ahead uses the room of the arguments again.
		text := l.format(&f)
		if it = nil; len(f.args) > 0 {
			first = f.args[0]
			it = &first
		}
		t, next := l.tail(&f, it)
		if t == tailMore && l.skipsStep(&f, next) || t == tailRemark && l.trailsStep(&f) {
			t = tailBad
		}
		switch t {
		case tailCancel:
			res.cancelled = true
			var ok bool
			if i, ok = l.replacement(next); !ok {
				return res
			}
			continue
		case tailBad:
			res.bad, res.firm = true, true
			l.out = append(l.out, readStep{malformed: true})
			return res
		}
		written := f.formal() || l.calls(k)
		if more && formal && !written && l.out[len(l.out)-1].text == text {
			// "Stack(a, b): stack a on b" says one step twice.
		} else {
			l.out = append(l.out, readStep{text: text})
			res.steps++
		}
		formal = written
		res.end = f.end
		if t != tailMore {
			return res
		}
		i, more = next, true
	}
}

// calls tells whether the action's name at token i is followed by a parenthesis.
func (l *lineReader) calls(i int) bool {
	_, end := l.actionName(i)
	return l.punct(end) == '('
}

// tail tells how a line goes on after a step.
type tail uint8

const (
	tailRemark tail = iota // nothing, or words about the step
	tailMore               // another step
	tailCancel             // "... is not needed": the step is taken back
	tailBad                // more arguments than the step has
)

func (l *lineReader) tail(f *found, it *argument) (tail, int) {
	i, separated, t := l.tailSigns(f, it)
	if t != tailRemark || i >= len(l.toks) {
		return t, i
	}
	w := l.info(i)
	if w.class == classOr {
		if _, _, ok := l.object(i + 1); ok || l.stepAt(i+1, it) {
			return tailBad, i // one or the other
		}
	}
	isAnd := l.toks[i].word == l.r.phrases.and || l.toks[i].word == l.r.phrases.then
	if !separated && !isAnd {
		return l.tailWords(f, i, it)
	}
	if l.stepAt(i, it) {
		return tailMore, i
	}
	if isAnd {
		if _, _, ok := l.object(i + 1); ok && l.info(i+1).class != classLetter && l.info(i+1).class != classIt {
			return tailBad, i // "pick up the red block and the blue block"
		}
	}
	return l.laterSentence(f, i, it)
}

// tailSigns moves over the signs and the remarks in brackets after a step. What
// it returns counts if it is more than a remark.
func (l *lineReader) tailSigns(f *found, it *argument) (i int, separated bool, t tail) {
	for i = f.end; i < len(l.toks) && l.toks[i].kind == tokPunct; i++ {
		switch l.toks[i].punct {
		case '(':
			if k := l.groupStep(f, i, it); k > 0 {
				return k, true, tailMore
			}
			if f.paren && l.brokenGroup(i, it) {
				return i, true, tailBad
			}
			k := l.closing(i)
			if k == 0 {
				t, k = l.laterSentence(f, i+1, it) // parentheses in it
				return k, true, t
			}
			i = k - 1
			continue
		case '[':
			if l.numberAhead(i+1) && l.punct(i+2) == ']' { // a duration
				i += 2
				continue
			}
		case '<':
			k := l.tagEnd(i)
			if k == 0 {
				return l.unlessStep(f, i+1, it)
			}
			i = k - 1
		case '/':
			if l.stepAt(i+1, it) {
				return i, true, tailBad // one or the other
			}
			return len(l.toks), true, tailRemark
		case ';':
			if f.paren && (l.punct(i+1) != '(' || !l.stepAt(i+1, it)) {
				return len(l.toks), true, tailRemark // a comment in PDDL
			}
		case '=':
			if l.punct(i+1) != '>' {
				return l.unlessStep(f, i+1, it)
			}
		case ':':
			if l.otherStep(f, i+1, it) {
				return i + 1, true, tailMore
			}
			return len(l.toks), true, tailRemark // a comment
		case '#':
			return len(l.toks), true, tailRemark // a comment
		}
		separated = true
	}
	return i, separated, tailRemark
}

// unlessStep takes what follows a sign after a step for a remark, unless it is a step.
func (l *lineReader) unlessStep(f *found, i int, it *argument) (int, bool, tail) {
	if l.otherStep(f, i, it) {
		return i, true, tailBad
	}
	return len(l.toks), true, tailRemark
}

// groupStep returns the token at which a parenthesis after a step is the next step, 0
// where it is a remark or says the same step again.
func (l *lineReader) groupStep(f *found, i int, it *argument) int {
	if f.paren && l.stepAt(i, it) {
		return i
	}
	if !l.groupAction(i) {
		return 0
	}
	for l.punct(i+1) == '(' {
		i++
	}
	k, name, then := i, i+1, false
	for ; l.info(name).class == classLead && l.info(name).action < 0; name++ { // "(then stack a b)"
		k, then = name+1, then || l.wordAt(name, l.r.phrases.then)
	}
	g, status := l.one(k, it)
	if status != parsedStep || g.same(f) || !then && l.inWords(name, g.end) {
		return 0
	}
	return k
}

// inWords tells whether a step whose action is named at token i is written in words, as
// "pick up the red block" is: in parentheses after another step it says what that one is.
func (l *lineReader) inWords(i, end int) bool {
	action, args := l.actionName(i)
	if action < 0 || args > i+1 {
		return true
	}
	for k := args; k < end-1; k++ {
		if w := l.info(k); w.object < 0 && (w.noun || w.class == classJoin) {
			return true
		}
	}
	return false
}

// brokenGroup tells whether a parenthesis after a step opens one that cannot be
// read, or a remark that mentions an action: among steps in parentheses it is no
// remark.
func (l *lineReader) brokenGroup(i int, it *argument) bool {
	if _, status := l.one(i, it); status == parsedBad {
		return true
	}
	k := l.groupHead(i)
	if k < 0 {
		return false
	}
	end := l.closing(i)
	if w := l.info(k); end == 0 && w.class == classNone && !w.fact && !w.noun && w.object < 0 && len(l.toks) < i+maxDecoration {
		return true // cut off
	}
	for ; k < end; k++ {
		if l.info(k).action >= 0 {
			if _, _, ok := l.object(k + 1); ok || l.punct(k+1) == ')' || l.punct(k+1) == '(' {
				return true
			}
		}
	}
	return false
}

// tailWords sorts the words that follow a step with no sign between.
func (l *lineReader) tailWords(f *found, i int, it *argument) (tail, int) {
	w := l.info(i)
	if at, ok := l.negated(i, 4); ok && (w.class == classIs || w.class == classNot) {
		return tailCancel, at
	}
	if l.stepAt(i, it) {
		return tailMore, i
	}
	if l.purpose(i) {
		return l.laterSentence(f, i+2, it)
	}
	if w.class == classJoin {
		for k := i; k < i+4; k++ {
			if _, _, ok := l.object(k); ok {
				return tailBad, i
			}
			if l.info(k).class != classJoin && l.info(k).class != classNone {
				break
			}
		}
		return l.laterSentence(f, i, it)
	}
	if _, _, ok := l.object(i); ok && w.class != classLetter {
		return tailBad, i
	}
	return l.laterSentence(f, i, it)
}

// purpose tells whether the words after a step say what it is for: "to clear the
// red block", not "to the red block".
func (l *lineReader) purpose(i int) bool {
	if !l.wordAt(i, l.r.phrases.to) || i+1 >= len(l.toks) || l.toks[i+1].kind != tokWord {
		return false
	}
	w := l.info(i + 1)
	_, _, name := l.object(i + 1)
	return !name && !w.noun && w.class == classNone
}

// laterSentence finds a step that follows the words after a step: at the beginning of a
// sentence ("Pick up the red block. It is clear. Stack it on the blue block."), after
// "then", or as computers write it.
func (l *lineReader) laterSentence(f *found, i int, it *argument) (tail, int) {
	told := false // since the last sign: "so that we can then stack it"
	for ; i < len(l.toks); i++ {
		switch l.punct(i) {
		case 0:
			w := l.info(i)
			told = told || w.class == classTell
			if next := l.sequel(i); next > 0 && !told && l.stepAt(next, it) {
				return tailMore, next
			}
			if w.action >= 0 && l.calls(i) && l.otherStep(f, i, it) {
				return tailMore, i
			}
			continue
		case '(':
			if k := l.groupStep(f, i, it); k > 0 {
				return tailMore, k
			}
			if k := l.closing(i); k > 0 {
				i = k - 1
			}
			continue
		case ':':
			if l.otherStep(f, i+1, it) {
				return tailMore, i + 1
			}
			return tailRemark, len(l.toks) // what follows explains
		case '.', '!', ';':
			if l.stepAt(i+1, it) {
				return tailMore, i + 1
			}
		case '>':
			if l.otherStep(f, i+1, it) {
				return tailMore, i + 1
			}
		}
		told = false
	}
	return tailRemark, i
}

// sequel returns the token after words that lead to the next step from the words about one
// before: "then", "followed by"; 0 for other words.
func (l *lineReader) sequel(i int) int {
	switch {
	case l.wordAt(i, l.r.phrases.then):
		return i + 1
	case l.wordAt(i, l.r.phrases.followed) && l.wordAt(i+1, l.r.phrases.by):
		return i + 2
	}
	return 0
}

// otherStep tells whether a step that is not the one before begins at token i, written as
// computers do: words may say what the one before is.
func (l *lineReader) otherStep(f *found, i int, it *argument) bool {
	k, _ := l.skipLeads(i, false)
	g, status := l.one(k, it)
	if l.punct(k) == '(' {
		k++
	}
	return status == parsedStep && l.proper(&g) && !g.same(f) && !l.inWords(k, g.end)
}

// stepAt tells whether a step begins at token i or after words that lead to it.
func (l *lineReader) stepAt(i int, it *argument) bool {
	k, _ := l.skipLeads(i, false)
	_, status := l.one(k, it)
	return status == parsedStep
}

// firm tells whether what begins as a step at token i goes on as one: with an
// object, a noun or the end of the line.
func (l *lineReader) firm(i int) bool {
	if l.punct(i) == '(' {
		return true
	}
	_, end := l.actionName(i)
	n := l.r.root
	for k := i; k < len(l.toks) && l.toks[k].word >= 0; k++ {
		if n = n.find(l.toks[k].word); n == nil {
			break
		}
		end = max(end, k+1)
	}
	if end >= len(l.toks) || l.punct(end) == '(' {
		return true
	}
	w := l.info(end)
	_, _, ok := l.object(end)
	return ok || w.noun || w.class == classLetter || w.class == classIt
}

// caption returns the token after "Unstack yellow:" where a step of the same action
// follows it, 0 for none.
func (l *lineReader) caption(i int) int {
	action, end := l.actionName(i)
	for k := end; action >= 0 && k < i+maxCaption; k++ {
		switch l.punct(k) {
		case ':':
			if f, status := l.one(k+1, nil); status == parsedStep && f.name == l.r.actions[action].name {
				return k + 1
			}
			return 0
		case '(', '.', ';':
			return 0
		}
	}
	return 0
}

// maxCaption bounds the tokens of a caption.
const maxCaption = 8

// defines tells whether a line is about an action rather than a step: "Attack:
// requires ...", "attack requires ...".
func (l *lineReader) defines(i int) bool {
	_, end := l.actionName(i)
	for l.info(end).class == classLabel {
		end++
	}
	return l.punct(end) == ':' && end+1 < len(l.toks) || l.info(end).class == classVerb
}

// negated looks for a word such as "not" within the next tokens and returns the
// token after it.
func (l *lineReader) negated(i, within int) (int, bool) {
	for k := i; k < len(l.toks) && k < i+within; k++ {
		if l.toks[k].kind == tokPunct && l.toks[k].punct != ',' {
			return 0, false
		}
		w := l.info(k)
		if w.class == classNot && (k == i || l.info(k-1).class == classIs || within <= 4) {
			return k + 1, true
		}
	}
	return 0, false
}

// replacement finds the step that takes the place of a cancelled one: "..., so
// put down the red block".
func (l *lineReader) replacement(i int) (int, bool) {
	for k := i; k < len(l.toks) && k < i+16; k++ {
		if p := l.punct(k); p == ',' || p == ';' || p == '.' || p == '-' || l.toks[k].word == l.r.phrases.so {
			if l.stepAt(k+1, nil) {
				return k + 1, true
			}
		}
	}
	return 0, false
}

// imperative tells whether a line reads as a step of some other domain: a word
// that means nothing here, and then an object. "Throw the red block" is no remark.
func (l *lineReader) imperative(i int) bool {
	i, had := l.skipLeads(i, true)
	if had.told || i >= len(l.toks) || l.toks[i].kind != tokWord {
		return false
	}
	if w := l.info(i); w.class != classNone || w.fact || w.noun || w.object >= 0 || w.role != roleNone {
		return false
	}
	a, end, ok := l.object(i + 1)
	if !ok || a.object < 0 {
		return false
	}
	// "throw a b", not "such a mess".
	for ok && end < len(l.toks) {
		_, end, ok = l.object(end)
	}
	return ok || l.info(i+1).class != classLetter
}

// verbless tells whether a line names objects and says nothing about them: "red
// block onto blue block" is meant as a step and is none.
func (l *lineReader) verbless(i int) bool {
	objects := false
	for ; i < len(l.toks); i++ {
		w := l.info(i)
		switch {
		case w.fact && w.class != classJoin || w.action >= 0 || l.punct(i) == ':':
			return false
		case w.class == classIs || w.class == classVerb || w.class == classNot || w.class == classNo || w.class == classTell || w.class == classSub:
			return false
		}
		if a, end, ok := l.object(i); ok && a.object >= 0 && w.class != classLetter {
			objects, i = true, end-1
		}
	}
	return objects
}
