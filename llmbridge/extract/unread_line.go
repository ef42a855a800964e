package extract

import (
	"slices"
	"strings"
)

// A line without a readable step: malformed, a heading, a remark or prose.

// unread sorts a line without a readable step: it is malformed if it stands in the place of a step,
// and otherwise a heading, a remark or prose.
func (o *outline) unread(l *lineReading, h *lineHead, like likeness, raw string) {
	if h.style == styleBare && (o.seen&hasOption != 0 && (o.optionAt(h.at).number > 0 && (h.heading || o.punct(len(o.toks)-1) == ':' || o.onlyOption(h.at)) || o.settlesBehind(h.at)) || o.punct(h.at) == '(' && o.letterTitle(h.at) || o.announces(h.at)) {
		o.other(l, h, raw)
		return
	}
	number := h.style == styleNumber
	named := o.seen&hasObject != 0 && like != likeFact
	labelled := 0
	if (named || o.seen&hasBracket != 0) && o.signWithin(h.at, fewWords) {
		if labelled, _, _ = o.label(h); labelled > h.at+fewWords || o.punct(labelled-1) == 0 {
			labelled = 0
		}
	}
	if o.seen&hasBracket != 0 && (like != likeFact || o.numberAhead(labelled-2) && o.foreignAt(labelled)) && (h.style != styleBullet || labelled == 0 || o.numberAhead(labelled-2) || o.punct(labelled-1) == '>') && o.foreignFormal(h.at) {
		like, l.label = likeStep, labelled > 0
	}
	again := o.goesBack(h.at, h.style)
	if o.punct(0) == '(' && o.unknown(1) && o.punct(2) == ')' && o.punct(3) == '(' || again || o.altersList(h.at) { // "(fly) (cost 1)"
		like = likeStep
	}
	if labelled > 0 && h.style == styleBare && o.seen&hasBracket == 0 && o.in(h.at, remarkLabels) {
		like, named = likeNothing, false // "Thought: board anna"
	}
	unknown := !named && like == likeNothing && (h.style != styleBare || raw[0] >= 'a') && o.unknownVerb(h.at) && o.likeObject(h.at+1) && o.endsLine(h.at+2) // "fly room7"
	if unknown || like == likeStep || number && like == likeMention && !(h.label && o.changes(l) != changesNothing) || named && (o.orders(h.at, number) || labelled > 0 && !o.in(h.at, remarkLabels) && o.foreignStep(labelled) || number && o.verbless(h.at)) || number && o.info(h.at+1).class == classIt && o.loneOrder(h.at, &noSigns) {
		l.label = l.label || labelled > 0 && o.foreignStep(labelled)
		l.bad, l.odd, l.firm, l.formal = true, true, unknown || like == likeStep || o.onlyObjects(h.at), like == likeStep
		l.adds = h.style == styleBullet && l.firm && o.addsAt(h.at)
		l.worded, l.heading = !again && o.worded(h.at), h.heading || h.italic
		if h.style == styleBare && !l.firm {
			o.claimed(l.entry, h.at, raw)
		}
		l.item("")
		return
	}
	l.mention = like == likeMention || named && h.style == styleBare && !h.heading && !h.italic && o.verbless(h.at)
	if like == likeMention {
		l.firm = o.mentioned(h.at, l)
	}
	if len(l.steps) > 0 && h.style == styleBare && o.punct(len(o.toks)-1) == ':' && o.continues(h.at) {
		l.steps = l.steps[:0]
		l.malformed()
		return
	}
	l.state = o.seen&hasRole != 0 && !l.mention && o.saysState(h.at)
	l.worded = l.mention && o.worded(h.at)
	l.facts = l.mention && o.factsOnly(h.at)
	o.other(l, h, raw)
}

// settlesBehind reports whether the last of several sentences of a line that begins at token i chooses an option.
func (o *outline) settlesBehind(i int) bool {
	start := o.sentenceStart()
	chosen, _ := o.settled(start)
	return start > i && chosen.number > 0
}

// announces reports whether the last of several sentences of a line that begins at token i announces a plan and nothing but
// that: "The door is closed. Corrected:", but not "Pick up a. The rest of the plan:".
func (o *outline) announces(i int) bool {
	last := len(o.toks) - 1
	if o.seen&hasRole == 0 || o.punct(last) != ':' || o.fence {
		return false
	}
	start := o.sentenceStart()
	if start <= i {
		return false
	}
	for k := start; k < last; k++ {
		w := o.info(k)
		plain := w.class == classArticle || w.class == classLetter || w.class == classIs || w.class == classSub || w.class == classJoin || w.role == roleCommit || w.role == roleFinal || w.mends
		if !plain && o.toks[k].kind == tokWord && !o.in(k, announceWords) || w.action >= 0 {
			return false
		}
	}
	return o.strong(start, last) || o.any(start, last, func(w *wordInfo) bool { return w.mends })
}

// continues reports whether a heading that mentions steps gives the first of the plan itself: "Start with (stack a b).
// Then:".
func (o *outline) continues(i int) (goesOn bool) {
	for ; i < len(o.toks); i++ {
		w := o.info(i)
		if w.class == classNot || w.class == classNo || w.class == classIf || w.class == classOr || w.action < 0 && o.in(i, withholds) {
			return false
		}
		goesOn = goesOn || o.wordAt(i, wordThen) || o.wordAt(i, wordAfter) || o.says(i, "continue") || o.says(i, "afterwards")
	}
	return goesOn
}

// fewWords is the most words that the heading of a state has.
const fewWords = 5

// other makes an entry of a line without a step.
func (o *outline) other(l *lineReading, h *lineHead, raw string) {
	words := o.words(h.at, len(o.toks))
	e := l.entry
	if words == 0 {
		a, b := o.punct(h.at), o.punct(h.at+1)
		if len(o.toks)-h.at == 2 && (a == '(' && b == ')' || a == '[' && b == ']') {
			l.counts, e.kind = true, entryEmpty
		} else if e.mention {
			l.counts, e.kind = true, entryProse
		}
		return
	}
	o.claimed(e, h.at, raw)
	if o.punct(h.at) == '(' && !e.mention && !e.rejects && !o.deniesPlan(h.at) && !o.opensBlock(raw, h.at) && !o.letterTitle(h.at) {
		return // "(plan", "(:plan": brackets around steps
	}
	l.counts = true
	if n := len(o.toks); n-h.at > 3 && o.punct(n-3) == ':' && o.strong(h.at, n) && (o.punct(n-2) == '[' && o.punct(n-1) == ']' || o.punct(n-2) == '(' && o.punct(n-1) == ')') {
		e.kind = entryEmpty // "Plan: []"
		return
	}
	last := o.punct(len(o.toks) - 1)
	if o.seen&hasOption != 0 {
		e.option = o.optionAt(h.at)
	}
	if h.style == styleBullet && !h.heading && last != ':' && o.changes(l) == changesNothing { // as most
		e.kind, e.counted = entryNonStep, o.loneOrder(h.at, &noSigns)
		return
	}
	alone := h.style == styleBare && (o.onlyOption(h.at) && e.option.number > 0 || words == 1 && e.option.number > 0 || !o.fence && o.onlyElse(h.at))
	switch {
	case words == 1 && last == ':' && o.in(h.at, turnWords):
		e.kind = entryCut // "### Instruction:"
	case alone: // "Either", "or"
		e.kind, e.renews = entryHead, o.has(h.at, renewWords)
		if e.option.number == 0 {
			e.option = elseOption
		}
	case h.style == styleBare && (o.opensBlock(raw, h.at) || last == '?' && o.asksWhether()):
		e.kind, e.role, e.counted = entryHead, roleReject, last != '?'
	case h.style == styleNumber && !(h.label && o.changes(l) != changesNothing):
		e.kind, e.label = entryNonStep, h.label
		e.role = o.roleOf(h.at, len(o.toks))
		e.counted = last != ':' && !h.heading && (e.role == roleNone && !o.states(h.at) || o.punct(h.at) == '[' || o.ordersThing(h.at, raw) || o.punct(h.at+1) == ':' && o.ordersThing(h.at+2, raw))
	case o.info(h.at).class == classPhase && o.numberAhead(h.at+1) && h.style != styleBullet:
		e.kind = entryHead
		e.phase = o.value(h.at + 1)
	case h.heading || last == ':' || h.style == styleBare && (o.letterTitle(h.at) || o.numberTitle(h.at) && o.changes(l) == changesNothing || o.forExample()):
		o.title(e, h.at, words)
	default:
		o.prose(l, h.at, words)
		e.counted = words <= 2 && last != ':' && o.loneOrder(h.at, &noSigns)
	}
}

// onlyElse reports whether a line has nothing but words for another way: "or", "Otherwise:", "backup plan:".
func (o *outline) onlyElse(i int) (other bool) {
	for ; i < len(o.toks); i++ {
		w := o.info(i)
		own := w.class == classOr || o.in(i, elseWords)
		if other = other || own; !own && o.toks[i].kind != tokPunct && !(other && (w.strong || o.says(i, "of"))) {
			return false
		}
	}
	return other
}

// ordersThing reports whether a line orders something by a word that heads a list elsewhere: "check the weather".
func (o *outline) ordersThing(i int, raw string) bool {
	_, rest, _ := strings.Cut(raw, o.lineReader.text(i)+" ")
	return o.info(i).role != roleNone && o.punct(len(o.toks)-1) == 0 && (strings.HasPrefix(rest, "the ") || strings.HasPrefix(rest, "a ") || o.says(i, "walk") && !o.says(i+1, "through"))
}

// prose makes an entry of other words, from token i on.
func (o *outline) prose(l *lineReading, i, words int) {
	e := l.entry
	e.kind, e.change = entryProse, o.changes(l)
	if e.change == changesNothing && o.seen&hasDenial != 0 && o.lapsesIn() {
		e.change = changesPlan
	}
	switch last := o.punct(len(o.toks) - 1); {
	case e.change == changesPlan || e.change == ordersChange:
		e.rejects = true
	case o.deniesPlan(i):
		e.rejects, e.brief = true, words <= fewWords && last != '.'
	case last == 0 && o.quoted(max(i, o.sentenceStart())) || o.seen&hasMention != 0 && o.in(i, belowWords) && o.saidByOthers(i):
		e.rejects, e.brief = true, true // "Some planners would return"
	}
	e.option, e.refused = o.settled(i)
}

// claimed notes what a line from token i on claims.
func (o *outline) claimed(e *entry, i int, raw string) {
	if o.seen&(hasClaim|hasClaimEnd) == hasClaim|hasClaimEnd {
		e.claimsNo, e.claimsHolds, e.rejects = o.claimsIn(i)
		e.withdraws = e.claimsNo && !o.compares(i)
	}
	if e.rejects {
		said := o.denial(i, len(o.toks)) // "without step 2 it would fail"
		e.rejects = said != saysCleared && said != saysSupposed
	}
	e.rejects = e.rejects || o.tags.denied
	if o.tags.script {
		denied, unsolvable := scriptSays(raw)
		e.rejects, e.claimsNo = e.rejects || denied, e.claimsNo || unsolvable
	}
}

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
	e.renews = o.renews(e, i)
}

// brief notes what a heading from token i on says about the list below it: it may be a part of the plan; and one of few
// words says the plan again, holds remarks, or is a first try.
func (o *outline) brief(e *entry, i, words int) {
	if e.brief = words <= fewWords; o.has(i, unrealWords) || o.has(i, elseWords) || o.any(i, len(o.toks), (*wordInfo).withholds) {
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
	concedes := o.in(i, clauseWords)
	for k := i; k < len(o.toks); k++ {
		if o.punct(k) != ',' {
			continue
		}
		but := o.says(k+1, "but") || o.says(k+1, "yet")
		if affirms := (concedes || but) && o.affirms(k+1) || but && e.claimsNo && o.contradicts(k+2); affirms || o.wordAt(k+1, wordSo) {
			i, e.claimsNo = k+1, e.claimsNo && !affirms
		}
	}
	return i
}

// contradicts reports whether the words from token i to the end of the line only say that it is not so: "it is not:", "there is:".
func (o *outline) contradicts(i int) bool {
	if o.info(i).class != classIt && !o.wordAt(i, wordThat) && !o.wordAt(i, wordThis) && !o.says(i, "there") {
		return false
	}
	if i++; o.info(i).class != classIs && !o.says(i, "isn't") {
		return false
	}
	if o.says(i+1, "not") || o.says(i+1, "one") {
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
		if e.mends = o.info(i).mends; e.mends {
			return roleCommit // "the corrected plan, since the first was wrong"
		}
	}
	return roleReject
}

// forExample reports whether a line ends in "e.g." or "for example".
func (o *outline) forExample() bool {
	n := len(o.toks) - 1
	for n > 0 && o.toks[n].kind == tokPunct {
		n--
	}
	return o.says(n, "g") && o.says(n-2, "e") || o.says(n, "example") && o.says(n-1, "for")
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

// numberTitle reports whether a short line such as "Round 1" or "Leg 2: southbound" is a title.
func (o *outline) numberTitle(i int) bool {
	return o.numberAhead(i+1) && o.info(i+1).object < 0 && o.unknown(i) && o.info(i).action < 0 && len(o.toks) <= i+2+fewWords && (o.endsLine(i+2) || o.punct(i+2) == ':' || o.punct(i+2) == '-' || o.punct(i+2) == '(')
}
