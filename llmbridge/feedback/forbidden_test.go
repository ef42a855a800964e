package feedback

import (
	"context"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// TestForbiddenFeedback: feedback says that a step is forbidden, and what else it lacks,
// also where the restriction is written by hand.
func TestForbiddenFeedback(t *testing.T) {
	prob := pddltest.Forbid(t, pddltest.Load(t, "blocksworld:4-17"), "(stack b a)")
	_, byHand := pddltest.Parse(t, `(define (domain hand) (:predicates (forbidden-go ?x ?y) (at ?x) (open ?x))
  (:action go :parameters (?x ?y) :precondition (and (not (forbidden-go ?x ?y)) (at ?x) (or (open ?x) (open ?y))) :effect (and (not (at ?x)) (at ?y))))`,
		`(define (problem h) (:domain hand) (:objects u v w) (:init (at u) (open u) (forbidden-go v w)) (:goal (at w)))`)
	for _, c := range []struct {
		prob  *pddl.Problem
		style prompt.Style
		plan  string
		want  string
	}{
		{prob, prompt.StyleNL, "(unstack b c)\n(stack b a)", "Your plan is not valid. Step 2, stack the blue block on top of the red block, is forbidden here."},
		{prob, prompt.StylePDDL, "(unstack b c)\n(stack b a)", "Your plan is not valid. Step 2, (stack b a), is forbidden here."},
		{prob, prompt.StyleNL, "(stack b a)", "Your plan is not valid. Step 1, stack the blue block on top of the red block, is forbidden here. It cannot be carried out anyway: it does not hold that the hand is currently holding blue block."},
		{byHand, prompt.StyleNL, "(go u v)\n(go v w)", "Your plan is not valid. Step 2, go v w, is forbidden here. It cannot be carried out anyway: it does not hold that open v or open w."},
	} {
		critic, err := NewCritic(context.Background(), c.prob, Options{Style: c.style})
		if err != nil {
			t.Fatal(err)
		}
		f, err := critic.CriticiseText(context.Background(), pddl.NewSource("plan", c.plan))
		if err != nil {
			t.Fatal(err)
		}
		if f.Text != c.want || !f.Errors[0].Forbidden {
			t.Errorf("%s\nwant\n%s", f.Text, c.want)
		}
	}
}
