package symbolic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/search/symbolic/bdd"
)

// walker follows the layers of both sides from the state where they meet. States are single
// ones here; which operator leads from one to the next is found by trying the applicable ones.
type walker struct {
	s    *Search
	x    *state.Scratch
	row  []uint64
	vals []int32
	next []bool
}

// extract writes the best plan.
func (s *Search) extract() {
	w := &walker{
		s: s, x: s.sys.NewScratch(), row: make([]uint64, s.sys.Packer.Words()),
		vals: make([]int32, len(s.sys.Task.Variables)), next: make([]bool, s.e.total),
	}
	s.Cost = int64(s.best.cost)
	before := w.back(slices.Clone(s.best.state), s.best.forward)
	s.Plan = append(before, w.ahead(slices.Clone(s.best.state), s.best.backward)...)
}

// layerAt returns the layer of a cost, or nil.
func (d *side) layerAt(cost uint64) *layer {
	i, found := slices.BinarySearchFunc(d.layers, cost, func(l layer, c uint64) int { return cmp.Compare(l.cost, c) })
	if !found {
		return nil
	}
	return &d.layers[i]
}

// stepOf returns the first step of the layer that holds a state, -1 if none does.
func (s *Search) stepOf(l *layer, row []bool) int {
	if l != nil {
		for k, n := range l.steps {
			if s.m.Contains(n, row) {
				return k
			}
		}
	}
	return -1
}

// back returns the operators that lead from the initial state to row, which the forward side
// has reached at cost g.
func (w *walker) back(row []bool, g uint64) []grounder.OperatorID {
	s, d := w.s, w.s.forward
	var plan []grounder.OperatorID
	for {
		k := s.stepOf(d.layerAt(g), row)
		if g == 0 && k <= 0 {
			slices.Reverse(plan)
			return plan
		}
		from := make([]bool, len(row))
		cost := uint64(0)
		if k > 0 {
			w.predecessor(&s.classes[0], d.layerAt(g).steps[k-1], row, from)
		} else {
			cost = w.costlyPredecessor(row, from, g)
		}
		op, ok := w.find(from, cost, func(next []bool) bool { return slices.Equal(next, row) })
		if !ok {
			panic(fmt.Sprintf("symbolic search: no operator of cost %d leads to a state at cost %d", cost, g))
		}
		plan = append(plan, op)
		row, g = from, g-cost
	}
}

// costlyPredecessor finds a state from which an operator that costs something leads to row.
func (w *walker) costlyPredecessor(row, from []bool, g uint64) uint64 {
	for i := range w.s.classes {
		c := &w.s.classes[i]
		if l := w.s.forward.layerAt(g - c.cost); c.cost > 0 && l != nil && w.predecessor(c, l.all, row, from) {
			return c.cost
		}
	}
	panic(fmt.Sprintf("symbolic search: no way back from a state at cost %d", g))
}

// predecessor picks a state of a set from which an operator of a class leads to row.
func (w *walker) predecessor(c *costClass, set bdd.Node, row, from []bool) bool {
	m := w.s.m
	target := m.State(row)
	for i := range c.relations {
		if p := m.And(m.Preimage(target, c.relations[i].node, c.relations[i].cube), set); p != bdd.False {
			m.Pick(p, from)
			return true
		}
	}
	return false
}

// ahead returns the operators that lead from row, which the backward side has reached at cost h,
// to the goal.
func (w *walker) ahead(row []bool, h uint64) []grounder.OperatorID {
	s, d := w.s, w.s.backward
	var plan []grounder.OperatorID
	for {
		k := s.stepOf(d.layerAt(h), row)
		if h == 0 && k <= 0 {
			return plan
		}
		op, cost, ok := grounder.OperatorID(0), uint64(0), false
		if k > 0 {
			step := d.layerAt(h).steps[k-1]
			op, ok = w.find(row, 0, func(next []bool) bool { return s.m.Contains(step, next) })
		} else {
			for i := 0; i < len(s.classes) && !ok; i++ {
				cost = s.classes[i].cost
				if l := d.layerAt(h - cost); cost > 0 && l != nil {
					op, ok = w.find(row, cost, func(next []bool) bool { return s.m.Contains(l.all, next) })
				}
			}
		}
		if !ok {
			panic(fmt.Sprintf("symbolic search: no way on from a state at distance %d", h))
		}
		plan = append(plan, op)
		row, h = slices.Clone(w.next), h-cost
	}
}

// find returns an operator of a cost that leads from a state to a wanted one, which is left in
// w.next.
func (w *walker) find(from []bool, cost uint64, want func([]bool) bool) (grounder.OperatorID, bool) {
	sys := w.s.sys
	w.s.e.decode(w.vals, from)
	sys.Packer.Pack(w.row, w.vals)
	sys.Unpack(w.row, w.x)
	for _, op := range sys.Applicable(w.x) {
		if c, ok := sys.Applier.Cost(w.x.Values, op); !ok || uint64(c) != cost {
			continue
		}
		sys.Applier.Apply(w.x.Next, w.row, w.x.Values, op)
		sys.Packer.Unpack(w.vals, w.x.Next)
		w.s.e.encode(w.next, w.vals)
		if want(w.next) {
			return op, true
		}
	}
	return 0, false
}
