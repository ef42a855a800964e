package costmodel

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// Level names a way to choose a budget.
type Level string

// Budget levels, from strict to none.
const (
	// Tight is the optimal cost: only cost-optimal plans are within it.
	Tight Level = "tight"
	// Loose is the optimal cost plus the slack of two rounds: see [Rounds].
	Loose Level = "loose"
	// Unlimited admits every valid plan.
	Unlimited Level = "unlimited"
	// Explicit is a given amount.
	Explicit Level = "explicit"
)

// Budget bounds the cost of a plan: a plan is within the budget when it costs at most
// Limit, in the units of the schedule, and always when Level is Unlimited. The zero value
// is no budget at all: it admits nothing.
type Budget struct {
	Level Level
	Limit pddl.Number
}

// Bounded reports whether the budget has a limit.
func (b Budget) Bounded() bool { return b.Level != Unlimited }

// Admits reports whether a plan of this cost is within the budget.
func (b Budget) Admits(cost pddl.Number) bool {
	switch b.Level {
	case Unlimited:
		return true
	case Tight, Loose, Explicit:
		return cost.Cmp(b.Limit) <= 0
	}
	return false
}

// String writes "tight (14)", "unlimited" or, for an explicit budget, its amount.
func (b Budget) String() string {
	switch b.Level {
	case Unlimited:
		return string(b.Level)
	case Explicit:
		return b.Limit.String()
	}
	return fmt.Sprintf("%s (%s)", b.Level, b.Limit)
}

// Budgets are the budgets of one task under one schedule.
type Budgets struct {
	// Optimal is the cost of a cheapest plan.
	Optimal pddl.Number
	// Slack is what a loose budget adds to it.
	Slack pddl.Number
}

// At returns the budget of a level other than Explicit.
func (b Budgets) At(level Level) (Budget, error) {
	switch level {
	case Tight:
		return Budget{Tight, b.Optimal}, nil
	case Loose:
		return Budget{Loose, b.Optimal.Add(b.Slack)}, nil
	case Unlimited:
		return Budget{Level: Unlimited}, nil
	}
	return Budget{}, fmt.Errorf("%q is no budget level; there are tight, loose and unlimited", clip(string(level)))
}

// BudgetSpec is a budget as a command names it: a level, or the amount of an explicit one.
type BudgetSpec struct {
	Level  Level
	Amount pddl.Number // of Explicit
}

// ParseBudget reads "tight", "loose", "unlimited" or a non-negative amount ("56", "12.5",
// "1/3").
func ParseBudget(text string) (BudgetSpec, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	switch level := Level(text); level {
	case Tight, Loose, Unlimited:
		return BudgetSpec{Level: level}, nil
	}
	amount, ok := pddl.ParseFraction(text)
	switch {
	case !ok:
		return BudgetSpec{}, fmt.Errorf("budget %q is none of tight, loose, unlimited, and no number", clip(text))
	case amount.Sign() < 0:
		return BudgetSpec{}, fmt.Errorf("budget %s is negative", clip(text))
	}
	return BudgetSpec{Explicit, amount}, nil
}

// ParseAmount reads a budget that is an amount, and no level.
func ParseAmount(text string) (*Budget, error) {
	spec, err := ParseBudget(text)
	if err != nil {
		return nil, err
	}
	if spec.Level != Explicit {
		return nil, fmt.Errorf("--budget %s: it asks about an amount; tight, loose and unlimited are printed anyway", spec.Level)
	}
	return &Budget{Level: spec.Level, Limit: spec.Amount}, nil
}

// ParseBudgets reads several budgets, separated by commas. A budget that is named twice is
// an error.
func ParseBudgets(text string) ([]BudgetSpec, error) {
	var specs []BudgetSpec
	for _, part := range strings.Split(text, ",") {
		s, err := ParseBudget(part)
		if err != nil {
			return nil, err
		}
		for _, known := range specs {
			if known.Label() == s.Label() {
				return nil, fmt.Errorf("budget %s is named twice", s.Label())
			}
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// Label names the budget without reference to a task: the level, or the amount.
func (s BudgetSpec) Label() string {
	if s.Level == Explicit {
		return s.Amount.String()
	}
	return string(s.Level)
}

// Of returns the budget for a task.
func (s BudgetSpec) Of(b Budgets) (Budget, error) {
	if s.Level == Explicit {
		return Budget{Explicit, s.Amount}, nil
	}
	return b.At(s.Level)
}

// MarshalJSON writes {"level":"loose","limit":"56"}; limit is null when there is none.
func (b Budget) MarshalJSON() ([]byte, error) {
	row := struct {
		Level Level   `json:"level"`
		Limit *string `json:"limit"`
	}{Level: b.Level}
	if b.Bounded() {
		text := b.Limit.String()
		row.Limit = &text
	}
	return rowjson.AppendValue(nil, row)
}
