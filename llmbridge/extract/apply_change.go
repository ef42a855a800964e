package extract

import "slices"

// What a sentence that adds, drops or sets a step does to the lists beside it.

// changed is an entry that adds a step to a list or drops one from it.
type changed struct {
	entry int32
	above int // the number of lists above it
}

// alters reports whether an entry that adds, drops or sets a step changes a plan; next says that the plan is the one beside it.
func (e *entry) alters(plan []string, step string, next bool) bool {
	switch e.change {
	case dropsStep:
		return slices.Contains(plan, step)
	case addsStep:
		return next && !slices.Contains(plan, step)
	}
	return next && (int(e.number) > len(plan) || e.number < 1 || plan[e.number-1] != step)
}

// change rejects the lists whose steps an entry changes: one drops a step that they have, or adds one to the list beside it.
func (a *assembler) change() {
	const most = 16 // entries, so that reading stays linear
	for _, c := range a.changes[:min(len(a.changes), most)] {
		e := &a.o.entries[c.entry]
		step := a.o.steps[e.from]
		for k := range a.lists {
			l := &a.lists[k]
			if !slices.Contains(l.items, c.entry) && e.alters(a.o.stepsOf(l), step, k == max(c.above-1, 0)) {
				l.role = roleReject
			}
		}
	}
}
