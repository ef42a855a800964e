package report

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Options of an analysis.
type Options struct {
	Schedules []costmodel.Named
	// Reference is the index of the schedule whose cheapest plans give the horizons.
	Reference int
	// Limits bound the analysis: Wall all of it, grounding included; Memory and Nodes each
	// state space and each search.
	Limits search.Limits
	// Workers is the number of tasks worked on at the same time; 0 is one per processor.
	Workers int
	// Progress, if set, is called with the number of tasks whose space has been analysed.
	Progress func(done int)
}

// analysis is a call with these options; its time is running.
type analysis struct {
	Options
	deadline time.Time // zero: none
}

func (o Options) begin() *analysis {
	a := &analysis{Options: o}
	if o.Limits.Wall > 0 {
		a.deadline = time.Now().Add(o.Limits.Wall)
	}
	if a.Workers <= 0 {
		a.Workers = runtime.GOMAXPROCS(0)
	}
	return a
}

// left returns the limits with the time that is left; an error if there is none.
func (a *analysis) left() (search.Limits, error) {
	lim := a.Limits
	if !a.deadline.IsZero() {
		if lim.Wall = time.Until(a.deadline); lim.Wall <= 0 {
			return lim, context.DeadlineExceeded
		}
	}
	return lim, nil
}

// unanswered is the error of a limit in the words of the question that it left open.
type unanswered struct {
	*search.LimitError
	text string
}

func (u *unanswered) Error() string { return u.text }
func (u *unanswered) Unwrap() error { return u.LimitError }

func leftOpen(status search.Status, format string, args ...any) error {
	return &unanswered{&search.LimitError{Status: status}, fmt.Sprintf(format, args...)}
}

// Truths computes costs, budgets and shifts of tasks under schedules from their state
// spaces, in the order of the tasks; see [costmodel.Truth].
func Truths(ctx context.Context, tasks []Task, opt Options) ([]costmodel.TaskTruth, error) {
	a := opt.begin()
	items, err := a.ground(ctx, tasks)
	if err != nil {
		return nil, err
	}
	return a.enumerate(ctx, items)
}

// PaperTruths is [Truths] of generated tasks under the schedules of Budget-BlocksWorld. The
// tasks are named by the files that [domains.Write] makes.
func PaperTruths(ctx context.Context, generated []*domains.Task, progress func(done int)) ([]costmodel.TaskTruth, error) {
	refs := taskref.NewResolver(taskref.Options{CacheBytes: maxDomainBytes})
	tasks := make([]Task, len(generated))
	for i, t := range generated {
		p, diags := refs.Parse(taskref.KeyOf(t.Domain, t.Problem), pddl.Options{})
		if p == nil || diags.HasErrors() {
			return nil, fmt.Errorf("internal error: the generated task %s cannot be read: %w", t.Name, diags.Err())
		}
		tasks[i] = Task{ID: t.Name, Domain: "domain.pddl", Problem: strings.ReplaceAll(t.Name, ":", "-") + ".pddl", Parsed: p}
	}
	opt := Options{Schedules: costmodel.PaperSchedules(), Progress: progress}
	opt.Reference = slices.IndexFunc(opt.Schedules, func(n costmodel.Named) bool { return n.Name == costmodel.ReferenceSchedule })
	return Truths(ctx, tasks, opt)
}

// ground grounds tasks, several at a time, after holding the schedules to their domains.
func (a *analysis) ground(ctx context.Context, tasks []Task) ([]costmodel.Item, error) {
	items, errs := make([]costmodel.Item, len(tasks)), make([]error, len(tasks))
	ground := func(i int) error {
		t := &tasks[i]
		for _, n := range a.Schedules {
			if err := n.Schedule.Check(t.Parsed.Domain); err != nil {
				return err
			}
		}
		task, err := costmodel.Ground(ctx, t.Parsed, grounder.Options{Time: a.Limits.Wall, Memory: a.Limits.Memory, NumericFluents: true})
		items[i] = costmodel.Item{ID: t.ID, Domain: t.Domain, Problem: t.Problem, Parsed: t.Parsed, Task: task}
		return err
	}
	var group sync.WaitGroup
	for w := range a.Workers {
		group.Go(func() {
			for i := w; i < len(tasks); i += a.Workers {
				if errs[i] = ground(i); errs[i] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		switch {
		case errors.Is(err, grounder.ErrLimit), errors.Is(err, context.Canceled):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%s: %w", tasks[i].ID, err)
		}
	}
	return items, nil
}

// enumerate computes truths from the state spaces of ground tasks.
func (a *analysis) enumerate(ctx context.Context, items []costmodel.Item) ([]costmodel.TaskTruth, error) {
	lim, err := a.left()
	if err != nil {
		return nil, fmt.Errorf("the time limit ended grounding: %w", err)
	}
	if lim.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lim.Wall)
		defer cancel()
	}
	var mu sync.Mutex
	done := 0
	return costmodel.Truth(ctx, items, costmodel.TruthOptions{
		Schedules: a.Schedules, Reference: a.Reference, Workers: a.Workers, Limits: lim,
		Progress: func() {
			if a.Progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				a.Progress(done)
			}
		},
	})
}
