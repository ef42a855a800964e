package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"

	"github.com/urfave/cli/v2"
)

var costMetricsCommand = command{
	name: "metrics", usage: "how good are plans: success, optimality, efficiency, regret", args: "DOMAIN PROBLEM PLAN... | RESULTS.jsonl",
	long: `
Judges plans under a schedule and measures them against the optimal cost and each
budget. Plans are files for one task, or rows of JSON Lines ("-" for standard input):
{"id","plan","expanded"}, the plan a text or a list of steps, where --tasks names the
folder, the manifest or the JSON Lines of the tasks by id; or each row names its task by
itself, as in planproof score. A row of planproof solve --json will do once it has an id.
A row with "budget" counts for that budget only. No plan (null, "", or a "status" that
says why) is a failure. Rates are printed by horizon and budget; with --json the row of
each plan, or rates with --summary. Exit codes: 0 measured; 1 some plan has no success under some
budget; 2 bad input; 3 a limit came first.

   planproof cost metrics blocksworld:4-17 plan.txt --schedule 'put-down=20,*=1'
   planproof cost metrics results.jsonl --tasks tasks/ --schedule '[1,1,20,1]'
   planproof cost metrics results.jsonl --tasks tasks/ --schedule @p.txt --budget tight,50 --json`,
	flags: append([]cli.Flag{
		schedulesFlag(),
		&cli.StringFlag{Name: "tasks", Usage: "the tasks that the ids of the rows name: a folder, a manifest or JSON `LINES`"},
		&cli.StringFlag{Name: "budget", Usage: "`BUDGETS`, separated by commas: tight, loose, unlimited, amounts", Value: "tight,loose,unlimited"},
		&cli.Int64Flag{Name: "node-limit", Usage: "expansions that success allows and efficiency is measured by (0: none)", Value: costmodel.DefaultNodeLimit},
		&cli.Int64Flag{Name: "expanded", Usage: "expansions that the planner used for the plan files", Value: -1},
		&cli.BoolFlag{Name: "summary", Usage: "with --json: rates by horizon and budget, in place of a row for each plan"},
		&cli.StringFlag{Name: "svg", Usage: "draw success and optimality by budget and horizon into `FILE`"},
	}, costFlags()...),
	action: costMetrics,
}

// metricsReport is a row of cost metrics --json.
type metricsReport struct {
	ID             string            `json:"id"`
	Budget         string            `json:"budget"`
	Limit          *string           `json:"limit"` // null: unlimited
	Horizon        costmodel.Horizon `json:"horizon"`
	Valid          bool              `json:"valid"`
	Failure        string            `json:"failure,omitempty"` // why a plan is invalid
	Cost           *string           `json:"cost"`
	OptimalCost    string            `json:"optimal_cost"`
	Success        bool              `json:"success"`
	Optimality     string            `json:"optimality"`
	Efficiency     *string           `json:"efficiency"`
	Regret         *string           `json:"regret"`
	RelativeRegret *string           `json:"relative_regret"`
}

func costMetrics(e env) error {
	schedules, _, err := e.costSchedules()
	if err != nil {
		return err
	}
	if len(schedules) > 1 {
		return errors.New("cost metrics takes one --schedule: plans are made for one")
	}
	budgets, err := costmodel.ParseBudgets(e.String("budget"))
	if err != nil {
		return err
	}
	if e.Int64("node-limit") < 0 {
		return errors.New("--node-limit must not be negative")
	}
	if err := e.spareInputs(e.String("tasks")); err != nil {
		return err
	}
	m := &metrics{env: e, schedule: schedules[0], budgets: budgets, limit: e.Int64("node-limit"), tallies: map[tallyKey]*costmodel.Tally{}}
	if err := m.read(e.Args().Slice()); err != nil {
		return err
	}
	if err := m.truths(); err != nil {
		return err
	}
	for i := range m.results {
		if err := m.measure(&m.results[i]); err != nil {
			return err
		}
	}
	if n := m.missing(); n > 0 {
		fmt.Fprintf(e.err, "planproof: no result for %s of the set: they do not count\n", plural(n, "task"))
	}
	if path := e.String("svg"); path != "" {
		if err := e.writeFile(path, m.draw); err != nil {
			return err
		}
	}
	if err := m.print(); err != nil {
		return err
	}
	if m.failures > 0 {
		return exit(exitNo)
	}
	return nil
}

// metrics is one run of the command.
type metrics struct {
	env
	schedule costmodel.Named
	budgets  []costmodel.BudgetSpec
	limit    int64

	tasks   []costTask
	truth   []*costmodel.ScheduleTruth // by task
	horizon []costmodel.Horizon
	judges  []*validator.Judge // by task, made when needed
	set     *costmodel.BudgetSet
	results []planResult

	rows     []metricsReport
	tallies  map[tallyKey]*costmodel.Tally
	failures int
}

// planResult is what a planner delivered for a task.
type planResult struct {
	id       string
	task     int
	plan     *pddl.Source // nil: none
	expanded int64
	budget   *costmodel.BudgetSpec // nil: all
}

// tallyKey is a cell of the table; an empty horizon stands for all.
type tallyKey struct {
	horizon costmodel.Horizon
	budget  string
}

// truths finds the optimal cost of each task: in the manifest if it has the schedule, else
// by enumerating state spaces.
func (m *metrics) truths() error {
	m.truth, m.horizon = make([]*costmodel.ScheduleTruth, len(m.tasks)), make([]costmodel.Horizon, len(m.tasks))
	var open []costTask
	var where []int
	for i := range m.tasks {
		if m.set != nil {
			if t, ok := m.set.Task(m.tasks[i].id); ok {
				m.horizon[i] = t.Horizon
				if m.truth[i] = sameSchedule(t, m.schedule.Schedule); m.truth[i] != nil {
					continue
				}
			}
		}
		open, where = append(open, m.tasks[i]), append(where, i)
	}
	if len(open) == 0 {
		return nil
	}
	rows, err := m.costTruth(open, []costmodel.Named{m.schedule}, 0)
	if err != nil {
		return err
	}
	for k, i := range where {
		if rows[k].Schedules == nil {
			return fmt.Errorf("%s: %w: there is nothing to measure", m.tasks[i].id, costmodel.ErrUnsolvable)
		}
		m.truth[i] = &rows[k].Schedules[0]
		if m.horizon[i] == "" {
			m.horizon[i] = rows[k].Horizon
		}
	}
	return nil
}

// sameSchedule finds the truth under a schedule of the same costs, whatever its name.
func sameSchedule(t *costmodel.TaskTruth, s costmodel.Schedule) *costmodel.ScheduleTruth {
	for i := range t.Schedules {
		if t.Schedules[i].Schedule.String() == s.String() {
			return &t.Schedules[i]
		}
	}
	return nil
}

// judge compiles the task under the schedule.
func (m *metrics) judge(task int) (*validator.Judge, error) {
	if j := m.judges[task]; j != nil {
		return j, nil
	}
	p, err := m.schedule.Schedule.Apply(m.tasks[task].prob)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.tasks[task].id, err)
	}
	j, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		return nil, m.judgeError(err)
	}
	m.judges[task] = j
	return j, nil
}

// measure judges a result and scores it under its budgets.
func (m *metrics) measure(r *planResult) error {
	outcome, failure := costmodel.Outcome{Expanded: r.expanded}, "no plan"
	if r.plan != nil {
		j, err := m.judge(r.task)
		if err != nil {
			return err
		}
		v, _ := j.ValidateText(r.plan, j.NewScratch())
		if !v.Decided() {
			return m.limited("timeout", fmt.Sprintf("%s: judging the plan would take too long: %s", r.id, v.Failure.Message))
		}
		outcome.Valid, outcome.Cost, failure = v.Valid, v.Cost, ""
		if !v.Valid {
			failure = v.Failure.Message
		}
	}
	budgets := m.budgets
	if r.budget != nil {
		budgets = []costmodel.BudgetSpec{*r.budget}
	}
	truth := m.truth[r.task]
	for _, spec := range budgets {
		b, err := spec.Of(truth.Budgets)
		if err != nil {
			return err
		}
		s, err := costmodel.Evaluate(outcome, truth.Budgets.Optimal, b, m.limit)
		if err != nil {
			return fmt.Errorf("%s: %w: the optimal cost of this task is wrong", r.id, err)
		}
		if !s.Success {
			m.failures++
		}
		for _, h := range []costmodel.Horizon{m.horizon[r.task], ""} {
			m.tally(h, spec.Label()).Add(s)
		}
		m.rows = append(m.rows, m.row(r, spec, b, outcome, s, failure))
	}
	return nil
}

func (m *metrics) tally(h costmodel.Horizon, budget string) *costmodel.Tally {
	key := tallyKey{h, budget}
	if m.tallies[key] == nil {
		m.tallies[key] = new(costmodel.Tally)
	}
	return m.tallies[key]
}

func (m *metrics) row(r *planResult, spec costmodel.BudgetSpec, b costmodel.Budget, o costmodel.Outcome, s costmodel.Score, failure string) metricsReport {
	text := func(n pddl.Number, defined bool) *string {
		if !defined {
			return nil
		}
		t := n.String()
		return &t
	}
	return metricsReport{
		ID: r.id, Budget: spec.Label(), Limit: text(b.Limit, b.Bounded()), Horizon: m.horizon[r.task],
		Valid: o.Valid, Failure: failure, Cost: text(o.Cost, o.Valid), OptimalCost: m.truth[r.task].Budgets.Optimal.String(),
		Success: s.Success, Optimality: s.Optimality.String(), Efficiency: text(s.Efficiency, s.EfficiencyDefined),
		Regret: text(s.Regret, s.RegretDefined), RelativeRegret: text(s.RelativeRegret, s.RelativeRegretDefined),
	}
}

// missing counts the tasks of the set without a result.
func (m *metrics) missing() int {
	seen := make([]bool, len(m.tasks))
	for i := range m.results {
		seen[m.results[i].task] = true
	}
	n := 0
	for _, s := range seen {
		if !s {
			n++
		}
	}
	return n
}

// cells lists the cells of the table in order: by budget, then horizon, all last.
func (m *metrics) cells() (keys []tallyKey) {
	labels := []string{}
	known := map[string]bool{}
	add := func(label string) {
		if !known[label] {
			known[label] = true
			labels = append(labels, label)
		}
	}
	for _, b := range m.budgets {
		add(b.Label())
	}
	for i := range m.rows {
		add(m.rows[i].Budget)
	}
	for _, label := range labels {
		for _, h := range append(append([]costmodel.Horizon{}, costmodel.Horizons...), "") {
			if m.tallies[tallyKey{h, label}] != nil {
				keys = append(keys, tallyKey{h, label})
			}
		}
	}
	return keys
}

func (m *metrics) print() error {
	switch {
	case m.Bool("json") && m.Bool("summary"):
		for _, k := range m.cells() {
			row := struct {
				Schedule string           `json:"schedule"`
				Budget   string           `json:"budget"`
				Horizon  string           `json:"horizon"`
				Metrics  *costmodel.Tally `json:"metrics"`
			}{m.schedule.Name, k.budget, horizonTitle(k.horizon), m.tallies[k]}
			if err := printJSON(m.out, row); err != nil {
				return err
			}
		}
	case m.Bool("json"):
		for i := range m.rows {
			if err := printJSON(m.out, &m.rows[i]); err != nil {
				return err
			}
		}
	case len(m.tasks) == 1:
		m.printPlans()
	default:
		m.printTable(m.out)
	}
	return nil
}

// printPlans prints the plans of one task, a line for each budget.
func (m *metrics) printPlans() {
	show := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	for i := range m.rows {
		r := &m.rows[i]
		budget := r.Budget
		if r.Limit != nil && *r.Limit != budget {
			budget += " (" + *r.Limit + ")"
		}
		verdict := map[bool]string{true: "success", false: "failure"}[r.Success]
		if !r.Valid {
			fmt.Fprintf(m.out, "%s: %s under %s: %s\n", r.ID, verdict, budget, r.Failure)
			continue
		}
		fmt.Fprintf(m.out, "%s: %s under %s: cost %s, optimal %s, optimality %s, efficiency %s, regret %s (relative %s)\n",
			r.ID, verdict, budget, show(r.Cost), r.OptimalCost, r.Optimality, show(r.Efficiency), show(r.Regret), show(r.RelativeRegret))
	}
}

// printTable prints the means.
func (m *metrics) printTable(w io.Writer) {
	fmt.Fprintf(w, "%-12s %-8s %6s %8s %11s %11s %10s %10s\n", "budget", "horizon", "tasks", "success", "optimality", "efficiency", "regret", "relative")
	for _, k := range m.cells() {
		t := m.tallies[k]
		cell := func(f float64, defined bool) string {
			if !defined {
				return "-"
			}
			return fmt.Sprintf("%.4f", f)
		}
		fmt.Fprintf(w, "%-12s %-8s %6d %8s %11s %11s %10s %10s\n", k.budget, horizonTitle(k.horizon), t.Tasks,
			cell(t.SuccessRate()), cell(t.Optimality()), cell(t.Efficiency()), cell(t.Regret()), cell(t.RelativeRegret()))
	}
}
