package joint

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/search/sat"
)

// Options of Solve.
type Options struct {
	Reading boxnet.Reading
	// MaxSteps bounds the steps of a plan; 0 is 64 more than the lower bound. Where collisions
	// prevent every plan, only a limit ends the search.
	MaxSteps int
	// Memory bounds the bytes of clauses; 0 is 4 GB.
	Memory int64
	// Certificate asks for a certificate, which [proof.Check] checks.
	Certificate bool
	// Second is what to minimise among the plans with the fewest steps.
	Second Objective
	// SecondConflicts bounds the search for that, in dead ends of the solver; 0 is 5,000.
	SecondConflicts int64
}

// Objective is what a plan is chosen for among those with the fewest steps.
type Objective string

// Objectives.
const (
	AnyPlan Objective = ""
	Moves   Objective = "moves" // the fewest moves
	Time    Objective = "time"  // the shortest plan time, the sum of the steps' longest moves
)

// ParseObjective reads the name of an objective; "none" is AnyPlan.
func ParseObjective(name string) (Objective, error) {
	switch o := Objective(name); o {
	case AnyPlan, Moves, Time:
		return o, nil
	case "none":
		return AnyPlan, nil
	}
	return "", fmt.Errorf("%q is none of moves, time, none", name)
}

// Status says how a search ended.
type Status string

// Statuses.
const (
	Solved     Status = "solved-optimally"
	Unsolvable Status = "unsolvable"
	TooLong    Status = "stepout" // no plan of at most MaxSteps steps
	Timeout    Status = "timeout"
	Memout     Status = "memout"
)

// Result of Solve.
type Result struct {
	Status  Status
	Reading boxnet.Reading
	Plan    boxnet.Plan // with the fewest steps, nil if there is none
	// Lower is the best lower bound that was known without search.
	Lower Bound
	// Refuted is the number of steps for which the solver has shown that there is no plan, -1
	// for none. A plan of fewer steps could be made longer by empty steps.
	Refuted int
	// Moves of the plan; FewestMoves reports whether no plan of that many steps has fewer.
	Moves       int
	FewestMoves bool
	// ShortestTime reports whether no plan of that many steps takes less time.
	ShortestTime bool
	// Conflicts counts dead ends of the solver, Clashes the moves whose collisions were added.
	Conflicts int64
	Clashes   int
	// Certificate shows that the plan has the fewest steps; nil if there is no plan, or unless
	// asked for.
	Certificate *proof.Certificate
}

// Optimum is the answer for a row of kind instance.
func (r *Result) Optimum() boxnet.Optimum {
	switch r.Status {
	case Solved:
		return boxnet.Optimum{Steps: len(r.Plan), Proved: true}
	case Unsolvable:
		return boxnet.Optimum{Steps: -1, Proved: true}
	}
	return boxnet.Optimum{Steps: -1}
}

// Solve finds a plan with the fewest steps. Every object of the instance must have a target. The judge has confirmed the plan under
// the reading. A limit is a status; an error means that the plan was refused, a fault of this program.
func Solve(ctx context.Context, in *boxnet.Instance, opt Options) (*Result, error) {
	if err := in.CheckReading(opt.Reading); err != nil {
		return nil, err
	}
	s := newSearch(in, opt)
	res := &Result{Status: Unsolvable, Reading: opt.Reading, Refuted: -1}
	lower, _, solvable := s.bounds(s.times)
	if !solvable || in.TargetsMeet() {
		return res, nil
	}
	res.Lower = lower
	last := opt.MaxSteps
	if last == 0 {
		last = lower.Steps + 64
	}
	res.Status = TooLong
	for steps := lower.Steps; steps <= last; steps++ {
		f, found, err := s.horizon(ctx, steps)
		res.Conflicts += f.solver.Conflicts
		res.Clashes = len(s.collisions.order)
		switch {
		case errors.Is(err, sat.ErrMemory):
			res.Status = Memout
			return res, nil
		case err != nil:
			res.Status = Timeout
			return res, nil
		case !found:
			res.Refuted = steps
			s.refutedBy, s.refutedIn = slices.Clone(s.collisions.order), s.lemmas
			continue
		}
		res.Status, res.Plan = Solved, f.plan()
		res.Moves = moves(res.Plan)
		switch opt.Second {
		case Moves:
			s.fewestMoves(ctx, f, res)
		case Time:
			s.shortestTime(ctx, f, res)
			res.Moves = moves(res.Plan)
		}
		if opt.Certificate {
			res.Certificate = s.certificate(res)
		}
		return res, s.confirm(res)
	}
	return res, nil
}

// confirm has the judge judge the plan.
func (s *search) confirm(res *Result) error {
	got := boxnet.NewJudge(s.in, s.opt.Reading).Judge(res.Plan)
	if !got.Verdict.Valid {
		return fmt.Errorf("internal error (please report it): the judge refuses the plan that was found: %s", got.Verdict.Failure.Message)
	}
	return nil
}

// search is the work on one instance.
type search struct {
	*places
	opt        Options
	times      *timing
	touching   []touching
	ways       *ways
	collisions *collisions

	lemmas    []proof.Lemma // of the current horizon
	refutedIn []proof.Lemma // of the last horizon without a plan
	refutedBy []clash       // known then
}

func newSearch(in *boxnet.Instance, opt Options) *search {
	p := newPlaces(in)
	return &search{
		places: p, opt: opt, times: p.times(opt.Reading), touching: p.touchingArms(opt.Reading), ways: p.ways(),
		collisions: &collisions{places: p, reading: opt.Reading, known: map[clash][]counterpart{}},
	}
}

// horizon looks for a plan of a number of steps: a solution of the formula, whose collisions
// are forbidden until there are none.
func (s *search) horizon(ctx context.Context, steps int) (f *formula, found bool, err error) {
	solver := sat.New()
	solver.MaxBytes = s.opt.Memory
	f = newFormula(s.places, s.times, s.touching, s.ways, steps, solver, s.record)
	s.collisions.forbid(f, s.collisions.order)
	found, err = s.withoutCollisions(ctx, f)
	return f, found, err
}

// withoutCollisions looks for a solution of the formula that is free of collisions.
func (s *search) withoutCollisions(ctx context.Context, f *formula, assumptions ...int) (bool, error) {
	for {
		status, err := f.solver.Solve(ctx, assumptions...)
		if status != sat.Satisfiable {
			if err == nil && status == sat.Unknown {
				err = errBudget
			}
			return false, err
		}
		fresh := s.collisions.find(f)
		if len(fresh) == 0 {
			return true, nil
		}
		s.collisions.forbid(f, fresh)
	}
}

var errBudget = errors.New("the budget of dead ends is spent")

// moves counts those that lead somewhere.
func moves(plan boxnet.Plan) (n int) {
	for _, step := range plan {
		for i := range step {
			if step[i].From != step[i].To {
				n++
			}
		}
	}
	return n
}
