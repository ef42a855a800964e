package treebench

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"golang.org/x/sync/errgroup"
)

// Method is a way to plan: a tree search, or a way of prompting.
type Method struct {
	Name  string
	Tree  treesearch.Method // nil: prompting
	Words string            // of a method of package eval, where it prompts: "nl+cot"
}

// Config is one run: methods by budgets on tasks of Budget-BlocksWorld (CATS, section 5).
type Config struct {
	Set, Count int // the tasks: Count of domains.BudgetSet(Set), spread over the lengths of plans
	Jobs       int // tasks worked on at a time; changes no result
	Methods    []Method
	Budgets    []costmodel.BudgetSpec
	Schedule   costmodel.Schedule // empty: the tasks' own costs
	// Guide makes the guide of one task; GuideName names it in the table.
	Guide      func(context.Context, *pddl.Problem, *grounder.Task) (treesearch.Guide, error)
	GuideName  string
	Model      model.Model   // where the guide or a method asks one
	Settings   eval.Settings // of methods that prompt
	Expansions int           // of one search
	Seed       uint64
	Finished   func() // called after each task, from any goroutine; may be nil

	tasks *taskref.Resolver
}

// Task is what one task gave: an outcome by method and budget.
type Task struct {
	Horizon  costmodel.Horizon
	Outcomes [][]Outcome
}

// Outcome is what one method gave under one budget.
type Outcome struct {
	Score  costmodel.Score
	Result *treesearch.Result // nil: prompting
	Asked  treesearch.LanguageTotals
}

// Run plans the tasks. With an error come the tasks that were finished before it.
func Run(ctx context.Context, c *Config) ([]*Task, error) {
	c.tasks = taskref.NewResolver(taskref.Options{CacheBytes: 16 << 20})
	pairs := domains.BudgetSet(c.Set)
	tasks := make([]*Task, len(pairs)) // nil where a task is not among the chosen, or not finished
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.Jobs)
	for _, k := range spreadOrder(len(pairs))[:c.Count] {
		group.Go(func() error {
			name := fmt.Sprintf("budget-blocksworld:%d-%d", c.Set, k+1)
			t, err := c.task(ctx, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t.Horizon = costmodel.HorizonOf(int64(pairs[k].Steps))
			tasks[k] = t
			if c.Finished != nil {
				c.Finished()
			}
			return nil
		})
	}
	err := group.Wait()
	return slices.DeleteFunc(tasks, func(t *Task) bool { return t == nil }), err
}

// spreadOrder returns the numbers from 0 to n-1 in an order whose every beginning is spread
// over them: thirds, and then halves of what lies between (a van der Corput sequence, scaled).
// So a run of more tasks holds those of one of fewer, and those worked on before an
// interruption are of all lengths of plans.
func spreadOrder(n int) []int {
	order := make([]int, 0, n)
	seen := make([]bool, n)
	for i := 0; len(order) < n; i++ {
		half := float64(bits.Reverse32(uint32(i/3))) / (1 << 32)
		at := int((float64(i%3) + half) * float64(n) / 3)
		if !seen[at] {
			seen[at] = true
			order = append(order, at)
		}
	}
	return order
}

// asked is what a guide has asked a language model for so far.
func asked(g treesearch.Guide) treesearch.LanguageTotals {
	if l, ok := g.Evaluator.(*treesearch.Language); ok {
		return l.Totals()
	}
	return treesearch.LanguageTotals{}
}

// instance is a task with what its budgets depend on.
type instance struct {
	name    string
	problem *pddl.Problem
	task    *grounder.Task
	space   *treesearch.Space
	budgets costmodel.Budgets
}

func (c *Config) instance(ctx context.Context, name string) (*instance, error) {
	key, err := c.tasks.Bundled(name)
	if err != nil {
		return nil, err
	}
	problem, diags := c.tasks.Parse(key, pddl.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	schedule := c.Schedule
	if !schedule.Empty() {
		if problem, err = schedule.Apply(problem); err != nil {
			return nil, err
		}
	}
	in := &instance{name: name, problem: problem}
	if in.task, err = grounder.Ground(ctx, problem, grounder.Options{}); err != nil {
		return nil, err
	}
	truth, err := pipeline.Search(ctx, problem, in.task, pipeline.Options{})
	if err != nil {
		return nil, err
	}
	if truth.Status != search.SolvedOptimally {
		return nil, fmt.Errorf("no optimal cost: %s", truth.Status)
	}
	if schedule.Empty() {
		schedule = costmodel.Unit()
	}
	slack, err := costmodel.RoundsOf(in.task).Slack(schedule)
	if err != nil {
		return nil, err
	}
	in.budgets = costmodel.Budgets{Optimal: truth.Cost, Slack: slack}
	in.space, err = treesearch.NewSpace(in.task)
	return in, err
}

// task plans one task by every method under every budget.
func (c *Config) task(ctx context.Context, name string) (*Task, error) {
	in, err := c.instance(ctx, name)
	if err != nil {
		return nil, err
	}
	out := &Task{}
	var guide treesearch.Guide
	for k, m := range c.Methods {
		var row []Outcome
		// A model's memory starts empty for each method, so that its counts are those of the
		// method alone.
		if m.Tree != nil && (guide.Evaluator == nil || c.Model != nil && k > 0) {
			if guide, err = c.Guide(ctx, in.problem, in.task); err != nil {
				return nil, err
			}
		}
		for _, spec := range c.Budgets {
			budget, err := spec.Of(in.budgets)
			if err != nil {
				return nil, err
			}
			var o Outcome
			if m.Tree != nil {
				o, err = c.search(ctx, in, m.Tree, guide, budget)
			} else {
				o, err = c.prompt(ctx, in, m, budget)
			}
			if err != nil {
				return nil, err
			}
			row = append(row, o)
		}
		out.Outcomes = append(out.Outcomes, row)
	}
	return out, nil
}

// search runs one search and has its plan judged.
func (c *Config) search(ctx context.Context, in *instance, m treesearch.Method, guide treesearch.Guide, budget costmodel.Budget) (Outcome, error) {
	before := asked(guide)
	limit, _ := treesearch.BudgetUnits(in.task, budget)
	n := c.Expansions
	r, err := m.Search(ctx, in.space, guide, treesearch.Options{Budget: limit, Expansions: n, Seed: c.Seed})
	if err != nil {
		return Outcome{}, err
	}
	outcome := costmodel.Outcome{Expanded: int64(r.Expanded)}
	switch {
	case r.Status == treesearch.Timeout:
		return Outcome{}, context.Canceled
	case r.HasPlan():
		a, err := pipeline.Confirm(in.problem, in.task, &search.Result{Status: search.Solved, Plan: r.Plan, Cost: r.Cost}, nil)
		if err != nil {
			return Outcome{}, err
		}
		outcome.Valid, outcome.Cost = true, a.Cost
	}
	score, err := costmodel.Evaluate(outcome, in.budgets.Optimal, budget, int64(n))
	return Outcome{score, r, asked(guide).Since(before)}, err
}

// prompt asks the model for a whole plan. No answer at all is an error, not a failure of
// the model.
func (c *Config) prompt(ctx context.Context, in *instance, m Method, budget costmodel.Budget) (Outcome, error) {
	t := &eval.Task{ID: in.name, Bundled: in.name, Problem: in.problem}
	if budget.Bounded() {
		t.Budget = &budget.Limit
	}
	method, err := eval.ParseMethod(m.Words, t.Budget)
	if err != nil {
		return Outcome{}, fmt.Errorf("--method %w", err)
	}
	set := c.Settings
	row, rounds, err := eval.Ask(ctx, c.Model, method, t, &set, 0)
	if err != nil {
		return Outcome{}, err
	}
	if !row.Status.Graded() {
		return Outcome{}, &model.Error{Kind: model.ErrorKind(row.Status), Message: row.Message}
	}
	outcome := costmodel.Outcome{Expanded: -1}
	if row.Correct {
		cost, ok := pddl.ParseFraction(row.Cost)
		if !ok {
			return Outcome{}, fmt.Errorf("internal error: a valid plan costs %q", row.Cost)
		}
		outcome.Valid, outcome.Cost = true, cost
	}
	o := Outcome{Asked: treesearch.LanguageTotals{Prompts: len(rounds)}}
	if row.Usage == nil {
		o.Asked.Uncounted = 1
	} else {
		o.Asked.Usage = *row.Usage
	}
	o.Score, err = costmodel.Evaluate(outcome, in.budgets.Optimal, budget, 0)
	return o, err
}
