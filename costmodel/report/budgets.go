package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/search"
)

// BudgetOptions of [Budgets].
type BudgetOptions struct {
	Options
	// Asked, if set, is a budget about which every row says whether a plan is within it.
	Asked *costmodel.Budget
	// Search, if set, is the search that solves each task, in place of enumerating the
	// state space.
	Search string
}

// BudgetRow holds the budgets of a task under a schedule. Costs are exact numbers.
type BudgetRow struct {
	ID       string        `json:"id"`
	Schedule string        `json:"schedule"`
	Status   search.Status `json:"status"` // solved-optimally or unsolvable
	// Cost, Steps and what follows from them are those of a cheapest plan of fewest steps.
	Cost    *string                     `json:"cost"`
	Steps   *int64                      `json:"steps"`
	Horizon costmodel.Horizon           `json:"horizon,omitempty"`
	Budgets map[costmodel.Level]*string `json:"budgets,omitempty"`
	Slack   string                      `json:"slack,omitempty"` // of the loose budget
	// Within reports whether a plan is within the budget that was asked about.
	Within *bool `json:"within_budget,omitempty"`
}

// BudgetRows are the budgets of tasks under schedules.
type BudgetRows []BudgetRow

// Budgets finds the optimal costs of tasks under schedules, a row for each pair, and the
// budgets that follow from them.
func Budgets(ctx context.Context, tasks []Task, opt BudgetOptions) (BudgetRows, error) {
	if opt.Search != "" {
		return searchBudgets(ctx, tasks, opt)
	}
	truths, err := Truths(ctx, tasks, opt.Options)
	if err != nil {
		return nil, err
	}
	var rows BudgetRows
	for i := range truths {
		t := &truths[i]
		for k, n := range opt.Schedules {
			if t.Schedules == nil {
				rows = append(rows, BudgetRow{ID: t.ID, Schedule: n.Name, Status: search.Unsolvable})
				continue
			}
			u := &t.Schedules[k]
			r, err := solvableRow(t.ID, n.Name, u.Budgets, u.Shift.Steps, opt.Asked)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func searchBudgets(ctx context.Context, tasks []Task, opt BudgetOptions) (BudgetRows, error) {
	a := opt.begin()
	items, err := a.ground(ctx, tasks)
	if err != nil {
		return nil, err
	}
	var rows BudgetRows
	for i := range tasks {
		rounds := costmodel.RoundsOf(items[i].Task)
		for _, n := range opt.Schedules {
			r, err := a.searchBudget(ctx, &tasks[i], n, rounds, &opt)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (a *analysis) searchBudget(ctx context.Context, t *Task, n costmodel.Named, rounds costmodel.Rounds, opt *BudgetOptions) (BudgetRow, error) {
	lim, err := a.left()
	if err != nil {
		return BudgetRow{}, err
	}
	s, err := costmodel.Solve(ctx, t.Parsed, n.Schedule, grounder.Options{Time: lim.Wall, Memory: lim.Memory},
		search.Config{Search: opt.Search, Limits: lim})
	if err != nil {
		return BudgetRow{}, err
	}
	switch s.Status {
	case search.SolvedOptimally:
		slack, err := rounds.Slack(n.Schedule)
		if err != nil {
			return BudgetRow{}, err
		}
		return solvableRow(t.ID, n.Name, costmodel.Budgets{Optimal: s.Cost, Slack: slack}, int64(len(s.Plan)), opt.Asked)
	case search.Unsolvable:
		return BudgetRow{ID: t.ID, Schedule: n.Name, Status: s.Status}, nil
	case search.Timeout, search.Memout, search.Nodeout:
		return BudgetRow{}, leftOpen(s.Status, "%s: %s before an answer under %s", t.ID, s.Status, n.Name)
	}
	return BudgetRow{}, fmt.Errorf("%s: %s under %s", t.ID, s.Status, n.Name)
}

// solvableRow is the row of a task with a plan.
func solvableRow(id, schedule string, b costmodel.Budgets, steps int64, asked *costmodel.Budget) (BudgetRow, error) {
	loose, err := b.At(costmodel.Loose)
	if err != nil {
		return BudgetRow{}, err
	}
	cost, most := b.Optimal.String(), loose.Limit.String()
	r := BudgetRow{
		ID: id, Schedule: schedule, Status: search.SolvedOptimally, Cost: &cost, Steps: &steps, Horizon: costmodel.HorizonOf(steps),
		Budgets: map[costmodel.Level]*string{costmodel.Tight: &cost, costmodel.Loose: &most, costmodel.Unlimited: nil}, Slack: b.Slack.String(),
	}
	if asked != nil {
		within := asked.Admits(b.Optimal)
		r.Within = &within
	}
	return r, nil
}

// Met reports whether there are plans for all rows, within the budget that was asked about.
func (rows BudgetRows) Met() bool {
	return !slices.ContainsFunc(rows, func(r BudgetRow) bool { return r.Cost == nil || r.Within != nil && !*r.Within })
}

// writeText prints rows in full.
func (rows BudgetRows) writeText(w io.Writer) {
	for i := range rows {
		r := &rows[i]
		if r.Cost == nil {
			fmt.Fprintf(w, "schedule   %s\nunsolvable: no plan exists\n", r.Schedule)
			continue
		}
		fmt.Fprintf(w, "schedule   %s\noptimal    %s in %s (horizon %s)\ntight      %s\nloose      %s (optimal + %s)\nunlimited  any valid plan\n",
			r.Schedule, *r.Cost, spell.Plural(int(*r.Steps), "step"), r.Horizon, *r.Budgets[costmodel.Tight], *r.Budgets[costmodel.Loose], r.Slack)
		if a := strings.TrimSpace(r.answer()); a != "" {
			fmt.Fprintf(w, "budget     %s\n", a)
		}
	}
}

// writeTable prints a line for each row.
func (rows BudgetRows) writeTable(w io.Writer) {
	wide := len("task")
	for i := range rows {
		wide = max(wide, len(rows[i].ID))
	}
	fmt.Fprintf(w, "%-*s  %10s %6s %-7s %10s %10s  %s\n", wide, "task", "cost", "steps", "horizon", "tight", "loose", "schedule")
	for i := range rows {
		r := &rows[i]
		if r.Cost == nil {
			fmt.Fprintf(w, "%-*s  unsolvable%35s  %s\n", wide, r.ID, "", r.Schedule)
			continue
		}
		fmt.Fprintf(w, "%-*s  %10s %6d %-7s %10s %10s  %s%s\n", wide, r.ID, *r.Cost, *r.Steps, r.Horizon, *r.Budgets[costmodel.Tight], *r.Budgets[costmodel.Loose], r.Schedule, r.answer())
	}
}

// answer says whether the budget that was asked about admits a plan.
func (r *BudgetRow) answer() string {
	switch {
	case r.Within == nil:
		return ""
	case *r.Within:
		return "  within the budget"
	}
	return "  no plan within the budget"
}
