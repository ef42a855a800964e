package search

import (
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/search/prune"
	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/search/symmetry"
)

// orbits has a search replace each state that it reaches by one that stands for its orbit under the symmetries of the
// task (orbit space search; Domshlak et al., ICAPS 2012). Costs to the goal are the same in all states of an orbit. A
// search may begin with it, or give it up, at any time: each state reached, or one of its orbit, is a node.
type orbits struct {
	*state.System
	group  *symmetry.Group
	canon  *symmetry.Canonizer
	values []int32
	look   *state.Scratch // of leads
	work   int64
	perRow int64

	trial *orbitsTrial // nil once it is known whether replacing pays
	on    bool
}

// orbitsTrial looks at the first states that a search reaches, before it replaces any: symmetries pay if different
// states are of one orbit. That a state can be replaced is no sign of that. Where nothing reached is alike, symmetries
// that do not keep the initial state would add what is symmetric to it.
type orbitsTrial struct {
	states, orbits map[uint64]bool // hashes of the states, and of those that stand for them
	row            []uint64
}

const (
	// orbitsWork bounds the work of finding symmetries: some tenths of a second.
	orbitsWork = 1 << 26
	// unitsPerEdge are the units of work of one unit of it.
	unitsPerEdge = 2
	// orbitsFirst and orbitsLast are after how many states a trial looks first and last; it does each time their number
	// has doubled.
	orbitsFirst = 16
	orbitsLast  = 1 << 12
	// orbitsLeast is how many of 100 states must be symmetric to another one.
	orbitsLeast = 25
)

func newOrbits(s *state.System, g *symmetry.Group) *orbits {
	return &orbits{
		System: s, group: g, canon: g.Canonizer(), values: make([]int32, state.Unpacked(s.Task)),
		perRow: 16 + int64(len(s.Task.Variables))/2 + int64(g.Generators()),
		trial:  &orbitsTrial{states: map[uint64]bool{}, orbits: map[uint64]bool{}},
	}
}

// replace replaces a packed state, once a trial has shown that this pays.
func (o *orbits) replace(row []uint64) {
	switch {
	case o.trial != nil:
		o.try(row)
	case o.on:
		o.count(o.canonize(row))
	}
}

// try takes note of a state of the trial.
func (o *orbits) try(row []uint64) {
	t := o.trial
	before := len(t.states)
	t.states[state.HashRow(row)] = true
	n := len(t.states)
	if n == before {
		return
	}
	t.row = append(t.row[:0], row...)
	o.count(o.canonize(t.row))
	t.orbits[state.HashRow(t.row)] = true
	if n < orbitsFirst || n&(n-1) != 0 {
		return
	}
	if o.on = (n-len(t.orbits))*100 >= n*orbitsLeast; o.on || n >= orbitsLast {
		o.trial = nil
	}
}

// count counts the work of a state.
func (o *orbits) count(changed bool) {
	o.work += o.perRow
	if changed {
		o.work += o.perRow
	}
}

func (o *orbits) canonize(row []uint64) bool {
	o.Packer.Unpack(o.values, row)
	if !o.canon.Canonize(o.values) {
		return false
	}
	o.Packer.Pack(row, o.values)
	return true
}

// plan turns the operators of a path of nodes, from the initial state on, into a plan. rows are the states of the
// nodes, one more than operators.
func (o *orbits) plan(rows [][]uint64, ops []grounder.OperatorID) []grounder.OperatorID {
	trace, x := o.group.Trace(), o.NewScratch()
	var plan []grounder.OperatorID
	for i, op := range ops {
		original, ok := trace.Operator(op)
		if !ok {
			panic("search: a symmetry maps an operator to none")
		}
		plan = append(plan, original)
		o.Unpack(rows[i], x)
		o.Applier.Apply(x.Next, rows[i], x.Values, op)
		if slices.Equal(x.Next, rows[i+1]) {
			continue
		}
		o.canonize(x.Next)
		if invariants.Enabled {
			invariants.Check(slices.Equal(x.Next, rows[i+1]), "a state was replaced by another than now")
		}
		trace.Replaced(o.canon.Trail)
	}
	return plan
}

// leads reports whether an operator leads from one state to another without replacement.
func (o *orbits) leads(from []uint64, op grounder.OperatorID, to []uint64) bool {
	if o.look == nil {
		o.look = o.NewScratch()
	}
	o.Unpack(from, o.look)
	o.Applier.Apply(o.look.Next, from, o.look.Values, op)
	return slices.Equal(o.look.Next, to)
}

// anyState reports whether a heuristic's estimates hold in all states, not in those alone that can be reached from the
// initial state. Symmetries may lead to the others, unless they keep the initial state.
func anyState(heuristic string) bool {
	return heuristic == "blind" || heuristic == "hmax" || heuristic == "lmcut"
}

// findSymmetries has the search use the symmetries of its task, if there are any.
func (n *nodes) findSymmetries(anyState bool, lim Limits, clock *cpuclock.Clock) {
	if g, _ := symmetriesOf(n.Task, !anyState, lim, clock); g != nil {
		n.useSymmetries(g)
	}
}

// symmetriesOf finds symmetries, with fixed those that keep the initial state, and returns the work. There are none
// where they do not fit into an eighth of the memory.
func symmetriesOf(t *grounder.Task, fixed bool, lim Limits, clock *cpuclock.Clock) (*symmetry.Group, int64) {
	if lim.Memory > 0 && symmetry.Bytes(t) > lim.Memory/8 {
		return nil, 0
	}
	g, work := symmetry.Find(t, fixed, orbitsWork, clock.Expired)
	return g, work * unitsPerEdge
}

// symmetries are those of a task of auto.
type symmetries struct {
	all, fixed *symmetry.Group // fixed keep the initial state
}

// find finds symmetries and returns the work.
func (s *symmetries) find(t *grounder.Task, lim Limits, clock *cpuclock.Clock) (work int64) {
	s.all, work = symmetriesOf(t, false, lim, clock)
	if s.fixed = s.all; s.all == nil || s.all.Keeps(t.Init) {
		return work
	}
	var more int64
	s.fixed, more = symmetriesOf(t, true, lim, clock)
	return work + more
}

// pay reports whether, among the first states of a search in progress, different ones are of one orbit in the task as it
// has been reduced, and the work of that.
func (s *symmetries) pay(sys *state.System, old *racer, r *prune.Reduced) (bool, int64) {
	a, ok := old.engine.(*astar)
	if s.all == nil || !ok {
		return s.all != nil, 0
	}
	o, values := newOrbits(sys, s.all), make([]int32, state.Unpacked(a.Task))
	row := make([]uint64, sys.Packer.Words())
next:
	for id := 0; id < a.reg.Len() && o.trial != nil; id++ {
		a.Packer.Unpack(values, a.reg.Row(state.StateID(id)))
		for v, to := range r.Values {
			if values[v] = to[values[v]]; values[v] < 0 {
				continue next
			}
		}
		sys.Packer.Pack(row, values)
		o.replace(row)
	}
	return o.on, o.work
}

// bytes is the memory held.
func (s *symmetries) bytes() (n int64) {
	if s.all != nil {
		n = s.all.Bytes()
	}
	if s.fixed != nil && s.fixed != s.all {
		n += s.fixed.Bytes()
	}
	return n
}

// use has an engine that searches states use those that suit it.
func (s *symmetries) use(e engine) {
	switch x := e.(type) {
	case *astar:
		g := s.fixed
		if x.anyState {
			g = s.all
		}
		if g != nil {
			x.useSymmetries(g)
		}
	case *blindSearch:
		if s.all != nil {
			x.useSymmetries(s.all)
		}
	}
}
