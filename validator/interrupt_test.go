package validator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestCompilingEnds: the judge's compiler ends at each look at its context, in every part: initial state,
// actions with conditions and effects, indexes, goal.
func TestCompilingEnds(t *testing.T) {
	const n = 10000
	var actions, objects, atoms, goal strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&actions, " (:action a%d :parameters (?x) :precondition (and (p ?x) (exists (?y) (or (q ?y) (and (r ?x ?y) (r ?y ?x))))) :effect (and (q ?x) (not (p ?x)) (forall (?z) (when (q ?z) (p ?z)))))\n", i)
	}
	for i := range n {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&atoms, "(p o%d)(r o%d o%d)(= (f o%d o%d) %d)", i, i, i*7%n, i, i*3%n, i)
		fmt.Fprintf(&goal, "(q o%d)", i)
	}
	dom, diags := pddl.ParseDomain(pddl.NewSource("domain", "(define (domain d) (:requirements :adl :numeric-fluents) (:predicates (p ?x) (q ?x) (r ?x ?y)) (:functions (f ?x ?y))\n"+actions.String()+")"), pddl.Options{})
	if dom == nil {
		t.Fatal(diags)
	}
	prob, diags := pddl.ParseProblem(pddl.NewSource("problem", "(define (problem x) (:domain d) (:objects"+objects.String()+") (:init "+atoms.String()+") (:goal (and "+goal.String()+")))"), dom, pddl.Options{})
	if prob == nil {
		t.Fatal(diags)
	}
	testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
		j, err := NewJudgeContext(ctx, prob, Options{})
		return j != nil, err
	})
}

// TestJudgingTextEnds: reading a plan and judging it end at each look at the scratch's context, without a decision.
func TestJudgingTextEnds(t *testing.T) {
	dom, diags := pddl.ParseDomain(pddl.NewSource("domain", "(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :precondition (p ?x) :effect (p ?x)))"), pddl.Options{})
	if dom == nil {
		t.Fatal(diags)
	}
	prob, diags := pddl.ParseProblem(pddl.NewSource("problem", "(define (problem x) (:domain d) (:objects o) (:init (p o)) (:goal (p o)))"), dom, pddl.Options{})
	if prob == nil {
		t.Fatal(diags)
	}
	j, err := NewJudge(prob, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := pddl.NewSource("plan", strings.Repeat("(a o)\n", 20000))
	for name, how := range map[string]func(*Judge, *pddl.Source, *Scratch) (*Verdict, pddl.Diagnostics){"judge": (*Judge).ValidateText, "explain": (*Judge).ExplainText} {
		t.Run(name, func(t *testing.T) {
			testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
				s := j.NewScratch()
				s.Context = ctx
				v, diags := how(j, plan, s)
				if v.Decided() || diags != nil {
					return true, nil
				}
				return false, ctx.Err()
			})
		})
	}
}
