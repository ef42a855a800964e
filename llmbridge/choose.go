package llmbridge

import "strings"

// Extract returns the plan that a response commits to. It is deterministic, reads
// the response once and never repairs it; docs/EXTRACTION.md states the rules.
func (r *Reader) Extract(response string) Extraction {
	if len(response) > maxBytes {
		return Extraction{Status: StatusNoPlan, Plan: []string{}, Reading: "too-long"}
	}
	o := outline{lineReader: lineReader{r: r}}
	o.scan(response)
	if o.truncated {
		return Extraction{Status: StatusNoPlan, Plan: []string{}, Reading: "too-long"}
	}
	return o.choose()
}

// block is a part of the outline between markers.
type block struct {
	lo, hi int // entries
	closed bool
}

// blocks finds the delimited plans, and the end of the text before the first
// closing marker when no opening marker stands before it; -1 for none.
func (o *outline) blocks() (all []block, prefix int) {
	open, prefix := -1, -1
	for i := range o.entries {
		switch o.entries[i].kind {
		case entryOpen:
			if open >= 0 && o.hasItems(open, i) {
				all = append(all, block{open + 1, i, false})
			}
			open = i
		case entryClose:
			if open >= 0 {
				all = append(all, block{open + 1, i, true})
				open = -1
			} else if len(all) == 0 && prefix < 0 {
				prefix = i
			}
		case entryCut:
			if open >= 0 && o.hasItems(open, i) || len(all) > 0 || prefix >= 0 || o.hasItems(0, i) {
				if open >= 0 {
					all = append(all, block{open + 1, i, false})
				} else if len(all) == 0 && prefix < 0 {
					prefix = i
				}
				return all, prefix
			}
		}
	}
	if open >= 0 && (len(all) == 0 || o.hasItems(open, len(o.entries))) {
		all = append(all, block{open + 1, len(o.entries), false})
	}
	return all, prefix
}

func (o *outline) hasItems(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if o.entries[i].kind == entryItem {
			return true
		}
	}
	return false
}

// choose applies the rules in their order.
func (o *outline) choose() Extraction {
	blocks, prefix := o.blocks()
	lo, hi, reading := 0, len(o.entries), "last-list"
	switch {
	case len(blocks) > 0:
		b := blocks[len(blocks)-1]
		lo, hi, reading = b.lo, b.hi, "last-plan-block"
		if b.closed {
			return o.fromBlock(b)
		}
		reading = "unclosed-plan-block"
	case prefix >= 0:
		lo, hi, reading = 0, prefix, "before-end-marker"
	}
	lists := o.assemble(lo, hi)
	if len(lists) > 0 {
		return o.fromLists(lists, reading)
	}
	if reading != "last-list" && o.silent(lo, hi) {
		return Extraction{Status: StatusPlan, Plan: []string{}, Reading: "empty-plan-block"}
	}
	return o.withoutSteps()
}

// silent tells whether a part of the outline says nothing.
func (o *outline) silent(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if k := o.entries[i].kind; k != entryFence && k != entryEmpty {
			return false
		}
	}
	return true
}

// fromBlock reads a delimited plan: every line in it is a step, a heading or a
// remark under a numbered step; anything else is a malformed step.
func (o *outline) fromBlock(b block) Extraction {
	lists := o.assemble(b.lo, b.hi)
	if len(lists) == 0 {
		if o.silent(b.lo, b.hi) {
			return Extraction{Status: StatusPlan, Plan: []string{}, Reading: "empty-plan-block"}
		}
		return o.withoutSteps()
	}
	all := list{strict: true}
	for _, l := range lists {
		all.items = append(all.items, l.items...)
	}
	return o.fromList(&all, "last-plan-block")
}

// fromLists chooses among the lists of a response: the last one that no heading
// calls an explanation.
func (o *outline) fromLists(lists []list, reading string) Extraction {
	chosen := -1
	for i := range lists {
		if lists[i].role != roleExplain {
			chosen = i
		}
	}
	if chosen < 0 {
		chosen = len(lists) - 1
		reading = "explained-list"
	} else if len(lists) == 1 {
		if reading == "last-list" {
			reading = "only-list"
		}
	}
	x := o.fromList(&lists[chosen], reading)
	return x
}

// fromList turns a list into an extraction.
func (o *outline) fromList(l *list, reading string) Extraction {
	x := Extraction{Status: StatusPlan, Plan: []string{}, Reading: reading}
	for _, i := range l.items {
		e := &o.entries[i]
		for k := e.from; k < e.to; k++ {
			if s := o.steps[k]; s != "" {
				x.Plan = append(x.Plan, s)
				x.Lines = append(x.Lines, int(e.line))
				continue
			}
			x.Malformed = append(x.Malformed, Malformed{Line: int(e.line), Step: x.Steps() + 1, Text: oneLine(o.text[e.start:e.end])})
		}
	}
	return x
}

// withoutSteps reads a response that commits to no steps.
func (o *outline) withoutSteps() Extraction {
	x := Extraction{Status: StatusNoPlan, Plan: []string{}, Reading: "nothing-found"}
	text := strings.ToLower(o.text)
	for _, p := range goalHoldsPhrases {
		if strings.Contains(text, p) {
			x.Status, x.Reading = StatusPlan, "goal-holds"
		}
	}
	for i := range o.entries {
		if o.entries[i].kind == entryEmpty {
			x.Status, x.Reading = StatusPlan, "empty-plan"
		}
	}
	for _, p := range unsolvablePhrases {
		if strings.Contains(text, p) {
			return Extraction{Status: StatusClaimsUnsolvable, Plan: []string{}, Reading: "claims-unsolvable", ClaimsUnsolvable: true}
		}
	}
	return x
}
