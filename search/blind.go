package search

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// blindSearch is A* with the blind heuristic, and uniform-cost search when step is 0. It
// works on packed states: the estimate is 0 when the goal holds and step otherwise, which
// is consistent, so no state is expanded twice. Where the goal has derived variables its
// state variables are tested first, and axioms are evaluated only for states that pass.
type blindSearch struct {
	*nodes
	step    int64
	began   bool
	work    int64
	dearest int64          // no operator costs more, while nodes are narrow
	look    *state.Scratch // for states that are not being expanded
}

func newBlindSearch(s *state.System, name string, step int64, lim Limits) *blindSearch {
	layout, dearest := blindLayout(s.Task)
	b := &blindSearch{nodes: newNodes(s, name, layout.words(), lim), step: step, dearest: dearest, look: s.NewScratch()}
	b.nodeLayout = layout
	return b
}

// blindLayout is the layout that nodes begin with, and the greatest cost of an operator. Where costs depend on the state
// there is no such cost, and a node is wide.
func blindLayout(t *grounder.Task) (l nodeLayout, dearest int64) {
	for i := range t.Operators.Len() {
		if len(t.Operators.CondCosts(i)) > 0 {
			return wide, 0
		}
		dearest = max(dearest, t.Operators.Cost(i))
	}
	if l = narrowLayout(t.Operators.Len()); t.Numeric != nil || l.most < dearest {
		return wide, 0
	}
	return l, dearest
}

// widen makes all nodes wide before the successors of a node of cost g are entered, if their costs might not fit. It
// reports false where memory does not suffice.
func (b *blindSearch) widen(g int64) bool {
	if g <= b.most-b.dearest {
		return true
	}
	if b.maxBytes > 0 && b.bytes()+b.reg.WidenBytes(1) > b.maxBytes {
		return false
	}
	b.reg.Widen(1)
	for id := range b.reg.Len() {
		b.nodeLayout.widen(b.reg.Record(state.StateID(id))[b.words:])
	}
	b.nodeLayout, b.dearest = wide, 0
	return true
}

func (b *blindSearch) estimate(row []uint64) int64 {
	if !b.MayBeGoal(row) {
		return b.step
	}
	if len(b.Goal.Derived) > 0 && b.step > 0 {
		b.Unpack(row, b.look)
		if !b.IsGoal(row, b.look) {
			return b.step
		}
	}
	return 0
}

func (b *blindSearch) begin() {
	b.began = true
	row := b.Initial()
	id, _ := b.reg.Insert(row, b.reg.Hash(row))
	b.set(b.reg.Record(id)[b.words:], 0, state.NoState, 0)
	h := b.estimate(row)
	b.stats.InitialH = h
	b.stats.Evaluated = 1
	b.open.Push(id, h, h)
}

func (b *blindSearch) done() int64 { return b.work }

func (b *blindSearch) run(units int64) bool {
	if b.end != nil {
		return true
	}
	if !b.began {
		b.begin()
	}
	perState := b.WorkPerState()
	perNext := 32 + 4*int64(b.words)
	for until := b.work + units; b.work < until; {
		if b.open.Len() == 0 {
			return b.exhausted()
		}
		id, f, _ := b.open.Pop()
		rec := b.reg.Record(id)
		if rec[b.words+b.link]&closedBit != 0 {
			b.work += 8
			continue
		}
		b.jump(f)
		b.Unpack(rec, b.x)
		if b.IsGoal(rec, b.x) {
			return b.solved(id)
		}
		ops := b.Applicable(b.x)
		if b.full(len(ops)) {
			return true
		}
		if !b.widen(b.cost(rec[b.words:])) {
			return b.finish(Result{Status: Memout})
		}
		rec = b.reg.Record(id)
		rec[b.words+b.link] |= closedBit
		b.stats.Expanded++
		b.expand(id, rec)
		b.work += perState + perNext*int64(len(ops))
	}
	return false
}

// expand registers the successors of state id under the operators in x.Ops.
func (b *blindSearch) expand(id state.StateID, rec []uint64) {
	ops, w := b.x.Ops, b.words
	b.work += b.generate(rec)
	b.stats.Generated += int64(len(ops))
	parentG := b.cost(rec[w:])
	for i, op := range ops {
		c, ok := b.Applier.Cost(b.x.Values, op)
		g := parentG + c
		if !ok || g < 0 {
			b.drop(plus(parentG, c))
			continue
		}
		next, fresh := b.insert(i)
		node := b.reg.Record(next)[w:]
		switch {
		case fresh:
			b.stats.Evaluated++
		case g >= b.cost(node):
			continue
		}
		b.set(node, g, id, op)
		h := b.estimate(b.successor(i))
		if f := plus(g, h); b.useful(f) {
			b.open.Push(next, f, h)
		}
	}
}
