package extract

import (
	"slices"
	"strings"
)

// Headings: what they say about the list below them.

// title makes an entry of a heading whose content begins at token i.
func (o *outline) title(e *entry, i, words int) {
	e.kind = entryHead
	if e.option.number == 0 {
		e.option, _ = o.settled(i)
	}
	last := o.sentenceStart()
	if o.in(last, likenWords) { // "As in the example, the plan is:"
		last = max(last, slices.IndexFunc(o.toks, func(t token) bool { return t.punct == ',' })+1)
	}
	if o.seen&hasRole != 0 {
		for k := last; k < len(o.toks); k++ {
			w := o.info(k)
			if w == &noInfo { // as most
				continue
			}
			if w.role == roleState && o.numberAhead(k+1) && o.says(k, "goal") {
				continue // "Goal 2: the box in the lab"
			}
			e.role, e.strong, e.final = max(e.role, w.role), e.strong || w.strong, e.final || w.role == roleFinal
		}
		e.strong = e.strong || e.role == roleFinal
	}
	if o.info(i).class == classTimes && o.multiplied() {
		e.role = roleReject // "Repeat three times:"
	}
	if words == 1 && o.says(i, "where") {
		e.role = roleExplain // "Where: (unstack x y) takes x off y"
	}
	last = o.concludes(e, last)
	if n := len(o.toks) - 2; n >= last && o.info(n).class == classNot && o.punct(n+1) == ':' && o.info(n-1).class != classOr && !o.contradicts(last+1) || words == 1 && o.says(i, "backwards") {
		e.role = roleReject // "You must not:"
	}
	if e.rejects && last > i {
		_, _, e.rejects = o.claimsIn(last)
	}
	said := o.denial(last, len(o.toks))
	if words <= 2 && said != saysDenied && o.deniedName(i) {
		said = saysDenied // "rejected_plan:", "class BadPlan:"
	}
	if e.rejects = e.rejects || said == saysDenied && (!e.claimsNo || words <= fewWords) && !o.namesTask(i, len(o.toks)) && o.punct(0) != '|'; said == saysCleared {
		e.rejects = false
		if e.role == roleReject {
			e.role = roleNone // "Nothing is wrong with this plan:"
			if o.info(i).role == roleExplain {
				e.role = roleExplain // "Why other plans fail:"
			}
		}
	}
	e.role = o.rejected(e, i)
	o.brief(e, i, words)
	if e.role != roleReject && o.quoted(max(i, last)) {
		e.role = roleReject
	}
	if e.role == roleState && words > fewWords {
		e.role = roleNone // "To reach the goal, do this:"
	}
	e.renews, e.then = o.renews(e, i), words == 1 && o.info(i).class == classLead && !o.has(i, finalWords) && o.in(i, addWords)
}

// leadsIn notes the first step in words of a heading that goes on with the steps below it: "Before that, pick up b. Then:".
// They must have it too.
func (o *outline) leadsIn(l *lineReading, h *lineHead) {
	if o.seen&hasStep == 0 || h.style != styleBare || !l.colon || len(l.steps) > 0 || !o.continues(h.at) {
		return
	}
	for k := h.at; k < len(o.toks); k++ {
		if o.toks[k].bits&hasStep == 0 || k > h.at && o.wordAt(k-1, wordTo) && o.info(k-2).class != classIs && o.info(k-2).class != classTell {
			continue // "to pick up b"
		}
		at, _ := o.skipLeads(k, true)
		if f, status := o.one(at, nil); status == parsedStep && o.proper(&f) {
			l.steps, l.change = append(l.steps, o.format(&f)), addsStep
			return
		}
	}
}

// brief notes what a heading from token i on says about the list below it: it may be a part of the plan; and one of few
// words says the plan again, holds remarks, or is a first try.
func (o *outline) brief(e *entry, i, words int) {
	if e.brief = words <= fewWords; o.seen&(hasUnreal|hasElse|hasDenial) != 0 && (o.has(i, unrealWords) || o.has(i, elseWords) || o.any(i, len(o.toks), (*wordInfo).withholds)) {
		e.brief, e.heading = false, false // "One could add:"
	}
	if words > fewWords || o.seen&hasNotes == 0 {
		return
	}
	e.notes = o.has(i, noteWords)
	e.retells = !e.final && o.has(i, retellWords) && !o.any(i, len(o.toks), func(w *wordInfo) bool { return w.mends })
	if o.has(i, tryWords) && o.any(i, len(o.toks), func(w *wordInfo) bool { return w.class == classLead }) {
		e.brief, e.heading = false, false // "First try:" is no part of a plan
	}
}

// renews reports whether a heading from token i on replaces the plan above it: "Corrected plan:", "That was wrong. My plan
// is:".
func (o *outline) renews(e *entry, i int) bool {
	if e.role != roleNone && e.role != roleFinal && e.role != roleCommit {
		return e.rejects && o.has(i, aboveWords) // "Scratch that:"
	}
	last, named := max(i, o.sentenceStart()), e.role == roleFinal || e.role == roleCommit && e.strong
	if named && (e.final || o.has(last, newPlanWords)) || (named || o.words(last, len(o.toks)) <= fewWords) && o.has(last, renewWords) {
		return true
	}
	if last == i {
		return false
	}
	_, _, rejects := o.claimsIn(i)
	return rejects || o.takesBack(i) || o.deniesFrom(i, last-1)
}

// concludes returns the token of a heading's conclusion, in the sentence from token i on: "It looks impossible, but it
// is solvable:", "Skipping step 2 would not work, so the full plan is needed:". Without one it is that sentence.
func (o *outline) concludes(e *entry, i int) int {
	if o.seen&hasComma == 0 {
		return i // most headings
	}
	concedes := o.in(i, clauseWords)
	for k := i; k < len(o.toks); k++ {
		if o.punct(k) != ',' {
			continue
		}
		but := o.wordAt(k+1, wordBut) || o.says(k+1, "yet")
		if but && e.claimsNo && o.seems(i, k) {
			i = k + 1 // "It may look impossible, but two crossings do it:"
			e.claimsNo, _, e.rejects = o.claimsIn(i)
			continue
		}
		if affirms := (concedes || but) && o.affirms(k+1) || but && e.claimsNo && o.contradicts(k+2); affirms || o.wordAt(k+1, wordSo) {
			i, e.claimsNo = k+1, e.claimsNo && !affirms
		}
	}
	return i
}

// seems reports whether the words from token i to end only say how something looks.
func (o *outline) seems(i, end int) bool {
	for ; i < end; i++ {
		if o.in(i, seemWords) {
			return true
		}
	}
	return false
}

// contradicts reports whether the words from token i to the end of the line only say that it is not so: "it is not:", "there is:".
func (o *outline) contradicts(i int) bool {
	if o.info(i).class != classIt && !o.wordAt(i, wordThat) && !o.wordAt(i, wordThis) && !o.says(i, "there") {
		return false
	}
	if i++; o.info(i).class != classIs && !o.says(i, "isn't") {
		return false
	}
	if o.wordAt(i+1, wordNot) || o.wordAt(i+1, wordOne) {
		i++
	}
	return o.endsLine(i + 1)
}

// affirms reports whether the words from token i on call something good, and deny nothing: "but it is solvable".
func (o *outline) affirms(i int) (affirms bool) {
	for ; i < len(o.toks); i++ {
		w := o.info(i)
		if d := w.says(); d == negates || d == denies || w.class == classNot || w.class == classNo || o.in(i, unrealWords) {
			return false
		}
		affirms = affirms || w.says() == asserts
	}
	return affirms
}

// rejected returns the role of a heading, roleReject if it says that the list below is not to be done.
func (o *outline) rejected(e *entry, i int) role {
	if e.role != roleReject && !e.rejects && !o.forExample() {
		return e.role
	}
	for ; i < len(o.toks); i++ {
		again := (o.says(i, "start") || o.says(i, "starting") || o.says(i, "begin")) && (o.says(i+1, "over") || o.says(i+1, "again") || o.says(i+1, "afresh") || o.says(i+1, "anew"))
		if e.mends = o.info(i).mends || again; e.mends {
			return roleCommit // "the corrected plan, since the first was wrong"
		}
	}
	return roleReject
}

// forExample reports whether a line ends in "e.g.", "for example" or "such as".
func (o *outline) forExample() bool {
	n := len(o.toks) - 1
	for n > 0 && o.toks[n].kind == tokPunct {
		n--
	}
	return o.says(n, "g") && o.says(n-2, "e") || o.wordAt(n, wordExample) && o.wordAt(n-1, wordFor) || o.wordAt(n, wordAs) && o.says(n-1, "such")
}

// letterTitle reports whether a short line such as "A. Dismantle" or "(II) Rebuild" is a title.
func (o *outline) letterTitle(i int) bool {
	if o.punct(i) == '(' && roman(o.lineReader.text(i+1)) {
		i++
	}
	return i+2 < len(o.toks) && o.punct(i+3) != '.' && len(o.toks) <= i+2+fewWords && o.toks[i].kind == tokWord && (o.toks[i].end-o.toks[i].start == 1 || roman(o.lineReader.text(i))) && (o.punct(i+1) == '.' || o.punct(i+1) == ')') && o.toks[len(o.toks)-1].kind == tokWord
}

// roman reports whether a word is a Roman number in capitals.
func roman(word string) bool { return word != "" && strings.Trim(word, "IVX") == "" }

// retellTitle reports whether a few words without a sign at their end are a title of the plan in other words.
func (o *outline) retellTitle(i, words int) bool {
	return o.seen&hasNotes != 0 && words <= fewWords && o.toks[len(o.toks)-1].kind == tokWord && o.has(i, retellWords)
}

// numberTitle reports whether a short line such as "Round 1" or "Leg 2: southbound" is a title.
func (o *outline) numberTitle(i int) bool {
	return o.numberAhead(i+1) && o.lineReader.line[o.toks[i].start] <= 'Z' && o.info(i+1).object < 0 && o.unknown(i) && o.info(i).action < 0 && len(o.toks) <= i+2+fewWords && (o.endsLine(i+2) || o.punct(i+2) == ':' || o.punct(i+2) == '-' || o.punct(i+2) == '(')
}

// phaseTitle reports whether a heading names a phase, "Phase 2: back to the depot", and no step of another domain,
// "Phase 6: smash(left)".
func (o *outline) phaseTitle(i int) bool {
	return o.info(i).class == classPhase && o.numberAhead(i+1) && !o.foreignAt(i+3) && !(o.objectAt(i+4) && o.objectAt(i+5))
}
