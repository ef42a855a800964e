package treesearch

import (
	"context"
	"slices"

	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// newForwardRun prepares a search in one tree whose method chooses nodes by itself.
func newForwardRun(ctx context.Context, s *Space, g Guide, opt Options, name string) *run {
	return &run{
		counted: counted{Result: Result{Method: name}}, ctx: ctx, space: s, guide: g.until(ctx), opt: opt,
		first: true, best: Unlimited, forward: newTree(s, Forward, false), unordered: true,
	}
}

// settled adds the roots, and answers tasks that need no search.
func (r *run) settled() bool {
	s := r.space
	init := s.initial()
	r.floor = r.guide.bound(Forward, init)
	r.forward.addRoot(init, r.floor)
	if r.backward != nil && !s.task.Unsolvable {
		goal, ok := s.goal()
		b := heuristic.DeadEnd
		if ok {
			b = r.guide.bound(Backward, goal)
		}
		r.backward.addRoot(goal, b)
		r.floor = max(r.floor, b)
	}
	switch {
	case s.isGoal(init):
		r.floor = 0
		r.found(0, 0, 0)
	case s.task.Unsolvable || r.floor == heuristic.DeadEnd:
		r.exhausted(true)
	case r.floor > r.opt.Budget:
		r.overBudget = true
		r.exhausted(true)
	default:
		return false
	}
	return true
}

// stopped tells, before an expansion, whether a limit ends the search.
func (r *run) stopped() bool {
	switch {
	case r.Expanded >= r.opt.Expansions:
		r.Status = Nodeout
	case r.ctx.Err() != nil:
		r.Status = Timeout
	default:
		return false
	}
	return true
}

// exhausted says how a search ends that has nothing left to expand; complete tells that it
// left nothing out but what the budget and bounds exclude.
func (r *run) exhausted(complete bool) {
	switch {
	case !complete || r.overflow:
		r.Status = GaveUp
	case r.overBudget:
		r.Status = NoPlanInBudget
	default:
		r.Status = Unsolvable
	}
}

// grow expands a node of the forward tree that the method has chosen and returns what was
// kept, rated.
func (r *run) grow(id state.StateID) ([]kept, error) {
	t := r.forward
	if i := slices.Index(t.open, id); i >= 0 {
		t.remove(i)
	}
	return r.expandNode(t, id, choice{})
}
