package episode

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// A Profile is the hidden constraints of a task. A plan that keeps all of them exists: Witness, of the least cost.
type Profile struct {
	World   []string    `json:"world"`
	User    []string    `json:"user"`
	Witness []string    `json:"witness"`
	Cost    pddl.Number `json:"-"`
	// Rejected counts candidates that would have left no plan, which the search proved.
	Rejected int `json:"rejected"`
	// Undecided counts candidates for which the search reached its limit of nodes: they are not taken.
	Undecided int `json:"undecided,omitempty"`
	list      []constraints.Constraint
	plans     map[string][]string // cheapest ones, by constraints; see cheapest
}

// Levels of profiles: the number of rounds in which planners propose constraints.
const (
	Low = 1 + iota
	Mid
	High
)

// ErrUnsolvable is returned for a task without a plan.
var ErrUnsolvable = errors.New("the task has no plan")

// proposals is how many candidates a plan gives in a round, planners how many plans a round has.
const (
	proposals = 4
	planners  = 3
)

// Draw makes a profile in rounds. In each, planners find cheapest plans under the constraints so far, each but the first
// with a step of an earlier plan forbidden, so that the plans differ. What a plan uses becomes a candidate, which it
// violates; a candidate is taken if a plan remains, which the search decides: no candidate is taken or rejected wrongly.
func Draw(ctx context.Context, prob *pddl.Problem, rounds int, seed uint64, lim search.Limits) (*Profile, error) {
	p := &Profile{}
	d := &drawer{ctx: ctx, prob: prob, lim: lim, rng: seeded.Rand(seed, "profile"), rejected: map[string]bool{}}
	best, err := d.solve(nil)
	if err != nil {
		return nil, err
	}
	if best == nil {
		return nil, ErrUnsolvable
	}
	p.Witness, p.Cost = best.Plan, best.Cost
	p.plans = map[string][]string{"": best.Plan}
	for range rounds {
		plans, err := d.plans(p)
		if err != nil {
			return nil, err
		}
		for _, plan := range plans {
			if err := d.take(p, plan); err != nil {
				return nil, err
			}
		}
		if err := d.witness(p); err != nil {
			return nil, err
		}
	}
	p.World, p.User = []string{}, []string{}
	for i := range p.list {
		if c := &p.list[i]; c.World() {
			p.World = append(p.World, c.String())
		} else {
			p.User = append(p.User, c.String())
		}
	}
	return p, nil
}

type drawer struct {
	ctx  context.Context
	prob *pddl.Problem
	lim  search.Limits
	rng  *rand.Rand
	// known are plans that keep the constraints so far, rejected the candidates that left none: with more constraints they
	// leave none either.
	known    pool
	rejected map[string]bool
	changed  bool // the constraints, since the witness was found
}

// solve finds a cheapest plan under constraints, nil if there is none.
func (d *drawer) solve(list []constraints.Constraint) (*pipeline.Answer, error) {
	return solveUnder(d.ctx, d.prob, list, d.lim)
}

// plans are cheapest plans under the constraints so far.
func (d *drawer) plans(p *Profile) (plans [][]string, err error) {
	plans = append(plans, p.Witness)
	for len(plans) < planners {
		last := plans[len(plans)-1]
		if len(last) == 0 {
			break
		}
		more, diags := constraints.Parse(pddl.NewSource("step", "(forbidden "+last[d.rng.IntN(len(last))]+")"), d.prob)
		if diags.HasErrors() {
			return nil, diags.Err()
		}
		a, err := d.solve(append(slices.Clone(p.list), more...))
		if errors.Is(err, pipeline.ErrNodes) {
			break
		}
		if err != nil {
			return nil, err
		}
		if a == nil {
			break
		}
		plans = append(plans, a.Plan)
	}
	d.known = append(d.known, plans...)
	return plans, nil
}

// take tries candidates from a plan.
func (d *drawer) take(p *Profile, plan []string) error {
	candidates := d.candidates(plan)
	d.rng.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	for _, text := range candidates[:min(proposals, len(candidates))] {
		c, diags := constraints.Parse(pddl.NewSource("candidate", text), d.prob)
		if diags.HasErrors() {
			return diags.Err()
		}
		if slices.ContainsFunc(p.list, func(old constraints.Constraint) bool { return old.String() == c[0].String() }) {
			continue
		}
		if err := d.try(p, c); err != nil {
			return err
		}
	}
	return nil
}

// try takes a candidate if a plan remains.
func (d *drawer) try(p *Profile, c []constraints.Constraint) error {
	list := append(slices.Clone(p.list), c...)
	if d.rejected[c[0].String()] {
		p.Rejected++
		return nil
	}
	keep, err := d.known.keeping(d.prob, c)
	if err != nil {
		return err
	}
	var plan []string
	switch {
	case d.lim.Nodes > 0: // the cheapest plan must be within the limit, too
		var a *pipeline.Answer
		if a, err = d.solve(list); a != nil {
			plan, p.Witness, p.Cost = a.Plan, a.Plan, a.Cost
		}
	case len(keep) > 0:
		plan = keep[0]
	default:
		plan, err = anyUnder(d.ctx, d.prob, list, d.lim)
	}
	switch {
	case errors.Is(err, pipeline.ErrNodes):
		p.Undecided++
		return nil
	case err != nil:
		return err
	case plan == nil:
		p.Rejected++
		d.rejected[c[0].String()] = true
		return nil
	}
	p.list, d.known, d.changed = list, append(keep, plan), true
	return nil
}

// witness finds a cheapest plan under the constraints so far.
func (d *drawer) witness(p *Profile) error {
	if !d.changed || d.lim.Nodes > 0 {
		return nil
	}
	a, err := d.solve(p.list)
	if err != nil {
		return err
	}
	if a == nil {
		return errors.New("internal error: no plan under constraints of which each has left one")
	}
	p.Witness, p.Cost, d.changed = a.Plan, a.Cost, false
	return nil
}

// candidates are constraints that a plan violates: what it does is unavailable, forbidden, too often, too long, or in
// the wrong order.
func (d *drawer) candidates(plan []string) (list []string) {
	add := func(format string, args ...any) {
		if c := fmt.Sprintf(format, args...); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	times := map[string]int{}
	var names []string
	for _, step := range plan {
		words := atomtext.Words(step)
		add("(forbidden %s)", step)
		for _, object := range words[1:] {
			add("(missing %s)", object)
		}
		if times[words[0]]++; times[words[0]] == 1 {
			names = append(names, words[0])
		}
	}
	for _, a := range d.attributes(plan) {
		add("(avoid %s)", a)
	}
	for i, name := range names {
		add("(unavailable %s)", name)
		add("(at-most %d %s)", times[name]-1, d.pattern(name))
		if i > 0 {
			add("(before %s %s)", d.pattern(name), d.pattern(names[i-1]))
		}
	}
	if len(plan) > 0 {
		add("(at-most 0 %s)", plan[d.rng.IntN(len(plan))])
	}
	return list
}

// attributes are static facts about one object that a plan uses, where another object lacks them.
func (d *drawer) attributes(plan []string) (list []string) {
	used := map[string]bool{}
	for _, step := range plan {
		for _, object := range atomtext.Words(step)[1:] {
			used[object] = true
		}
	}
	for k := range d.prob.Init.Atoms.Len() {
		pred, args := d.prob.Init.Atoms.Atom(k)
		name := strings.ToLower(d.prob.Domain.Predicates[pred].Name)
		if len(args) != 1 || !used[strings.ToLower(d.prob.Objects[args[0]].Name)] || slices.Contains(list, name) {
			continue
		}
		if _, diags := constraints.Parse(pddl.NewSource("attribute", "(avoid "+name+")"), d.prob); !diags.HasErrors() {
			list = append(list, name)
		}
	}
	return list
}

// pattern is an action with any objects.
func (d *drawer) pattern(action string) string {
	i, _ := d.prob.Domain.ActionByName(action)
	return "(" + action + strings.Repeat(" ?", d.prob.Domain.Actions[i].NumParams) + ")"
}

// Task is the task whose plans are those that keep the profile.
func (p *Profile) Task(prob *pddl.Problem) (*pddl.Problem, error) {
	return constraints.Compile(prob, p.list)
}

// Parse reads the constraints of a profile that was kept.
func (p *Profile) Parse(prob *pddl.Problem) error {
	p.list = nil
	for _, text := range append(slices.Clone(p.World), p.User...) {
		c, diags := constraints.Parse(pddl.NewSource("profile", text), prob)
		if diags.HasErrors() {
			return diags.Err()
		}
		p.list = append(p.list, c...)
	}
	return nil
}
