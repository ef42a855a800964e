package extract

import "strings"

// A line without a readable step: malformed, a heading, a remark or prose.

// unread sorts a line without a readable step: it is malformed if it stands in the place of a step,
// and otherwise a heading, a remark or prose.
func (o *outline) unread(l *lineReading, h *lineHead, like likeness, raw string) {
	if h.style == styleBare && (o.seen&hasOption != 0 && (o.optionAt(h.at).number > 0 && (h.heading || o.punct(len(o.toks)-1) == ':' || o.onlyOption(h.at)) || o.settlesBehind(h.at)) || h.heading && o.phaseTitle(h.at) || o.punct(h.at) == '(' && o.letterTitle(h.at) || o.announces(h.at)) {
		o.other(l, h, raw)
		return
	}
	o.skipRemark(h)
	number, labelled := h.style == styleNumber, 0
	named := o.seen&hasObject != 0 && like != likeFact && !(o.seen&hasPlace != 0 && !number && (o.in(h.at, changeWords) || o.wordAt(h.at, wordUse)) && o.changes(l) != changesNothing) // "Read c for b in step 5."
	if o.labelSubject(h) {
		number, named = false, false
	}
	if (named || o.seen&hasBracket != 0) && o.signWithin(h.at, fewWords) {
		if labelled, _, _ = o.label(h); labelled > h.at+fewWords || o.punct(labelled-1) == 0 || o.info(labelled-3).class == classIs && o.unknown(labelled-2) {
			labelled = 0
		}
	}
	if o.seen&hasBracket != 0 && (like != likeFact || o.numberAhead(labelled-2) && o.foreignAt(labelled)) && (h.style != styleBullet || labelled == 0 || o.numberAhead(labelled-2) || o.punct(labelled-1) == '>') && o.foreignFormal(h.at) {
		like, l.label = likeStep, labelled > 0
	}
	again := o.goesBack(h.at, h.style) && (h.style == styleNumber || o.seen&hasPlace == 0 || o.changes(l) != ordersChange)
	if again || o.seen&hasBracket != 0 && (o.punct(0) == '(' && o.unknown(1) && o.punct(2) == ')' && o.punct(3) == '(' || o.altersList(h.at)) { // "(fly) (cost 1)"
		like = likeStep
	}
	if labelled > 0 && h.style == styleBare && o.seen&hasBracket == 0 && o.in(h.at, remarkLabels) {
		like, named = likeNothing, false // "Thought: board anna"
	}
	unknown := !named && like == likeNothing && (h.style != styleBare || raw[0] >= 'a') && o.unknownVerb(h.at) && o.likeObject(h.at+1) && o.endsLine(h.at+2) // "fly room7"
	if unknown || like == likeStep || number && like == likeMention && !(h.label && o.changes(l) != changesNothing) || named && (o.orders(h.at, h.style) || labelled > 0 && !o.in(h.at, remarkLabels) && o.foreignStep(labelled) || number && o.verbless(h.at)) || number && o.info(h.at+1).class == classIt && o.loneOrder(h.at, &noSigns) || h.style == styleBare && o.addsLone(h.at) {
		l.label = l.label || labelled > 0 && o.foreignStep(labelled)
		l.bad, l.odd, l.firm, l.formal = true, true, unknown || like == likeStep || o.onlyObjects(h.at), like == likeStep
		l.adds = h.style != styleNumber && (again || o.addsAt(h.at))
		l.worded, l.heading = !again && o.worded(h.at), h.heading || h.italic
		if h.style == styleBare && !l.firm {
			o.claimed(l.entry, h.at, raw)
			l.told = o.foreignTold(h.at)
		}
		l.item("")
		return
	}
	if named && h.style == styleBare && like == likeNothing && o.foreignTold(h.at) {
		l.bad, l.odd, l.told, l.adds = true, true, true, o.addsAt(h.at)
		o.claimed(l.entry, h.at, raw)
		l.item("")
		return
	}
	l.mention = like == likeMention || named && h.style == styleBare && !h.heading && !h.italic && o.verbless(h.at)
	if like == likeMention {
		l.firm = o.mentioned(h.at, l)
		l.adds = l.firm && h.style == styleBare && o.seen&(hasDenial|hasVerdict|hasUnreal|hasElse) == 0 && o.addsAt(h.at)
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

// skipRemark moves the head of a bare line to what it adds to the plan behind a label or a sentence: "P.S. Also lift b.", "The goal
// is reached. Then lift b."
func (o *outline) skipRemark(h *lineHead) {
	if h.style != styleBare {
		return
	}
	at := o.behindNote(h.at)
	if o.seen&(hasOrders|hasStop) == hasOrders|hasStop && o.punct(len(o.toks)-1) != ':' {
		at = max(at, o.sentenceStart())
	}
	if at > h.at && (o.addsAt(at) || o.jumps(at)) {
		h.at = at
	}
}

// labelSubject reports whether the label of a line is the subject of its sentence: "Step 2 violates a precondition."
func (o *outline) labelSubject(h *lineHead) bool {
	verb := o.lineReader.text(h.at)
	return h.label && o.punct(h.at-1) == 0 && strings.HasSuffix(verb, "s") && !strings.HasSuffix(verb, "ss") && o.unknown(h.at)
}

// settlesBehind reports whether the last of several sentences of a line that begins at token i chooses an option.
func (o *outline) settlesBehind(i int) bool {
	start, last := o.sentenceStart(), len(o.toks)-1
	if o.punct(last) == '.' {
		last--
	}
	if start <= i && (last < i+3 || o.punct(last-2) != ':' || o.optionAt(last-1).number == 0) {
		return false // most lines; but "Final answer: Candidate B."
	}
	chosen, _ := o.settled(max(i, start))
	return chosen.number > 0
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
	return o.announcing(start, last) && (o.strong(start, last) || o.any(start, last, func(w *wordInfo) bool { return w.mends }))
}

// announcing reports whether the words from token start to last may announce a plan, and say nothing else.
func (o *outline) announcing(start, last int) bool {
	for k := start; k < last; k++ {
		w := o.info(k)
		plain := w.class == classArticle || w.class == classDo || w.class == classLetter || w.class == classIs || w.class == classSub || w.class == classJoin || w.role == roleCommit || w.role == roleFinal || w.mends
		if !plain && o.toks[k].kind == tokWord && !o.in(k, announceWords) || w.action >= 0 {
			return false
		}
	}
	return true
}

// announced returns the token behind a short sentence at token i that announces steps, "Take the following actions.", or 0.
func (o *outline) announced(i int) int {
	for k := i; o.seen&hasRole != 0 && k < len(o.toks) && k <= i+fewWords; k++ {
		if o.punct(k) == '.' && o.roleOf(i, k) == roleCommit && o.announcing(i, k) {
			return k + 1
		}
	}
	return 0
}

// continues reports whether a heading that mentions steps gives the first of the plan itself: "Start with (stack a b).
// Then:".
func (o *outline) continues(i int) (goesOn bool) {
	for ; i < len(o.toks); i++ {
		w := o.info(i)
		if w.class == classNot || w.class == classNo || w.class == classIf && !o.says(i, "else") || w.class == classOr || w.action < 0 && o.in(i, withholds) {
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
	e := l.entry
	if o.endsLine(h.at) {
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
	last := o.punct(len(o.toks) - 1)
	if (last == ')' || last == ']') && o.emptyPlan(h.at) {
		e.kind = entryEmpty
		return
	}
	if o.seen&hasOption != 0 {
		e.option = o.optionAt(h.at)
	}
	if h.style == styleBullet && !h.heading && last != ':' && !e.rejects && o.changes(l) == changesNothing { // as most
		e.kind, e.counted = entryNonStep, o.loneOrder(h.at, &noSigns) || o.ordersUnknown(h.at)
		return
	}
	words := o.words(h.at, len(o.toks))
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
	case h.style == styleNumber && !(h.label && (o.changes(l) != changesNothing || e.rejects && o.punct(h.at-1) == 0)):
		e.kind, e.label = entryNonStep, h.label
		if e.role = o.roleOf(h.at, len(o.toks)); h.label && o.punct(h.at-1) == 0 && o.endsSentence(len(o.toks)-1) {
			e.role = roleNone // "Step 2 would fail if ..."
		}
		e.counted = last != ':' && !h.heading && (e.role == roleNone && !o.states(h.at) || o.punct(h.at) == '[' || o.ordersThing(h.at, raw) || o.punct(h.at+1) == ':' && o.ordersThing(h.at+2, raw))
		e.firm = e.counted && words <= 3 && (o.ordersUnknown(h.at) || o.loneOrder(h.at, &noSigns))
	case o.info(h.at).class == classPhase && o.numberAhead(h.at+1) && h.style != styleBullet:
		e.kind = entryHead
		e.phase = o.value(h.at + 1)
	case (h.heading && !(o.endsSentence(len(o.toks)-1) && (e.claimsNo || o.seen&hasPlace != 0 || o.changes(l) != changesNothing || words > fewWords && last == '.'))) || last == ':' || h.style == styleBare && (o.letterTitle(h.at) || o.numberTitle(h.at) && o.changes(l) == changesNothing || o.forExample() || o.retellTitle(h.at, words)):
		o.title(e, h.at, words)
		o.changedBelow(l, h.at)
		o.leadsIn(l, h)
	default:
		o.prose(l, h.at, words)
		e.counted = words <= 2 && last != ':' && (o.loneOrder(h.at, &noSigns) || 'a' <= raw[0] && raw[0] <= 'z' && o.ordersUnknown(h.at))
	}
}

// emptyPlan reports whether a line from token i on is a plan of no steps: "Plan: []", "Plan: (empty, 0 steps)".
func (o *outline) emptyPlan(i int) bool {
	n := len(o.toks)
	if n-i > 3 && o.punct(n-3) == ':' && o.strong(i, n) && (o.punct(n-2) == '[' && o.punct(n-1) == ']' || o.punct(n-2) == '(' && o.punct(n-1) == ')') {
		return true
	}
	return o.punct(i+1) == ':' && o.punct(i+2) == '(' && o.says(i+3, "empty") && o.strong(i, i+1) && o.closingOf(i+2) == n
}

// onlyElse reports whether a line has nothing but words for another way: "or", "Otherwise:", "If not:",
// "backup plan:".
func (o *outline) onlyElse(i int) (other bool) {
	if o.seen&hasElse == 0 {
		return false // most lines
	}
	for ; i < len(o.toks); i++ {
		w := o.info(i)
		own := w.class == classOr || o.in(i, elseWords) || w.class == classIf && o.wordAt(i+1, wordNot) || o.wordAt(i, wordNot) && o.info(i-1).class == classIf
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
	if e.change == changesPlan && !o.has(i, pastWords) {
		e.change = ordersChange
	}
	switch last := o.punct(len(o.toks) - 1); {
	case e.change == changesPlan || e.change == ordersChange:
		e.rejects = true
	case e.rejects && o.startsWithOrder(i):
		e.brief = true // "Execute the steps in reverse order."
	case o.deniesPlan(i), e.rejects && o.disowns(i):
		e.rejects, e.brief = true, words <= fewWords && last != '.' || o.disowns(i)
	case last == 0 && o.quoted(max(i, o.sentenceStart())) || o.seen&hasMention != 0 && o.in(i, belowWords) && o.saidByOthers(i):
		e.rejects, e.brief = true, true // "Some planners would return"
	}
	e.option, e.refused = o.settled(i)
}

// startsWithOrder reports whether a line orders from token i on, or behind a label, to do or to read something: "Note: do everything
// twice".
func (o *outline) startsWithOrder(i int) bool {
	if o.punct(i+1) == ':' && o.in(i, remarkLabels) {
		i += 2
	}
	return o.info(i).class == classDo || o.in(i, replaceWords)
}

// changedBelow rejects the list below a heading from token i on that changes it: "Plan (leave out step 3):".
func (o *outline) changedBelow(l *lineReading, i int) {
	e := l.entry
	if !e.strong || e.role != roleCommit || o.seen&hasPlace == 0 {
		return // most headings
	}
	c := o.changes(l)
	if c == ordersChange || c == changesPlan && !o.has(i, pastWords) && !o.any(i, len(o.toks), func(w *wordInfo) bool { return w.mends }) {
		e.role = roleReject
	}
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
