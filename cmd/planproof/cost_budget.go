package main

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

var costBudgetCommand = command{
	name: "budget", usage: "optimal cost and the budgets that follow from it", args: "DOMAIN PROBLEM | TASKS...",
	long: `
Prints the optimal cost under each schedule, the number of steps of the shortest of the
cheapest plans, and the budgets: tight (the optimal cost), loose (two rounds of the most
expensive actions more) and unlimited. --budget asks whether a plan within some amount
exists. TASKS are folders, files of JSON Lines ("-" for standard input) and bundled
names. One task is solved by search; several share the enumeration of their state space.
Exit codes: 0 all are solvable, within --budget if given; 1 some are not; 2 bad input; 3
a limit came first.

   planproof cost budget blocksworld:4-17 --schedule 'put-down=20,*=1'
   planproof cost budget domain.pddl problem.pddl --schedule @prices.txt --budget 40
   planproof cost budget tasks/ --schedule paper --json > budgets.jsonl`,
	flags: append([]cli.Flag{
		schedulesFlag(),
		&cli.StringFlag{Name: "budget", Usage: "ask for a plan within this `AMOUNT`"},
		&cli.StringFlag{Name: "search", Usage: "search `STRING` for a single task", Value: "auto()"},
	}, costFlags()...),
	action: costBudget,
}

// budgetReport is a row of cost budget --json.
type budgetReport struct {
	ID       string                      `json:"id"`
	Schedule string                      `json:"schedule"`
	Status   search.Status               `json:"status"`
	Cost     *string                     `json:"cost"` // null: unsolvable
	Steps    *int64                      `json:"steps"`
	Horizon  costmodel.Horizon           `json:"horizon,omitempty"`
	Budgets  map[costmodel.Level]*string `json:"budgets,omitempty"`
	Slack    string                      `json:"slack,omitempty"`
	Within   *bool                       `json:"within_budget,omitempty"` // with --budget
}

func costBudget(e env) error {
	schedules, _, err := e.costSchedules()
	if err != nil {
		return err
	}
	var asked *costmodel.Budget
	if e.IsSet("budget") {
		spec, err := costmodel.ParseBudget(e.String("budget"))
		if err != nil {
			return err
		}
		if spec.Level != costmodel.Explicit {
			return fmt.Errorf("--budget %s: it asks about an amount; tight, loose and unlimited are printed anyway", spec.Level)
		}
		asked = &costmodel.Budget{Level: spec.Level, Limit: spec.Amount}
	}
	if _, err := search.Canonical(e.String("search")); err != nil {
		return err
	}
	tasks, several, err := e.costTasks(e.Args().Slice())
	if err != nil {
		return err
	}
	var rows []budgetReport
	if several {
		rows, err = e.budgetsBySpace(tasks, schedules, asked)
	} else {
		rows, err = e.budgetsBySearch(&tasks[0], schedules, asked)
	}
	if err != nil {
		return err
	}
	code := exitYes
	for i := range rows {
		r := &rows[i]
		if r.Cost == nil || r.Within != nil && !*r.Within {
			code = exitNo
		}
		if e.Bool("json") {
			if err := printJSON(e.out, r); err != nil {
				return err
			}
		}
	}
	if !e.Bool("json") {
		e.printBudgets(rows, several)
	}
	return exit(code)
}

// solvableReport is the row of a task with a plan.
func solvableReport(id, schedule string, b costmodel.Budgets, steps int64, asked *costmodel.Budget) (budgetReport, error) {
	loose, err := b.At(costmodel.Loose)
	if err != nil {
		return budgetReport{}, err
	}
	cost, most := b.Optimal.String(), loose.Limit.String()
	r := budgetReport{
		ID: id, Schedule: schedule, Status: search.SolvedOptimally, Cost: &cost, Steps: &steps, Horizon: costmodel.HorizonOf(steps),
		Budgets: map[costmodel.Level]*string{costmodel.Tight: &cost, costmodel.Loose: &most, costmodel.Unlimited: nil}, Slack: b.Slack.String(),
	}
	if asked != nil {
		within := asked.Admits(b.Optimal)
		r.Within = &within
	}
	return r, nil
}

func (e env) budgetsBySpace(tasks []costTask, schedules []costmodel.Named, asked *costmodel.Budget) ([]budgetReport, error) {
	truths, err := e.costTruth(tasks, schedules, 0)
	if err != nil {
		return nil, err
	}
	var rows []budgetReport
	for i := range truths {
		t := &truths[i]
		if t.Schedules == nil {
			for _, n := range schedules {
				rows = append(rows, budgetReport{ID: t.ID, Schedule: n.Name, Status: search.Unsolvable})
			}
		}
		for k := range t.Schedules {
			u := &t.Schedules[k]
			r, err := solvableReport(t.ID, u.Name, u.Budgets, u.Shift.Steps, asked)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (e env) budgetsBySearch(t *costTask, schedules []costmodel.Named, asked *costmodel.Budget) ([]budgetReport, error) {
	lim, err := e.limits()
	if err != nil {
		return nil, err
	}
	items, err := e.costItems([]costTask{*t}, schedules, lim)
	if err != nil {
		return nil, err
	}
	rounds := costmodel.RoundsOf(items[0].Task)
	var rows []budgetReport
	for _, n := range schedules {
		left, ok := lim.left()
		if !ok {
			return nil, e.limited("timeout", "the time limit came before an answer")
		}
		s, err := costmodel.Solve(e.Context.Context, t.prob, n.Schedule,
			grounder.Options{Time: left, Memory: lim.memory},
			search.Config{Search: e.String("search"), Limits: search.Limits{Wall: left, Memory: lim.memory, Nodes: e.Int64("nodes")}})
		if err != nil {
			return nil, e.groundError(err)
		}
		switch s.Status {
		case search.SolvedOptimally:
			slack, err := rounds.Slack(n.Schedule)
			if err != nil {
				return nil, err
			}
			r, err := solvableReport(t.id, n.Name, costmodel.Budgets{Optimal: s.Cost, Slack: slack}, int64(len(s.Plan)), asked)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		case search.Unsolvable:
			rows = append(rows, budgetReport{ID: t.id, Schedule: n.Name, Status: s.Status})
		case search.Timeout, search.Memout, search.Nodeout:
			return nil, e.limited(string(s.Status), fmt.Sprintf("%s: %s before an answer under %s", t.id, s.Status, n.Name))
		default:
			return nil, fmt.Errorf("%s: %s under %s", t.id, s.Status, n.Name)
		}
	}
	return rows, nil
}

func (e env) printBudgets(rows []budgetReport, several bool) {
	wide := len("task")
	for i := range rows {
		wide = max(wide, len(rows[i].ID))
	}
	if several {
		fmt.Fprintf(e.out, "%-*s  %10s %6s %-7s %10s %10s  %s\n", wide, "task", "cost", "steps", "horizon", "tight", "loose", "schedule")
	}
	for i := range rows {
		r := &rows[i]
		switch {
		case r.Cost == nil && several:
			fmt.Fprintf(e.out, "%-*s  unsolvable%35s  %s\n", wide, r.ID, "", r.Schedule)
		case r.Cost == nil:
			fmt.Fprintf(e.out, "schedule   %s\nunsolvable: no plan exists\n", r.Schedule)
		case several:
			fmt.Fprintf(e.out, "%-*s  %10s %6d %-7s %10s %10s  %s%s\n", wide, r.ID, *r.Cost, *r.Steps, r.Horizon, *r.Budgets[costmodel.Tight], *r.Budgets[costmodel.Loose], r.Schedule, r.answer())
		default:
			fmt.Fprintf(e.out, "schedule   %s\noptimal    %s in %s (horizon %s)\ntight      %s\nloose      %s (optimal + %s)\nunlimited  any valid plan\n",
				r.Schedule, *r.Cost, plural(int(*r.Steps), "step"), r.Horizon, *r.Budgets[costmodel.Tight], *r.Budgets[costmodel.Loose], r.Slack)
			if a := strings.TrimSpace(r.answer()); a != "" {
				fmt.Fprintf(e.out, "budget     %s\n", a)
			}
		}
	}
}

// answer says whether the budget that was asked for admits a plan.
func (r *budgetReport) answer() string {
	switch {
	case r.Within == nil:
		return ""
	case *r.Within:
		return "  within the budget"
	}
	return "  no plan within the budget"
}
