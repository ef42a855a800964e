package pipeline

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// Exhaust enumerates the state space of a grounded problem and has the judge confirm its
// optimal cost, by a plan along the table's distances. observe is that of
// [space.ExhaustObserved]. Errors are those of it and of [Confirm].
func Exhaust(ctx context.Context, p *pddl.Problem, task *grounder.Task, lim search.Limits, observe func(space.Phase, int64)) (*space.Table, error) {
	table, err := space.ExhaustObserved(ctx, task, lim, observe)
	if err != nil {
		return nil, err
	}
	plan, err := table.CheapestPlan()
	if err != nil || plan == nil {
		return table, err
	}
	_, err = confirm(ctx, p, task, found("exhaust", plan), nil)
	return table, err
}

// Plans lists the plans of a table from the best on, as [space.Table.Plans] does, and has
// each one judged.
type Plans struct {
	plans *space.Plans
	p     *pddl.Problem
	task  *grounder.Task
	judge *validator.Judge
}

// NewPlans prepares the list.
func NewPlans(ctx context.Context, p *pddl.Problem, table *space.Table, lim search.Limits, opt space.PlanOptions) (*Plans, error) {
	plans, err := table.Plans(ctx, lim, opt)
	if err != nil {
		return nil, err
	}
	judge, err := validator.NewJudgeContext(ctx, p, validator.Options{})
	if err != nil {
		return nil, fmt.Errorf("the plans found cannot be judged, so none is printed: %w", err)
	}
	return &Plans{plans, p, table.Task(), judge}, nil
}

// Next returns the next plan, nil when there is none left.
func (l *Plans) Next() (*Answer, error) {
	plan, err := l.plans.Next()
	if err != nil || plan == nil {
		return nil, err
	}
	return Confirm(l.p, l.task, found("plans", plan), l.judge)
}

// planRow is a plan as exhaust --json prints it.
type planRow struct {
	Rank  int64    `json:"rank"`
	Cost  string   `json:"cost"`
	Steps int      `json:"steps"`
	Plan  []string `json:"plan"`
}

// Write writes plans as they come, at most so many if most is not 0: in the IPC's format, or as
// JSON Lines. It returns how many are written, also with an error.
func (l *Plans) Write(w io.Writer, most int64, asJSON bool) (written int64, err error) {
	out := bufio.NewWriter(w)
	for err == nil && (most == 0 || written < most) {
		var a *Answer
		if a, err = l.Next(); err != nil || a == nil {
			break
		}
		written++
		if asJSON {
			_, err = out.Write(append(rowjson.Append(nil, planRow{written, a.Cost.String(), len(a.Plan), a.Plan}), '\n'))
		} else {
			fmt.Fprintf(out, "; plan %d: %s\n", written, spell.Plural(len(a.Plan), "step"))
			err = a.WritePlan(out)
		}
	}
	return written, cmp.Or(out.Flush(), err)
}

// Goals answers for many goals as [space.Goals] does, and has each optimal cost confirmed.
type Goals struct{ *space.Goals }

// NewGoals is [space.NewGoals].
func NewGoals(ctx context.Context, p *pddl.Problem, opt space.GoalOptions) (Goals, error) {
	g, err := space.NewGoals(ctx, p, opt)
	return Goals{g}, err
}

// distance computes the distance to one goal. Errors are those of [space.Goals.Distance]
// and of [Confirm].
func (g Goals) distance(ctx context.Context, goal space.Goal) (*space.GoalDistance, error) {
	row, err := g.Goals.Distance(ctx, goal)
	if err != nil || row.Plan == nil {
		return row, err
	}
	if _, err := confirm(ctx, row.Problem, row.Task, found("exhaust", row.Plan), nil); err != nil {
		return nil, err
	}
	return row, nil
}

// Each computes the distances to goals, numbers them from 1 and passes each to do. It reports whether all can be
// reached. Errors are those of distance and of do.
func (g Goals) Each(ctx context.Context, goals []space.Goal, do func(*space.GoalDistance) error) (reached bool, err error) {
	reached = true
	for i, goal := range goals {
		row, err := g.distance(ctx, goal)
		if err != nil {
			return reached, err
		}
		row.Goal, reached = i+1, reached && row.OptimalCost != nil
		if err := do(row); err != nil {
			return reached, err
		}
	}
	return reached, nil
}

func found(by string, p *space.Plan) *search.Result {
	return &search.Result{Status: search.Solved, Search: by, Plan: p.Operators, Cost: p.Cost}
}
