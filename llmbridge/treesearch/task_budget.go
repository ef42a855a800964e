package treesearch

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// TaskBudget is the budget of one task, with the search that it needed.
type TaskBudget struct {
	costmodel.Budget
	// Status and Reason are those of the search for the optimal cost, Status "" where the
	// level needs none. With another status than SolvedOptimally there is no budget but, for
	// Unsolvable, an unlimited one.
	Status search.Status
	Reason string
	// Optimal is the least cost of a plan, nil where it is not known.
	Optimal *pddl.Number
}

// FindBudget finds the budget that spec means for a task. The levels tight and loose depend
// on the optimal cost, for which it searches; the judge confirms it. The schedule s prices
// the slack of a loose budget; if it is empty, every action type costs what its most
// expensive ground action does.
func FindBudget(ctx context.Context, p *pddl.Problem, t *grounder.Task, spec costmodel.BudgetSpec, s costmodel.Schedule, lim search.Limits) (*TaskBudget, error) {
	if spec.Level != costmodel.Tight && spec.Level != costmodel.Loose {
		b, err := spec.Of(costmodel.Budgets{})
		return &TaskBudget{Budget: b}, err
	}
	a, err := pipeline.Search(ctx, p, t, pipeline.Options{Search: search.Config{Limits: lim}})
	if err != nil {
		return nil, err
	}
	out := &TaskBudget{Budget: costmodel.Budget{Level: costmodel.Unlimited}, Status: a.Status, Reason: a.Reason}
	if a.Status != search.SolvedOptimally {
		return out, nil
	}
	if s.Empty() {
		if s, err = highestCosts(t); err != nil {
			return nil, err
		}
	}
	slack, err := costmodel.RoundsOf(t).Slack(s)
	if err != nil {
		return nil, err
	}
	out.Optimal = &a.Cost
	out.Budget, err = spec.Of(costmodel.Budgets{Optimal: a.Cost, Slack: slack})
	return out, err
}

// highestCosts is the schedule in which every action type costs what its most expensive
// ground action does.
func highestCosts(t *grounder.Task) (costmodel.Schedule, error) {
	most := make([]int64, len(t.SchemaNames))
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		cost := op.Cost
		for _, c := range op.CondCosts {
			cost += c.Cost
		}
		most[op.Schema] = max(most[op.Schema], cost)
	}
	parts := []string{"*=0"}
	for s, name := range t.SchemaNames {
		parts = append(parts, fmt.Sprintf("%s=%s", name, t.CostUnit.Mul(pddl.Int(most[s]))))
	}
	return costmodel.ParseSchedule(strings.Join(parts, ","))
}

// BudgetUnits is the budget in units of the task: the most that operators may cost
// together. It is false when not even a plan without steps is within the budget.
func BudgetUnits(t *grounder.Task, b costmodel.Budget) (int64, bool) {
	if !b.Bounded() {
		return Unlimited, true
	}
	left := b.Limit.Sub(t.CostBase).Rat()
	if left.Sign() < 0 {
		return 0, false
	}
	left.Quo(left, t.CostUnit.Rat())
	units := new(big.Int).Quo(left.Num(), left.Denom())
	if !units.IsInt64() {
		return Unlimited, true
	}
	return units.Int64(), true
}
