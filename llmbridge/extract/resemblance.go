package extract

import (
	"strings"
)

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

// opening is the bracket or call with which the content of a line begins.
type opening struct {
	at       int  // the bracket, or the name before it; -1 if words come first
	harmless bool // nothing before it has a meaning
	call     bool
}

var (
	plainSigns = signsIn("(<>=-|.,:+'\"&") // have no meaning before a step
	groupSigns = signsIn("()[]{},\"'")
)

// maxDecoration bounds the tokens that are skipped in search of a bracket.
const maxDecoration = 16

// opening finds the bracket with which the content of a line begins, behind labels and signs.
func (l *lineReader) opening(i int) opening {
	o := opening{at: -1, harmless: true}
	start := i
	for i < len(l.toks) && i < start+maxDecoration {
		w, p, plain := l.info(i), l.punct(i+1), true
		skip := 1
		switch sign := l.punct(i); {
		case sign == '(' && p != '(', (sign == '[' || sign == '{') && l.groupAction(i):
			o.at, o.harmless = i, o.harmless && sign == '('
			return o
		case sign != 0:
			plain = plainSigns[sign]
		case strings.Trim(l.text(i), "_") == "": // emphasis
		case beyondASCII(l.text(i)):
			plain = false
		case p == '(' && l.toks[i].end == l.toks[i+1].start && (w.action >= 0 || w.class == classNone && w.role == roleNone):
			o.at, o.harmless, o.call = i, false, true
			return o
		case p == ':' || l.toks[i].kind == tokNumber && (p == '.' || p == ')' || p == ';') || w.class == classLabel && l.numberAhead(i+1),
			p == ')' && l.toks[i].end-l.toks[i].start <= 2 && w.action < 0 && i == start: // a)
			d := w.says() // but "Optional: (stack a b)"
			skip, plain = 2, w.class != classIf && w.class != classNot && w.class != classNo && d != denies && d != doubts
		case w.class != classLabel && w.class != classLead && w.class != classDo:
			return o
		}
		o.harmless = o.harmless && plain
		i += skip
	}
	return o
}

// beyondASCII reports whether a text has only signs beyond ASCII.
func beyondASCII(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c < 0x80 && c != '_' }) < 0
}

// bracket reports whether token i is an opening bracket.
func (l *lineReader) bracket(i int) bool {
	p := l.punct(i)
	return p == '(' || p == '[' || p == '{'
}

// groupHead returns the first word after the bracket at token i, behind further brackets, quotes and a
// colon; -1 if it is not within a few tokens.
func (l *lineReader) groupHead(i int) int {
	limit := i + maxDecoration
	for i++; i < len(l.toks) && i < limit; i++ {
		switch l.punct(i) {
		case 0:
			return i
		case '(', '[', '{', '"', '\'', ':':
		default:
			return -1
		}
	}
	return -1
}

// groupAction reports whether the bracket at token i is followed by an action.
func (l *lineReader) groupAction(i int) bool {
	k := l.groupHead(i)
	if k < 0 || k > i+4 {
		return false
	}
	for l.info(k).class == classLead && l.info(k).action < 0 {
		k++ // "(then stack a b)"
	}
	action, _ := l.actionName(k)
	return action >= 0
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

// likeness returns how much the content of a line, from token i on, resembles a step.
func (l *lineReader) likeness(i int) likeness {
	if l.saysState(i) || l.bracketedFact(i) {
		return likeFact // "Preconditions: Pain(a)", "(c is clear)"
	}
	if l.method(i) {
		return likeStep // never.stack(a, b)
	}
	if o := l.opening(i); o.at >= 0 {
		if o.call && l.info(o.at).action < 0 && l.saidOf(o.at+1) {
			return likeFact
		}
		if like := l.groupLikeness(o); like != likeNothing {
			return like
		}
	}
	for ; i < len(l.toks); i++ {
		// Most words need no closer look.
		if t := &l.toks[i]; t.bits&hasStep != 0 || l.bracket(i) || t.kind != tokPunct && l.punct(i+1) == '(' {
			if l.mentions(i) {
				return likeMention
			}
		}
	}
	return likeNothing
}

// bracketedFact reports whether a bracket at token i begins with an object and a verb that says something of it: "(c is clear)".
func (l *lineReader) bracketedFact(i int) bool {
	if l.punct(i) != '(' {
		return false
	}
	_, end, ok := l.object(i + 1)
	return ok && (l.info(end).class == classIs || l.wordAt(end, wordMust) || l.wordAt(end, wordHas))
}

// groupLikeness sorts a line that begins with a bracket.
func (l *lineReader) groupLikeness(o opening) likeness {
	open := o.at
	if o.call {
		if open++; l.info(o.at).action >= 0 || l.punct(open+1) == ')' {
			return likeStep // "noop()"
		}
	}
	k := l.groupHead(open)
	switch {
	case k < 0: // "()" among steps is a missing step, ")" ends a list of steps
		for i := open; i < len(l.toks); i++ {
			if !groupSigns[l.punct(i)] {
				return likeMention
			}
		}
		return likeNothing
	case (l.info(k).role == roleCommit || l.info(k).class == classWrap) && !l.namesTask(k, len(l.toks)):
		return likeNothing // "(define (plan p)", "(:steps"
	case o.call && !l.objectAt(k) && l.info(k).action < 0, l.measures(k):
		return likeMention // "print(plan)"
	}
	said := !l.unknown(k)
	if o.call {
		said = !l.unknown(o.at)
	}
	end := l.closingOf(open)
	if end == 0 {
		end = min(len(l.toks), k+maxArgs)
	}
	for i := k; i < end; i++ {
		v := l.info(i)
		if v.action >= 0 && (l.objectAt(i+1) || i == k || i+1 >= len(l.toks) || l.punct(i+1) != 0) {
			return likeStep
		}
		said = said || v.class == classIs || v.class == classVerb || v.class == classTell || v.class == classNot
	}
	if said {
		return likeMention
	}
	return likeStep
}

// measures reports whether the words in brackets from token i on are a measure: "95 % sure", "cost 1",
// "confidence: 0.9", "t=2".
func (l *lineReader) measures(i int) bool {
	w, p := l.info(i), l.punct(i+1)
	return w.object < 0 && w.action < 0 &&
		(l.toks[i].kind == tokNumber || w.class == classMeasure && !l.objectAt(i+1) || (p == '=' || p == ':') && l.numberAhead(i+2))
}

// mentions reports whether token i begins a step within other words.
func (l *lineReader) mentions(i int) bool {
	if l.toks[i].kind == tokPunct {
		return l.bracket(i) && l.groupAction(i) || l.punct(i) == '(' && l.foreignGroup(i)
	}
	w := l.info(i)
	if w.action < 0 && !w.sentence {
		return w.class == classNone && l.foreignCall(i)
	}
	f, status := l.one(i, nil)
	return status == parsedStep && (len(f.args) > 0 || l.punct(i+1) == '(') || w.action < 0 && l.foreignCall(i)
}

// worded reports whether a line is in parentheses that hold words rather than a step in formal notation:
// "(Place it on the table, so that ...)".
func (l *lineReader) worded(i int) bool {
	o := l.opening(i)
	if o.at < 0 || o.call || l.punct(o.at) != '(' {
		return false
	}
	end := l.closingOf(o.at)
	if end == 0 || !l.endsLine(end) || !l.wordsBetween(o.at+1, end-1) {
		return false
	}
	f, status := l.one(o.at, nil)
	return status != parsedStep || f.end != end || !l.proper(&f)
}

// wordsBetween reports whether the tokens from i to end have a word that no step in formal notation has.
func (l *lineReader) wordsBetween(i, end int) bool {
	for l.info(i).class == classLead { // "(then stack a b)"
		i++
	}
	if l.punct(end-1) == '.' {
		return true // "(Pour the hot water over the bag.)"
	}
	for ; i < end; i++ {
		w := l.info(i)
		if w.object >= 0 || w.action >= 0 || w.fact {
			continue
		}
		switch w.class {
		case classJoin, classIs, classVerb, classTell, classSub, classLead, classIt:
			return true
		}
	}
	return false
}

// words returns the number of words from token i to end, at most nine.
func (l *lineReader) words(i, end int) (n int) {
	toks := l.toks[min(i, end):end]
	for k := range toks {
		if toks[k].kind != tokPunct {
			if n++; n == 9 {
				break
			}
		}
	}
	return n
}

// endsLine reports whether only signs follow from token i on.
func (l *lineReader) endsLine(i int) bool {
	for k := i; k < len(l.toks); k++ {
		if l.toks[k].kind != tokPunct {
			return false
		}
	}
	return true
}
