package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
)

// tries bounds how often a random choice is repeated until it fits.
const tries = 60

// execution makes a sequence of actions and the state after them.
func (m *maker) execution(it *item, rng *rand.Rand) error {
	w, err := m.world(it)
	if err != nil {
		return err
	}
	start := w.Facts(w.Sim.Initial())
	for range tries {
		st, steps := w.Walk(w.Sim.Initial(), 2+rng.IntN(5), rng)
		if state := w.Facts(st); !slices.Equal(state, start) {
			it.candidate, it.state = steps, state
			return nil
		}
	}
	return optionError("no actions were found that change the initial state of %s", it.prob.Name)
}

func (m *maker) world(it *item) (*world.World, error) {
	if it.w == nil {
		var err error
		if it.w, err = world.New(m.ctx, it.prob, m.o.Limits); err != nil {
			return nil, err
		}
	}
	return it.w, nil
}

// replanning makes an unexpected change of state after some step of the plan. The change is the effect
// of one or two actions, so that the new state is reachable, and the rest of the plan does not lead
// from it to the goal.
func (m *maker) replanning(it *item, rng *rand.Rand) error {
	if err := m.solved(it); err != nil {
		return err
	}
	if len(it.plan) == 0 {
		return optionError("%s needs a task whose plan has a step", m.o.Kind)
	}
	w, err := m.world(it)
	if err != nil {
		return err
	}
	for range tries {
		k := 1 + rng.IntN(len(it.plan))
		st, err := w.After(it.plan[:k])
		if err != nil {
			return fmt.Errorf("internal error: a plan that was judged cannot be replayed: %w", err)
		}
		next, steps := w.Walk(st, 1+rng.IntN(2), rng)
		before, after := w.Facts(st), w.Facts(next)
		if len(steps) == 0 || slices.Equal(before, after) {
			continue
		}
		changed, err := world.WithState(it.prob, after)
		if err != nil {
			return err
		}
		if v, err := world.Judge(changed, it.plan[k:]); err != nil || v.Valid {
			continue
		}
		s, err := world.Solve(m.ctx, changed, m.o.Limits)
		if err != nil {
			return err
		}
		if !s.Solvable || contains(it.plan, s.Plan) {
			continue // the prompt already shows this plan
		}
		it.event = &unexpected{step: k, became: atomtext.Gained(before, after), ceased: atomtext.Gained(after, before)}
		it.after, it.cost = s.Plan, s.Cost
		if m.o.Reasoning != ReasonNone {
			if it.w, err = world.New(m.ctx, changed, m.o.Limits); err != nil {
				return err
			}
		}
		it.changed = changed
		return nil
	}
	return optionError("no change was found that makes %s need another plan", it.prob.Name)
}

// contains reports whether part is a run of consecutive steps of plan.
func contains(plan, part []string) bool {
	for i := 0; i+len(part) <= len(plan); i++ {
		if slices.Equal(plan[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// unsolvable makes a task without a plan: the problem itself if it has none, else the problem with a
// goal that cannot be reached. About half of the examples stay solvable.
func (m *maker) unsolvable(it *item, rng *rand.Rand, query bool) error {
	s, err := world.Solve(m.ctx, it.prob, m.o.Limits)
	if err != nil {
		return err
	}
	it.plan, it.cost, it.solvable = s.Plan, s.Cost, s.Solvable
	if !s.Solvable || !query && rng.IntN(2) == 0 {
		return nil
	}
	w, err := m.world(it)
	if err != nil {
		return err
	}
	values := atomsByVariable(w)
	for n := range tries {
		// Try facts of different variables first: it takes planning to see that they exclude
		// each other. Two facts of one variable always do.
		var goal []string
		pick := rng.Perm(len(values))[:min(len(values), 2+n%2)]
		for _, i := range pick {
			goal = append(goal, values[i][rng.IntN(len(values[i]))])
		}
		if n > tries/2 {
			for _, v := range values {
				if len(v) > 1 {
					goal = []string{v[0], v[1+rng.IntN(len(v)-1)]}
					break
				}
			}
		}
		atomtext.Sort(goal)
		changed, err := world.WithGoal(it.prob, slices.Compact(goal))
		if err != nil {
			return err
		}
		s, err := world.Solve(m.ctx, changed, m.o.Limits)
		if err != nil {
			return err
		}
		if !s.Solvable {
			it.prob, it.plan, it.cost, it.solvable = changed, nil, "", false
			it.r, _ = m.renderer(changed)
			return nil
		}
	}
	return optionError("no goal was found that cannot be reached in %s", it.prob.Name)
}

// atomsByVariable lists the atoms that actions change, those of one variable together: at most
// one of them holds.
func atomsByVariable(w *world.World) (values [][]string) {
	for i, atoms := range w.Atoms {
		if w.Task.Variables[i].Layer >= 0 {
			continue
		}
		var list []string
		for _, a := range atoms {
			if a != "" {
				list = append(list, a)
			}
		}
		if len(list) > 0 {
			values = append(values, list)
		}
	}
	return values
}
