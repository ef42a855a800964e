package treesearch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// Estimates bounds by an admissible heuristic of package heuristic. Forward it estimates
// the state for the task's goal. Backward it estimates the initial state for the partial
// state as the goal, with a heuristic made for that goal alone; beside lmcut the greater of
// that and h² from the initial state is taken, which sees what cannot be true together.
type Estimates struct {
	task    *grounder.Task
	info    *heuristic.Info
	forward heuristic.Heuristic
	pairs   heuristic.Backward // made when first needed
}

// NewEstimates returns the bounds of the heuristic of that name. Errors are an unknown
// name and a *heuristic.Refusal.
func NewEstimates(name string, t *grounder.Task) (*Estimates, error) {
	info := heuristic.Lookup(name)
	if info == nil || !slices.Contains(GuideNames, name) {
		return nil, fmt.Errorf("there are no bounds %q; there are %s", name, strings.Join(boundNames(), ", "))
	}
	if err := info.Check(t); err != nil {
		return nil, err
	}
	h, err := info.New(t)
	if err != nil {
		return nil, err
	}
	return &Estimates{task: t, info: info, forward: h}, nil
}

// Bound implements Bounder.
func (e *Estimates) Bound(dir Direction, values []int32) int64 {
	if dir == Forward {
		return e.forward.Estimate(values)
	}
	var bound int64
	if e.info.Name == "lmcut" {
		if e.pairs == nil {
			e.pairs, _ = heuristic.NewPairCosts(e.task, nil) // no budget, no error
		}
		if bound = e.pairs.Estimate(values); bound == heuristic.DeadEnd {
			return bound
		}
	}
	to := *e.task
	to.Goal = factsOf(values)
	h, err := e.info.New(&to)
	if err != nil {
		return bound
	}
	return max(bound, h.Estimate(e.task.Init))
}

// factsOf lists the facts of a partial state.
func factsOf(values []int32) []grounder.Fact {
	var facts []grounder.Fact
	for v, x := range values {
		if x != search.Unconstrained {
			facts = append(facts, grounder.Fact{Var: int32(v), Val: x})
		}
	}
	return facts
}

// Exact bounds by exact distances, from an enumeration of the reachable states.
type Exact struct {
	space    *space.StateSpace
	to, from []int64 // by state: to the goal, from the initial state
}

// NewExact enumerates the states of t within the limits. Errors are those of
// space.Enumerate.
func NewExact(ctx context.Context, t *grounder.Task, lim search.Limits) (*Exact, error) {
	sp, err := space.Enumerate(ctx, t, lim)
	if err != nil {
		return nil, err
	}
	goals, err := sp.Satisfying(t.Goal)
	if err != nil {
		return nil, err
	}
	e := &Exact{space: sp}
	costs := sp.TaskCosts()
	d := sp.NewDistances()
	if err := d.To(goals, costs, space.ByCost); err != nil {
		return nil, err
	}
	e.to = append(e.to, d.Cost...)
	if err := d.From([]state.StateID{0}, costs, space.ByCost); err != nil {
		return nil, err
	}
	e.from = append(e.from, d.Cost...)
	return e, nil
}

// Bound implements Bounder.
func (e *Exact) Bound(dir Direction, values []int32) int64 {
	if dir == Forward {
		st, err := e.space.Pack(values)
		if err != nil {
			return 0
		}
		id, ok := e.space.ID(st)
		if !ok {
			return heuristic.DeadEnd // not reachable: no plan passes here
		}
		return distance(e.to[id])
	}
	ids, err := e.space.Satisfying(factsOf(values))
	if err != nil {
		return 0
	}
	best := heuristic.DeadEnd
	for _, id := range ids {
		best = min(best, distance(e.from[id]))
	}
	return best
}

func distance(d int64) int64 {
	if d == space.Unreachable {
		return heuristic.DeadEnd
	}
	return d
}

// GuideNames lists what NewGuide takes, in the order of help texts.
var GuideNames = []string{"lmcut", "hmax", "blind", "table", "uniform"}

func boundNames() []string {
	names := []string{"none"}
	for _, n := range GuideNames {
		if n != "uniform" {
			names = append(names, n)
		}
	}
	return names
}

// NewGuide returns the guide of a name that needs no language model: ByBound with the
// bounds of a heuristic (lmcut, hmax, blind) or exact ones (table), or Uniform without
// bounds. The limits are those of the enumeration for the table.
func NewGuide(ctx context.Context, name string, t *grounder.Task, lim search.Limits) (Guide, error) {
	if !slices.Contains(GuideNames, name) {
		return Guide{}, fmt.Errorf("there is no guide %q; there are %s", name, strings.Join(GuideNames, ", "))
	}
	if name == "uniform" {
		return Guide{Evaluator: Uniform{}}, nil
	}
	b, err := NewBounds(ctx, name, t, lim)
	return Guide{Evaluator: ByBound{}, Bounds: b, Pairs: true}, err
}

// NewBounds returns the bounds of a name: of a heuristic, of the table, or none.
func NewBounds(ctx context.Context, name string, t *grounder.Task, lim search.Limits) (Bounder, error) {
	switch {
	case name == "none":
		return nil, nil
	case t.Unsolvable:
		return nil, nil // the search will say so at once; there may be nothing to enumerate
	case name == "table":
		return NewExact(ctx, t, lim)
	}
	return NewEstimates(name, t)
}

// GuideSpec says what ranks actions and what prunes by the budget.
type GuideSpec struct {
	Name string // of [NewGuide], or "model"
	// Bound is a name of [NewBounds]; "" leaves the bounds that the guide brings, which for a
	// model are none.
	Bound string
	// Model ranks for "model", as Language says.
	Model    model.Model
	Language LanguageOptions
}

// Check refuses guides and bounds that there are not. The error begins with guide or bound.
func (s *GuideSpec) Check() error {
	names := append(slices.Clone(GuideNames), "model")
	switch {
	case !slices.Contains(names, s.Name):
		return fmt.Errorf("guide: there is no guide %q; there are %s", s.Name, strings.Join(names, ", "))
	case s.Bound == "none" && s.Name != "uniform" && s.Name != "model":
		return errors.New("bound none: this guide ranks by its bounds")
	}
	return nil
}

// New makes the guide of a task.
func (s *GuideSpec) New(ctx context.Context, p *pddl.Problem, t *grounder.Task, lim search.Limits) (g Guide, err error) {
	if s.Name == "model" {
		g.Evaluator, err = NewLanguage(ctx, s.Model, p, t, s.Language)
	} else {
		g, err = NewGuide(ctx, s.Name, t, lim)
	}
	if err == nil && s.Bound != "" {
		g.Bounds, err = NewBounds(ctx, s.Bound, t, lim)
	}
	return g, err
}
