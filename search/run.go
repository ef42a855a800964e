package search

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// slice is the work between two looks at the clock, a few milliseconds.
const slice = 1 << 21

// Run searches for an optimal plan. A nil error comes with a Result whose Status says how
// the search ended; limits, a cancelled context (Timeout) and features that the heuristic
// refuses (Unsupported, with Reason) are statuses, not errors. Errors are a bad search
// string (*ConfigError) and a task that is not well-formed. Apart from Timeout and
// SearchCPUSeconds, the result is a function of task and configuration. Nobody has judged the
// plan yet: internal/pipeline does.
func Run(ctx context.Context, t *grounder.Task, cfg Config) (*Result, error) {
	p, err := parseSearch(cfg.Search)
	if err != nil {
		return nil, err
	}
	if p.search.Ungrounded {
		return nil, &ConfigError{Text: cfg.Search, Column: 1, Message: p.search.Name + " searches without grounding: only solve, and who asks for a plan as solve does, can run it"}
	}
	if err := state.CheckTask(t); err != nil {
		return nil, err
	}
	if cfg.Threads <= 1 {
		runtime.LockOSThread() // for the thread's CPU time
		defer runtime.UnlockOSThread()
		return run(t, p, cfg, cfg.Limits.clock(ctx)), nil
	}
	var r *Result
	var own sync.WaitGroup
	// Not on the caller's goroutine: if that is locked to a thread, the coroutine of the symbolic search is, too.
	own.Go(func() { r = run(t, p, cfg, cpuclock.StartProcess(ctx, cfg.Limits.Wall, cfg.Limits.CPU)) })
	own.Wait()
	return r, nil
}

// run is Run for a search string and a task that are sound.
func run(t *grounder.Task, p *plan, cfg Config, clock *cpuclock.Clock) *Result {
	r := &Result{Status: Unsolvable}
	if !t.Unsolvable {
		e, err := newEngine(t, p, cfg.Limits, clock)
		var no *heuristic.Refusal
		switch {
		case errors.As(err, &no):
			r = &Result{Status: Unsupported, Reason: no.Error(), Refusal: no}
		case errors.Is(err, heuristic.ErrTime):
			r = &Result{Status: Timeout}
		case errors.Is(err, heuristic.ErrMemory):
			r = &Result{Status: Memout}
		case err != nil:
			r = &Result{Status: Unsupported, Reason: err.Error(), Refusal: err}
		default:
			if a, ok := e.(*auto); ok {
				a.threads = cfg.Threads
			}
			r = drive(e, clock, cfg.Observer)
			e.close()
		}
	}
	if invariants.Enabled && (r.Status == SolvedOptimally || r.Status == Solved) {
		r.Cost += invariants.PlantedCost
	}
	if r.Status == SolvedOptimally {
		r.Lower = r.Cost
	}
	if r.Search == "" {
		r.Search = p.String()
	}
	r.SearchCPUSeconds = clock.Used().Seconds()
	return r
}

// drive runs an engine to its end or to the end of time.
func drive(e engine, clock *cpuclock.Clock, o Observer) *Result {
	var snapshot Result
	for !clock.Expired() {
		if e.run(slice) {
			return e.outcome()
		}
		if o != nil {
			e.progress(&snapshot)
			snapshot.SearchCPUSeconds = clock.Used().Seconds()
			o(&snapshot)
		}
	}
	r := &Result{Status: Timeout}
	e.progress(r)
	if s, ok := e.(settler); ok {
		s.settle(r)
	}
	return r
}

// newEngine builds the search that p describes. Errors are refusals, and the limits that
// came while the heuristic was built.
func newEngine(t *grounder.Task, p *plan, lim Limits, clock *cpuclock.Clock) (engine, error) {
	return newEngineWithin(state.NewSystem(t), p, lim, lim.budget(clock), clock)
}

// newEngineWithin is newEngine for a task that is compiled, with a budget that counts the work.
func newEngineWithin(s *state.System, p *plan, lim Limits, b *heuristic.Budget, clock *cpuclock.Clock) (engine, error) {
	t := s.Task
	if t.Numeric != nil && !p.search.Numeric {
		return nil, &heuristic.Refusal{Heuristic: p.search.Name, Features: []heuristic.Feature{heuristic.NumericFluents}}
	}
	switch p.search.Name {
	case "ucs":
		return newBlindSearch(s, p.String(), 0, lim), nil
	case "symbolic":
		return newSymbolic(s, p.String(), p.options["backward"] == 1, lim), nil
	case "lazy":
		h, err := heuristic.NewFF(t, b)
		if err != nil {
			return nil, fmt.Errorf("lazy: %w", err)
		}
		return newLazyGreedy(s, p.String(), h, lim), nil
	case "auto":
		return newAuto(s, lim, p.options["blind"], clock), nil
	}
	if p.heuristic.Name == "blind" && p.search.Name == "astar" {
		blind := newBlindSearch(s, p.String(), heuristic.NewBlind(t).Step(), lim)
		if p.options["symmetry"] == 1 {
			blind.findSymmetries(true, lim, clock)
		}
		return blind, nil
	}
	if err := p.heuristic.Check(t); err != nil {
		return nil, err
	}
	h, err := p.heuristic.Build(t, p.settings, b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.heuristic.Name, err)
	}
	if p.search.Name == "nbs" {
		return newNBS(s, p, h, lim, clock)
	}
	a := newAStar(s, p.String(), h, lim)
	a.greedy = p.search.Name == "greedy"
	a.anyState = anyState(p.heuristic.Name)
	if p.options["stubborn"] == 1 {
		a.useStubborn()
	}
	if p.options["symmetry"] == 1 {
		a.findSymmetries(a.anyState, lim, clock)
	}
	return a, nil
}

// newNBS builds the bidirectional search.
func newNBS(s *state.System, p *plan, h heuristic.Heuristic, lim Limits, clock *cpuclock.Clock) (engine, error) {
	budget := lim.budget(clock)
	reg, err := newUnfolded(s.Task)
	if err != nil {
		return nil, err
	}
	flat := reg.task // backward estimates are of partial states without derived variables
	var back heuristic.Backward
	switch p.options["backward"] {
	case 0:
		back = heuristic.NewBackwardBlind(flat)
	case 1:
		back, err = heuristic.NewFactCosts(flat, budget)
	default:
		back, err = heuristic.NewPairCosts(flat, budget)
		if x, ok := back.(heuristic.Excluding); ok {
			x.EachExclusive(reg.exclude)
		}
	}
	if err != nil {
		return nil, err
	}
	return newBidirectional(s, p.String(), h, back, reg, lim, clock.Expired), nil
}
