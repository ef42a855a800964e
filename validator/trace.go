package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Happening is what one step of a plan, or several at the same time, changes.
type Happening struct {
	Steps []int // by their place in Plan.Steps: those that happen, or begin to
	Ends  []int // the steps with a duration that end
	// Time is when it happens; it means nothing unless the plan is Timed.
	Time pddl.Number
	// Changes are the atoms that become true, "+ (on a b)", or false, "- (clear b)"; of more than 200 it keeps the
	// first and "...". Derived atoms are left out.
	Changes []string
	// Values are the fluents that get another value, each with the value after it.
	Values []FluentValue
}

// Trace judges a plan and returns what its happenings change, in order, until one fails. What the world does of itself
// (timed literals, events, continuous change) is in the happening at its time, or has one without steps.
func (j *Judge) Trace(plan *pddl.Plan, s *Scratch) ([]Happening, Result) {
	x := tracer{j: j, s: s, before: map[int32]tracedValue{}}
	if s.timed != nil {
		s.timed.observeTurn = func() {
			if h := x.next(); len(h.Changes)+len(h.Values) > 0 {
				x.out = append(x.out, h)
			}
		}
		defer func() { s.timed.observeTurn = nil }()
	}
	r := j.judge(plan, s, func(n int) {
		if n == 0 {
			return
		}
		h := x.next()
		for k := x.applied; k < n; k++ {
			switch {
			case s.timed == nil:
				h.Steps = append(h.Steps, s.at(plan, k))
			case s.timed.snaps[k].kind == snapEnd:
				h.Ends = append(h.Ends, int(s.timed.snaps[k].of))
			case s.timed.snaps[k].kind != snapLiteral:
				h.Steps = append(h.Steps, int(s.timed.snaps[k].of))
			}
		}
		x.applied = n
		x.out = append(x.out, h)
	})
	return x.out, r
}

// tracer collects the happenings of a plan.
type tracer struct {
	j              *Judge
	s              *Scratch
	out            []Happening
	flips, applied int // changes of atoms so far, steps or their ends so far
	before         map[int32]tracedValue
}

type tracedValue struct {
	number  pddl.Number
	defined bool
}

// next is what has changed since the last happening.
func (x *tracer) next() Happening {
	s, j := x.s, x.j
	h := Happening{Time: s.now, Changes: s.changesOf(s.undo[x.flips:])}
	x.flips = len(s.undo)
	ids := s.touched
	if s.timed != nil && len(s.timed.flows) > 0 {
		ids = slices.Clone(ids)
		for i := range s.timed.flows {
			ids = append(ids, s.timed.flows[i].id)
		}
	}
	for _, id := range ids {
		now := tracedValue{s.values[id], s.defined[id]}
		old, known := x.before[id]
		if !known && int(id) < len(j.values) {
			old = tracedValue{j.values[id], j.defined[id]}
		}
		if x.before[id] = now; old.defined == now.defined && (!now.defined || old.number.Equal(now.number)) {
			continue
		}
		text := s.valueText(id)
		show := valueOf
		if s.isObjectValue(text) {
			show = s.objectOf
		}
		h.Values = append(h.Values, FluentValue{text, show(now.number, now.defined)})
	}
	return h
}
