package costmodel

import (
	"fmt"

	"github.com/planproof/planproof/pddl"
)

// DefaultNodeLimit is the number of node expansions that Budget-BlocksWorld allows.
const DefaultNodeLimit = 500

// Outcome is what a planner delivered for one task.
type Outcome struct {
	// Valid says that there is a plan and the judge accepts it.
	Valid bool
	// Cost of the valid plan under the schedule.
	Cost pddl.Number
	// Expanded counts node expansions; negative when the planner does not count any, as a
	// model that answers in one pass.
	Expanded int64
}

// Score measures an outcome (CATS paper, section 5.1). Numbers are exact.
type Score struct {
	// Success: a valid plan within the budget, found within the node limit.
	Success bool
	// Optimality is 1 / (1 + cost/optimal) of a successful plan, so that 1/2 is optimal,
	// and 0 without success. At optimal cost 0 the ratio is taken to be 1 for a plan that
	// costs nothing, which makes 1/2, and infinite for any other, which makes 0.
	Optimality pddl.Number
	// Efficiency is 1 - expanded/limit, at least 0, with or without success. It is defined
	// if the planner counts expansions.
	Efficiency        pddl.Number
	EfficiencyDefined bool
	// Regret is cost - optimal of a valid plan, RelativeRegret the part of the optimal
	// cost that this is, whatever the budget. Relative to an optimal cost of 0 only a
	// regret of 0 is defined: it is 0.
	Regret, RelativeRegret               pddl.Number
	RegretDefined, RelativeRegretDefined bool
}

// Evaluate measures an outcome against the optimal cost of the task, a budget and a limit
// of node expansions (0: none, then efficiency is undefined). A valid plan that costs less
// than the optimum is an error: the ground truth is wrong.
func Evaluate(o Outcome, optimal pddl.Number, b Budget, nodeLimit int64) (Score, error) {
	var s Score
	counted := o.Expanded >= 0 && nodeLimit > 0
	if counted {
		s.EfficiencyDefined = true
		if o.Expanded < nodeLimit {
			s.Efficiency = pddl.Int(1).Sub(pddl.Fraction(o.Expanded, nodeLimit))
		}
	}
	if !o.Valid {
		return s, nil
	}
	if o.Cost.Cmp(optimal) < 0 {
		return s, fmt.Errorf("a valid plan costs %s, less than the optimal cost %s", o.Cost, optimal)
	}
	s.Regret, s.RegretDefined = o.Cost.Sub(optimal), true
	s.RelativeRegret, s.RelativeRegretDefined = s.Regret.Div(optimal)
	if s.Regret.Sign() == 0 {
		s.RelativeRegretDefined = true
	}
	s.Success = b.Admits(o.Cost) && !(counted && o.Expanded > nodeLimit)
	if s.Success {
		s.Optimality = optimality(o.Cost, optimal)
	}
	return s, nil
}

// optimality is 1 / (1 + cost/optimal) = optimal / (optimal + cost), with the limits for
// an optimal cost of 0.
func optimality(cost, optimal pddl.Number) pddl.Number {
	if cost.Equal(optimal) {
		return pddl.Fraction(1, 2)
	}
	q, _ := optimal.Div(optimal.Add(cost)) // costs are not negative, and not both 0
	return q
}
