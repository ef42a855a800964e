package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// RestrictOptions say which restrictions SampleRestrictions draws.
type RestrictOptions struct {
	// Count is the number of restrictions; 0 stands for 1.
	Count int
	Seed  uint64
	// Patterns draws also restrictions with free places, "(stack ? b)": as often as there
	// are ways to free some places of a step of a plan.
	Patterns bool
	// Dearer keeps only restrictions that raise the optimal cost. Without it a restriction
	// binds in that the plan that search finds without it breaks it, though another plan
	// of the same cost may not.
	Dearer bool
	// Time and Memory bound each grounding, and Search each search.
	Ground grounder.Options
	Search search.Limits
}

// Restricted is a task with restrictions that were drawn.
type Restricted struct {
	Problem   *pddl.Problem       // the restricted one
	Forbidden []domains.Forbidden // in the order in which they were drawn
	Plan      []string            // a cheapest plan under the restrictions
	Cost      pddl.Number         // of it
	FreePlan  []string            // a cheapest plan of the task as it was
	FreeCost  pddl.Number         // of it
}

// Errors of SampleRestrictions.
var (
	// ErrNoRestriction: no restriction is left that binds and leaves the task solvable.
	ErrNoRestriction = errors.New("no restriction is left that binds and leaves the task solvable")
	// ErrRestrictLimit: a limit ended the search for a plan, or left it open whether a
	// restriction that might have done leaves a task solvable.
	ErrRestrictLimit = errors.New("a limit came first")
	// ErrRestrictTask: the task has no plan, or the search does not support it.
	ErrRestrictTask = errors.New("the task cannot be restricted")
)

// maxRestrictions bounds what is asked for: each one takes searches.
const maxRestrictions = 1000

// SampleRestrictions draws restrictions of a task that bind and leave it solvable, which
// a plan that the judge confirms proves. Each forbids a step of the cheapest plan that
// was found under those before it, so the first is broken by the cheapest plan of the task
// as it was. The same task, options and seed give the same restrictions. The error wraps
// one of those above, is the end of ctx, or is about the task.
func SampleRestrictions(ctx context.Context, prob *pddl.Problem, o RestrictOptions) (*Restricted, error) {
	o.Count = max(o.Count, 1)
	if o.Count > maxRestrictions {
		return nil, fmt.Errorf("%d restrictions of one task; at most %d can be drawn", o.Count, maxRestrictions)
	}
	s := restrictSampler{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x7265737472696374))} // "restrict"
	free, err := s.solve(ctx, prob)
	if err != nil {
		return nil, err
	}
	if free == nil {
		return nil, fmt.Errorf("%w: %s has no plan", ErrRestrictTask, prob.Name)
	}
	out := &Restricted{Problem: prob, Plan: free.plan, Cost: free.cost, FreePlan: free.plan, FreeCost: free.cost}
	for len(out.Forbidden) < o.Count {
		if err := s.next(ctx, out); err != nil {
			if errors.Is(err, ErrNoRestriction) && len(out.Forbidden) > 0 {
				err = fmt.Errorf("%w after %d of the %d that were asked for", ErrNoRestriction, len(out.Forbidden), o.Count)
			}
			return nil, err
		}
	}
	return out, nil
}

type restrictSampler struct {
	o   RestrictOptions
	rng *rand.Rand
}

// next draws one more restriction: the candidates in random order, the first that does.
func (s *restrictSampler) next(ctx context.Context, out *Restricted) error {
	open := error(nil)
	for _, f := range s.candidates(out.Plan) {
		restricted, err := domains.Restrict(out.Problem, []domains.Forbidden{f})
		if err != nil {
			return err
		}
		found, err := s.solve(ctx, restricted)
		switch {
		case errors.Is(err, ErrRestrictLimit):
			open = err
			continue
		case err != nil:
			return err
		case found == nil || s.o.Dearer && found.cost.Cmp(out.Cost) <= 0:
			continue
		}
		out.Problem, out.Plan, out.Cost = restricted, found.plan, found.cost
		out.Forbidden = append(out.Forbidden, f)
		return nil
	}
	if open != nil {
		return open
	}
	return ErrNoRestriction
}

// candidates lists what forbids some step of a plan, in random order.
func (s *restrictSampler) candidates(plan []string) []domains.Forbidden {
	var out []domains.Forbidden
	seen := map[string]bool{}
	add := func(action string, args []string) {
		f := domains.Forbidden{Action: action, Args: args}
		if !seen[f.String()] {
			seen[f.String()] = true
			out = append(out, f)
		}
	}
	for _, step := range plan {
		w := strings.Fields(strings.Trim(strings.ToLower(step), "()"))
		action, args := w[0], w[1:]
		add(action, args)
		if !s.o.Patterns || len(args) > maxFreePlaces {
			continue
		}
		for free := 1; free < 1<<len(args); free++ {
			some := slices.Clone(args)
			for i := range some {
				if free>>i&1 == 1 {
					some[i] = domains.AnyObject
				}
			}
			add(action, some)
		}
	}
	s.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// maxFreePlaces bounds the arguments of actions that get free places.
const maxFreePlaces = 6

type solved struct {
	plan []string
	cost pddl.Number
}

// solve finds a cheapest plan and has it judged; nil if there is none.
func (s *restrictSampler) solve(ctx context.Context, p *pddl.Problem) (*solved, error) {
	r, err := pipeline.Solve(ctx, p, pipeline.Options{Ground: s.o.Ground, Search: search.Config{Limits: s.o.Search}})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, grounder.ErrLimit):
		return nil, fmt.Errorf("grounding: %w (%w)", ErrRestrictLimit, err)
	case err != nil:
		return nil, err
	case r.Status == search.Unsolvable:
		return nil, nil
	case r.Status == search.Unsupported:
		return nil, fmt.Errorf("%w: the search does not support it: %s", ErrRestrictTask, r.Reason)
	case r.Status != search.SolvedOptimally:
		return nil, fmt.Errorf("searching for a plan: %w (%s)", ErrRestrictLimit, r.Status)
	}
	out := &solved{plan: make([]string, len(r.Plan)), cost: r.Cost}
	for i, step := range r.Plan {
		out.plan[i] = strings.ToLower(step)
	}
	return out, nil
}
