package extract

import "strings"

// Steps that name no action of the domain, such as "fly c" or "(fly a b)". They are kept, as steps that cannot be read.

// foreignFormal reports whether a step of no action of the domain, in formal notation and with objects of the task,
// stands near the beginning of a line: "Level 1: (fly a b), as needed", "=> fly(a, b)".
func (l *lineReader) foreignFormal(i int) bool {
	for end := i + fewWords; i < end && i < len(l.toks); i++ {
		if l.foreignAt(i) {
			return l.punct(i) != '(' || !l.endsSentence(l.closingOf(i)-2) // "(The order of steps 2 and 3 matters.)"
		}
		if c := l.info(i).class; c == classIs || c == classNot || c == classNo {
			return false
		}
	}
	return false
}

// orders reports whether a line reads like a step of another domain: an unknown word and then an object, "Throw the red
// block", or a step that foreignStep knows.
func (l *lineReader) orders(i int, style lineStyle) bool {
	if w := l.info(i); w.class == classNone && !w.fact && (w.object >= 0 || (w.noun || w.role != roleNone) && l.seen&hasStep == 0 && l.punct(i+1) != '.' && l.punct(i+1) != '!' && !l.leadsOn(l.r.leads, i)) {
		return false // "The red block is clear", "Goal: ..."
	}
	if style == styleNumber && l.foreignTold(i) {
		return true
	}
	at, had := l.skipLeads(i, true)
	if had.told {
		return l.foreignStep(i)
	}
	if l.unknown(at) && l.imperative(at, at > i || style == styleNumber || style == styleBullet && l.aims(i) && !l.tells(i)) {
		return true
	}
	return l.foreignFrom(at)
}

// foreignTold reports whether words at token i tell a step of another domain: "I smash a", "the robot has to smash a", "the robot
// smashes a".
func (l *lineReader) foreignTold(i int) bool {
	for l.info(i).class == classLead {
		i++
	}
	if l.punct(i) == ',' {
		i++
	}
	if c := l.info(i + 1).class; l.info(i).class != classTell && c != classTell && c != classLead && !l.tells(i+1) && l.obliges(i+1) == 0 {
		return false // most lines
	}
	who := l.in(i, receivers)
	if l.info(i).class != classTell && !who {
		return false
	}
	k := i + 1
	for w := l.info(k); w.class == classTell || w.class == classLead || w.class == classAdverb || l.wordAt(k, wordTo) || l.obliges(k) > 0; w = l.info(k) {
		k += max(1, l.obliges(k))
	}
	return l.tells(k) == (who && k == i+1) && !l.in(k, perceives) && l.foreignFrom(k)
}

// imperative reports whether an object stands behind the unknown word at token i.
func (l *lineReader) imperative(i int, numbered bool) bool {
	if numbered && l.aims(i) {
		i++
	}
	a, end, ok := l.object(i + 1)
	if !ok || a.object < 0 {
		return false
	}
	// "throw a b", not "such a mess".
	for ok && end < len(l.toks) {
		_, end, ok = l.object(end)
	}
	return ok || numbered || l.info(i+1).class != classLetter
}

var noSigns signs

// loneOrder reports whether a line, or an item of one that ends in one of the given signs, is an unknown verb, alone or
// with "it": "harvest", "bind it".
func (l *lineReader) loneOrder(i int, ends *signs) bool {
	if !l.unknownVerb(i) || l.tells(i) || l.in(i, lastWords) || endsInDigit(l.text(i)) || beyondASCII(l.text(i)) {
		return false
	}
	if l.info(i+1).class == classIt {
		i++
	}
	return ends[l.punct(i+1)] || l.endsLine(i+1) && l.punct(len(l.toks)-1) != '!'
}

// aims reports whether an unknown verb and objects behind prepositions are all that is left of a clause at token i:
// "celebrate with a", "wait for a in b".
func (l *lineReader) aims(i int) bool {
	if !l.unknownVerb(i) {
		return false
	}
	k := i + 1
	for l.info(k).class == classJoin || l.wordAt(k, wordFor) {
		_, end, ok := l.object(k + 1)
		if !ok || !l.objectAlone(k+1) {
			return false
		}
		k = end
	}
	return k > i+1 && l.endsClause(k)
}

// verbless reports whether a line names objects and says nothing about them: "red block onto blue block"
// is meant as a step but names none.
func (l *lineReader) verbless(i int) bool {
	objects, sentence := false, l.punct(len(l.toks)-1) == '.'
	for start := i; i < len(l.toks); i++ {
		w := l.info(i)
		switch {
		case sentence && i > start && (l.unknownVerb(i) || w.role == roleCommit && w.action < 0) && l.tells(i):
			return false // "The ferry crosses with the audi."
		case w.fact && w.class != classJoin || w.action >= 0 || l.punct(i) == ':':
			return false
		case w.class == classIs || w.class == classVerb && !l.moves(i+1) || w.class == classNot || w.class == classNo || w.class == classTell || w.class == classSub:
			return false
		}
		if a, end, ok := l.object(i); ok && a.object >= 0 && (w.class != classLetter || l.objectAlone(i)) {
			objects, i = true, end-1
		}
	}
	return objects
}

// onlyObjects reports whether the line is one word and then objects, or one that aims at it: "fly a b", "return to a".
func (l *lineReader) onlyObjects(i int) bool {
	if i, _ = l.skipLeads(i, false); l.aims(i) {
		i++
	}
	a, end, ok := l.object(i + 1)
	for ok && a.object >= 0 && end < len(l.toks) {
		if l.toks[end].kind == tokPunct {
			return true // a remark follows
		}
		a, end, ok = l.object(end)
	}
	return ok && a.object >= 0
}

// unknownVerb reports whether a word that the reader knows in no sense may be a verb in an order.
func (l *lineReader) unknownVerb(i int) bool {
	if !l.unknown(i) || l.info(i).action >= 0 {
		return false
	}
	text := l.text(i)
	return (len(text) < 5 || !strings.HasSuffix(text, "ing") && !strings.HasSuffix(text, "ly")) && strings.IndexByte(text, '\'') < 0
}

// unknown reports whether the reader knows a word in no sense but perhaps as an action.
func (l *lineReader) unknown(i int) bool {
	w := l.info(i)
	return i < len(l.toks) && l.toks[i].kind == tokWord && w.class == classNone && !w.fact && !w.noun && w.object < 0 && w.role == roleNone
}

// foreignStep reports whether words that read like a step of another domain stand at token i: an unknown verb and
// an object, "fly c", "and carry ball0 to room1", "then throw c at a".
func (l *lineReader) foreignStep(i int) bool {
	i, _ = l.skipLeads(i, false)
	return l.foreignFrom(i)
}

// foreignFrom is foreignStep for a token to which no words lead.
func (l *lineReader) foreignFrom(i int) bool {
	if i >= len(l.toks) || l.toks[i].kind != tokWord {
		return l.foreignAt(i)
	}
	if l.foreignAt(i) {
		return true
	}
	w := l.info(i)
	verb := l.unknownVerb(i) || w.class == classLabel && w.action < 0 && l.in(i, labelVerbs) && l.punct(len(l.toks)-1) != ':' // "move a to the left"
	if verb && l.likeObject(i+1) && l.endsClause(i+2) {
		return true // "fly room7"
	}
	if !verb && (!w.fact || w.action >= 0 || w.class != classNone) {
		return false
	}
	a, end, ok := l.object(i + 1)
	if !ok || a.object < 0 || !verb && (l.info(end).class != classJoin || l.wordAt(end, wordAnd)) {
		return false // but "carry ball0 to room1", though carry is a predicate
	}
	if l.info(i+1).class != classLetter || end >= len(l.toks) || l.toks[end].kind == tokPunct || l.objectAlone(end) {
		return true
	}
	c := l.info(end).class
	return c == classJoin || c == classLetter && l.info(end).object >= 0 || l.wordAt(end, wordSo) && l.wordAt(end+1, wordThat) || c == classSub && l.info(end).role == roleNone || c == classLead && end+1 == len(l.toks)
}

// foreignAt reports whether a step of no action of the domain, in formal notation and with objects of the task, begins
// at token i: "(fly a b)", "fly(a, b)".
func (l *lineReader) foreignAt(i int) bool {
	switch {
	case l.punct(i+1) != '(' && l.punct(i) != '(':
		return false // most words
	case l.punct(i) == '(' && (l.punct(i+1) == '"' || l.punct(i+1) == '\''): // ("fly", "a", "b")
		if l.punct(i+4) == ')' || l.punct(i+4) == ',' && l.punct(i+5) == ')' {
			return l.unknownVerb(i+2) && l.punct(i+3) == l.punct(i+1) // ("wait",)
		}
		a, _, ok := l.object(i + 5)
		return ok && a.object >= 0 && l.unknownVerb(i+2) && l.punct(i+3) == l.punct(i+1) && l.punct(i+4) == ','
	case l.punct(i) == '(':
		if !l.unknownVerb(i+1) || !l.foreignGroup(i) {
			return false
		}
	case !l.unknownVerb(i) || l.toks[i].end != l.toks[i+1].start:
		return false
	}
	a, _, ok := l.object(i + 2)
	return ok && a.object >= 0 || l.likeObject(i+2) && (l.punct(i+3) == ')' || l.punct(i+3) == ',')
}

// foreignCall reports whether an unknown word is called at token i: "fly(a, b)".
func (l *lineReader) foreignCall(i int) bool {
	return l.punct(i+1) == '(' && l.toks[i].end == l.toks[i+1].start && (l.objectAt(i+2) || l.punct(i+2) == ')')
}

// foreignGroup reports whether the parenthesis at token i holds an unknown word and then objects, or is
// never closed: "(fly a b)", "(fly a, b".
func (l *lineReader) foreignGroup(i int) bool {
	if i++; !l.unknown(i) {
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
		known := l.info(i).object >= 0
		objects, others = objects || known, others || !known
	}
}

// foreignItem reports whether an item of a list within a line begins at token i with an unknown word and
// an object: "2. fly b", "② fly b".
func (l *lineReader) foreignItem(i int) bool {
	switch {
	case l.numberAhead(i) && (l.punct(i+1) == '.' || l.punct(i+1) == ')') && l.punct(i-1) != '(' && l.punct(i-1) != '=':
		i += 2
	case i < len(l.toks) && l.line[l.toks[i].start] >= 0x80 && l.circled(i) > 0:
		i++
	default:
		return false
	}
	return !l.info(i).sentence && l.foreignStep(i)
}

// ordersUnknown reports whether a line is two or three words that may order something with a thing that the reader does not
// know, or with any of a kind: "deploy satellite", "hand over the block".
func (l *lineReader) ordersUnknown(i int) bool {
	const most = 8 // tokens, with signs at the end
	if len(l.toks) > i+most || !l.unknownVerb(i) {
		return false // most lines
	}
	last := len(l.toks) - 1
	for ; last > i && l.toks[last].kind == tokPunct; last-- {
		if l.punct(last) == '!' {
			return false
		}
	}
	if l.tells(i) || l.in(i, lastWords) || last != i+1 && (last != i+2 || !l.unknown(i+1) && l.info(i+1).class != classJoin && !l.numberAhead(i+1)) {
		return false
	}
	thing := l.unknown(last) || l.info(last).noun && l.info(last).object < 0 || l.numberAhead(i+1) && l.info(last).class == classMeasure // "wait 5 minutes"
	return thing && !l.in(last, lastWords) && !strings.HasSuffix(l.text(last), "ed") && l.info(last).action < 0
}

// unknownItem reports whether an item of a list within the line is two words that the reader does not know, behind the sign
// at token i and before the same sign or the end of the line: "; deploy satellite;".
func (l *lineReader) unknownItem(i int) bool {
	sign := l.punct(i)
	return (sign == ',' || sign == ';' || sign == '>' && l.punct(i+3) == '-') && l.unknownVerb(i+1) && !l.tells(i+1) && (l.unknown(i+2) || l.info(i+2).noun && l.info(i+2).object < 0) && l.info(i+2).action < 0 && (l.punct(i+3) == sign || sign == '>' || i+3 >= len(l.toks))
}

// lastUnknown reports whether the sign at token i leads to the last item of a line, which is two words that the reader does not
// know: ", deploy satellite", "-> deploy satellite".
func (l *lineReader) lastUnknown(i int) bool {
	if l.punct(i) == '-' && l.punct(i+1) == '>' {
		i++
	}
	return (l.punct(i) == ',' || l.punct(i) == '>') && l.endsLine(i+3) && l.ordersUnknown(i+1)
}

// orOther reports whether "or" and then an object or an unknown verb, or "and" and an object, stand at token i, in
// brackets behind a step.
func (l *lineReader) orOther(i int) bool {
	return l.info(i).class == classOr && (l.objectAt(i+1) || l.unknownVerb(i+1) || l.info(i+1).class == classNot) || l.wordAt(i, wordAnd) && (l.objectEnds(i+1) || l.newName(i+1))
}

// ordersNext reports whether "then" and a step that cannot be read stand at token i, in brackets behind a step.
func (l *lineReader) ordersNext(i int) bool {
	if !l.wordAt(i, wordThen) {
		return false
	}
	_, status := l.one(i+1, nil)
	return status == parsedBad && l.firm(i+1) || l.foreignStep(i+1) && !l.tells(i+1)
}

// goesOnBadly reports whether a step that cannot be read begins at token i, behind "and" or "then", by an unknown verb and
// a thing of the task: "close the doors of lift0".
func (l *lineReader) goesOnBadly(i int) bool {
	if _, end, ok := l.object(i + 1); ok && l.info(i).class == classLabel {
		return l.joined(end) // "move b to a"
	}
	return l.unknownVerb(i) && !l.tells(i) && l.unknownVerb(i+1) && l.info(i+2).class == classJoin && l.objectEnds(i+3)
}
