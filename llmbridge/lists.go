package llmbridge

// list is a run of items that belong together.
type list struct {
	style  lineStyle
	role   role
	items  []int32 // entries
	steps  int     // good steps
	bad    int     // malformed steps
	strict bool    // a delimited plan: what is no step in it is malformed
	fence  bool
	last   int // last entry
}

// gap tells what stands between two items.
type gap uint8

const (
	gapNone gap = iota
	gapBlank
	gapProse
	gapHead
	gapFence
)

// assembler groups the items of a part of the outline into lists.
type assembler struct {
	o       *outline
	lists   []list
	cur     *list
	gap     gap
	section role
	fence   bool
	number  int32 // last number in cur
	indent  int16 // of the last numbered or bulleted item
	own     bool  // that item has steps of its own
	pending int32 // a bad bare line that waits for a step next to it, -1 for none
}

// assemble returns the lists of the entries from lo up to hi.
func (o *outline) assemble(lo, hi int) []list {
	a := assembler{o: o, pending: -1}
	for i := lo; i < hi; i++ {
		e := &o.entries[i]
		if e.blank {
			a.gap = max(a.gap, gapBlank)
		}
		switch e.kind {
		case entryHead:
			a.gap = gapHead
			if e.role != roleNone {
				a.section = e.role
			}
			a.pending = -1
		case entryProse:
			a.gap = max(a.gap, gapProse)
			a.pending = -1
		case entryFence:
			a.fence, a.cur, a.gap = !a.fence, nil, gapFence
		case entryNonStep:
			a.nonStep(e)
		case entryItem:
			a.item(int32(i), e)
		}
	}
	kept := a.lists[:0]
	for _, l := range a.lists {
		if l.steps+l.bad > 0 {
			kept = append(kept, l)
		}
	}
	return kept
}

// nonStep follows the numbering through items without a step.
func (a *assembler) nonStep(e *entry) {
	if e.style != styleNumber {
		return // a remark under an item, or a list of facts
	}
	if e.role != roleNone && a.section != roleExplain {
		a.section = e.role
	}
	if a.cur == nil || a.cur.style != styleNumber || e.number <= a.number {
		a.open(styleNumber)
	}
	a.number, a.indent, a.own, a.gap = e.number, e.indent, false, gapNone
}

func (a *assembler) open(style lineStyle) {
	a.lists = append(a.lists, list{style: style, role: a.section, fence: a.fence})
	a.cur = &a.lists[len(a.lists)-1]
}

// item adds an item to the list it belongs to, or to none when it comments on
// another.
func (a *assembler) item(i int32, e *entry) {
	if a.cur != nil && a.cur.style == styleNumber && a.own && e.style != styleNumber && !a.fence {
		deeper := e.indent > a.indent
		if deeper && a.gap < gapHead || e.style == styleBullet && a.gap <= gapBlank {
			return
		}
	}
	if e.bad && e.style == styleBare && !a.fence && !e.label && (a.cur == nil || a.gap > gapNone || a.cur.steps == 0) {
		a.pending, a.gap = i, max(a.gap, gapBlank) // counts only beside a step
		return
	}
	if a.starts(e) {
		a.open(e.style)
	}
	if a.pending >= 0 {
		if p := &a.o.entries[a.pending]; p.line == e.line-1 {
			a.cur.items = append(a.cur.items, a.pending)
			a.cur.bad++
		}
		a.pending = -1
	}
	a.cur.items = append(a.cur.items, i)
	a.cur.last = int(i)
	for k := e.from; k < e.to; k++ {
		if a.o.steps[k] == "" {
			a.cur.bad++
		} else {
			a.cur.steps++
		}
	}
	if e.style == styleNumber {
		a.number = e.number
	}
	if e.style != styleBare {
		a.indent, a.own = e.indent, true
	}
	a.gap = gapNone
}

// starts tells whether an item begins a new list.
func (a *assembler) starts(e *entry) bool {
	switch {
	case a.cur == nil:
		return true
	case e.style == styleNumber && a.cur.style == styleNumber:
		if e.number == a.number {
			return a.gap > gapBlank
		}
		return e.number < a.number
	case e.style == a.cur.style:
		return a.gap > gapBlank
	case a.cur.style == styleNumber && !a.own && e.indent > a.indent:
		return false // the step of a numbered item that has none itself
	}
	return a.gap > gapNone
}
