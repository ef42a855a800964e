package costmodel

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// analyst prices tasks in one space: setGoal, then Price, then Cost and Shift for any
// number of initial states. It is one goroutine's working memory.
type analyst struct {
	space       *sharedSpace
	steps, cost *space.Distances
	goals       []state.StateID
	prices      *prices

	isGoal []bool
	mark   []uint32 // by state: the epoch of the walk that has met it
	epoch  uint32
	value  []int64 // of the states met: see the walks

	order     []state.StateID // of a walk: states met, layer by layer
	start     []int           // where in order each layer begins
	now, next []state.StateID // the states that a walk stands on

	types, unitTypes [len(tieBreaks)][]int32 // of the plans that the tie-breaks choose
	unitOf           state.StateID           // the initial state of unitTypes
	unitKnown        bool

	unitPlan, cheapPlan []grounder.OperatorID // a shortest plan and a cheapest one of fewest steps, from the last shift
}

// newAnalyst returns working memory for tasks in s, some 50 bytes a state.
func (s *sharedSpace) newAnalyst() *analyst {
	n := s.Len()
	return &analyst{
		space: s, steps: s.NewDistances(), cost: s.NewDistances(),
		isGoal: make([]bool, n), mark: make([]uint32, n), value: make([]int64, n),
	}
}

// setGoal takes the goal states of the tasks that follow and computes the number of steps
// from every state to the nearest of them.
func (a *analyst) setGoal(goals []state.StateID) error {
	for _, g := range a.goals {
		a.isGoal[g] = false
	}
	a.goals = append(a.goals[:0], goals...)
	for _, g := range a.goals {
		a.isGoal[g] = true
	}
	a.prices, a.unitKnown = nil, false
	return a.steps.To(a.goals, a.space.Steps(), space.ByCost)
}

// price takes a schedule and computes the cost from every state to the nearest goal.
func (a *analyst) price(p *prices) error {
	a.prices = p
	return a.cost.To(a.goals, p.costs, space.ByCost)
}
