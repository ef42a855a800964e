package taskline

import (
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/trim"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Grounded is a task on its way to search, with what the commands report of it.
type Grounded struct {
	Problem *pddl.Problem
	Query   *pipeline.Query // of solve --goal and --step, else nil
	Task    *grounder.Task
	CPU     float64        // seconds of grounding
	Limits  cmdline.Limits // what is left for the search
}

// Limits reads --time, which counts from the start of the command, and --memory, less what the
// program takes without any task.
func (e Env) Limits() (l cmdline.Limits, err error) {
	if l, err = cmdline.ParseLimits(e.Began, e.String("time"), e.String("memory")); err != nil {
		return l, err
	}
	if l.Memory > cmdline.LeastWatched {
		l.Memory -= cmdline.ProgramBytes
	}
	for _, name := range []string{"nodes", "threads"} {
		if e.Int64(name) < 0 || e.Int(name) < 0 {
			return l, fmt.Errorf("--%s must not be negative", name)
		}
	}
	return l, nil
}

// SearchLimits are the limits of a search after some stage of the command (reading, grounding),
// with the time that this has left, and with --nodes.
func (e Env) SearchLimits(lim cmdline.Limits, after string) (search.Limits, error) {
	left, ok := lim.Left()
	if !ok {
		return search.Limits{}, e.Limited("timeout", "the time limit ended "+after)
	}
	return search.Limits{Wall: left, Memory: lim.Memory, Nodes: e.Int64("nodes")}, nil
}

// GroundTask reads, prices and grounds the task of the arguments, with numeric fluents if the
// caller knows them. Limits and unsupported features are reported here, as `solve --json` does;
// the error then only sets the exit code.
func (e Env) GroundTask(numeric bool) (*Grounded, error) {
	g, err := e.readQuery()
	if err != nil {
		return nil, err
	}
	return g, e.ground(g, e.Bool("keep-irrelevant"), numeric, e.Stopped)
}

// readQuery reads and prices the task of the arguments, with the goal that they ask about.
func (e Env) readQuery() (*Grounded, error) {
	lim, err := e.Limits()
	if err != nil {
		return nil, err
	}
	p, err := e.OnlyTask()
	if err != nil {
		return nil, err
	}
	q, err := pipeline.Ask(p, e.String("goal"), e.String("step"))
	if err != nil {
		return nil, e.Faults(err)
	}
	if q != nil {
		p = q.Problem
	}
	return &Grounded{Problem: p, Query: q, Limits: lim}, nil
}

// Solve reads the task of the arguments and answers it by a search, grounded or, where the search or the limit of memory
// says so, as it is. What it reports is as in GroundTask.
func (e Env) Solve(by search.Config) (g *Grounded, a *pipeline.Answer, err error) {
	defer collectSmall()()
	if g, err = e.readQuery(); err != nil {
		return nil, nil, err
	}
	trim.Program() // of what the command line and reading have touched
	lifted := pipeline.Ungrounded(by.Search)
	var full error
	if !lifted {
		ctx, giveUp := context.WithCancel(e.Context.Context)
		own, grounding := *e.Context, e
		own.Context, grounding.Context = ctx, &own
		done := func() {}
		if pipeline.Spares(by.Search) {
			done = e.Memory.Spare(giveUp)
		}
		err = grounding.ground(g, false, true, func(why error) error { full = why; return why })
		done()
		if full != nil && ctx.Err() != nil && e.Context.Context.Err() == nil { // the guard came first
			full = fmt.Errorf("%w: grounding took more than %d MB", grounder.ErrMemory, g.Limits.Memory>>20)
		}
		giveUp()
		if err != nil && !errors.Is(full, grounder.ErrMemory) {
			return nil, nil, e.Stopped(err)
		}
	}
	if by.Limits, err = e.SearchLimits(g.Limits, "grounding"); err != nil {
		return nil, nil, err
	}
	observe, done := e.SearchProgress()
	var small trimmed
	by.Observer = small.observer(observe)
	opt := pipeline.Options{Search: by, Query: g.Query, Searched: small.searched}
	switch {
	case lifted:
		a, err = pipeline.SearchUngrounded(e.Context.Context, g.Problem, opt)
	case full != nil:
		a, err = pipeline.Instead(e.Context.Context, g.Problem, opt, full)
	default:
		a, err = pipeline.Search(e.Context.Context, g.Problem, g.Task, opt)
	}
	if done(); err != nil {
		return nil, nil, e.Stopped(err)
	}
	if a.Note != "" {
		fmt.Fprintf(e.Stderr, "planproof: %s\n", a.Note)
	}
	g.Task = a.Task
	return g, a, nil
}

// GroundForSearch is GroundTask with numeric fluents, and the limits of the search that follows.
func (e Env) GroundForSearch() (*Grounded, search.Limits, error) {
	g, err := e.GroundTask(true)
	if err != nil {
		return nil, search.Limits{}, err
	}
	lim, err := e.SearchLimits(g.Limits, "grounding")
	return g, lim, err
}

// GroundProblem grounds a problem, with all that cannot matter to the goal if keep, and with
// numeric fluents if the caller knows them.
func (e Env) GroundProblem(p *pddl.Problem, lim cmdline.Limits, keep, numeric bool) (*Grounded, error) {
	g := &Grounded{Problem: p, Limits: lim}
	if err := e.ground(g, keep, numeric, e.Stopped); err != nil {
		return nil, err
	}
	return g, nil
}

// ground grounds the problem of g; failed makes the error that it returns of the one that comes.
func (e Env) ground(g *Grounded, keep, numeric bool, failed func(error) error) error {
	left, ok := g.Limits.Left()
	if !ok {
		return e.Limited("timeout", "the time limit ended reading")
	}
	start := cmdline.CPUSeconds()
	task, err := grounder.Ground(e.Context.Context, g.Problem, grounder.Options{
		Time: left, Memory: g.Limits.Memory, KeepIrrelevant: keep, ObjectFluents: true, NumericFluents: numeric, Threads: e.Int("threads"),
	})
	if g.CPU = cmdline.CPUSeconds() - start; err != nil {
		return failed(err)
	}
	g.Task = task
	if g.Limits.Memory > cmdline.LeastWatched { // what the task takes, tables may not
		g.Limits.Memory = max(g.Limits.Memory/2, g.Limits.Memory-task.Bytes())
	}
	return nil
}

// SearchProgress shows on a terminal how a search gets on, until done is called.
func (e Env) SearchProgress() (observe search.Observer, done func()) {
	line := e.LiveLine()
	if line == nil {
		return nil, line.Done
	}
	return func(r *search.Result) {
		line.Show(fmt.Sprintf("%s  %d expanded, %d evaluated, %d states", r.Search, r.Expanded, r.Evaluated, r.States))
	}, line.Done
}
