// Package pipeline is the one way from a problem to an optimal plan:
//
//	Problem ─► grounder.Ground ─► search.Run ─► plan ─► validator ─► Answer
//	   └──────► lifted.Run ───────────┤                     │
//	                                  └── cost ──── must be ┴ the judge's cost
//
// Whatever prints, stores or exports a plan, a gold answer or an optimum gets it from here,
// so that nothing goes round the judge. The judge shares no code with grounder and search:
// where it refuses a plan, or prices it otherwise than the search did, there is no answer
// but a [*Disagreement].
package pipeline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// Options say how a task is grounded and searched. The zero value runs the default search
// without limits.
type Options struct {
	Ground grounder.Options
	Search search.Config
	// Judge is the judge of the problem where the caller has one; nil makes it.
	Judge *validator.Judge
	// Query is the query whose problem is solved or certified, nil for a problem as it is.
	Query *Query
	// Searched is called after the search and before its plan is judged, if it is not nil.
	Searched func()
}

// Answer is the outcome of a search, with its plan judged.
type Answer struct {
	// Result is the outcome of the search. Its Cost is in units of the task.
	*search.Result
	Task *grounder.Task
	// Plan, Cost and Verdict are set where Status is SolvedOptimally or Solved. Plan holds
	// the steps as the task names them, "(stack a b)". Cost is exact, and the judge's.
	Plan    []string
	Cost    pddl.Number
	Verdict *validator.Verdict
	// Bounds is set where a limit ended the search.
	Bounds *Bounds
	// Query is what was asked, nil for a problem as it is.
	Query *Query
	// Note says why another search than the one asked for has answered, "" if none has.
	Note string
}

// Bounds are what a search that a limit ended knows about the cost of a cheapest plan.
type Bounds struct {
	Lower pddl.Number // no plan costs less
	// Upper is the cost of Plan, the best plan known, and the judge's. Both are nil if none is.
	Upper *pddl.Number
	Plan  []string
}

// Solve grounds a problem, searches for a plan and has it judged; a problem too large to ground is searched as it is
// ([Instead]). Limits, a cancelled context and what the search does not support are statuses of the Answer. Errors are
// those of [grounder.Ground] and [search.Run], of a problem that cannot be judged, and
// [*Disagreement].
func Solve(ctx context.Context, p *pddl.Problem, opt Options) (*Answer, error) {
	if Ungrounded(opt.Search.Search) {
		return SearchUngrounded(ctx, p, opt)
	}
	opt.Ground.ObjectFluents, opt.Ground.NumericFluents = true, true
	task, err := grounder.Ground(ctx, p, opt.Ground)
	if err != nil {
		return Instead(ctx, p, opt, err)
	}
	return Search(ctx, p, task, opt)
}

// ErrNodes is the end of a search by its limit of nodes, which does not depend on the clock.
var ErrNodes = fmt.Errorf("%w: %v", search.ErrLimit, search.Nodeout)

// Decide finds a cheapest plan within limits, nil if there is none. A limit is an error that wraps search.ErrLimit.
func Decide(ctx context.Context, p *pddl.Problem, lim search.Limits) (*Answer, error) {
	return DecideBy(ctx, p, search.Config{Limits: lim})
}

// DecideBy is [Decide] by any search; the plan is a cheapest one if the search finds such.
func DecideBy(ctx context.Context, p *pddl.Problem, by search.Config) (*Answer, error) {
	a, err := Solve(ctx, p, Options{Search: by})
	switch {
	case err != nil:
		return nil, err
	case a.Verdict != nil:
		return a, nil
	case a.Status == search.Unsolvable:
		return nil, nil
	case a.Status == search.Nodeout:
		return nil, ErrNodes
	}
	return nil, fmt.Errorf("%w: %v", search.ErrLimit, a.Status)
}

// Search is [Solve] for a problem that is grounded.
func Search(ctx context.Context, p *pddl.Problem, task *grounder.Task, opt Options) (*Answer, error) {
	res, err := search.Run(ctx, task, opt.Search)
	if err != nil {
		return nil, err
	}
	if opt.Searched != nil {
		opt.Searched()
	}
	if at := refusedAt(p, task, res.Refusal); at != "" {
		res.Reason += ", at " + at
	}
	return settle(ctx, p, task, res, opt)
}

// settle has the judge confirm what a search has found. A plan that the judge cannot decide in time is no answer.
func settle(ctx context.Context, p *pddl.Problem, task *grounder.Task, res *search.Result, opt Options) (*Answer, error) {
	a, err := confirm(ctx, p, task, res, opt.Judge)
	if errors.Is(err, search.ErrLimit) {
		end := *res
		end.Status, end.Reason, end.Plan, end.Cost = search.Timeout, err.Error(), nil, 0
		a, err = &Answer{Result: &end, Task: task}, nil
	}
	if err != nil {
		return nil, err
	}
	a.Query = opt.Query
	return a, nil
}

// Confirm has the judge read the plan of a result, and compares the costs. A result
// without a plan is passed on as it is. If judge is nil, one is made for the problem. A plan
// that the judge cannot decide within its limits is neither an answer nor a fault of the
// search: the error wraps search.ErrLimit.
func Confirm(p *pddl.Problem, task *grounder.Task, res *search.Result, judge *validator.Judge) (*Answer, error) {
	return confirm(context.Background(), p, task, res, judge)
}

// confirm is Confirm until ctx ends.
func confirm(ctx context.Context, p *pddl.Problem, task *grounder.Task, res *search.Result, judge *validator.Judge) (*Answer, error) {
	a := &Answer{Result: res, Task: task}
	switch res.Status {
	case search.SolvedOptimally, search.Solved:
	case search.Timeout, search.Memout, search.Nodeout:
		a.Bounds = &Bounds{Lower: task.PlanCost(res.Lower)}
		if res.Best == nil {
			return a, nil
		}
		best := &search.Result{Status: search.Solved, Plan: res.Best.Operators, Cost: res.Best.Cost, Search: res.Search}
		known, err := confirm(ctx, p, task, best, judge)
		if err == nil {
			a.Bounds.Upper, a.Bounds.Plan = &known.Cost, known.Plan
		}
		return a, err
	default:
		return a, nil
	}
	if judge == nil {
		var err error
		if judge, err = validator.NewJudgeContext(ctx, p, validator.Options{}); err != nil {
			return nil, fmt.Errorf("the plan found cannot be judged, so it is no answer: %w", err)
		}
	}
	a.Plan = stepsOf(task, res.Plan)
	// The judge reads the steps as text, since text is what is printed and stored.
	scratch := judge.NewScratch()
	scratch.Context = ctx
	v, diags := judge.ValidateText(pddl.NewSource("found plan", strings.Join(a.Plan, "\n")+"\n"), scratch)
	if !v.Decided() {
		return nil, fmt.Errorf("judging the plan found: %w: %s", search.ErrLimit, v.Failure.Message)
	}
	want := task.PlanCost(res.Cost)
	if diags.HasErrors() || !v.Valid || !v.CostDefined || !v.Cost.Equal(want) || v.Steps != len(a.Plan) {
		return nil, &Disagreement{Task: p.Name, Search: res.Search, Cost: want, Plan: a.Plan, Verdict: v}
	}
	a.Cost, a.Verdict = v.Cost, v
	return a, nil
}

func stepsOf(task *grounder.Task, plan []grounder.OperatorID) []string {
	steps := make([]string, len(plan))
	for i, op := range plan {
		steps[i] = task.OperatorName(op)
	}
	return steps
}

// WritePlan writes the plan in the IPC's format: the best one known where a limit came first.
func (a *Answer) WritePlan(w io.Writer) error {
	b := bufio.NewWriter(w)
	plan, cost := a.Plan, a.Cost
	if a.Bounds != nil && a.Bounds.Upper != nil {
		plan, cost = a.Bounds.Plan, *a.Bounds.Upper
	}
	for _, step := range plan {
		fmt.Fprintln(b, step)
	}
	kind := "unit cost"
	if a.Task.Metric {
		kind = "general cost"
	}
	fmt.Fprintf(b, "; cost = %s (%s)\n", cost, kind)
	return b.Flush()
}

// Disagreement is the error of a plan that a search found and the judge refuses, or prices
// otherwise: a bug in planproof, and never an answer.
type Disagreement struct {
	Task, Search string
	Cost         pddl.Number // what the search says the plan costs
	Plan         []string
	Verdict      *validator.Verdict
}

// Error reports both costs.
func (d *Disagreement) Error() string {
	return fmt.Sprintf("internal error: search found a plan of cost %s for %s that the judge refuses or prices otherwise (valid %v, cost %s): please report it",
		d.Cost, d.Task, d.Verdict.Valid, d.Verdict.Cost)
}
