package search

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// astar is A* with an admissible heuristic that need not be consistent. A generated
// state enters the open list with what its parent knows about it: the parent's estimate
// less the operator's cost, or better where the heuristic knows more (Inheriting). Only
// when it is popped is the heuristic asked; if the estimate rises the state goes back
// (lazy A*; Tolpin et al., IJCAI 2013). Every key in the open list is admissible, so the
// first goal popped is optimal. Its estimate never falls along a path (pathmax), and a
// state reached again at less cost after it was expanded is opened again.
type astar struct {
	*nodes
	h       heuristic.Heuristic
	inherit heuristic.Inheriting // h, or nil
	began   bool
}

func newAStar(s *state.System, name string, h heuristic.Heuristic, lim Limits) *astar {
	a := &astar{nodes: newNodes(s, name, 3, lim), h: h}
	a.inherit, _ = h.(heuristic.Inheriting)
	a.extra = h.Bytes
	return a
}

// estimate is the node's value: what is known of h, and whether the heuristic was asked.
func estimate(node []uint64) (h int64, evaluated bool) {
	return int64(node[nodeEst] >> 1), node[nodeEst]&1 != 0
}

func setEstimate(node []uint64, h int64, evaluated bool) {
	node[nodeEst] = uint64(h) << 1
	if evaluated {
		node[nodeEst] |= 1
	}
}

func (a *astar) begin() bool {
	a.began = true
	row := a.Initial()
	id, _ := a.reg.Insert(row, a.reg.Hash(row))
	a.Packer.Unpack(a.x.Values, row)
	a.stats.Evaluated = 1
	h := a.h.Estimate(a.x.Values)
	if h == heuristic.DeadEnd {
		a.stats.DeadEnds = 1
		a.stats.InitialH = -1
		return a.exhausted()
	}
	a.stats.InitialH = h
	node := a.reg.Record(id)[a.words:]
	node[nodeLink] = link(state.NoState, 0)
	setEstimate(node, h, true)
	a.open.Push(id, h, h)
	return false
}

func (a *astar) run(units int64) bool {
	if a.end != nil {
		return true
	}
	until := a.h.Work() + units
	if !a.began && a.begin() {
		return true
	}
	perState := a.WorkPerState()
	perNext := 32 + 4*int64(a.words)
	for a.h.Work() < until {
		if a.open.Len() == 0 {
			return a.exhausted()
		}
		id, f, _ := a.open.Pop()
		until -= 8
		rec := a.reg.Record(id)
		node := rec[a.words:]
		if node[nodeLink]&closedBit != 0 {
			continue
		}
		a.Packer.Unpack(a.x.Values, rec)
		fresh, ok := a.settle(id, node, f)
		if !ok {
			continue
		}
		a.jump(f)
		if a.Axioms != nil {
			a.Axioms.Evaluate(a.x.Values, &a.x.Axioms)
		}
		if a.IsGoal(rec, a.x) {
			return a.solved(id)
		}
		ops := a.Applicable(a.x)
		if a.full(len(ops)) {
			return true
		}
		node[nodeLink] |= closedBit
		a.stats.Expanded++
		a.expand(id, rec, fresh)
		until -= perState + perNext*int64(len(ops))
	}
	return false
}

// settle brings the estimate of a popped node up to date. It reports whether the node is to
// be expanded now, at value f, and whether the heuristic has just been asked about it.
func (a *astar) settle(id state.StateID, node []uint64, f int64) (fresh, ok bool) {
	g := int64(node[nodeCost])
	h, evaluated := estimate(node)
	if !evaluated {
		a.stats.Evaluated++
		est := a.h.Estimate(a.x.Values)
		if est == heuristic.DeadEnd {
			a.stats.DeadEnds++
			node[nodeLink] |= closedBit
			node[nodeCost] = 0 // never improved upon, so never opened again
			return false, false
		}
		fresh = true
		h = max(h, est)
		setEstimate(node, h, true)
	}
	v := plus(g, h)
	if v > f {
		if fresh {
			a.open.Push(id, v, h)
		}
		return false, false // else another entry has the current value
	}
	return fresh, true
}

func (a *astar) expand(id state.StateID, rec []uint64, fresh bool) {
	w := a.words
	parentG := int64(rec[w+nodeCost])
	parentH, _ := estimate(rec[w:])
	a.stats.Generated += int64(len(a.x.Ops))
	for _, op := range a.x.Ops {
		c, ok := a.Applier.Cost(a.x.Values, op)
		g := parentG + c
		if !ok || g < 0 {
			a.overflow = true
			continue
		}
		h := max(parentH-c, 0)
		if fresh && a.inherit != nil {
			h = max(h, a.inherit.Inherited(op))
		}
		a.Applier.Apply(a.x.Next, rec[:w], a.x.Values, op)
		a.reach(id, op, g, h)
	}
}

// reach enters the state in x.Next, reached at cost g with estimate at least h.
func (a *astar) reach(parent state.StateID, op grounder.OperatorID, g, h int64) {
	next, isNew := a.reg.Insert(a.x.Next, a.reg.Hash(a.x.Next))
	node := a.reg.Record(next)[a.words:]
	if isNew {
		setEstimate(node, h, false)
	} else {
		if g >= int64(node[nodeCost]) {
			return
		}
		if node[nodeLink]&closedBit != 0 {
			a.stats.Reopened++
		}
		old, evaluated := estimate(node)
		h = max(h, old)
		setEstimate(node, h, evaluated)
	}
	node[nodeCost] = uint64(g)
	node[nodeLink] = link(parent, op)
	a.open.Push(next, plus(g, h), h)
}
