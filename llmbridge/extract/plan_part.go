package extract

import (
	"slices"
	"strings"
)

// What a sentence says of a part of the plan: "step 3 is redundant", "all steps but step 2".

// mayNamePart reports whether the name of a part of the plan may begin at token k. It is false of most words.
func (o *outline) mayNamePart(k int) bool {
	t := &o.toks[k]
	return t.kind != tokPunct && (t.kind == tokNumber || t.bits&(hasPlace|hasLead|hasTimes) != 0 || o.toks[min(k+1, len(o.toks)-1)].bits&hasPlace != 0)
}

// steps", "the recharge line", "the second one", "the 4th". A number alone is one behind an order, "skip 2)".
func (o *outline) part(i int) int {
	const most = 3
	start := i
	for i < start+most && (o.info(i).class == classLead || o.ordinal(i)) {
		i++
	}
	led := i > start
	place := func(k int) bool {
		return k < len(o.toks) && o.toks[k].bits&hasPlace != 0 && o.in(k, placeWords)
	}
	if led && place(i+1) && o.in(i, numerals) {
		i++ // "the first four steps"
	}
	switch {
	case o.numberAhead(i+1) && place(i):
		return i + 2
	case led && (place(i) || o.wordAt(i, wordOne) || o.says(i, "ones")):
		return i + 1
	case (o.info(i).action >= 0 || led && o.info(i).class == classNone) && place(i+1):
		return i + 2
	case led && o.ordinal(i-1):
		return i
	case !led && o.numberAhead(i) && o.info(i).object < 0 && (o.orderedAt(i-1) || o.in(i-1, amidWords)) && (o.endsClause(i+1) || o.wordAt(i+1, wordAnd)):
		return i + 1
	}
	return 0
}

// beside reports whether token i leads to a part of the plan, beside which something is done.
func (o *outline) beside(i int) bool {
	return o.in(i, besideWords) || o.in(i, amidWords)
}

// "after step 3, add ...", "before step 2 you have to polish b".
func (o *outline) changesPart(k, end int) bool {
	before := o.beside(k - 1)
	switch {
	case o.info(k-1).says() == negates && !o.wordAt(k-1, wordWithout) && !o.wordAt(k-2, wordBut) || o.says(k-1, "nor"):
		return false // "neither step 2 nor step 3"
	case o.excepts(k, end) || o.startsOrder(k) && o.fallsAway(end):
		return true
	case (o.says(k-1, "in") || o.wordAt(k-1, wordFor)) && o.exchanges(end):
		return true
	case o.says(k-1, "in") && o.endsClause(end) && o.replaces(k), // "use a instead of b in step 5"
		o.wordAt(k-2, wordOnly) && o.info(k-1).class == classDo, o.info(end).class == classOr && o.part(end+1) > 0, // "either step 2 or step 3"
		o.wordAt(k-1, wordOnly) && (o.info(k-2).class == classDo || o.onlyThese(o.lastPart(end))):
		return true // "do only steps 1 to 4"
	case o.startsOrder(k-1) && (o.beside(end) && o.part(end+1) > 0 || o.info(end).class == classTimes || o.says(end+1, "times")), // "do step 2 twice"
		before && o.says(k-2, "stop") && o.startsOrder(k-2), o.says(k-1, "of") && o.says(k-2, "instead"):
		return true
	}
	must, comma := len(o.toks), false
	for n := end; n < end+8 && n < len(o.toks) && o.punct(n) != '.'; n++ {
		switch {
		case o.orderedAt(n) && o.in(n, amendWords), o.in(n, lapses), o.startsOrder(k-1) && o.swapped(n), n > must && n < must+5 && o.in(n, changedWords), n <= end+1 && o.wordAt(n, wordAgain) && o.endsClause(n+1):
			return true
		case o.startsOrder(k) && !comma && (o.info(n).class == classIs && (o.info(n+1).says() == denies || o.info(n+1).class == classIf) && o.stops(n+2) ||
			n == end && (o.info(n).says() == denies && o.stops(n+1) || o.seen&(hasStep|hasBracket) == 0 && (o.info(n).class == classIf || o.wordAt(n, wordOnly) && (o.info(n+1).class == classIf || o.says(n+1, "when")))) ||
			o.info(n).says() == negates && (o.affirmed(n+1) && o.stops(n+2) || o.affirmed(n+2) && o.stops(n+3))):
			return true // "step 3 is optional", "step 3 fails", "step 3 only if ...", "step 3 can't be executed"
		case o.in(n, seemWords):
			return false // "step 2 seems redundant, but it is not"
		case o.wordAt(n, wordOnly) && o.startsOrder(k) && !comma && o.onlyIf(n):
			return true // "step 2 is only executed if ..."
		case o.info(n).class == classNot, o.info(n).class == classNo, o.info(n).says() == negates:
			if !comma && (o.in(n+1, needs) || o.in(n+2, needs)) && !strings.HasSuffix(o.lineReader.text(k-1), "ing") {
				return true // "step 3 is not needed", but not "repeating step 3 is not needed"
			}
			if o.info(n).says() != negates || o.info(n).class == classNot {
				return false
			}
		case n > must && !before && !comma && o.obliges(must) > 0 && o.disorders(end-1, n), o.startsOrder(k) && !comma && (n == end+1 && o.in(end, takesPlace) && o.disorders(end-1, n) || o.swapped(n)):
			return true // "step 4 must come before step 3", "step 4 goes before step 3"
		case o.wordAt(n, wordMust), o.wordAt(n, wordShould), o.in(n, obliges) && o.info(n-1).object < 0:
			must = n
		case o.punct(n) == ',':
			comma = true
		case before:
			if o.foreignStep(n) && !o.tells(n) {
				return true
			}
		}
	}
	return false
}

// but step 2"; or say that another order is meant, "start with step 2".
func (o *outline) excepts(k, end int) bool {
	before := func(i, words int, is func(i int) bool) bool {
		for n := i - 1; n >= max(0, i-words); n-- {
			if is(n) {
				return true
			}
		}
		return false
	}
	negated := func(i int) bool { return o.info(i).says() == negates || o.info(i).class == classNo }
	switch i := k - 1; {
	case o.says(i, "need"):
		return before(i, 2, negated)
	case o.wordAt(i, wordFor):
		return o.says(i-1, "need") && before(i-1, 2, negated)
	case o.says(i, "except"), o.says(i, "excluding"):
		return true
	case o.wordAt(i, wordBut):
		return before(i, 2, func(n int) bool { return o.says(n, "all") || o.says(n, "everything") })
	case o.wordAt(i, wordNot):
		return o.wordAt(i-1, wordBut) && o.endsClause(end)
	case o.wordAt(i, wordWithout):
		return o.info(0).class == classDo || o.startsOrder(i) && o.endsLine(end+1)
	case o.says(i, "between"):
		return o.says(i-1, "choose")
	case o.says(i, "with"), o.says(i, "at"):
		return (o.says(i-1, "start") || o.says(i-1, "begin")) && o.startsOrder(i-1) && (o.says(k, "last") || o.numberAhead(end-1) && o.value(end-1) > 1)
	}
	return labelSigns[o.punct(end)] && o.startsOrder(k) && o.orderedAt(end+1) && (o.endsClause(end+2) || o.info(end+2).class == classIt) // "Step 2: skip it."
}

// "should be dropped", "is not required", "has to be done twice".
func (o *outline) fallsAway(i int) bool {
	const most = 10
	i = o.lastPart(i)
	negated, start := false, i
	for end := min(i+most, len(o.toks)); i < end && o.toks[i].kind != tokPunct; i++ {
		w := o.info(i)
		switch {
		case w.says() == negates || w.class == classNo:
			negated = !negated
		case o.wordAt(i, wordHas) || o.says(i, "have") || o.says(i, "had"):
			if !o.says(i+1, "been") && !o.wordAt(i+1, wordTo) {
				return false // "step 2 has removed b"
			}
		case o.in(i, needs):
			return negated
		case w.class == classIs || w.class == classLetter || w.class == classAdverb || o.in(i, modals) || o.in(i, obliges) || o.in(i, auxiliaries):
		case i == start && !o.stops(i+1):
			return false // "step 2 removed b"
		case o.in(i, lapses), o.in(i, changedWords), w.class == classTimes, w.says() == denies && o.stops(i+1):
			return !negated
		default:
			return !negated && (o.in(i, doneWords) || w.class == classDo) && (o.info(i+1).class == classTimes || o.says(i+2, "times"))
		}
	}
	return false
}

// onlyThese reports whether the words behind some parts of the plan, from token i on, say that they are done, "are executed".
func (o *outline) onlyThese(i int) bool {
	return o.info(i).class == classIs && (o.in(i+1, needs) || o.in(i+1, doneWords))
}

// lastPart returns the token behind the last of several parts of the plan, "steps 2 and 3". The first of them ends at token i.
func (o *outline) lastPart(i int) int {
	for (o.wordAt(i, wordAnd) || o.punct(i) == '-' || o.wordAt(i, wordTo)) && o.numberAhead(i+1) {
		i += 2
	}
	return i
}

// "only needed when".
func (o *outline) onlyIf(i int) bool {
	done := func(k int) bool { return o.in(k, doneWords) || o.in(k, needs) }
	condition := func(k int) bool { return o.info(k).class == classIf || o.says(k, "when") }
	return done(i-1) && condition(i+1) || done(i+1) && condition(i+2)
}

// exchanges reports whether an order to do something instead of something else stands at token i: ", open d2 instead of d1".
func (o *outline) exchanges(i int) bool {
	if o.punct(i) == ',' {
		i++
	}
	return (o.info(i).step || o.unknownVerb(i)) && !o.tells(i+1) && o.info(i+1).class != classTell && o.info(i+1).class != classIs && slices.ContainsFunc(o.toks[i:], func(t token) bool { return t.word >= 0 && o.r.words.words[t.word] == "instead" })
}

// by its number.
func (o *outline) disorders(i, n int) bool {
	if o.says(n, "first") && o.numberAhead(i) && o.endsClause(n+1) {
		return o.value(i) > 1 // "step 3 goes first"
	}
	if !o.numberAhead(i) || !o.numberAhead(n+2) || o.part(n+1) == 0 {
		return false
	}
	return o.says(n, "before") && o.value(i) > o.value(n+2) || o.says(n, "after") && o.value(i) < o.value(n+2)
}

// order", "steps 2 and 3 change places".
func (o *outline) swapped(i int) bool {
	switch {
	case o.says(i, "places"):
		return o.in(i-1, changeWords) || o.says(i-1, "trade") || o.says(i-1, "switch")
	case o.says(i, "order"), o.says(i, "way"):
		return o.in(i-1, turnedWords)
	}
	return false
}

// affirmed reports whether token i says something good of a step.
func (o *outline) affirmed(i int) bool {
	d := o.info(i).says()
	return d == asserts || d == keeps
}

// stops reports whether nothing but a reason follows at token i.
func (o *outline) stops(i int) bool {
	return i >= len(o.toks) || o.endsSentence(i) || o.punct(i) == ')' || o.punct(i) == ':' && i+1 == len(o.toks) || o.punct(i) == ',' && (o.wordAt(i+1, wordAs) || o.says(i+1, "since") || o.says(i+1, "because"))
}

// aboutStep reads a line from token i on that says of a step whether it is needed, and reports whether it is one. It drops the
// step, which it notes, or changes nothing: "(stack a b) is not needed.", "(stack a b) must not be skipped."
func (o *outline) aboutStep(l *lineReading, i int) bool {
	const most = 6 // words before and behind the step
	f, status := o.one(i, nil)
	for end := i + most; status != parsedStep && i < end && i < len(o.toks); { // "Note: ..."
		if i++; o.toks[i-1].kind == tokPunct {
			f, status = o.one(i, nil)
		}
	}
	if w := o.info(f.end); status != parsedStep || !o.proper(&f) || w.class != classIs && !o.in(f.end, modals) && !o.in(f.end, unrealWords) && w.says() != negates {
		return false
	}
	negated := false
	for k := f.end; k < f.end+most && k < len(o.toks) && o.toks[k].kind != tokPunct; k++ {
		needed := o.in(k, needs)
		negated = negated != (o.info(k).says() == negates)
		if !needed && !o.in(k, lapses) && !o.in(k, changedWords) && !o.says(k, "optional") {
			continue
		}
		if needed && !negated && (o.has(f.end, addWords) || o.says(k+2, "well")) {
			return false // "(stack a b) is needed as well."
		}
		drops := needed == negated
		if drops && !o.endsClause(k+1) && !o.says(k+1, "out") {
			return false // "pick up b is not needed as ..." among steps
		}
		l.entry.kind, l.counts, l.steps = entryProse, true, l.steps[:0]
		if drops {
			l.entry.change, l.steps = dropsStep, append(l.steps, o.format(&f))
		}
		return true
	}
	return false
}
