package report

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// MetricsOptions of [Measure]. There is one schedule, that of the plans.
type MetricsOptions struct {
	Options
	// Budgets are those of results that name none.
	Budgets []costmodel.BudgetSpec
	// NodeLimit is the number of expansions that success allows, and that efficiency is
	// measured by; 0: none.
	NodeLimit int64
}

// Metrics say how good results are.
type Metrics struct {
	Schedule costmodel.Named
	Rows     []MetricsRow // by result and budget
	budgets  []string
	tallies  map[cellKey]*costmodel.Tally
}

// MetricsRow measures a result under a budget; see [costmodel.Score]. Numbers are exact, and
// null where they are undefined.
type MetricsRow struct {
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

// Cell holds the means over the tasks of a horizon under a budget.
type Cell struct {
	Schedule string           `json:"schedule"`
	Budget   string           `json:"budget"`
	Horizon  string           `json:"horizon"` // or "all"
	Metrics  *costmodel.Tally `json:"metrics"`
}

// cellKey names a cell; an empty horizon stands for all.
type cellKey struct {
	horizon costmodel.Horizon
	budget  string
}

// measuring is one run of Measure.
type measuring struct {
	*Results
	MetricsOptions
	truth   []*costmodel.ScheduleTruth // by task
	horizon []costmodel.Horizon
	judges  []*validator.Judge // by task, made when needed
	out     *Metrics
}

// Measure judges the plans of results and scores them against the optimal costs: those of
// the results' set where it has the schedule, and exact ones from state spaces otherwise.
func Measure(ctx context.Context, r *Results, opt MetricsOptions) (*Metrics, error) {
	m := measuring{
		Results: r, MetricsOptions: opt, judges: make([]*validator.Judge, len(r.Tasks)),
		truth: make([]*costmodel.ScheduleTruth, len(r.Tasks)), horizon: make([]costmodel.Horizon, len(r.Tasks)),
		out: &Metrics{Schedule: opt.Schedules[0], tallies: map[cellKey]*costmodel.Tally{}},
	}
	for _, b := range opt.Budgets {
		m.out.addBudget(b.Label())
	}
	if err := m.findTruths(ctx); err != nil {
		return nil, err
	}
	for i := range r.List {
		if err := m.measure(&r.List[i]); err != nil {
			return nil, err
		}
	}
	return m.out, nil
}

// findTruths finds the optimal cost of each task.
func (m *measuring) findTruths(ctx context.Context) error {
	var open []Task
	var where []int
	for i := range m.Tasks {
		if m.Set != nil {
			if t, ok := m.Set.Task(m.Tasks[i].ID); ok {
				m.horizon[i] = t.Horizon
				if m.truth[i] = underCosts(t, m.out.Schedule.Schedule); m.truth[i] != nil {
					continue
				}
			}
		}
		open, where = append(open, m.Tasks[i]), append(where, i)
	}
	if len(open) == 0 {
		return nil
	}
	rows, err := Truths(ctx, open, m.Options)
	if err != nil {
		return err
	}
	for k, i := range where {
		if rows[k].Schedules == nil {
			return fmt.Errorf("%s: %w: there is nothing to measure", m.Tasks[i].ID, costmodel.ErrUnsolvable)
		}
		m.truth[i] = &rows[k].Schedules[0]
		if m.horizon[i] == "" {
			m.horizon[i] = rows[k].Horizon
		}
	}
	return nil
}

// underCosts finds the truth under a schedule of the same costs, whatever its name.
func underCosts(t *costmodel.TaskTruth, s costmodel.Schedule) *costmodel.ScheduleTruth {
	for i := range t.Schedules {
		if t.Schedules[i].Schedule.String() == s.String() {
			return &t.Schedules[i]
		}
	}
	return nil
}

// judge makes the judge of a task under the schedule.
func (m *measuring) judge(task int) (*validator.Judge, error) {
	if j := m.judges[task]; j != nil {
		return j, nil
	}
	p, err := m.out.Schedule.Schedule.Apply(m.Tasks[task].Parsed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Tasks[task].ID, err)
	}
	m.judges[task], err = validator.NewJudge(p, validator.Options{})
	return m.judges[task], err
}

// measure judges a result and scores it under its budgets.
func (m *measuring) measure(r *Result) error {
	outcome, failure := costmodel.Outcome{Expanded: r.Expanded}, "no plan"
	if r.Plan != nil {
		j, err := m.judge(r.Task)
		if err != nil {
			return err
		}
		v, _ := j.ValidateText(r.Plan, j.NewScratch())
		if !v.Decided() {
			return leftOpen(search.Timeout, "%s: judging the plan would take too long: %s", r.ID, v.Failure.Message)
		}
		outcome.Valid, outcome.Cost, failure = v.Valid, v.Cost, ""
		if !v.Valid {
			failure = v.Failure.Message
		}
	}
	budgets := m.Budgets
	if r.Budget != nil {
		budgets = []costmodel.BudgetSpec{*r.Budget}
	}
	truth := m.truth[r.Task]
	for _, spec := range budgets {
		b, err := spec.Of(truth.Budgets)
		if err != nil {
			return err
		}
		s, err := costmodel.Evaluate(outcome, truth.Budgets.Optimal, b, m.NodeLimit)
		if err != nil {
			return fmt.Errorf("%s: %w: the optimal cost of this task is wrong", r.ID, err)
		}
		row := MetricsRow{
			ID: r.ID, Budget: spec.Label(), Limit: text(b.Limit, b.Bounded()), Horizon: m.horizon[r.Task],
			Valid: outcome.Valid, Failure: failure, Cost: text(outcome.Cost, outcome.Valid), OptimalCost: truth.Budgets.Optimal.String(),
			Success: s.Success, Optimality: s.Optimality.String(), Efficiency: text(s.Efficiency, s.EfficiencyDefined),
			Regret: text(s.Regret, s.RegretDefined), RelativeRegret: text(s.RelativeRegret, s.RelativeRegretDefined),
		}
		m.out.add(row, s)
	}
	return nil
}

// text writes a number, or nil if it is undefined.
func text(n pddl.Number, defined bool) *string {
	if !defined {
		return nil
	}
	t := n.String()
	return &t
}

func (m *Metrics) addBudget(label string) {
	if !slices.Contains(m.budgets, label) {
		m.budgets = append(m.budgets, label)
	}
}

func (m *Metrics) add(row MetricsRow, s costmodel.Score) {
	m.Rows = append(m.Rows, row)
	m.addBudget(row.Budget)
	for _, h := range []costmodel.Horizon{row.Horizon, ""} {
		key := cellKey{h, row.Budget}
		if m.tallies[key] == nil {
			m.tallies[key] = new(costmodel.Tally)
		}
		m.tallies[key].Add(s)
	}
}

// Succeeded reports whether every row is a success.
func (m *Metrics) Succeeded() bool {
	return !slices.ContainsFunc(m.Rows, func(r MetricsRow) bool { return !r.Success })
}

// Cells lists the means by budget and horizon, each budget's over all horizons last.
func (m *Metrics) Cells() (cells []Cell) {
	for _, budget := range m.budgets {
		for _, h := range horizons() {
			if t := m.tallies[cellKey{h, budget}]; t != nil {
				cells = append(cells, Cell{m.Schedule.Name, budget, horizonTitle(h), t})
			}
		}
	}
	return cells
}

// writePlans prints a line for each row.
func (m *Metrics) writePlans(w io.Writer) {
	show := func(s *string) string {
		if s == nil {
			return "-"
		}
		return *s
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		budget := r.Budget
		if r.Limit != nil && *r.Limit != budget {
			budget += " (" + *r.Limit + ")"
		}
		verdict := map[bool]string{true: "success", false: "failure"}[r.Success]
		if !r.Valid {
			fmt.Fprintf(w, "%s: %s under %s: %s\n", r.ID, verdict, budget, r.Failure)
			continue
		}
		fmt.Fprintf(w, "%s: %s under %s: cost %s, optimal %s, optimality %s, efficiency %s, regret %s (relative %s)\n",
			r.ID, verdict, budget, show(r.Cost), r.OptimalCost, r.Optimality, show(r.Efficiency), show(r.Regret), show(r.RelativeRegret))
	}
}

// writeTable prints the means, a line for each cell.
func (m *Metrics) writeTable(w io.Writer) {
	cell := func(f float64, defined bool) string {
		if !defined {
			return "-"
		}
		return fmt.Sprintf("%.4f", f)
	}
	fmt.Fprintf(w, "%-12s %-8s %6s %8s %11s %11s %10s %10s\n", "budget", "horizon", "tasks", "success", "optimality", "efficiency", "regret", "relative")
	for _, c := range m.Cells() {
		t := c.Metrics
		fmt.Fprintf(w, "%-12s %-8s %6d %8s %11s %11s %10s %10s\n", c.Budget, c.Horizon, t.Tasks,
			cell(t.SuccessRate()), cell(t.Optimality()), cell(t.Efficiency()), cell(t.Regret()), cell(t.RelativeRegret()))
	}
}
