package costmodel

import (
	"errors"
	"slices"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// ErrUnsolvable says that a task has no plan, so that it has neither budgets nor a shift.
var ErrUnsolvable = errors.New("the task has no plan")

// TieBreak chooses one of several optimal plans by a rule, where the shift depends on it.
type TieBreak string

// Tie-breaks. Of the cheapest plans those of fewest steps are compared step by step, and
// the one with the first (or last) action type at the first difference is taken, in the
// order in which the domain declares its actions.
const (
	FirstDeclared TieBreak = "first-declared"
	LastDeclared  TieBreak = "last-declared"
)

// tieBreaks lists them.
var tieBreaks = [...]TieBreak{FirstDeclared, LastDeclared}

// TieBreaks lists the tie-breaks in the order of Shift.Under.
func TieBreaks() []TieBreak { return tieBreaks[:] }

// Shift says whether a task's cost-optimal plans differ from its unit-cost-optimal (shortest)
// plans in their sequence of action types. The interval from Certain to Possible is a fact
// about the task: it does not depend on which of several optimal plans a search returns.
type Shift struct {
	// FewestSteps is the length of the shortest plans.
	FewestSteps int64
	// UnitCost is the least schedule cost of a shortest plan, ScheduleCost that of any plan.
	UnitCost, ScheduleCost pddl.Number
	// Steps is the length of the shortest plans of cost ScheduleCost.
	Steps int64
	// Certain: no shortest plan is cost-optimal under the schedule, UnitCost > ScheduleCost.
	// A sequence of types determines the cost, so every pair of a shortest and a
	// cost-optimal plan then differs.
	Certain bool
	// Possible: some shortest plan and some cost-optimal plan have different sequences of
	// types. Certain implies Possible. Where actions cost nothing, plans with useless
	// steps of cost 0 are among the optimal ones.
	Possible bool
	// Under says, by tie-break, whether the two chosen plans differ; see [TieBreaks].
	Under [len(tieBreaks)]bool
}

// shift compares the shortest plans of a task with its cheapest ones. setGoal and Price
// come before. The error is ErrUnsolvable, or a cost beyond 63 bits.
func (a *analyst) shift(initial state.StateID) (Shift, error) {
	var s Shift
	if a.steps.Cost[initial] == space.Unreachable {
		return s, ErrUnsolvable
	}
	s.FewestSteps = a.steps.Cost[initial]
	s.ScheduleCost = a.prices.number(a.cost.Cost[initial])
	shortest := optimal{dist: a.steps.Cost}
	cheapest := optimal{dist: a.cost.Cost, by: a.prices.by}
	unitCost, err := a.leastCost(initial)
	if err != nil {
		return s, err
	}
	s.UnitCost = a.prices.number(unitCost)
	s.Certain = unitCost > a.cost.Cost[initial]
	s.Possible = s.Certain || a.differ(initial, shortest, cheapest)
	if !a.unitKnown || a.unitOf != initial {
		a.chosen(initial, shortest, &a.unitTypes)
		a.unitPlan = a.plan(initial, shortest, a.unitPlan[:0])
		a.unitOf, a.unitKnown = initial, true
	}
	a.chosen(initial, cheapest, &a.types)
	a.cheapPlan = a.plan(initial, cheapest, a.cheapPlan[:0])
	s.Steps = int64(len(a.types[0]))
	for i := range tieBreaks {
		s.Under[i] = !slices.Equal(a.types[i], a.unitTypes[i])
	}
	return s, nil
}
