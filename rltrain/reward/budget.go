package reward

import (
	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
)

// budgetParams say which budget and what is paid for.
type budgetParams struct {
	// level is "row" for the budget that the row states, or as costmodel.ParseBudget
	// reads it.
	level string
	spec  costmodel.BudgetSpec // unless level is "row"
	// measure is what the reward is: see the constants.
	measure string
}

const budgetOfRow = "row"

// Measures of a plan under a budget.
const (
	measureWithin     = "within"     // 1 for a valid plan within the budget, else 0
	measureOptimality = "optimality" // 1 / (1 + cost/optimal) of such a plan: 0.5 is optimal (CATS paper, section 5.1)
	measureRatio      = "cost_ratio" // optimal/cost of such a plan: 1 is optimal
)

var budgetDefaults = budgetParams{level: budgetOfRow, measure: measureWithin}

// newBudget is the reward of cost-augmented planning: a plan counts when it is valid and
// within its budget. Costs are exact; only the results are rounded, once each.
//
// With measure "within" and any budget but the tight one the optimal cost is not
// needed; where it is known the other measures come as components all the same only if
// they are the reward, so that a spec has the same components on every row.
func newBudget(p budgetParams) *Spec {
	s := &Spec{
		Kind:   "budget",
		params: map[string]any{"budget": p.level, "measure": p.measure},
	}
	switch {
	case p.level == budgetOfRow:
		s.need |= needBudget
	case p.spec.Level == costmodel.Tight:
		s.need |= needCost
	case p.spec.Level == costmodel.Loose:
		s.need |= needCost | needSlack
	}
	withOptimal := p.measure != measureWithin || s.need&needCost != 0
	if withOptimal {
		s.need |= needCost
	}
	s.bounds = func(valid bool) map[string]interval {
		b := map[string]interval{"": zero, "within": zero, "valid": flag(valid), "cost": natural}
		if valid {
			b[""], b["within"] = unit, unit
			if p.measure == measureOptimality {
				b[""] = interval{0, 0.5}
			}
		}
		if withOptimal {
			b["optimality"], b["cost_ratio"], b["regret"], b["optimal"] = zero, zero, interval{-1, -1}, natural
			if valid {
				b["optimality"], b["cost_ratio"], b["regret"] = interval{0, 0.5}, unit, natural
			}
		}
		return b
	}
	s.eval = func(e *Evidence) (float64, Components) {
		v := e.Verdict
		within := v.Valid && v.CostDefined && p.budget(&e.Gold).Admits(v.Cost)
		c := Components{"within": boolFloat(within), "valid": boolFloat(v.Valid), "cost": numberFloat(v.Cost)}
		if withOptimal {
			optimal := *e.Gold.Cost
			c["optimality"], c["cost_ratio"], c["regret"], c["optimal"] = 0, 0, -1, numberFloat(optimal)
			if v.Valid && v.CostDefined {
				c["regret"] = numberFloat(v.Cost.Sub(optimal))
			}
			if within {
				c["optimality"], c["cost_ratio"] = measures(v.Cost, optimal)
			}
		}
		return c[p.measure], c
	}
	// A plan within the budget earns more than any other response, but for a ratio to an
	// optimal cost of 0.
	s.ValidWins = p.measure == measureWithin || p.spec.Level == costmodel.Tight
	return s.seal()
}

// budget is the budget of one task.
func (p *budgetParams) budget(g *Gold) costmodel.Budget {
	switch {
	case p.level == budgetOfRow:
		return costmodel.Budget{Level: costmodel.Explicit, Limit: *g.Budget}
	case p.spec.Level == costmodel.Tight:
		return costmodel.Budget{Level: costmodel.Tight, Limit: *g.Cost}
	case p.spec.Level == costmodel.Loose:
		return costmodel.Budget{Level: costmodel.Loose, Limit: g.Cost.Add(*g.Slack)}
	}
	return costmodel.Budget{Level: p.spec.Level, Limit: p.spec.Amount}
}

// measures are the optimality and the cost ratio of a valid plan, with the limits for
// an optimal cost of 0.
func measures(cost, optimal pddl.Number) (optimality, ratio float64) {
	if cost.Equal(optimal) {
		return 0.5, 1
	}
	q, _ := optimal.Div(optimal.Add(cost))
	r, _ := optimal.Div(cost) // cost > optimal >= 0
	return numberFloat(q), numberFloat(r)
}

// numberFloat is the float64 that is nearest to n, within ±MaxComponent.
func numberFloat(n pddl.Number) float64 {
	if i, ok := n.Int64(); ok && i <= MaxComponent && i >= -MaxComponent {
		return float64(i)
	}
	f, _ := n.Rat().Float64()
	return max(-MaxComponent, min(MaxComponent, f))
}
