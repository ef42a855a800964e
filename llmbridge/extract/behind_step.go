package extract

import (
	"strings"
)

// What may begin behind a step on its line: another step, something like a step that cannot be read, or more than the step
// can have.

// resumes reports whether another step begins among words about step f, at token i.
func (l *lineReader) resumes(f *found, i int, it *argument, told bool) (tail, int) {
	if next := l.sequel(i); next > 0 && !told {
		if t, at := l.nextStep(f, next, it, linkSign); t != tailRemark {
			return t, at
		}
	}
	switch {
	case l.info(i).action < 0: // most words
	case l.calls(i) && l.otherStep(f, i, it):
		return tailMore, i
	case !told && f.call && l.calls(i):
		if g, status := l.one(i, nil); status == parsedStep && g.name != f.name && !l.proper(&g) {
			return tailBad, i // "while fly(plane7, depot)"
		}
	case !told && l.hiddenStep(f, i, i+1, it):
		return tailBad, i
	}
	return tailRemark, i
}

// nextStep reads the step that begins at token i, behind step f. One that cannot be read, "pick-up d", "put-down on a",
// is bad, unless its words explain f or brackets behind them hold the whole of it.
func (l *lineReader) nextStep(f *found, i int, it *argument, link link) (tail, int) {
	k, had := l.skipLeads(i, l.telling)
	g, status := l.one(k, it)
	if status == parsedStep && (link != linkComma || l.proper(&g)) {
		return tailMore, i
	}
	if status != parsedBad || had.told {
		return tailRemark, i
	}
	action, end := l.actionName(k)
	back := k + 1
	for w := l.info(back); w.class == classAdverb || w.class == classLead; w = l.info(back) {
		back++ // "ride back to f0"
	}
	switch c := l.info(end).class; {
	case remarkSign(l.punct(i-1)) && (action < 0 || action == f.action),
		!l.firm(k) && (action < 0 && !l.joined(back) || c == classIs || c == classVerb || c == classNot || c == classSub || c == classTell || l.tells(end)):
		return tailRemark, i
	}
	if next := l.caption(k); next > 0 {
		return tailMore, next
	}
	return tailBad, k
}

// strays reports whether the words right behind step f, from token i to the next sign, make it another one: they name
// a thing that f does not have, "near a", "fly c". Words that say why or what it does, "so a is clear", do not.
func (l *lineReader) strays(f *found, i int) bool {
	if f.formal() && l.foreignStep(i) && !l.tells(i) || l.joined(i) || l.objectAt(i) && l.info(i).class != classLetter || l.numberAhead(i) && l.endsLine(i+1) {
		return true
	}
	if l.in(i, onceWords) && !l.says(i+1, "more") {
		return true // "once c is clear"
	}
	if w := l.info(i); w.fact && w.class != classJoin {
		return false // "holding b"
	}
	for ; i < len(l.toks) && l.toks[i].kind != tokPunct; i++ {
		w := l.info(i)
		switch {
		case w.class == classSub, w.class == classTell, w.class == classIs, w.class == classVerb, w.action >= 0, l.wordAt(i, wordSo), l.wordAt(i, wordThen),
			l.purpose(i), l.unknown(i) && (l.tells(i) || strings.HasSuffix(l.text(i), "ing")):
			return false
		case l.newName(i), l.otherThing(f, i):
			return true
		}
	}
	return false
}

// otherThing reports whether token i names an object that step f does not have.
func (l *lineReader) otherThing(f *found, i int) bool {
	a, _, ok := l.object(i)
	return ok && a.object >= 0 && l.objectAlone(i) && !f.uses(a)
}

// undergoes reports whether words at token i say in the passive what is done with an object that step f does not have: "a is
// picked up", but not "a is clear".
func (l *lineReader) undergoes(f *found, i int) bool {
	a, end, ok := l.object(i)
	return ok && a.object >= 0 && l.info(end).class == classIs && strings.HasSuffix(l.text(end+1), "ed") && !l.info(end+1).fact &&
		!f.uses(a)
}

// namesOther reports whether an object that step f does not have is named from token i to end.
func (l *lineReader) namesOther(f *found, i, end int) bool {
	for ; i < end; i++ {
		if a, _, ok := l.object(i); ok && !f.uses(a) {
			return true
		}
	}
	return false
}

// addsBadly reports whether words behind a sign or a word such as "and", from token i on, add to step f what cannot be
// read: "and the blue block", ", d", "; fly b".
func (l *lineReader) addsBadly(f *found, i int, isAnd bool) bool {
	k, _ := l.skipLeads(i, false)
	sign := byte(0)
	if i > f.end { // not the step's own bracket
		sign = l.punct(i - 1)
	}
	said := remarkSign(sign) || (sign == '>' || sign == '|' || sign == ';' || sign == '[' || sign == '{') && l.tells(i)
	switch {
	case isAnd && (l.objectAlone(i+1) || l.objectEnds(k) || l.info(k).action >= 0 && k < i+4 && l.info(k+1).class == classIt || l.goesOnBadly(k)), l.info(k).class == classIf, l.info(i).class == classNot && l.objectEnds(i+1):
		return true // "pick up the red block and the blue block"
	case (isAnd || sign == ';' || len(l.out) > 0 && k == i && itemSigns[sign]) && l.aims(k) && !l.tells(k), isAnd && l.undergoes(f, k):
		return true
	case (isAnd || !said && !l.bracket(i-1) && sign != '|' && sign != '>') && (l.newName(k) && l.endsClause(k+1) || l.objectEnds(i) && l.otherThing(f, i)):
		return true
	case (l.wordAt(i, wordThen) || isAnd && l.wordAt(i+1, wordThen) || sign != '.' && itemSigns[sign] && k == i && l.punct(i-2) != ';' || isAnd && l.info(k+1).class != classIt) && l.loneOrder(k, &itemSigns):
		return true // ", explode", "and bmw"
	}
	if isAnd && (l.telling || l.subject) && l.foreignTold(k) {
		return true // ", then I fly b"
	}
	return (!said || l.foreignOther(f, k)) && l.foreignStep(i) // "..., fly b"
}

// foreignOther reports whether the object behind the word at token i is one that step f does not have: "- smash a", where "- lift b
// off c" explains (unstack b c).
func (l *lineReader) foreignOther(f *found, i int) bool {
	a, _, ok := l.object(i + 1)
	return ok && a.object >= 0 && !l.tells(i) && !f.uses(a)
}

// joined reports whether a joining word and then an object stand at token i: the step has too many.
func (l *lineReader) joined(i int) bool {
	if l.info(i).class != classJoin && !(l.wordAt(i, wordNext) && l.wordAt(i+1, wordTo)) {
		return false
	}
	for k := i + 1; k < i+4; k++ {
		if l.objectAt(k) || l.newName(k) {
			return true
		}
		if c := l.info(k).class; c != classJoin && c != classNone {
			break
		}
	}
	return false
}

// tells reports whether a verb in the third person stands at token i: "(unstack b c) frees c" says what the step does.
func (l *lineReader) tells(i int) bool {
	w := l.text(i)
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "wards")
}

// itemSigns stand between the items of a line.
var itemSigns = signsIn(",;.>")

// remarkSign reports whether a sign leads to words about the step before it.
func remarkSign(sign byte) bool { return sign == '-' || sign == ':' || sign == ')' || sign == ']' }
