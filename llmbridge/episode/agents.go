package episode

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// AgentNames are the scripted agents, from the least to the most able.
var AgentNames = []string{"random", "stubborn", "forgetful", "optimal", "omniscient"}

// NewAgent makes a scripted agent.
//
//	random      a random walk, cut where the goal is reached
//	stubborn    the cheapest plan of the task without constraints, every turn
//	forgetful   the cheapest plan under what the last feedback told
//	optimal     the cheapest plan under everything that has been disclosed
//	omniscient  the cheapest plan under the profile: the best there is, for comparison
func NewAgent(name string, prob *pddl.Problem, p *Profile, seed uint64, lim search.Limits) (Agent, error) {
	r := &replanner{prob: prob, lim: lim, plans: p.cheapest()}
	switch name {
	case "random":
		return &walker{prob: prob, rng: seeded.Rand(seed, "agent"), lim: lim}, nil
	case "stubborn":
		r.known = func([]Turn) []string { return nil }
	case "forgetful":
		r.known = func(turns []Turn) []string { return told(turns[max(0, len(turns)-1):]) }
	case "optimal":
		r.known = told
	case "omniscient":
		r.known = func([]Turn) []string { return append(append([]string{}, p.World...), p.User...) }
	default:
		return nil, fmt.Errorf("no agent is called %q; there are %v", name, AgentNames)
	}
	return r, nil
}

// told are the constraints that turns have disclosed.
func told(turns []Turn) (list []string) {
	for i := range turns {
		list = append(append(list, turns[i].New...), turns[i].Repeated...)
	}
	return list
}

// replanner finds a cheapest plan under the constraints that it knows.
type replanner struct {
	prob  *pddl.Problem
	lim   search.Limits
	known func([]Turn) []string
	plans map[string][]string // by constraints, for all agents of a profile
}

// cheapest are the plans that are known to be cheapest, by their constraints. The witness is one.
func (p *Profile) cheapest() map[string][]string {
	if p.plans == nil {
		p.plans = map[string][]string{}
	}
	if p.Witness != nil {
		p.plans[knownText(slices.Concat(p.World, p.User))] = p.Witness
	}
	return p.plans
}

// knownText writes constraints, each once.
func knownText(list []string) (text string) {
	seen := map[string]bool{}
	for _, c := range list {
		if !seen[c] {
			text += c + "\n"
		}
		seen[c] = true
	}
	return text
}

// Plan implements Agent.
func (r *replanner) Plan(ctx context.Context, turns []Turn) (p Proposal, err error) {
	text := knownText(r.known(turns))
	if plan, ok := r.plans[text]; ok {
		return Proposal{Plan: plan}, nil
	}
	list, diags := constraints.Parse(pddl.NewSource("disclosed", text), r.prob)
	if diags.HasErrors() {
		return p, diags.Err()
	}
	a, err := solveUnder(ctx, r.prob, list, r.lim)
	if err != nil || a == nil {
		return p, fmt.Errorf("no plan under what is disclosed: %w", err)
	}
	r.plans[text] = a.Plan
	return Proposal{Plan: a.Plan}, nil
}

// walker walks at random.
type walker struct {
	prob  *pddl.Problem
	rng   *rand.Rand
	lim   search.Limits
	world *world.World
}

// walkSteps is the longest walk.
const walkSteps = 30

// Plan implements Agent.
func (w *walker) Plan(ctx context.Context, _ []Turn) (p Proposal, err error) {
	if w.world == nil {
		if w.world, err = world.New(ctx, w.prob, w.lim); err != nil {
			return p, err
		}
	}
	st := w.world.Sim.Initial()
	for len(p.Plan) < walkSteps && !w.world.Sim.IsGoal(st) {
		next, steps := w.world.Walk(st, 1, w.rng)
		if len(steps) == 0 {
			break
		}
		st, p.Plan = next, append(p.Plan, steps...)
	}
	return p, nil
}
