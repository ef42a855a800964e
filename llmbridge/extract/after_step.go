package extract

import (
	"slices"
	"strings"
)

// What follows a step on its line: another step, a remark, or too many arguments.

// tail says how a line goes on after a step.
type tail uint8

const (
	tailRemark tail = iota // nothing, or words about the step
	tailMore               // another step
	tailCancel             // "... is not needed": the line takes the step back
	tailBad                // more arguments than the step has
)

// tail sorts what follows step f, and returns the token at which to continue. The word "it" stands for
// the object it.
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
	k, _ := l.skipLeads(i, false)
	if isAnd && l.objectAlone(i+1) || l.info(k).class == classIf || !remarkSign(l.punct(i-1)) && l.foreignStep(i) {
		return tailBad, i // "pick up the red block and the blue block"; "..., fly b"
	}
	return l.laterSentence(f, i, it)
}

// objectAlone reports whether token i names an object: a letter only if no noun or further word follows.
func (l *lineReader) objectAlone(i int) bool {
	a, end, ok := l.object(i)
	if w := l.info(i); !ok || w.class == classIt {
		return false
	} else if w.class != classLetter {
		return true
	}
	return a.object >= 0 && (end >= len(l.toks) || l.toks[end].kind == tokPunct || l.info(end).class == classSub && l.info(end).role == roleNone)
}

// remarkSign reports whether a sign leads to words about the step before it.
func remarkSign(sign byte) bool { return sign == '-' || sign == ':' || sign == ')' || sign == ']' }

// foreignStep reports whether words that read like a step of another domain stand at token i: an unknown verb and
// an object, "fly c", "and carry ball0 to room1", "then throw c at a".
func (l *lineReader) foreignStep(i int) bool {
	i, _ = l.skipLeads(i, false)
	if i >= len(l.toks) || l.toks[i].kind != tokWord {
		return false
	}
	if l.foreignAt(i) {
		return true
	}
	a, end, ok := l.object(i + 1)
	if !ok || a.object < 0 {
		return false
	}
	if w := l.info(i); !l.unknownVerb(i) && !(w.fact && w.action < 0 && w.class == classNone && l.info(end).class == classJoin && !l.wordAt(end, l.r.phrases.and)) {
		return false // "carry ball0 to room1", though carry is a predicate
	}
	if l.info(i+1).class != classLetter || end >= len(l.toks) || l.toks[end].kind == tokPunct || l.objectAlone(end) {
		return true
	}
	c := l.info(end).class
	return c == classJoin || c == classSub && l.info(end).role == roleNone || c == classLead && end+1 == len(l.toks)
}

// unknownVerb reports whether a word that the reader knows in no sense may be a verb in an order.
func (l *lineReader) unknownVerb(i int) bool {
	w := l.info(i)
	if w.class != classNone || w.fact || w.noun || w.object >= 0 || w.role != roleNone || w.action >= 0 {
		return false
	}
	text := l.text(i)
	return len(text) < 5 || !strings.HasSuffix(text, "ing") && !strings.HasSuffix(text, "ly")
}

// tailSigns skips the signs and the remarks in brackets after a step. Unless it returns tailRemark, the
// line is decided.
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
		case '[', '{':
			if k := l.remarkGroup(i); k > 0 {
				i = k - 1
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
			k := i + 1
			for l.punct(k) != '(' && l.punct(k) != 0 && k < i+maxDecoration {
				if k++; l.markup(k-1) > 0 {
					k = l.markup(k - 1)
				}
			}
			if f.paren && (l.punct(k) != '(' && !l.numberAhead(k) || !l.stepAt(k, it)) {
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

// unlessStep takes the rest of the line for a remark, unless a step stands at token i.
func (l *lineReader) unlessStep(f *found, i int, it *argument) (int, bool, tail) {
	if l.otherStep(f, i, it) {
		return i, true, tailBad
	}
	return len(l.toks), true, tailRemark
}

// groupStep returns the token of the next step if the parenthesis at token i holds one, 0 if it holds a
// remark or the same step again.
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
	if status != parsedStep || g.same(f) || !then && l.inWords(name, g.end) && within(&g, f) {
		return 0
	}
	return k
}

// within reports whether all objects of a step are those of another: words in brackets about these objects
// explain the step before them.
func within(g, f *found) bool {
	for _, a := range g.args {
		if !slices.ContainsFunc(f.args, func(b argument) bool { return a.object == b.object }) {
			return false
		}
	}
	return true
}

// remarkGroup returns the token after the brackets at token i if they hold a remark, "[cost 1]",
// "{On(a, b)}"; 0 if they resemble a step.
func (l *lineReader) remarkGroup(i int) int {
	k := l.closingOf(i)
	if k == 0 || l.groupHead(i) < 0 || l.groupLikeness(opening{at: i}) == likeStep {
		return 0
	}
	for ; i < k; i++ {
		if l.mentions(i) && !l.factCall(i) {
			return 0
		}
	}
	return k
}

// toldGroup reports whether the parenthesis at token i holds a sentence, "(the red block is clear)", in
// which no step begins.
func (l *lineReader) toldGroup(i int) bool {
	_, _, named := l.object(i + 1)
	named = named && !l.info(i+1).step
	told := false
	for end := l.closing(i); i < end; i++ {
		w := l.info(i)
		is := l.info(i+1).class == classIs
		if w.step && !named && !is { // "the robot is in room0"
			return false
		}
		told = told || is || w.class == classVerb || w.class == classNot || w.fact && named
	}
	return told
}

// inWords reports whether the step at token i is written in words, "pick up the red block". In
// parentheses after another step such words explain that step.
func (l *lineReader) inWords(i, end int) bool {
	action, args := l.actionName(i)
	if action < 0 || args > i+1 {
		return true
	}
	if l.punct(args) == '(' {
		return false
	}
	for k := args; k < end-1; k++ {
		if w := l.info(k); w.object < 0 && (w.noun || w.class == classJoin) {
			return true
		}
	}
	return false
}

// brokenGroup reports whether the parenthesis at token i, among steps in parentheses, is a step that
// cannot be read, or mentions an action.
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
	return false
}

// tailWords sorts words that follow a step without a sign between.
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
	if w.class == classIf || f.formal() && l.foreignStep(i) {
		return tailBad, i
	}
	if w.class == classJoin || l.wordAt(i, l.r.phrases.next) && l.wordAt(i+1, l.r.phrases.to) {
		for k := i + 1; k < i+4; k++ {
			if _, _, ok := l.object(k); ok {
				return tailBad, i
			}
			if c := l.info(k).class; c != classJoin && c != classNone {
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

// purpose reports whether the words at token i say what a step is for: "to clear the red block", but
// not "to the red block".
func (l *lineReader) purpose(i int) bool {
	if !l.wordAt(i, l.r.phrases.to) || i+1 >= len(l.toks) || l.toks[i+1].kind != tokWord {
		return false
	}
	w := l.info(i + 1)
	_, _, name := l.object(i + 1)
	return !name && !w.noun && w.class == classNone
}

// laterSentence finds the next step behind words about a step: at the beginning of a sentence ("Pick up
// the red block. It is clear. Stack it on the blue block."), after "then", or in formal notation.
func (l *lineReader) laterSentence(f *found, i int, it *argument) (tail, int) {
	told := false // a word such as "can" since the last sign: "so that we can then stack it"
	for ; i < len(l.toks); i++ {
		switch l.punct(i) {
		case 0:
			w := l.info(i)
			if w.class == classIf {
				return tailBad, i // "unless b is clear": a step with a condition
			}
			told = told || w.class == classTell
			if next := l.sequel(i); next > 0 && !told && l.stepAt(next, it) {
				return tailMore, next
			}
			if w.action >= 0 && l.calls(i) && l.otherStep(f, i, it) {
				return tailMore, i
			}
			continue
		case '(':
			if l.factCall(i - 1) {
				i = l.closing(i) - 1
				continue
			}
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
			if l.foreignStep(i + 1) {
				return tailBad, i + 1
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

// factCall reports whether a fact in call notation, "On(a, b)", stands at token i.
func (l *lineReader) factCall(i int) bool {
	return l.info(i).fact && l.info(i).action < 0 && l.punct(i+1) == '(' && l.toks[i].end == l.toks[i+1].start && l.closing(i+1) > 0
}

// sequel returns the token after words that lead to the next step, "then", "followed by", "2."; 0 for
// other words.
func (l *lineReader) sequel(i int) int {
	t, p := &l.toks[i], &l.r.phrases
	if t.kind == tokNumber {
		if q := l.punct(i + 1); q == ')' || q == '.' {
			return i + 2
		}
		return 0
	}
	switch t.word {
	case p.then, p.finally, p.lastly:
		return i + 1
	case p.followed:
		if l.wordAt(i+1, p.by) {
			return i + 2
		}
	}
	return 0
}

// otherStep reports whether a step in formal notation, other than f, begins at token i. A step in words
// may only explain f.
func (l *lineReader) otherStep(f *found, i int, it *argument) bool {
	k, _ := l.skipLeads(i, false)
	g, status := l.one(k, it)
	if l.punct(k) == '(' {
		k++
	}
	return status == parsedStep && l.proper(&g) && !g.same(f) && !l.inWords(k, g.end)
}
