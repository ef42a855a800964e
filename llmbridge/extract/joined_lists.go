package extract

import "slices"

// joined returns the lists, with those put together that stand under headings such as "For ball 1:" and "For ball
// 2:", one after the other, and do not repeat each other.
func (a *assembler) joined() []list {
	out := a.lists[:0]
	for _, l := range a.lists {
		n := len(out)
		if n > 0 && (l.neutral && out[n-1].neutral && l.style == out[n-1].style && l.steps > 0 || l.gap <= gapBlank && a.table(&l) == a.table(&out[n-1]) && l.style != out[n-1].style && l.role == out[n-1].role && !a.repeatsList(&out[n-1], &l)) {
			last := &out[n-1]
			if !last.joined { // its items stand among those of others
				last.joined, last.items = true, slices.Clone(last.items)
			}
			last.items = append(last.items, l.items...)
			last.steps, last.bad, last.odd, last.told = last.steps+l.steps, last.bad+l.bad, last.odd+l.odd, last.told+l.told
			continue
		}
		out = append(out, l)
	}
	return out
}

// repeatsList reports whether one of two lists has only steps of the other, as a summary or a second version has.
func (a *assembler) repeatsList(x, y *list) bool {
	if len(x.items) > len(y.items) {
		x, y = y, x
	}
	known := map[string]bool{}
	for _, i := range y.items {
		for _, s := range a.o.steps[a.o.entries[i].from:a.o.entries[i].to] {
			known[s] = true
		}
	}
	if len(x.items) == 1 && len(y.items) > 1 && x.told+y.told == 0 {
		e := &a.o.entries[x.items[0]]
		return e.to-e.from > 1 && known[a.o.steps[e.from]]
	}
	for _, i := range x.items {
		for _, s := range a.o.steps[a.o.entries[i].from:a.o.entries[i].to] {
			if !known[s] {
				return false
			}
		}
	}
	return true
}
