package reward

import (
	"errors"

	"github.com/planproof/planproof/pddl"
)

// NeedsTable reports whether a score needs the distances of the task: for the progress of
// the response, or for the length of a shortest plan that g does not say. unit says that
// every action of the task costs 1.
func (s *Spec) NeedsTable(g *Gold, unit bool) bool {
	return s.NeedsDistances ||
		s.need&needSteps != 0 && (g == nil || !g.HasSteps) ||
		s.need&needCost != 0 && (g == nil || g.Cost == nil) && unit
}

// Gold is what the reward needs to know of a task: from the row, else from shortest, which
// returns the length of a shortest plan and is called only if NeedsTable says so.
func (s *Spec) Gold(row *Gold, unit bool, shortest func() int64) (Gold, error) {
	var g Gold
	if s.need&(needSteps|needCost|needSlack|needBudget) == 0 {
		return g, nil
	}
	if row != nil {
		g = *row
	}
	if s.need&needSteps != 0 && !g.HasSteps {
		g.Steps, g.HasSteps = shortest(), true
	}
	if s.need&needCost != 0 {
		switch {
		case g.Cost != nil && !g.Optimal:
			return g, errors.New("the cost in the row's gold data is not marked as optimal")
		case g.Cost == nil && unit: // steps are costs
			n := pddl.Int(shortest())
			g.Cost = &n
		case g.Cost == nil:
			return g, errors.New("the optimal cost is not known: the row has no gold with cost and optimal")
		}
	}
	switch {
	case s.need&needSlack != 0 && g.Slack == nil:
		return g, errors.New("the slack of a loose budget is not known: the row has no gold with slack")
	case s.need&needBudget != 0 && g.Budget == nil:
		return g, errors.New("the row has no budget")
	}
	return g, nil
}

// Refuted reports whether the reward compares costs and the response shows the optimal cost
// to be wrong. The budget of a row is made of its optimal cost, and falls with it.
func (s *Spec) Refuted(e *Evidence) bool {
	known := s.need&needCost != 0 || s.need&needBudget != 0 && e.Gold.Cost != nil && e.Gold.Optimal
	return known && e.Verdict.Valid && e.Verdict.CostDefined && e.Verdict.Cost.Cmp(*e.Gold.Cost) < 0
}
