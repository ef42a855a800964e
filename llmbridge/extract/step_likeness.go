package extract

import "strings"

// A line without a readable step may still resemble one: "(fly) away", "x(stack a b)", "then perhaps
// (stack a b)". Such a line is never dropped: if its decoration has no meaning, the step in it is read;
// otherwise it is malformed.

// likeness says how much a line without a readable step resembles one.
type likeness uint8

const (
	likeNothing likeness = iota // words, headings
	likeFact                    // it states a fact: "Pain(a) is true"
	// likeMention: it mentions a step, or is a remark in parentheses. Among steps it is
	// malformed, elsewhere it is a remark.
	likeMention
	likeStep // it begins with a parenthesis or a call, as a step does
)

// likeness returns how much the content of a line, from token i on, resembles a step.
func (l *lineReader) likeness(i int) likeness {
	o := l.opening(i)
	if k := l.statesAt(i); k > 0 && !l.names(k) {
		return likeFact // "Preconditions: Pain(a)"
	}
	if l.method(i) {
		return likeStep // never.stack(a, b)
	}
	if o.at >= 0 {
		if o.call && l.info(o.at).action < 0 && l.saidOf(o.at+1) {
			return likeFact
		}
		if like := l.groupLikeness(o); like != likeNothing {
			return like
		}
	}
	for toks := l.toks; i < len(toks); i++ {
		// Most words need no closer look.
		switch t := &toks[i]; {
		case t.kind == tokPunct:
			if t.punct != '(' && t.punct != '[' && t.punct != '{' {
				continue
			}
		case t.word >= 0 && l.r.bits[t.word]&hasStep != 0:
		case i+1 >= len(toks) || toks[i+1].punct != '(':
			continue
		}
		if l.mentions(i) {
			return likeMention
		}
	}
	return likeNothing
}

// groupLikeness sorts a line that begins with a bracket.
func (l *lineReader) groupLikeness(o opening) likeness {
	open := o.at
	if o.call {
		open++
	}
	k := l.groupHead(open)
	if o.call && l.info(o.at).action >= 0 {
		return likeStep
	}
	if k < 0 && o.call && l.punct(open+1) == ')' {
		return likeStep // "noop()"
	}
	if k < 0 {
		return l.bracketsOnly(open)
	}
	if l.wraps(k) {
		return likeNothing
	}
	w := l.info(k)
	if o.call {
		if _, _, ok := l.object(k); !ok && l.info(k).action < 0 {
			return likeMention // "print(plan)"
		}
		w = l.info(o.at)
	}
	said := w.fact || w.noun || w.object >= 0 || w.role != roleNone || w.class != classNone
	if l.measures(k) {
		return likeMention
	}
	end := l.closingOf(open)
	if end == 0 {
		end = min(len(l.toks), k+maxArgs)
	}
	for i := k; i < end; i++ {
		v := l.info(i)
		if v.action >= 0 {
			if _, _, ok := l.object(i + 1); ok || i == k || i+1 >= len(l.toks) || l.punct(i+1) != 0 {
				return likeStep
			}
		}
		switch v.class {
		case classIs, classVerb, classTell, classNot:
			said = true
		}
	}
	if said {
		return likeMention
	}
	return likeStep
}

// measures reports whether the words in brackets from token i on are a measure: "95 % sure", "cost 1",
// "confidence: 0.9", "t=2".
func (l *lineReader) measures(i int) bool {
	w := l.info(i)
	if w.object >= 0 || w.action >= 0 {
		return false
	}
	p := l.punct(i + 1)
	_, _, named := l.object(i + 1)
	return l.toks[i].kind == tokNumber || w.class == classMeasure && !named || (p == '=' || p == ':') && l.numberAhead(i+2)
}

// closingOf returns the token after the bracket, of any kind, that closes the one at token i; 0 if it is
// not within a few words.
func (l *lineReader) closingOf(i int) int {
	open, closing, depth := l.punct(i), closer(l.punct(i)), 0
	for end := min(len(l.toks), i+maxArgs); i < end; i++ {
		switch l.punct(i) {
		case open:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// bracketsOnly sorts a bracket without a word: "()" among steps is a missing step, ")" ends a list of
// steps.
func (l *lineReader) bracketsOnly(i int) likeness {
	for ; i < len(l.toks); i++ {
		switch l.punct(i) {
		case '(', ')', '[', ']', '{', '}', ',', '"', '\'':
		default:
			return likeMention
		}
	}
	return likeNothing
}

// wraps reports whether token k, the word after a bracket at the end of a line, opens a list of steps:
// "(plan", "(:steps", "(define (plan p)".
func (l *lineReader) wraps(k int) bool {
	w := l.info(k)
	if w.class == classWrap && l.punct(k+1) == '(' && l.info(k+2).role == roleCommit {
		k += 2 // (define (plan p)
		if last := len(l.toks) - 1; l.punct(last) == ')' {
			return last <= k+2
		}
	}
	if len(l.toks) > k+2 {
		return false
	}
	if w.role != roleCommit && w.class != classWrap || w.action >= 0 {
		return false
	}
	return k+1 == len(l.toks) || l.toks[k+1].kind != tokPunct && l.info(k+1).object < 0 && l.info(k+1).action < 0
}

// mentions reports whether token i begins a step within other words.
func (l *lineReader) mentions(i int) bool {
	t := &l.toks[i]
	if t.kind != tokPunct {
		w := l.info(i)
		if w.action < 0 && !w.sentence {
			return l.punct(i+1) == '(' && w.class == classNone && l.foreignCall(i)
		}
		f, status := l.one(i, nil)
		return status == parsedStep && (len(f.args) > 0 || l.punct(i+1) == '(') || w.action < 0 && l.foreignCall(i)
	}
	switch t.punct {
	case '(':
		return l.groupAction(i) || l.foreignGroup(i)
	case '[', '{':
		return l.groupAction(i)
	}
	return false
}

// foreignCall reports whether an unknown word is called at token i: "fly(a, b)".
func (l *lineReader) foreignCall(i int) bool {
	if l.punct(i+1) != '(' || l.toks[i].end != l.toks[i+1].start {
		return false
	}
	_, _, ok := l.object(i + 2)
	return ok || l.punct(i+2) == ')'
}

// foreignGroup reports whether the parenthesis at token i holds an unknown word and then objects, or is
// never closed: "(fly a b)", "(fly a, b".
func (l *lineReader) foreignGroup(i int) bool {
	if i++; i >= len(l.toks) || l.toks[i].kind != tokWord {
		return false
	}
	if w := l.info(i); w.class != classNone || w.fact || w.noun || w.object >= 0 || w.role != roleNone {
		return false
	}
	objects, others := false, false // among the words
	for limit := i + 2*maxArgs; ; {
		if i++; i >= len(l.toks) {
			return true
		}
		switch l.punct(i) {
		case ')':
			return objects && !others
		case '(':
			return !others
		case ',':
			continue
		}
		if i >= limit {
			return false
		}
		if l.info(i).object >= 0 {
			objects = true
		} else {
			others = true
		}
	}
}

// foreignFormal reports whether a step of no action of the domain, in formal notation and with objects of the task,
// stands near the beginning of a line: "Level 1: (fly a b), as needed", "=> fly(a, b)".
func (l *lineReader) foreignFormal(i int) bool {
	for end := i + fewWords; i < end && i < len(l.toks); i++ {
		if l.foreignAt(i) {
			return true
		}
		if c := l.info(i).class; c == classIs || c == classNot || c == classNo {
			return false
		}
	}
	return false
}

// foreignAt reports whether such a step begins at token i.
func (l *lineReader) foreignAt(i int) bool {
	if l.punct(i) == '(' {
		a, _, ok := l.object(i + 2)
		return ok && a.object >= 0 && l.unknownVerb(i+1) && l.foreignGroup(i)
	}
	if i >= len(l.toks) || l.toks[i].kind != tokWord || l.punct(i+1) != '(' || !l.unknownVerb(i) {
		return false
	}
	a, _, ok := l.object(i + 2)
	return ok && a.object >= 0 && l.toks[i].end == l.toks[i+1].start
}

// onlyObjects reports whether the line is one word and then objects: "fly a b".
func (l *lineReader) onlyObjects(i int) bool {
	i, _ = l.skipLeads(i, false)
	a, end, ok := l.object(i + 1)
	for ok && a.object >= 0 && end < len(l.toks) {
		if l.toks[end].kind == tokPunct {
			return true // a remark follows
		}
		a, end, ok = l.object(end)
	}
	return ok && a.object >= 0
}

// bracket reports whether token i is an opening bracket.
func (l *lineReader) bracket(i int) bool {
	p := l.punct(i)
	return p == '(' || p == '[' || p == '{'
}

// skipsStep reports whether something that resembles a step stands between step f and the next one, at
// token next.
func (l *lineReader) skipsStep(f *found, next int) bool {
	for i := f.end; i < next; i++ {
		if l.foreignItem(i) {
			return true
		}
		if l.factCall(i) {
			i = l.closing(i+1) - 1
			continue
		}
		if l.bracket(i) && (l.groupHead(i) >= next || l.closing(i) > next) {
			return false // around the next step
		}
		if f.formal() {
			if l.bracket(i) && l.groupHead(i) >= 0 && l.groupLikeness(opening{at: i}) == likeStep || l.mentions(i) {
				return true
			}
			continue
		}
		if l.punct(i) == '(' {
			if l.foreignAt(i) {
				return true // (fly b)
			}
			if k := l.closing(i); k > 0 {
				i = k - 1 // a remark
				continue
			}
		}
		if l.mentions(i) {
			return true
		}
	}
	return false
}

// foreignItem reports whether an item of a list within a line begins at token i with an unknown word and
// an object: "2. fly b", "<li>fly b", "② fly b".
func (l *lineReader) foreignItem(i int) bool {
	switch {
	case l.punct(i) == '<' && strings.EqualFold(l.text(i+1), "li"):
		i = l.markup(i)
	case l.numberAhead(i) && (l.punct(i+1) == '.' || l.punct(i+1) == ')') && l.punct(i-1) != '(' && l.punct(i-1) != '=':
		i += 2
	case i < len(l.toks) && l.line[l.toks[i].start] >= 0x80 && l.circled(i) > 0:
		i++
	default:
		return false
	}
	return i > 0 && !l.info(i).sentence && l.foreignStep(i)
}

// trailsStep reports whether a step that cannot be read follows step f with only signs between:
// "(pick-up a) => (stack a".
func (l *lineReader) trailsStep(f *found) bool {
	for i := f.end; i < len(l.toks) && i < f.end+maxDecoration; i++ {
		if l.foreignAt(i) {
			return true
		}
		if !f.formal() {
			continue
		}
		if l.foreignItem(i) {
			return true
		}
		switch l.punct(i) {
		case 0:
			return l.mentions(i) && l.punct(i+1) == '(' && !l.factCall(i)
		case ';', '#', ':':
			return l.foreignAt(i + 1)
		case '(', '[', '{':
			return l.mentions(i) && !l.toldGroup(i) && !l.factCall(l.groupHead(i))
		}
	}
	return false
}
