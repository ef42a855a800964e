package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// outcome is what a certificate is made of: the ground task and the search's own result.
type outcome struct {
	task   *grounder.Task
	result *search.Result
}

// solve finds the record of a task, and what it was found with where it is proven. It
// returns nil when ctx ended first: what was interrupted is not a result.
func (f *filler) solve(ctx context.Context, t *Task) (r *Record, found *outcome) {
	start := time.Now()
	r = &Record{Search: f.search, Version: f.opt.Version, Limits: f.opt.Limits}
	defer func() {
		if p := recover(); p != nil { // one task must not end the fill of the others
			*r = Record{Search: f.search, Version: f.opt.Version, Limits: f.opt.Limits}
			r.fail(Failed, fmt.Sprintf("internal error: %v", p))
		}
		r.Elapsed, r.Finished = time.Since(start), time.Now()
		if ctx.Err() != nil && !proven(r.Status) {
			r, found = nil, nil
		}
	}()
	judge, err := validator.NewJudge(t.priced, validator.Options{})
	if err != nil {
		r.fail(search.Unsupported, firstLine(err))
		return r, nil
	}
	task, status, err := f.ground(ctx, t.priced, grounder.Options{Time: f.opt.Limits.Wall, Memory: f.opt.Limits.Memory})
	if err != nil {
		r.fail(status, firstLine(err))
		return r, nil
	}
	left := f.opt.Limits.Wall
	if left > 0 {
		if left -= time.Since(start); left <= 0 {
			r.fail(search.Timeout, "grounding took all of the time")
			return r, nil
		}
	}
	res, err := pipeline.Search(ctx, t.priced, task, pipeline.Options{
		Search: search.Config{
			Search: f.search,
			Limits: search.Limits{Wall: left, Memory: f.opt.Limits.Memory, Nodes: f.opt.Limits.Nodes},
		},
		Judge: judge,
	})
	if err != nil {
		r.fail(Failed, firstLine(err))
		return r, nil
	}
	r.Search, r.Expanded = res.Search, res.Expanded
	switch {
	case res.Status == search.Unsolvable:
		r.Status = res.Status
	case res.Status == search.SolvedOptimally:
		r.Status, r.Plan, r.Cost, r.Steps = res.Status, res.Plan, res.Cost.String(), len(res.Plan)
	case res.Status == search.Solved: // of a search that proves no optimality
		r.fail(Failed, "the search "+res.Search+" found a plan without proving it optimal")
	default:
		r.fail(res.Status, res.Reason)
	}
	return r, &outcome{task, res.Result}
}

// fail turns a record into one without an answer.
func (r *Record) fail(status search.Status, reason string) {
	r.Status, r.Reason = status, reason
	r.Cost, r.Steps, r.Plan = "", 0, nil
}

// judgePlan returns the exact cost of a valid plan.
func judgePlan(judge *validator.Judge, plan []string) (pddl.Number, error) {
	parsed, diags := pddl.ParsePlan(pddl.NewSource("plan", strings.Join(plan, "\n")+"\n"))
	if diags.HasErrors() {
		return pddl.Number{}, fmt.Errorf("the plan cannot be read: %s", firstLine(diags))
	}
	if len(parsed.Steps) != len(plan) {
		return pddl.Number{}, fmt.Errorf("the plan has %d lines and %d steps", len(plan), len(parsed.Steps))
	}
	v := judge.Validate(parsed)
	switch {
	case !v.Decided():
		return pddl.Number{}, errors.New("the judge ran into its limit")
	case !v.Valid && v.Failure != nil:
		return pddl.Number{}, errors.New(v.Failure.Message)
	case !v.Valid:
		return pddl.Number{}, errors.New("the plan is invalid")
	case !v.CostDefined:
		return pddl.Number{}, errors.New("the cost of the plan is undefined")
	}
	return v.Cost, nil
}

// ground grounds a task; status says what an error means.
//
// The grounder measures how the heap of the whole process grows. A task that does not fit
// while others are worked on is tried once more by itself, so that none is refused for
// the memory of its neighbours.
func (f *filler) ground(ctx context.Context, p *pddl.Problem, opt grounder.Options) (*grounder.Task, search.Status, error) {
	f.alone.RLock()
	task, err := grounder.Ground(ctx, p, opt)
	f.alone.RUnlock()
	if errors.Is(err, grounder.ErrMemory) && f.opt.Jobs > 1 {
		f.alone.Lock()
		task, err = grounder.Ground(ctx, p, opt)
		f.alone.Unlock()
	}
	var diags pddl.Diagnostics
	switch {
	case err == nil:
		return task, "", nil
	case errors.Is(err, grounder.ErrMemory):
		return nil, search.Memout, errors.New("while grounding")
	case errors.Is(err, grounder.ErrLimit), ctx.Err() != nil:
		return nil, search.Timeout, errors.New("while grounding")
	case errors.As(err, &diags):
		return nil, search.Unsupported, err
	}
	return nil, Failed, err
}

// firstLine words an error on one line: of diagnostics the first.
func firstLine(err error) string {
	var diags pddl.Diagnostics
	if errors.As(err, &diags) && len(diags) > 0 {
		return diags[0].String()
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
