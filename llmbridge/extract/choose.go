package extract

import "slices"

// Extract returns the plan that an answer commits to. It is deterministic, reads the answer once and
// never repairs it; docs/EXTRACTION.md states the rules.
func (r *Reader) Extract(response string) Extraction {
	if len(response) > maxBytes {
		return Extraction{Reader: r.Kind(), Status: StatusNoPlan, Plan: []string{}, Reading: "too-long", Confidence: ConfidenceLow}
	}
	if r.strict != nil {
		return r.byContract(response)
	}
	o := r.outline()
	o.scan(response)
	x := Extraction{Status: StatusNoPlan, Plan: []string{}, Reading: "too-long"}
	if !o.truncated {
		x = o.choose()
	}
	o.release()
	x.Confidence, x.Reader = x.confidence(), Natural
	return x
}

// block is the part of the outline between two markers.
type block struct {
	lo, hi int // entries
	closed bool
	strict bool // holds a plan and nothing else
}

// blocks finds the plans between markers. prefix is the first closing marker if no opening marker
// stands before it (the prompt may hold that one), else -1.
func (o *outline) blocks() (all []block, prefix int) {
	open, prefix := -1, -1
	all = o.blocked[:0]
	item := -1 // the last entry with steps
	for i := range o.entries {
		switch o.entries[i].kind {
		case entryItem:
			item = i
		case entryOpen:
			if open >= 0 && item >= open {
				all = append(all, block{lo: open + 1, hi: i})
			}
			open = i
		case entryClose:
			if open >= 0 && len(all) > 0 && o.mention(open, i) {
				open = -1
			} else if open >= 0 {
				all = append(all, block{open + 1, i, true, o.entries[open].strict})
				open = -1
			} else if len(all) == 0 && prefix < 0 {
				prefix = i
			}
		case entryCut:
			if len(all) > 0 || prefix >= 0 || item >= 0 {
				if open >= 0 {
					all = append(all, block{lo: open + 1, hi: i})
				} else if len(all) == 0 && prefix < 0 {
					prefix = i
				}
				return all, prefix
			}
		}
	}
	if open >= 0 && (len(all) == 0 || item >= open) {
		all = append(all, block{lo: open + 1, hi: len(o.entries)})
	}
	return all, prefix
}

// mention reports whether an empty pair of markers stands in a sentence: "in <plan></plan> tags" talks
// about the markers and gives no plan.
func (o *outline) mention(open, closing int) bool {
	if closing != open+1 || o.entries[open].line != o.entries[closing].line {
		return false
	}
	beside := func(i int) bool {
		return i >= 0 && i < len(o.entries) && o.entries[i].line == o.entries[open].line && o.entries[i].kind < entryOpen
	}
	return beside(open-1) || beside(closing+1)
}

func (o *outline) hasItems(lo, hi int) bool {
	return slices.ContainsFunc(o.entries[lo:hi], func(e entry) bool { return e.kind == entryItem })
}

// choose applies the rules of docs/EXTRACTION.md in their order.
func (o *outline) choose() Extraction {
	blocks, prefix := o.blocks()
	o.blocked = blocks
	lo, hi, reading := 0, len(o.entries), "last-list"
	switch {
	case len(blocks) > 0:
		b := blocks[len(blocks)-1]
		lo, hi, reading = b.lo, b.hi, "last-plan-block"
		switch {
		case o.withdrawn(b):
			return o.withoutSteps(hi, hi)
		case b.closed && o.retracted(b):
			lo, hi, reading = b.hi+1, len(o.entries), "last-list"
		case b.strict:
			return o.fromBlock(b)
		case b.closed:
			reading = "last-answer-block"
		default:
			reading = "unclosed-plan-block"
		}
	case prefix >= 0:
		lo, hi, reading = 0, prefix, "before-end-marker"
	}
	lists := o.assemble(lo, hi, false)
	if len(lists) > 0 {
		return o.fromLists(lists, lo, hi, reading)
	}
	if reading != "last-list" && o.silent(lo, hi) {
		return Extraction{Status: StatusPlan, Plan: []string{}, Reading: "empty-plan-block"}
	}
	return o.withoutSteps(lo, hi)
}

// retracted reports whether another plan follows a block and words behind the block announce the final plan, "My final
// plan is:", or take the block back: "No, that's wrong. Instead:".
func (o *outline) retracted(b block) bool {
	rejects := false
	for i := b.hi; i < len(o.entries); i++ {
		switch e := &o.entries[i]; e.kind {
		case entryProse:
			rejects = rejects || e.rejects
		case entryHead:
			if e.renews || e.role == roleCommit && e.strong && (rejects || e.final) || rejects && e.final {
				return o.hasItems(i, len(o.entries))
			}
		case entryItem:
			if rejects {
				return true
			}
		}
	}
	return false
}

// silent reports whether a part of the outline has neither steps nor words.
func (o *outline) silent(lo, hi int) bool {
	return !slices.ContainsFunc(o.entries[lo:hi], func(e entry) bool { return e.kind != entryFence && e.kind != entryEmpty })
}

// fromBlock reads a plan between plan markers. Every line must be a step, a heading or a remark below a
// numbered step; all others are malformed steps.
func (o *outline) fromBlock(b block) Extraction {
	lists := o.assemble(b.lo, b.hi, true)
	if !o.hasItems(b.lo, b.hi) {
		if o.silent(b.lo, b.hi) {
			return Extraction{Status: StatusPlan, Plan: []string{}, Reading: "empty-plan-block"}
		}
		return o.withoutSteps(b.lo, b.hi)
	}
	var all list
	for _, l := range lists {
		all.items = append(all.items, l.items...)
	}
	return o.fromList(&all, "last-plan-block")
}

// fromLists chooses among the lists of an answer. The last list with a readable step, or whose heading
// names the plan, wins; next come lists of malformed steps only, and then those that explain or
// describe a state.
func (o *outline) fromLists(lists []list, lo, hi int, reading string) Extraction {
	no, _ := o.claims(lo, hi)
	chosen, rank := -1, 0
	for i := range lists {
		l := &lists[i]
		r := 1
		switch {
		case l.role == roleReject:
			continue
		case l.aside() && l.steps == 0:
		case l.aside():
			r = 2
		case l.steps == 0 && no && l.odd == l.bad:
			r = 2
		case l.steps == 0 && (!l.named || l.odd == l.bad):
			r = 3
		default:
			r = 4
		}
		if r >= rank {
			chosen, rank = i, r
		}
	}
	if rank == 0 {
		return o.withoutSteps(lo, hi)
	}
	if rank <= 2 {
		if no {
			return o.withoutSteps(lo, hi)
		}
		reading = "explained-list"
	} else if len(lists) == 1 && reading == "last-list" {
		reading = "only-list"
	}
	several := o.options(lists)
	if several && chosen >= 0 && lists[chosen].option.number > 0 {
		if k := o.settledOn(lists, hi); k >= 0 {
			chosen, several, reading = k, false, "chosen-option"
		}
	}
	x := o.fromList(&lists[chosen], reading)
	x.ClaimsUnsolvable = no
	o.alternatives(&x, lists, chosen, several)
	return x
}

// options reports whether lists stand under at least two options of one name, or on both sides of "or".
func (o *outline) options(lists []list) bool {
	var first option
	for i := range lists {
		switch x := lists[i].option; {
		case x == elseOption && i > 0 && lists[i-1].option.number == 0 && !lists[i-1].aside():
			lists[i-1].option = option{wordEither, 1}
			return true
		case x.number == 0 || lists[i].role == roleReject:
		case first.number == 0:
			first = x
		case x.word == first.word && x.number != first.number:
			return true
		}
	}
	return false
}

// elseOption is the plan behind "or" or "otherwise:".
var elseOption = option{wordEither, 2}

// settledOn returns the list of the option that the words after the lists choose, or -1.
func (o *outline) settledOn(lists []list, hi int) int {
	last := &lists[len(lists)-1]
	chosen := -1
	for i := int(last.items[len(last.items)-1]) + 1; i < hi; i++ {
		for k := range lists {
			if e := &o.entries[i]; e.option.number > 0 && (lists[k].option == e.option || e.option == option{anyWord, lists[k].option.number}) && lists[k].steps > 0 {
				chosen = k
			}
		}
	}
	return chosen
}

// maxAlternatives bounds the other plans that are reported.
const maxAlternatives = 4

// alternatives adds the plans of the other lists. If the answer offers several as options and commits
// to none, the extraction becomes ambiguous.
func (o *outline) alternatives(x *Extraction, lists []list, chosen int, several bool) {
	options := false
	for i := range lists {
		l := &lists[i]
		if i == chosen || l.aside() || l.steps == 0 {
			continue
		}
		if o.repeats(l, x) {
			continue
		}
		options = options || several && l.option.number > 0
		if len(x.Alternatives) < maxAlternatives {
			y := o.fromList(l, "")
			x.Alternatives = append(x.Alternatives, y.Plan)
		}
	}
	if options && lists[chosen].option.number > 0 {
		x.Alternatives = append(x.Alternatives, x.Plan)
		x.Status, x.Reading, x.Plan, x.Lines, x.Malformed = StatusAmbiguous, "options", []string{}, nil, nil
	}
}

// repeats reports whether a list has the same plan as an extraction.
func (o *outline) repeats(l *list, x *Extraction) bool {
	plan, bad := x.Plan, 0
	for _, i := range l.items {
		e := &o.entries[i]
		if e.kind != entryItem {
			bad++
		}
		for _, s := range o.steps[e.from:e.to] {
			switch {
			case s == "":
				bad++
			case len(plan) == 0 || plan[0] != s:
				return false
			default:
				plan = plan[1:]
			}
		}
	}
	return len(plan) == 0 && bad == len(x.Malformed)
}

// aside reports whether the list's heading says that it is no plan.
func (l *list) aside() bool { return l.role >= roleExplain || l.role == roleState }

// fromList turns a list into an extraction.
func (o *outline) fromList(l *list, reading string) Extraction {
	n := 0
	for _, i := range l.items {
		n += int(o.entries[i].to - o.entries[i].from)
	}
	x := Extraction{Status: StatusPlan, Plan: room(&o.plans, n), Reading: reading}
	if n > 0 {
		x.Lines = room(&o.planLines, n)
	}
	for _, i := range l.items {
		e := &o.entries[i]
		if len(x.Plan) > 0 && o.unfinished(i) {
			x.Unfinished = oneLine(o.text[e.start:e.end])
			break
		}
		if e.kind != entryItem {
			x.malformed(e, o.text)
		}
		for k := e.from; k < e.to; k++ {
			if s := o.steps[k]; s != "" {
				x.Plan = append(x.Plan, s)
				x.Lines = append(x.Lines, int(e.line))
			} else {
				x.malformed(e, o.text)
			}
		}
	}
	return x
}

// room returns an empty slice with room for n values, cut from a block that plans share: most have few steps.
func room[T any](block *[]T, n int) []T {
	const size = 64
	if n > size/4 {
		return make([]T, 0, n)
	}
	if *block == nil || len(*block) < n {
		*block = make([]T, size)
	}
	s := (*block)[:0:n]
	*block = (*block)[n:]
	return s
}

func (x *Extraction) malformed(e *entry, text string) {
	x.Malformed = append(x.Malformed, Malformed{Line: int(e.line), Step: x.Steps() + 1, Text: oneLine(text[e.start:e.end])})
}

// claims reports what lines without steps claim: that there is no plan, or that the goal holds.
func (o *outline) claims(lo, hi int) (no, holds bool) {
	for i := lo; i < hi; i++ {
		no = no || o.entries[i].claimsNo
		holds = holds || o.entries[i].claimsHolds
	}
	return no, holds
}

// withoutSteps reads a part of an answer that commits to no steps.
func (o *outline) withoutSteps(lo, hi int) Extraction {
	x := Extraction{Status: StatusNoPlan, Plan: []string{}, Reading: "nothing-found"}
	no, holds := o.claims(lo, hi)
	empty, fence := false, false // whether a fence is open
	for i := lo; i < hi; i++ {
		kind := o.entries[i].kind
		empty = empty || kind == entryEmpty || kind == entryFence && fence && o.entries[i-1].kind == entryFence
		fence = fence != (kind == entryFence)
	}
	switch {
	case no:
		x.Status, x.Reading, x.ClaimsUnsolvable = StatusClaimsUnsolvable, "claims-unsolvable", true
	case empty:
		x.Status, x.Reading = StatusPlan, "empty-plan"
	case holds:
		x.Status, x.Reading = StatusPlan, "goal-holds"
	}
	return x
}
