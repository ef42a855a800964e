package search

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// secondLook counts what it brings to evaluate states anew before they are expanded. An estimate that begins with the
// landmarks of a predecessor takes a fraction of the work, and is lower on some states, more so the longer landmarks
// are passed on. An evaluation without them may show that the state need not be expanded yet, and its landmarks are
// passed on from then on. How often it does depends on the task.
type secondLook struct {
	asked, looks, rises int64
	work                int64
}

const (
	// Some states get a second look in any case: the first ones, and then one of lookEvery.
	looksFirst = 16
	lookEvery  = 16
	// lookGain is how many times the work of an expansion a rise saves: besides its own, that of states below it.
	lookGain = 3
)

// lookAgain reports whether the state id, which is about to be expanded, is to be evaluated anew before.
func (a *astar) lookAgain(id state.StateID) bool {
	if a.greedy || !a.kept.Inherits(uint32(id)) {
		return false
	}
	s := &a.second
	s.asked++
	if s.looks < looksFirst || s.asked%lookEvery == 0 {
		return true
	}
	perExpansion := (a.done() - s.work) / (a.stats.Expanded + 1)
	return s.rises*lookGain*perExpansion > s.work
}

// evaluateAnew evaluates the state of a node, in x, without landmarks of others, or goes on with that. It reports
// whether the node is to be expanded now, at value f, and whether the heuristic has just been asked.
func (a *astar) evaluateAnew(id state.StateID, node []uint64, f, until int64) (fresh, ok bool) {
	s := &a.second
	before := a.h.Work()
	est, done := int64(0), false
	if a.paused {
		est, done = a.kept.Continue(until - a.other)
	} else {
		s.looks++
		est, done = a.kept.Begin(a.x.Values, until-a.other)
	}
	s.work += a.h.Work() - before
	if a.paused = !done; a.paused {
		a.pausedAt, a.pausedF = id, f
		return false, false
	}
	a.kept.Keep(uint32(id))
	h, _ := estimate(node)
	if est <= h || est == heuristic.DeadEnd {
		return est == h, true
	}
	s.rises++
	setEstimate(node, est, true)
	if v := a.value(int64(node[nodeCost]), est); v > f {
		a.open.Push(id, v, est)
		return false, false
	}
	return true, true
}

// follows returns the state that a state was reached from, and by which operator. It reports false if there is none, or
// if the operator leads to another state of the orbit.
func (a *astar) follows(id state.StateID) (parent state.StateID, op grounder.OperatorID, ok bool) {
	l := a.reg.Record(id)[a.words+nodeLink] &^ closedBit
	parent, op = state.StateID(uint32(l)), grounder.OperatorID(l>>32)
	if parent == state.NoState {
		return parent, op, false
	}
	return parent, op, a.orbit == nil || a.orbit.leads(a.reg.Row(parent), op, a.reg.Row(id))
}
