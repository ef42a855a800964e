package constraints

import (
	"fmt"
	"math/big"

	"github.com/planproof/planproof/pddl"
)

// CostLimits takes the cost limits out of a list: the others, and the least limit, nil for none. The optimum under the
// others says whether it can be kept, which a search finds sooner than that of the compiled task: a cheapest plan keeps
// it if any does, and without it what has been spent is no part of a state.
func CostLimits(list []Constraint) (others []Constraint, least *pddl.Number) {
	for i := range list {
		switch {
		case list[i].Kind != CostLimit:
			others = append(others, list[i])
		case least == nil || list[i].Cost.Cmp(*least) < 0:
			least = &list[i].Cost
		}
	}
	return others, least
}

// addCost adds a cost limit. Where every action costs 1 it is a limit on the steps. Else the metric must not exceed it in
// the end and, where the metric is (total-cost), which no action lowers, no action may take it beyond: so a search that
// looks for more expensive plans ends.
func (m *monitors) addCost(c *Constraint) error {
	metric := m.prob.Metric
	if metric == nil {
		whole, _ := new(big.Int).DivMod(c.Cost.Rat().Num(), c.Cost.Rat().Denom(), new(big.Int)) // rounded down
		if !whole.IsInt64() || whole.Int64() > maxClauses {
			return fmt.Errorf("%w: a limit of %s steps", ErrUnsupported, c.Cost)
		}
		m.addSteps(&Constraint{Kind: Within, N: int(whole.Int64())})
		return nil
	}
	if metric.Maximize {
		return fmt.Errorf("%w: a cost limit where the metric is maximized", ErrUnsupported)
	}
	m.numbers = true
	limit := fmt.Sprintf("(/ %s %s)", c.Cost.Rat().Num(), c.Cost.Rat().Denom())
	if c.Cost.Rat().IsInt() {
		limit = c.Cost.Rat().Num().String()
	}
	names := m.prob.Names(&m.prob.Goal.Schema)
	m.goals = append(m.goals, fmt.Sprintf("(<= %s %s)", names.Expr(metric.Expr), limit))
	if metric.Expr.Kind != pddl.NumFluent || names.Expr(metric.Expr) != "(total-cost)" {
		return nil
	}
	m.needs = append(m.needs, func(a *pddl.Action) string {
		price := ""
		for _, e := range topEffects(a.Effect) {
			if e.Kind == pddl.EffectNumeric && e.Func == metric.Expr.Func {
				if e.Op != pddl.OpIncrease {
					return ""
				}
				price += " " + m.prob.Domain.Names(&a.Schema).Expr(e.Value)
			}
		}
		if price == "" {
			return ""
		}
		return fmt.Sprintf("(<= (+ (total-cost)%s) %s)", price, limit)
	})
	return nil
}

// topEffects are the parts of an effect that always happen.
func topEffects(e *pddl.Effect) []*pddl.Effect {
	if e == nil || e.Kind != pddl.EffectAnd {
		return []*pddl.Effect{e}
	}
	var list []*pddl.Effect
	for _, c := range e.Children {
		list = append(list, topEffects(c)...)
	}
	return list
}
