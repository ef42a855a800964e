package costmodel

import (
	"context"
	"fmt"
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Solution is a cheapest plan of a task under a schedule, of fewest steps among the
// cheapest ones.
type Solution struct {
	// Status is that of the search; the other fields are set if it is solved-optimally.
	Status search.Status
	Cost   pddl.Number
	Plan   []string // steps, "(stack a b)"
}

// Solve searches for a cheapest plan of fewest steps, without enumerating the state space.
// A first search finds some cheapest plan, of k steps; the second one counts k+1 for each
// unit of cost and one for each step, so that costs come first and no more than k steps
// ever outweigh a unit. The judge confirms the plan. Errors are those of [Schedule.Apply],
// [grounder.Ground] and [search.Run], and costs beyond 62 bits.
func Solve(ctx context.Context, p *pddl.Problem, s Schedule, ground grounder.Options, cfg search.Config) (*Solution, error) {
	priced, err := s.Apply(p)
	if err != nil {
		return nil, err
	}
	ground.NumericFluents = true
	task, err := grounder.Ground(ctx, priced, ground)
	if err != nil {
		return nil, err
	}
	first, err := search.Run(ctx, task, cfg)
	if err != nil || first.Status != search.SolvedOptimally {
		return statusOf(first), err
	}
	if len(first.Plan) == 0 {
		return confirm(priced, task, first)
	}
	scale := int64(len(first.Plan)) + 1
	both := *task
	both.Operators = task.Operators.Clone()
	for i := range both.Operators.Len() {
		cost := both.Operators.Cost(i)
		if cost > (math.MaxInt64>>1-1)/scale {
			return nil, fmt.Errorf("schedule %s: costs and steps together need more than 62 bits", clip(s.String()))
		}
		both.Operators.SetCost(i, cost*scale+1)
	}
	second, err := search.Run(ctx, &both, cfg)
	if err != nil || second.Status != search.SolvedOptimally {
		return statusOf(second), err
	}
	if second.Cost/scale != first.Cost || second.Cost%scale != int64(len(second.Plan)) {
		return nil, fmt.Errorf("internal error: a search found the cost %d, another one %d in %d steps", first.Cost, second.Cost/scale, len(second.Plan))
	}
	second.Cost = first.Cost
	return confirm(priced, task, second)
}

func statusOf(r *search.Result) *Solution {
	if r == nil {
		return nil
	}
	return &Solution{Status: r.Status}
}

// confirm lets the judge, who shares no code with the search, have the last word.
func confirm(p *pddl.Problem, t *grounder.Task, found *search.Result) (*Solution, error) {
	a, err := pipeline.Confirm(p, t, found, nil)
	if err != nil {
		return nil, err
	}
	return &Solution{Status: a.Status, Cost: a.Cost, Plan: a.Plan}, nil
}
