package extract

import "slices"

// Words that add steps to the plan beside them: "repeat from step 1", "and so on", "P.S. also pick up a".

// goesBack reports whether a line orders to do or undo a step by its number: "repeat from step 1", "go to step 3".
// So does a line of its own: "Then repeat everything for a.", "And so on for a."
func (o *outline) goesBack(i int, style lineStyle) bool {
	if style == styleBullet && o.seen&(hasTimes|hasJump) == 0 {
		return false // most lines
	}
	if style != styleNumber && o.punct(len(o.toks)-1) != ':' {
		if o.punct(i+1) == ':' && i+2 < len(o.toks) && o.in(i, remarkLabels) {
			i += 2 // "Note: repeat the last step."
		}
		for o.toks[i].kind == tokPunct && i+1 < len(o.toks) {
			i++
		}
		if o.goesOn(i) == alterRepeats || o.jumps(i) {
			return true
		}
		if c := o.info(i).class; o.seen&hasTimes == 0 && c != classLead {
			return false // most lines
		}
		k, had := o.skipLeads(i, false)
		return !had.told && (o.goesOn(k) == alterRepeats || o.seen&hasTimes != 0 && o.says(k, "repeat"))
	}
	if style != styleNumber {
		return false
	}
	if o.seen&hasTimes != 0 && o.says(i, "repeat") && o.punct(len(o.toks)-1) != ':' {
		return true
	}
	if i >= len(o.toks) || !o.in(i, backWords) {
		return false
	}
	for end := i + fewWords; i < end; i++ {
		if o.numberAhead(i) && o.info(i-1).class == classLabel || o.numberAhead(i) && o.says(i-1, "steps") {
			return true
		}
	}
	return false
}

// jumps reports whether a line from token i on sends back to a step by its number and says nothing else: "goto 1", "go back to
// step 3".
func (o *outline) jumps(i int) bool {
	last := len(o.toks) - 1
	if o.endsSentence(last) {
		last--
	}
	if last <= i || last > i+fewWords || !o.numberAhead(last) || o.info(last).object >= 0 || !o.in(i, jumpWords) {
		return false // most lines
	}
	for k := i + 1; k < last; k++ {
		if c := o.info(k).class; c != classJoin && c != classLabel && c != classAdverb {
			return false
		}
	}
	return true
}

// altersList reports whether a line of code changes a list, other than by a step at its end: "plan.pop()".
func (l *lineReader) altersList(i int) bool {
	return l.punct(i+1) == '.' && l.punct(i+3) == '(' && l.in(i+2, alterWords) && l.toks[i].end+1 == l.toks[i+2].start
}

// mentioned notes the steps in formal notation that a line mentions, and those in words that it adds. It reports whether
// one of them has no action of the domain but objects of the task, "(fly a b)", "fly(a, b)", or the line may order one
// of them once more.
func (o *outline) mentioned(i int, l *lineReading) (firm bool) {
	if o.asksWhy(i) && o.explanation(i) {
		return false
	}
	for start := i; i < len(o.toks); i++ {
		if t := &o.toks[i]; t.bits&hasStep == 0 && t.kind == tokWord && o.punct(i+1) != '(' && len(o.r.root.slots) == 0 && !o.unknownVerb(i) {
			continue // most words
		}
		if f, status := o.one(i, nil); status == parsedStep && o.proper(&f) && (f.formal() || o.adds(&f, start, i)) {
			l.steps = append(l.steps, o.format(&f))
			firm = firm || f.formal() && len(f.args) > 0 && !o.explanation(start)
			i = f.end - 1
			continue
		}
		if !firm && (o.punct(i) == '(' && o.foreignGroup(i) || o.punct(i) == 0 && o.unknownVerb(i) && o.foreignCall(i)) {
			_, end, known := o.object(i + 2)
			firm = known && o.punct(end) != ':'
		}
	}
	return firm
}

// asksWhy reports whether a line begins with such a question at token i, which it answers: "Why the detour? If ..."
func (o *outline) asksWhy(i int) bool {
	return o.says(i, "why") && slices.ContainsFunc(o.toks, func(t token) bool { return t.punct == '?' })
}

// adds reports whether the words of a line from token i on add step f, in words at token at, to the plan above: "P.S. also
// pick up a", "you still have to pick up a".
func (o *outline) adds(f *found, i, at int) bool {
	if last := o.punct(len(o.toks) - 1); last == ':' || last == '?' {
		return false
	}
	k := o.beforeOffer(at - 1)
	for ; k >= i && !o.in(k, addWords); k-- {
		w := o.info(k)
		if o.toks[k].kind != tokPunct && w.class != classTell && w.class != classLabel && w.class != classIs && w.class != classJoin && w.class != classAdverb && w.class != classLead || o.endsSentence(k) {
			return false
		}
	}
	if k < i {
		return false
	}
	for ; k >= i && !o.endsSentence(k); k-- {
		w := o.info(k)
		if w.class == classNot && !o.says(k+1, "forget") || w.class == classNo || w.class == classIf || w.class == classOr || o.says(k, "can") || o.in(k, withholds) && !o.says(k, "forget") {
			return false
		}
	}
	_, undone := o.negated(f.end, fewWords)
	return !undone
}

// beforeOffer returns the last token before a few words that leave it to the reader, and end at token k: "if you like,". Without
// them it is k.
func (o *outline) beforeOffer(k int) int {
	for n := k - 1; o.punct(k) == ',' && n > k-fewWords && n > 0 && o.info(n).object < 0; n-- {
		if o.info(n).class == classIf {
			return n - 1
		}
	}
	return k
}

// addsAt reports whether words that add a step stand at token i, perhaps behind others that lead to it: "and also".
func (o *outline) addsAt(i int) bool {
	for o.info(i).class == classLead && !o.in(i, addWords) {
		i++
	}
	return o.in(i, addWords)
}

// addsLone reports whether a line from token i on adds a step of a single word that the reader does not know: "Then jump."
func (o *outline) addsLone(i int) bool {
	return o.info(i).class == classLead && len(o.toks) <= i+3 && o.in(i, addWords) && o.loneOrder(i+1, &itemSigns)
}

// explanation reports whether a line whose words begin at token i says that it explains or sums up the plan, and does
// not order anything: "Summary: after (stack a b) the hand is empty."
func (o *outline) explanation(i int) bool {
	explains, asks := false, o.asksWhy(i)
	for k := i; k < len(o.toks); k++ {
		w := o.info(k)
		if w.class == classTimes || w.class == classTell && w.action < 0 && !asks || o.in(k, orderWords) {
			return false
		}
		explains = explains || k < i+fewWords && (w.role == roleExplain || o.in(k, explainWords))
	}
	return explains
}

// replaces reports whether an order to use or to read "instead" or "for" something stands near before token i.
func (o *outline) replaces(i int) bool {
	const near, first = 16, 5
	for k := range min(i, first) {
		if !o.in(k, replaceWords) || !o.startsOrder(k) {
			continue
		}
		for end := max(k, i-near); i > end; i-- {
			if o.says(i, "instead") || o.wordAt(i, wordFor) {
				return true
			}
		}
	}
	return false
}

// behindNote returns the token behind a label such as "Note:" or "P.S." at token i, or i.
func (o *outline) behindNote(i int) int {
	switch {
	case o.seen&hasNotes != 0 && o.punct(i+1) == ':' && o.in(i, noteWords), o.wordAt(i, wordPs):
		return i + 2
	case o.punct(i+1) == '.' && o.punct(i+3) == '.' && o.says(i, "p") && o.says(i+2, "s"):
		return i + 4
	}
	return i
}
