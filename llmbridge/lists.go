package llmbridge

// list is a run of items that belong together.
type list struct {
	style  lineStyle
	role   role
	items  []int32 // entries
	steps  int     // good steps
	bad    int     // malformed steps
	odd    int     // those of them that no sentence of the domain begins like
	told   int     // items that tell about a step
	strict bool    // a delimited plan: what is no step in it is malformed
	fence  bool
	last   int // last entry
}

// gap tells what stands between two items.
type gap uint8

const (
	gapNone gap = iota
	gapBlank
	gapNote  // prose right below an item
	gapProse // a paragraph
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
	strict  bool
	number  int32 // last number in cur
	indent  int16 // of the last numbered or bulleted item
	own     bool  // that item has steps of its own
	pending int32 // a bad bare line that waits for a step next to it, -1 for none
}

// assemble returns the lists of the entries from lo up to hi. In a strict part
// every line is a step, a heading or a remark below an item; another line is a
// malformed step.
func (o *outline) assemble(lo, hi int, strict bool) []list {
	a := assembler{o: o, pending: -1, strict: strict}
	for i := lo; i < hi; i++ {
		e := &o.entries[i]
		if e.blank {
			a.gap = max(a.gap, gapBlank)
		}
		switch e.kind {
		case entryHead:
			if a.remark(e) {
				continue
			}
			a.gap = gapHead
			if e.role != roleNone {
				a.section = e.role
			}
			a.pending = -1
		case entryProse:
			a.prose(int32(i), e)
		case entryFence:
			a.fence, a.cur, a.gap = !a.fence, nil, gapFence
		case entryNonStep:
			a.nonStep(int32(i), e)
		case entryItem:
			a.item(int32(i), e)
		}
	}
	kept := a.lists[:0]
	for _, l := range a.lists {
		if l.steps+l.bad > l.odd || l.odd > 0 && strict {
			if 2*l.told > len(l.items) {
				l.role = roleExplain // "first, we unstack ...": talk about a plan
			}
			kept = append(kept, l)
		}
	}
	return kept
}

// prose takes a line of prose.
func (a *assembler) prose(i int32, e *entry) {
	if a.strict && !a.remark(e) {
		a.malformed(i)
	}
	a.pending = -1
	if e.blank || a.gap >= gapProse || a.cur == nil {
		a.gap = max(a.gap, gapProse)
	} else {
		a.gap = gapNote
	}
}

// malformed enters a line that is no step as one.
func (a *assembler) malformed(i int32) {
	if a.cur == nil {
		a.open(a.o.entries[i].style)
	}
	a.cur.items = append(a.cur.items, i)
	a.cur.bad++
}

// nonStep follows the numbering through items without a step.
func (a *assembler) nonStep(i int32, e *entry) {
	if e.style != styleNumber {
		if a.strict && !a.remark(e) && a.cur != nil && a.cur.style == styleBullet && e.indent <= a.indent {
			a.malformed(i)
		}
		return // a remark under an item, or a list of facts
	}
	if e.role != roleNone && a.section != roleExplain && e.role != roleState {
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

// remark tells whether a line comments on the numbered item before it, which has
// steps of its own: it is indented more, or is a bullet right below.
func (a *assembler) remark(e *entry) bool {
	if a.cur == nil || a.cur.style != styleNumber || !a.own || e.style == styleNumber || a.fence {
		return false
	}
	return e.indent > a.indent && a.gap < gapHead || e.style == styleBullet && a.gap <= gapBlank
}

// item adds an item to the list it belongs to, or to none when it comments on
// another.
func (a *assembler) item(i int32, e *entry) {
	if a.remark(e) {
		return
	}
	if e.bad && e.style == styleBare && !a.fence && !a.strict && !e.label && (a.cur == nil || a.gap > gapNone || a.cur.steps == 0) {
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
	if e.odd {
		a.cur.odd++
	}
	if e.told {
		a.cur.told++
	}
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
		return a.gap > gapNote
	case a.cur.style == styleNumber && !a.own && (e.indent > a.indent || a.gap <= gapNote):
		return false // the step of a numbered item that has none itself
	}
	return a.gap > gapNone
}
