package extract

import (
	"slices"
	"strings"
)

// What the grammar of a line asks about the words at a token.

// calls reports whether the action's name at token i is followed by a parenthesis.
func (l *lineReader) calls(i int) bool {
	if l.seen&(hasBracket|hasTag) == 0 {
		return false
	}
	_, end := l.actionName(i)
	return l.punct(end) == '('
}

// stepAt reports whether a step begins at token i, possibly behind words that lead to it.
func (l *lineReader) stepAt(i int, it *argument) bool {
	k, _ := l.skipLeads(i, l.telling)
	_, status := l.one(k, it)
	return status == parsedStep
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

// proper reports whether a step has an action of the domain and, for each parameter, an object of the
// problem.
func (l *lineReader) proper(f *found) bool {
	return f.action >= 0 && len(f.args) == l.r.actions[f.action].arity && !slices.ContainsFunc(f.args, func(a argument) bool { return a.object < 0 })
}

// firm reports whether a malformed step at token i can only be meant as one: an object, a noun or the end
// of the line follows its action.
func (l *lineReader) firm(i int) bool {
	if l.punct(i) == '(' {
		return true
	}
	_, end := l.actionName(i)
	n := l.r.root
	for k := i; k < len(l.toks) && l.toks[k].word >= 0; k++ {
		if next := n.find(l.toks[k].word); next != nil {
			n, end = next, max(end, k+1)
		} else if c := l.info(k).class; c != classLead && c != classAdverb {
			break // but "the robot then moves"
		}
	}
	for w := l.info(end); w.class == classAdverb || w.class == classLead; w = l.info(end) {
		end++ // "sail back"
	}
	w := l.info(end)
	if _, at, ok := l.object(end + 1); ok && w.class == classJoin && (l.endsClause(at) || l.info(at).class == classLead) {
		return true // "sail to the island"
	}
	return end >= len(l.toks) || l.punct(end) == '(' || l.objectAt(end) || l.newName(end) || w.noun || w.class == classLetter || w.class == classIt
}

// caption returns the token after a caption such as "Unstack yellow:" if a step with the same action
// follows, or, after words that name no action or that one, a step in formal notation to the end of the line: "Go over -
// (move room0 room1)". Else it returns 0.
func (l *lineReader) caption(i int) int {
	const most = 16
	action, end := l.actionName(i)
	for k := max(end, i); k < i+most; k++ {
		switch p := l.punct(k); p {
		case ':', '-', '>':
			f, status := l.one(k+1, nil)
			same := action >= 0 && f.name == l.r.actions[action].name
			if status == parsedStep && (same && p == ':' || (same || action < 0) && (f.formal() || p == ':' && !l.namesOther(&f, i, k)) && l.proper(&f) && (l.endsLine(f.end) || f.formal() && l.punct(f.end) == '.')) {
				return k + 1
			}
			return 0
		case '(':
			f, status := l.one(k, nil)
			if status == parsedStep && l.itemised && (action < 0 || f.name == l.r.actions[action].name) && l.proper(&f) && l.endsLine(f.end) && !l.withheld(i, k) && !l.namesOther(&f, i, k) {
				return k // "Put b away (put-down b)"
			}
			return 0
		case '.', ';':
			return 0
		}
	}
	return 0
}

// moves reports whether the verb before token i describes an action rather than a state: "the robot
// carries a to b".
func (l *lineReader) moves(i int) bool {
	_, end, ok := l.name(i)
	if !ok || l.info(end).class != classJoin || l.wordAt(end, wordAnd) {
		return false
	}
	_, _, ok = l.name(end + 1)
	return ok
}

// defines reports whether a line explains an action rather than naming a step: "Attack: requires ...",
// "attack requires ...".
func (l *lineReader) defines(i int) bool {
	_, end := l.actionName(i)
	for l.info(end).class == classLabel {
		end++
	}
	if l.info(i).action < 0 && l.info(end).class == classIs {
		for k := end + 1; k <= end+2; k++ {
			if w := l.info(k); w.class == classJoin || w.fact {
				return true // "the robot is now in room0"
			}
		}
	}
	return l.punct(end) == ':' && end+1 < len(l.toks) || l.info(end).class == classVerb && !l.moves(end+1)
}

// negated looks for a word such as "not" in the next tokens and returns the token after it.
func (l *lineReader) negated(i, within int) (int, bool) {
	for k := i; k < len(l.toks) && k < i+within; k++ {
		if l.toks[k].kind == tokPunct && l.toks[k].punct != ',' {
			return 0, false
		}
		if l.info(k).class == classNot && (k == i || l.info(k-1).class == classIs || within <= 4) {
			return k + 1, true
		}
	}
	return 0, false
}

// takesBack reports whether "no wait", "no,", "skip this" or "not needed" stands at token i: what was said before it is
// not meant.
func (l *lineReader) takesBack(i int) bool {
	if l.info(i).class == classNot {
		return l.in(i, takeBacks) && (l.afterThat(i) || l.info(i+1).class == classIt) || l.in(i+1, needs)
	}
	return l.wordAt(i, wordNo) && (l.punct(i+1) == ',' || l.says(i+1, "wait")) || l.says(i, "wait") && l.wordAt(i+1, wordNo)
}

// undone reports whether words at token i, right behind a step, make it another one or take it back.
func (l *lineReader) undone(i int, link link) (tail, int) {
	if link >= linkWords {
		return tailRemark, i
	}
	if l.alters(i) {
		return tailBad, i // "via b"
	}
	if c := l.info(i).class; link == linkNone && (c == classIs || c == classNot) {
		if at, ok := l.negated(i, 4); ok {
			return tailCancel, at
		}
	}
	return tailRemark, i
}

// alters reports whether words at token i make the step before them another one: "via b", "both cars".
func (l *lineReader) alters(i int) bool {
	if l.leadsOn(l.r.alters, i) {
		if done, end := l.longest(l.r.alters, i); done >= 0 {
			return end > i+1 || l.info(end).class != classIt || !l.endsClause(end+1) // "through it"
		}
	}
	if l.info(i).class != classSub || !l.in(i, quantifiers) {
		return false
	}
	single := l.says(i, "each") || l.says(i, "every")
	thing := (l.info(i+1).noun || l.unknown(i+1)) && (i+2 >= len(l.toks) || l.toks[i+2].kind == tokPunct)
	return l.says(i+1, "of") || thing && (single || strings.HasSuffix(l.text(i+1), "s"))
}

// meanwhile reports whether words at token i do something with an object that step f does not have, "while pushing b
// aside"; but not "while holding b".
func (l *lineReader) meanwhile(f *found, i int) bool {
	if l.info(i).class == classSub && (l.info(i+1).action >= 0 || l.unknownVerb(i+1)) && l.in(i, amidSteps) {
		g, status := l.one(i+1, nil)
		if status == parsedStep && l.proper(&g) && !g.same(f) || !l.tells(i+1) && l.foreignFrom(i+1) {
			return true // "before pick-up a"
		}
	}
	if !l.wordAt(i, wordWhile) || !strings.HasSuffix(l.text(i+1), "ing") || !l.unknown(i+1) || l.in(i+1, lastingWords) {
		return false
	}
	a, _, ok := l.object(i + 2)
	return ok && a.object >= 0 && !f.uses(a)
}

// replacement returns the token of the step that replaces a cancelled one, "..., so put down the red block", or 0.
func (l *lineReader) replacement(i int) int {
	for k := i; k < len(l.toks) && k < i+16; k++ {
		if p := l.punct(k); (p == ',' || p == ';' || p == '.' || p == '-' || l.toks[k].word == wordSo) && l.stepAt(k+1, nil) {
			return k + 1
		}
	}
	return 0
}

// sequel returns the token after words that lead to the next step, "then", "followed by", "2."; 0 for
// other words.
func (l *lineReader) sequel(i int) int {
	switch t, q := &l.toks[i], l.punct(i+1); {
	case t.kind == tokNumber && (q == ')' || q == '.'), t.word == wordFollowed && l.wordAt(i+1, wordBy):
		return i + 2
	case t.word == wordThen, t.word == wordFinally, t.word == wordLastly:
		return i + 1
	}
	return 0
}

// purpose reports whether the words at token i say what a step is for: "to clear the red block", but
// not "to the red block".
func (l *lineReader) purpose(i int) bool {
	if !l.wordAt(i, wordTo) || i+1 >= len(l.toks) || l.toks[i+1].kind != tokWord {
		return false
	}
	w := l.info(i + 1)
	_, _, name := l.object(i + 1)
	return !name && !w.noun && w.class == classNone
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

// newName reports whether token i looks like the name of an object that the task does not have: "d", "block4".
func (l *lineReader) newName(i int) bool {
	if i >= len(l.toks) || l.toks[i].kind != tokWord || l.toks[i].word >= 0 || l.punct(i+1) == ':' || l.bracket(i+1) {
		return false // but "t1: (stack a b)"
	}
	t := l.text(i)
	return endsInDigit(t) || len(t) == 1 && t != "_" && byteClass[t[0]] == classWord
}

// likeObject reports whether token i looks like the name of an object that the task does not have, and differs from one
// that it has in its digits only, "room2", or is a letter as that is.
func (l *lineReader) likeObject(i int) bool {
	if !l.newName(i) {
		return false
	}
	const digits = "0123456789"
	name := l.text(i)
	stem := strings.TrimRight(name, digits)
	return slices.ContainsFunc(l.r.objects, func(o objectInfo) bool {
		return len(name) == 1 && len(o.name) == 1 || stem != "" && strings.EqualFold(strings.TrimRight(o.name, digits), stem)
	})
}

// endsClause reports whether nothing or a sign stands at token i.
func (l *lineReader) endsClause(i int) bool { return i >= len(l.toks) || l.toks[i].kind == tokPunct }

// objectEnds reports whether an object stands at token i with nothing but a sign behind it.
func (l *lineReader) objectEnds(i int) bool {
	_, end, ok := l.object(i)
	return ok && l.objectAlone(i) && l.endsClause(end)
}

// factCall reports whether a fact in call notation, "On(a, b)", stands at token i.
func (l *lineReader) factCall(i int) bool {
	return l.info(i).fact && l.info(i).action < 0 && l.punct(i+1) == '(' && l.toks[i].end == l.toks[i+1].start && l.closingOf(i+1) > 0
}

// hiddenStep reports whether brackets from token i to end hold a step of other objects behind words: "(meanwhile: move
// room1 room2)", but not "(so that we can move room1 room2)".
func (l *lineReader) hiddenStep(f *found, i, end int, it *argument) bool {
	for ; i < end && l.info(i).class != classTell; i++ {
		if a := l.info(i).action; a >= 0 && l.r.actions[a].arity > 1 && l.otherStep(f, i, it) {
			return true
		}
	}
	return false
}

// withheld reports whether the words of a clause from token i to end, before a step, say that it is left out or only
// could be done: "I leave out (stack a b)", "one could add (stack a b)".
func (l *lineReader) withheld(i, end int) bool {
	said := false
	for ; i < end; i++ {
		if p := l.punct(i); p != 0 {
			said = said && (p == '(' || p == '"' || p == '\'')
			continue
		}
		w := l.info(i)
		if w.action >= 0 || w.object >= 0 {
			continue
		}
		if l.wordAt(i, wordAnd) || l.wordAt(i, wordThen) || l.wordAt(i, wordSo) {
			said = false
			continue
		}
		said = said || w.class == classNot || w.class == classNo || l.in(i, withholds)
	}
	return said
}
