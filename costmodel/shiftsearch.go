package costmodel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// ErrUndecided says that searches found no certain shift and no two optimal plans that
// differ: whether a shift is possible needs the state space.
var ErrUndecided = errors.New("the shift is not certain, and whether it is possible needs the whole state space")

// ShiftBySearch finds the shift of a task whose state space is too large to enumerate, by
// searches for a shortest plan, a cheapest one among the shortest, and a cheapest one of
// fewest steps, see [Solve]. The second counts more for each step than all the costs of a
// shortest plan can add up to: the lexicographic method. The judge confirms the last two.
//
// A certain shift is decided always, and every Under is then true. If it is not certain,
// two of the plans found may differ, which makes it possible; Under is then left open, and
// ties is false. Otherwise the error is [ErrUndecided]. The other errors are ErrUnsolvable,
// a *[search.LimitError] without a number of states, and those of Solve.
func ShiftBySearch(ctx context.Context, p *pddl.Problem, s Schedule, ground grounder.Options, cfg search.Config) (shift Shift, ties bool, err error) {
	priced, err := s.Apply(p)
	if err != nil {
		return shift, false, err
	}
	ground.NumericFluents = true
	task, err := grounder.Ground(ctx, priced, ground)
	if err != nil {
		return shift, false, err
	}
	shortest, both, err := searchShortest(ctx, task, s, cfg)
	if err != nil {
		return shift, false, err
	}
	judged, err := confirm(priced, task, both)
	if err != nil {
		return shift, false, err
	}
	unitCost := judged.Cost
	cheapest, err := Solve(ctx, p, s, ground, cfg)
	if err != nil {
		return shift, false, err
	}
	if cheapest.Status != search.SolvedOptimally {
		return shift, false, &search.LimitError{Status: cheapest.Status}
	}
	shift = Shift{
		FewestSteps: int64(len(both.Plan)), UnitCost: unitCost, ScheduleCost: cheapest.Cost, Steps: int64(len(cheapest.Plan)),
		Certain: unitCost.Cmp(cheapest.Cost) > 0,
	}
	if shift.Certain {
		shift.Possible = true
		for i := range shift.Under {
			shift.Under[i] = true
		}
		return shift, true, nil
	}
	// The second plan is a shortest and a cheapest one, the first a shortest, the third a
	// cheapest one.
	a, b, c := typesOf(planNames(task, shortest)), typesOf(planNames(task, both)), typesOf(cheapest.Plan)
	shift.Possible = !slices.Equal(a, b) || !slices.Equal(b, c)
	if !shift.Possible {
		return shift, false, ErrUndecided
	}
	return shift, false, nil
}

// searchShortest finds a shortest plan, and a cheapest one among the shortest.
func searchShortest(ctx context.Context, task *grounder.Task, s Schedule, cfg search.Config) (shortest, cheap *search.Result, err error) {
	if shortest, err = searchCosts(ctx, task, cfg, func(int64) int64 { return 1 }); err != nil {
		return nil, nil, err
	}
	n, most := int64(len(shortest.Plan)), int64(0)
	for i := range task.Operators.Len() {
		most = max(most, task.Operators.Cost(i))
	}
	if most > (1<<62)/(n+1)/(n+1) {
		return nil, nil, fmt.Errorf("schedule %s: costs and steps together need more than 62 bits", clip(s.String()))
	}
	scale := n*most + 1
	if cheap, err = searchCosts(ctx, task, cfg, func(cost int64) int64 { return scale + cost }); err != nil {
		return nil, nil, err
	}
	if cheap.Cost/scale != n || int64(len(cheap.Plan)) != n {
		return nil, nil, fmt.Errorf("internal error: a search found %d steps, another one %d", n, cheap.Cost/scale)
	}
	cheap.Cost %= scale
	return shortest, cheap, nil
}

// searchCosts solves a task with other costs. It is an error if there is no plan, or none
// within the limits.
func searchCosts(ctx context.Context, t *grounder.Task, cfg search.Config, cost func(int64) int64) (*search.Result, error) {
	other := *t
	other.Operators = t.Operators.Clone()
	for i := range other.Operators.Len() {
		other.Operators.SetCost(i, cost(t.Operators.Cost(i)))
	}
	r, err := search.Run(ctx, &other, cfg)
	switch {
	case err != nil:
		return nil, err
	case r.Status == search.Unsolvable:
		return nil, ErrUnsolvable
	case r.Status != search.SolvedOptimally:
		return nil, &search.LimitError{Status: r.Status}
	}
	return r, nil
}

func planNames(t *grounder.Task, r *search.Result) []string {
	names := make([]string, len(r.Plan))
	for i, op := range r.Plan {
		names[i] = t.OperatorName(op)
	}
	return names
}

// typesOf lists the action types of the steps "(stack a b)".
func typesOf(plan []string) []string {
	types := make([]string, len(plan))
	for i, step := range plan {
		types[i], _, _ = strings.Cut(strings.Trim(step, "()"), " ")
	}
	return types
}
