package pddl_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestReadingEnds: reading ends at each look at its context, with the context's error and nothing else; and it looks
// often.
func TestReadingEnds(t *testing.T) {
	const n = 20000
	var actions, objects, atoms, goal strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&actions, " (:action a%d :parameters (?x) :precondition (and (p ?x) (forall (?y) (or (q ?y) (p ?y)))) :effect (and (q ?x) (not (p ?x))))\n", i)
	}
	for i := range n {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&atoms, "(p o%d)", i)
		fmt.Fprintf(&goal, "(q o%d)", i)
	}
	domain := pddl.NewSource("domain", "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x))\n"+actions.String()+")")
	problem := pddl.NewSource("problem", "(define (problem x) (:domain d) (:objects"+objects.String()+") (:init "+atoms.String()+") (:goal (and "+goal.String()+")))")
	dom, diags := pddl.ParseDomain(domain, pddl.Options{})
	if dom == nil {
		t.Fatal(diags)
	}
	t.Run("domain", func(t *testing.T) {
		testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
			d, diags, err := pddl.ParseDomainContext(ctx, domain, pddl.Options{})
			return d != nil || diags != nil, err
		})
	})
	t.Run("problem", func(t *testing.T) {
		testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
			p, diags, err := pddl.ParseProblemContext(ctx, problem, dom, pddl.Options{})
			return p != nil || diags != nil, err
		})
	})
	plan := pddl.NewSource("plan", strings.Repeat("1: (move a b) ; a comment\n", n))
	t.Run("plan", func(t *testing.T) {
		testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
			p, diags, err := pddl.ParsePlanContext(ctx, plan)
			return p != nil || diags != nil, err
		})
	})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if p, _, err := pddl.ParseProblemContext(gone, problem, dom, pddl.Options{}); p != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v, %v", p != nil, err)
	}
}
