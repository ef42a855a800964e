package search

import (
	"strings"

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
	inherit heuristic.Inheriting  // h, or nil
	resume  heuristic.Resumable   // h, or nil
	kept    heuristic.Incremental // h, or nil
	second  secondLook
	began   bool
	// greedy orders nodes by their estimates alone: the first plan found need not be cheapest.
	greedy   bool
	stubborn *stubborn // leaves operators out, or nil
	other    int64     // work done besides the heuristic's
	anyState bool      // its estimates hold in states that cannot be reached, too
	// paused is set while the evaluation of the node popped last, at value pausedF, waits
	// for the next run.
	paused   bool
	pausedAt state.StateID
	pausedF  int64
}

func newAStar(s *state.System, name string, h heuristic.Heuristic, lim Limits) *astar {
	a := &astar{nodes: newNodes(s, name, 3, lim), h: h}
	a.inherit, _ = h.(heuristic.Inheriting)
	a.resume, _ = h.(heuristic.Resumable)
	if a.kept, _ = h.(heuristic.Incremental); a.kept != nil && lim.Memory > 0 {
		a.kept.KeepWithin(lim.Memory / 8)
	}
	a.extra = h.Bytes
	return a
}

// useStubborn has the search leave operators out where the task allows it.
func (a *astar) useStubborn() {
	if a.stubborn = newStubborn(a.Task); a.stubborn != nil {
		held := a.stubborn.bytes()
		a.extra = func() int64 { return a.h.Bytes() + held }
		if !strings.Contains(a.name, "stubborn") {
			a.name = strings.TrimSuffix(a.name, ")") + ", stubborn=1)"
		}
	}
}

// setBound implements engine. Values of a greedy search are not costs of plans.
func (a *astar) setBound(cost int64) {
	if !a.greedy {
		a.nodes.setBound(cost)
	}
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

// begin enters the initial state, which is evaluated when it is popped, like all.
func (a *astar) begin() {
	a.began = true
	row := a.Initial()
	id, _ := a.reg.Insert(row, a.reg.Hash(row))
	a.reg.Record(id)[a.words+nodeLink] = link(state.NoState, 0)
	a.open.Push(id, 0, 0)
}

func (a *astar) done() int64 { return a.h.Work() + a.other }

func (a *astar) run(units int64) bool {
	if a.end != nil {
		return true
	}
	until := a.done() + units
	if !a.began {
		a.begin()
	}
	perState := a.WorkPerState()
	perNext := 32 + 4*int64(a.words)
	for a.done() < until {
		id, f := a.pausedAt, a.pausedF
		if !a.paused {
			if a.open.Len() == 0 {
				return a.exhausted()
			}
			id, f, _ = a.open.Pop()
			a.other += 8
		}
		rec := a.reg.Record(id)
		node := rec[a.words:]
		if !a.paused {
			if node[nodeLink]&closedBit != 0 {
				continue
			}
			a.Packer.Unpack(a.x.Values, rec)
		}
		fresh, ok := a.settle(id, node, f, until)
		if !ok {
			continue
		}
		if !a.greedy {
			a.jump(f)
		}
		if a.Axioms != nil {
			a.Axioms.Evaluate(a.x.Values, &a.x.Axioms)
		}
		if a.IsGoal(rec, a.x) {
			a.solved(id)
			if a.greedy {
				a.end.Status = Solved
			}
			return true
		}
		ops := a.Applicable(a.x)
		if a.stubborn != nil {
			ops = a.leaveOut(ops)
		}
		if a.full(len(ops)) {
			return true
		}
		node[nodeLink] |= closedBit
		a.stats.Expanded++
		a.expand(id, rec, fresh)
		a.other += perState + perNext*int64(len(ops))
	}
	return false
}

// leaveOut leaves operators out that are not in a stubborn set.
func (a *astar) leaveOut(ops []grounder.OperatorID) []grounder.OperatorID {
	before := a.stubborn.work
	a.x.Ops = a.stubborn.prune(a.x.Values, ops)
	a.other += a.stubborn.work - before
	return a.x.Ops
}

// evaluate asks the heuristic about the state id in x, or goes on with that if it was paused.
// It reports false where the work until which it may go on has not been enough.
func (a *astar) evaluate(id state.StateID, until int64) (est int64, done bool) {
	if a.paused {
		return a.resume.Continue(until - a.other)
	}
	a.stats.Evaluated++
	if a.resume == nil {
		return a.h.Estimate(a.x.Values), true
	}
	if parent, op, ok := a.follows(id); ok && a.kept != nil {
		return a.kept.BeginFrom(a.x.Values, until-a.other, uint32(parent), op)
	}
	return a.resume.Begin(a.x.Values, until-a.other)
}

// settle brings the estimate of a popped node up to date. It reports whether the node is to
// be expanded now, at value f, and whether the heuristic has just been asked about it. If
// the work done reaches until before, the node is paused.
func (a *astar) settle(id state.StateID, node []uint64, f, until int64) (fresh, ok bool) {
	g := int64(node[nodeCost])
	h, evaluated := estimate(node)
	if !evaluated {
		est, done := a.evaluate(id, until)
		if a.paused = !done; a.paused {
			a.pausedAt, a.pausedF = id, f
			return false, false
		}
		if a.stats.Evaluated == 1 {
			a.stats.InitialH = est
		}
		if est == heuristic.DeadEnd {
			if a.stats.Evaluated == 1 {
				a.stats.InitialH = -1
			}
			a.stats.DeadEnds++
			closeDeadEnd(node)
			return false, false
		}
		fresh = true
		if a.kept != nil {
			a.kept.Keep(uint32(id))
		}
		h = max(h, est)
		setEstimate(node, h, true)
	}
	v := a.value(g, h)
	if v > f {
		if fresh {
			a.open.Push(id, v, h)
		}
		return false, false // else another entry has the current value
	}
	if a.kept != nil && (a.paused || a.lookAgain(id)) {
		return a.evaluateAnew(id, node, f, until)
	}
	return fresh, true
}

func (a *astar) expand(id state.StateID, rec []uint64, fresh bool) {
	w := a.words
	parentG := int64(rec[w+nodeCost])
	parentH, _ := estimate(rec[w:])
	a.other += a.generate(rec)
	if !fresh && a.kept != nil {
		fresh = a.kept.Recall(uint32(id))
	}
	a.stats.Generated += int64(len(a.x.Ops))
	for i, op := range a.x.Ops {
		c, ok := a.Applier.Cost(a.x.Values, op)
		g := parentG + c
		if !ok || g < 0 {
			a.drop(plus(parentG, c))
			continue
		}
		h := max(parentH-c, 0)
		if fresh && a.inherit != nil {
			h = max(h, a.inherit.Inherited(op))
		}
		a.reach(id, i, g, h)
	}
}

// reach enters successor i, reached at cost g with estimate at least h.
func (a *astar) reach(parent state.StateID, i int, g, h int64) {
	next, isNew := a.insert(i)
	node := a.reg.Record(next)[a.words:]
	if isNew {
		setEstimate(node, h, false)
	} else {
		if g >= int64(node[nodeCost]) {
			return
		}
		if node[nodeLink]&closedBit != 0 {
			if a.greedy {
				return // costs of what was reached from it would no longer be true
			}
			a.stats.Reopened++
		}
		old, evaluated := estimate(node)
		h = max(h, old)
		setEstimate(node, h, evaluated)
	}
	node[nodeCost] = uint64(g)
	node[nodeLink] = link(parent, a.x.Ops[i])
	if v := a.value(g, h); a.useful(v) {
		a.open.Push(next, v, h)
	}
}

// value is the key of a node.
func (a *astar) value(g, h int64) int64 {
	if a.greedy {
		return h
	}
	return plus(g, h)
}
