package grounder

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/pddl"
)

// shuffled returns the problem with its actions, and the effects of each
// conjunction, in another order.
func shuffled(p *pddl.Problem, rng *rand.Rand) *pddl.Problem {
	var effect func(e *pddl.Effect) *pddl.Effect
	effect = func(e *pddl.Effect) *pddl.Effect {
		c := *e
		c.Children = slices.Clone(e.Children)
		for i := range c.Children {
			c.Children[i] = effect(c.Children[i])
		}
		if c.Kind == pddl.EffectAnd {
			rng.Shuffle(len(c.Children), func(i, k int) { c.Children[i], c.Children[k] = c.Children[k], c.Children[i] })
		}
		return &c
	}
	d, q := *p.Domain, *p
	d.Actions = slices.Clone(d.Actions)
	for i := range d.Actions {
		a := *d.Actions[i]
		a.Effect = effect(a.Effect)
		d.Actions[i] = &a
	}
	rng.Shuffle(len(d.Actions), func(i, k int) { d.Actions[i], d.Actions[k] = d.Actions[k], d.Actions[i] })
	q.Domain = &d
	return &q
}

// arm is a blocks world whose effects are in the worst order for a search for invariants
// that only follows the first add effect.
const arm = `(:predicates (on ?x ?y) (table ?x) (clear ?x) (free) (held ?x))
	(:action grab :parameters (?x) :precondition (and (clear ?x) (table ?x) (free)) :effect (and (held ?x) (not (clear ?x)) (not (table ?x)) (not (free))))
	(:action drop :parameters (?x) :precondition (held ?x) :effect (and (table ?x) (clear ?x) (free) (not (held ?x))))
	(:action stack :parameters (?x ?y) :precondition (and (held ?x) (clear ?y)) :effect (and (on ?x ?y) (clear ?x) (free) (not (held ?x)) (not (clear ?y))))
	(:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (free)) :effect (and (held ?x) (clear ?y) (not (clear ?x)) (not (free)) (not (on ?x ?y))))`

// TestOrderOfEffects grounds tasks with their effects and actions in many orders:
// the figures must not depend on it.
func TestOrderOfEffects(t *testing.T) {
	d, p := small(arm, `(:objects a b c) (:init (free) (table a) (on b a) (on c b) (clear c)) (:goal (on a c))`)
	tasks := map[string]*pddl.Problem{"arm": parse(t, d, p)}
	if !testing.Short() {
		for name, p := range smallestOfEachDomain(t) {
			tasks[name] = p
		}
	}
	for name, p := range tasks {
		t.Run(name, func(t *testing.T) {
			first, err := Ground(context.Background(), p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if name == "arm" && first.Stats() != (Stats{Facts: 20, Variables: 7, Operators: 18, MutexGroups: 4}) {
				t.Errorf("%+v", first.Stats())
			}
			for seed := range int64(6) {
				task, err := Ground(context.Background(), shuffled(p, rand.New(rand.NewSource(seed))), Options{})
				if err != nil {
					t.Fatal(err)
				}
				if task.Stats() != first.Stats() {
					t.Errorf("order %d: %+v, want %+v", seed, task.Stats(), first.Stats())
				}
			}
		})
	}
}

// smallestOfEachDomain returns the task of each benchmark domain with the fewest
// operators.
func smallestOfEachDomain(t *testing.T) map[string]*pddl.Problem {
	best := map[string]benchRow{}
	for _, r := range benchRows(t) {
		if b, ok := best[r.domain]; !ok || r.want.Operators < b.want.Operators {
			best[r.domain] = r
		}
	}
	out := map[string]*pddl.Problem{}
	for _, r := range best {
		if r.want.Operators < 1000 {
			out[r.name] = parseFiles(t, r.domain, r.problem)
		}
	}
	return out
}

// TestOrderOfEffectsAtRandom does so for random tasks. Only the invariants are
// compared: which alternatives of a condition become operators may differ.
func TestOrderOfEffectsAtRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &randomTask{t: rt, head: -1}
		domain, problem := g.draw()
		p := parse(rt, domain, problem)
		rng := rand.New(rand.NewSource(rapid.Int64().Draw(rt, "seed")))
		first, second := foundInvariants(rt, p), foundInvariants(rt, shuffled(p, rng))
		if !slices.Equal(first, second) {
			rt.Fatalf("%q\n%q\n%s%s", first, second, domain, problem)
		}
	})
}
