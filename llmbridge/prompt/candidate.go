package prompt

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/planproof/planproof/domains"
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
	candidateForbidden    = "forbidden" // valid but for the restrictions of the task
)

// verification makes a plan to verify. It is valid, or has a step that cannot be executed, or ends
// before the goal, or takes a forbidden step if the task has restrictions. The verdict is the judge's.
func (m *maker) verification(it *item, rng *rand.Rand) error {
	if err := m.solved(it); err != nil {
		return err
	}
	kinds := []string{candidateValid, candidateInexecutable, candidateGoal}
	var free []string // a cheapest plan of the task without its restrictions
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

// alter changes a valid plan so that it may fail in the given way.
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

// consequent returns the last operand of an unmet implication, whose condition holds: this is what is
// missing. Other literals stay as they are.
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

// suits reports whether a verdict is of the kind that a candidate should have.
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
