package prompt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Candidates of verification.
const (
	candidateValid        = "valid"
	candidateInexecutable = "inexecutable"
	candidateGoal         = "goal-unmet"
	candidateForbidden    = "forbidden" // of restricted tasks: but for the restrictions it would be valid
)

// tries bounds how often a random choice is repeated until it suits.
const tries = 60

// verification makes a plan to verify: a valid one, one with a step that cannot be
// executed, one that ends before the goal or, where the task forbids something, one that
// does it. The verdict is the judge's.
func (m *maker) verification(it *item, rng *rand.Rand) error {
	if err := m.solved(it); err != nil {
		return err
	}
	kinds := []string{candidateValid, candidateInexecutable, candidateGoal}
	var free []string // a cheapest plan if nothing were forbidden
	if len(domains.Restrictions(it.prob)) > 0 {
		s, err := world.Solve(m.ctx, unrestricted(it.prob), m.o.Limits)
		if err != nil {
			return err
		}
		kinds, free = append(kinds, candidateForbidden), s.Plan
	}
	first := rng.IntN(len(kinds))
	for i := range kinds {
		kind := kinds[(first+i)%len(kinds)]
		if m.o.Candidate != "" && kind != m.o.Candidate {
			continue
		}
		for range tries {
			plan := alter(it.plan, kind, rng)
			if kind == candidateForbidden {
				plan = free
			}
			v, err := world.Judge(it.prob, plan)
			if err != nil {
				return err
			}
			if verdict := GoldVerdict(it.prob, v); verdict != nil && suits(verdict, kind) {
				it.candidate, it.verdict = plan, verdict
				return nil
			}
		}
	}
	return optionError("no %s plan was found for %s", m.o.Candidate, it.prob.Name)
}

// alter changes a valid plan so that it may fail as asked.
func alter(plan []string, kind string, rng *rand.Rand) []string {
	out := slices.Clone(plan)
	if len(out) == 0 {
		return out
	}
	switch kind {
	case candidateGoal:
		out = out[:rng.IntN(len(out))]
	case candidateInexecutable:
		i := rng.IntN(len(out))
		if rng.IntN(2) == 0 {
			out = slices.Delete(out, i, i+1)
		} else if j := rng.IntN(len(out)); i != j {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out
}

// GoldVerdict puts the judge's verdict into the terms of an answer. It returns nil for failures
// that answers have no terms for, such as an unknown object.
func GoldVerdict(prob *pddl.Problem, v *validator.Verdict) *extract.PlanVerdict {
	if v.Valid {
		return &extract.PlanVerdict{Valid: true}
	}
	unmet := make([]string, 0, len(v.Failure.Unsatisfied))
	forbids := domains.RestrictionPredicates(prob)
	forbidden := false
	for _, u := range v.Failure.Unsatisfied {
		if u = strings.ToLower(u); domains.ForbidsStep(forbids, u) {
			forbidden = true
			continue
		}
		unmet = append(unmet, consequent(u))
	}
	switch v.Failure.Kind {
	case validator.FailGoal:
		return &extract.PlanVerdict{Kind: "goal", Unmet: unmet}
	case validator.FailPrecondition:
		return &extract.PlanVerdict{Kind: "precondition", Step: v.Failure.Step, Action: strings.ToLower(v.Failure.Action), Unmet: unmet, Forbidden: forbidden}
	}
	return nil
}

// consequent returns the last operand of an unmet implication: what would have to hold, as
// its condition does. Other literals stay.
func consequent(literal string) string {
	for strings.HasPrefix(literal, "(imply ") && strings.HasSuffix(literal, ")") {
		inner := strings.TrimSpace(literal[:len(literal)-1])
		depth, at := 0, -1
		for i := len(inner) - 1; i > 0 && at < 0; i-- {
			switch inner[i] {
			case ')':
				depth++
			case '(':
				if depth--; depth == 0 {
					at = i
				}
			}
		}
		if at < len("(imply ") {
			return literal
		}
		literal = inner[at:]
	}
	return literal
}

func suits(v *extract.PlanVerdict, kind string) bool {
	switch kind {
	case candidateValid:
		return v.Valid
	case candidateGoal:
		return v.Kind == "goal"
	case candidateForbidden:
		return v.Forbidden
	}
	return v.Kind == "precondition"
}

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

// replanning makes a change of state after some step of the plan. The change is what an
// action or two would have brought about, so that the new state is one that can arise;
// it is one from which no part of the plan leads to the goal.
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
			continue // a plan that the prompt shows already is no answer to ask for
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

// contains reports whether a plan has another as consecutive steps.
func contains(plan, part []string) bool {
	for i := 0; i+len(part) <= len(plan); i++ {
		if slices.Equal(plan[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// unsolvable makes a task without a plan: the problem itself, if it has none, or the
// problem with a goal that cannot be reached. Examples are solvable or not by turns.
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
	var values [][]string
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
	for n := range tries {
		// Facts of different variables first: it takes planning to see that they exclude
		// each other. Of one variable, they always do.
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
			it.r, _ = NewRenderer(changed, m.o.Templates)
			return nil
		}
	}
	return optionError("no goal was found that cannot be reached in %s", it.prob.Name)
}
