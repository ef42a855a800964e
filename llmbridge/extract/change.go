package extract

import "slices"

// Sentences that change the plan beside them: an order or a passive, and a part of the plan. "Swap steps 3 and 5."

// change is what a sentence does to the plan beside it.
type change uint8

const (
	changesNothing change = iota
	changesPlan           // "step 2 is redundant": the plan above
	ordersChange          // "skip step 2": the plan above, or else the one below
	addsStep              // the one that the entry names, unless the plan has it
	dropsStep             // the same, if the plan has it
	setsStep              // the one that the entry names stands under its number: "step 2 becomes (stack a b)"
)

// changes returns what a sentence does to the plan, and notes the step that it adds or drops.
func (o *outline) changes(l *lineReading) change {
	if o.info(0).class == classOr && o.seen&hasStep != 0 && o.says(len(o.toks)-2, "instead") {
		return changesPlan // "Or pick up a instead."
	}
	if o.seen&hasPlace == 0 && o.seen&(hasStep|hasDenial) != hasStep|hasDenial || o.seen&(hasAlter|hasDenial|hasTimes|hasElse|hasIs) == 0 {
		return changesNothing // most lines
	}
	corrects := o.corrects()
	if corrects && o.has(2, changeWords) && slices.ContainsFunc(o.toks, func(t token) bool { return t.kind == tokNumber }) {
		return changesPlan // "Edit: between 3 and 4 insert ..."
	}
	for k := range o.toks {
		if bits := o.toks[k].bits; bits&(hasPlace|hasDenial) != 0 {
			if bits&hasPlace != 0 {
				if c := o.ordered(k); c != changesNothing {
					return c
				}
			}
			if o.seen&hasStep != 0 {
				if c, f := o.changedStep(k); c != changesNothing && !o.unreal(k) {
					l.steps = append(l.steps[:0], o.format(&f))
					return c
				}
			}
		}
		if o.seen&hasPlace == 0 || !o.mayNamePart(k) {
			continue
		}
		end := o.part(k)
		if end == 0 {
			continue
		}
		if o.numberAhead(end-1) && o.startsOrder(k) {
			if f, ok := o.setAt(end); ok && !o.unreal(k) {
				l.steps, l.entry.number = append(l.steps[:0], o.format(&f)), o.value(end-1)
				return setsStep
			}
		}
		mends := o.info(k-1).mends && o.info(k-1).role != roleFinal // "the corrected step 3 is ..."
		if corrects || mends || o.says(k-1, "need") && o.says(k-2, "longer") || o.changesPart(k, end) && !o.unreal(k) {
			return changesPlan
		}
		if f, ok := o.addedAt(k, end); ok && !o.unreal(k) {
			l.steps = append(l.steps[:0], o.format(&f))
			return addsStep
		}
	}
	return changesNothing
}

// corrects reports whether a line begins with a label that corrects the plan, "Correction:", "One change:", or with "on second

// thought".
func (o *outline) corrects() bool {
	const most = 4
	if o.wordAt(0, wordOn) && o.says(1, "second") {
		return o.says(2, "thought") || o.says(2, "thoughts")
	}
	for k := range min(most, len(o.toks)) {
		if o.punct(k+1) == ':' && o.in(k, correctWords) {
			return true
		}
	}
	return o.in(0, correctWords) && !o.orderedAt(0)
}

// unreal reports whether a sentence supposes what it says at token i: "if we skipped step 2, ...", "if step 2 is skipped, ...".
func (o *outline) unreal(i int) bool {
	if o.info(0).class == classIf || o.has(0, unrealWords) {
		return true
	}
	for i > 0 && o.toks[i-1].kind != tokPunct {
		i--
	}
	return o.says(i, "if") || o.says(i, "when")
}

// part returns the token after the name of a part of the plan at token i, and 0 if there is none: "step 3", "the last two

// orderedAt reports whether an order to change something stands at token i: "please skip", but not "if we skip".
func (o *outline) orderedAt(i int) bool {
	return o.startsOrder(i) && !o.info(i).step && o.in(i, changeWords)
}

// startsOrder reports whether an order may begin at token i: "skip", "please skip", "you can skip", "note that".
func (o *outline) startsOrder(i int) bool {
	return i == 0 || i > 0 && (o.wordAt(i-1, wordBut) || o.wordAt(i-1, wordThat) && o.in(i-2, noteWords) || o.toks[i-1].kind == tokPunct || o.info(i-1).class == classLead || o.wordAt(i-1, wordPlease) || o.in(i-1, modals) && o.info(0).class != classIf)
}

// ordered returns ordersChange if an order at token k changes a part of the plan: "leave out the second one", "insert ...

// after step 3". So does an admission, "I forgot one".
func (o *outline) ordered(k int) change {
	if o.in(k, forgets) && o.admits(k) {
		return changesPlan
	}
	if !o.orderedAt(k) {
		return changesNothing
	}
	at, leaves := k+1, o.says(k, "leave")
	if o.says(at, "out") {
		at, leaves = at+1, false
	}
	if o.info(at).class == classSub && o.in(at, quantifiers) && o.in(at+1, placeWords) {
		return ordersChange // "repeat all steps"
	}
	if end := o.part(at); end > 0 && (!leaves || o.says(end, "out")) {
		return ordersChange
	}
	if o.in(k, amendWords) {
		for ; at < len(o.toks) && !o.endsSentence(at); at++ {
			if o.beside(at) && o.part(at+1) > 0 {
				return ordersChange
			}
		}
	}
	return changesNothing
}

// admits reports whether the word at token k says that a part of the plan is missing: "I forgot one", "I left out two steps".
func (o *outline) admits(k int) bool {
	if o.any(0, k, func(w *wordInfo) bool { return w.says() == negates }) {
		return false
	}
	if o.says(k, "left") {
		if k++; !o.says(k, "out") {
			return false
		}
	}
	return o.wordAt(k+1, wordOne) || o.part(k+1) > 0 || (o.info(k+1).class == classLetter || o.in(k+1, numerals)) && o.in(k+2, placeWords)
}

// changedStep returns the step that an order or a passive at token k adds to the plan or drops from it: "leave (stack a b)

// out", "do not run (stack a b);", "(stack a b) is omitted". A condition may stand behind an order not to do it.
func (o *outline) changedStep(k int) (change, found) {
	const near = 4 // words between
	order, negates := o.orderedAt(k), o.forbids(k)
	if order || negates {
		for at := k + 1; at <= k+near && at < len(o.toks) && (at == k+1 || o.toks[at-1].kind != tokPunct); at++ {
			f, status := o.one(at, nil)
			if status != parsedStep || !o.proper(&f) {
				continue
			}
			switch {
			case negates && o.endsClause(f.end), order && (!o.says(k, "leave") || o.says(k+1, "out") || o.says(f.end, "out")):
				if o.in(k, amendWords) {
					return addsStep, f
				}
				return dropsStep, f
			}
			return changesNothing, found{}
		}
		return changesNothing, found{}
	}
	end := k
	if o.info(k).says() != doubts {
		return changesNothing, found{}
	}
	for end > k-2 && end > 0 && !o.in(end, passives) {
		end--
	}
	for at := end - 1; o.in(end, passives) && at >= 0 && at > end-maxArgs; at-- {
		if f, status := o.one(at, nil); status == parsedStep && f.end == end && o.proper(&f) {
			return dropsStep, f
		}
	}
	return changesNothing, found{}
}

// forbids reports whether an order not to do something stands at token k: "do not", "never".
func (o *outline) forbids(k int) bool {
	if o.wordAt(k, wordNot) {
		return o.wordAt(k-1, wordDo) && o.startsOrder(k-1)
	}
	return (o.says(k, "don't") || o.says(k, "never")) && o.startsOrder(k)
}

// addedAt returns the step that an order behind a part of the plan adds to it, or puts in its place: "between steps 4 and

// 5, pick up a", "step 3 should be (stack a b)". Tokens k to end name the part.
func (o *outline) addedAt(k, end int) (found, bool) {
	if !o.beside(k - 1) {
		at := end + 1
		for at < end+3 && !o.says(at, "be") {
			at++
		}
		if f, status := o.one(at+1, nil); status == parsedStep && o.in(end, modals) && o.says(at, "be") {
			return f, true
		}
		return found{}, false
	}
	for n := end; n < end+8 && n < len(o.toks) && !o.endsSentence(n); n++ {
		if n > end && o.toks[n-1].kind != tokPunct && o.info(n-1).class != classTell && o.info(n-1).class != classLead {
			continue
		}
		if f, status := o.one(n, nil); status == parsedStep && o.proper(&f) {
			return f, true
		}
	}
	return found{}, false
}

// setAt returns the step that the words behind the name of a part of the plan, from token i on, give it: "step 2 becomes

// (stack a b)", "step 2 is not (put-down a) but (stack a b)".
func (o *outline) setAt(i int) (found, bool) {
	const most = 8
	said := false // more than a sign, as in a label
	for end := min(i+most, len(o.toks)); i < end; i++ {
		if f, status := o.one(i, nil); said && status == parsedStep && o.proper(&f) {
			return f, true
		}
		switch {
		case o.info(i).class == classNot && o.wordAt(i, wordNot):
			for i < end && !o.wordAt(i, wordBut) {
				i++
			}
		case !equateSigns[o.punct(i)] && o.info(i).class != classIs && o.info(i).class != classIt && !o.in(i, equateWords):
			return found{}, false
		}
		said = said || o.punct(i) == 0
	}
	return found{}, false
}

// equateSigns may stand between a part of the plan and the step that it is.
var equateSigns = signsIn(":=.->;,")

// changesPart reports whether the words behind a part of the plan, tokens k to end, change it: "step 3 is redundant",

// excepts reports whether the words before a part of the plan, tokens k to end, leave it out: "we do not need step 2", "all steps

// fallsAway reports whether the words behind a part of the plan, from token i on, say that it falls away or is done otherwise:

// onlyIf reports whether "only" at token i stands beside a word for doing something and before a condition: "is executed only if",

// disorders reports whether the step with the number at token i comes before or after another, by the word at token n, and not

// swapped reports whether the words that end at token i say that steps stand in another order: "steps 2 and 3 in the other

// lapsesIn reports whether a sentence in another language says that a step falls away: "Den letzten Schritt weglassen."
func (o *outline) lapsesIn() bool {
	if o.seen&(hasPlace|hasDenial) != hasPlace|hasDenial || !o.any(0, len(o.toks), func(w *wordInfo) bool { return w.says() == falls }) {
		return false // most lines
	}
	for k := range o.toks {
		if w := o.info(k); w.class == classNo || w.says() == negates || o.in(k, noneWords) {
			return false
		}
	}
	return true
}
