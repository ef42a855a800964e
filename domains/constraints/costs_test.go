package constraints

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// priced is a task with prices: two ways, the one with more steps is cheaper, and a toll that depends on a fact.
func priced(t *testing.T) *pddl.Problem {
	prob, err := read(`(define (domain roads) (:requirements :typing :action-costs :conditional-effects) (:types place)
  (:predicates (at ?p - place) (road ?a ?b - place) (late))
  (:functions (length ?a ?b - place) (total-cost))
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
   :effect (and (not (at ?a)) (at ?b) (increase (total-cost) (length ?a ?b))))
  (:action rest :parameters () :precondition (not (late)) :effect (and (late) (increase (total-cost) 2))))`,
		`(define (problem p) (:domain roads) (:objects a b c - place) (:init (at a) (road a b) (road b c) (road a c) (road c a)
  (= (length a b) 2) (= (length b c) 1.5) (= (length a c) 5) (= (length c a) 0) (= (total-cost) 0)) (:goal (at c)) (:metric minimize (total-cost)))`)
	if err != nil {
		t.Fatal(err)
	}
	return prob
}

// TestCostLimit: the compiled task has a plan exactly where the optimum without the limit keeps it, at that cost; its
// plans are those that keep it; and the search ends where there is none.
func TestCostLimit(t *testing.T) {
	for name, prob := range map[string]*pddl.Problem{"roads": priced(t), "blocks": load(t, "blocksworld:3-5"), "trip": load(t, "trip:1-3-1")} {
		base, err := pipeline.Solve(t.Context(), prob, pipeline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []pddl.Number{pddl.Int(-1), pddl.Fraction(-1, 3), pddl.Int(0), pddl.Fraction(1, 3), pddl.Int(2)} {
			limit := base.Cost.Add(off)
			text := fmt.Sprintf("(cost-limit %s)", limit.Rat().RatString())
			list := parse(t, prob, text)
			compiled, err := Compile(prob, list)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, text, err)
			}
			got, err := pipeline.Solve(t.Context(), compiled, pipeline.Options{Search: search.Config{Limits: search.Limits{Nodes: 1_000_000}}})
			want := base.Cost.Cmp(limit) <= 0
			if err != nil || want != (got.Verdict != nil) || !want && got.Status != search.Unsolvable || want && !got.Cost.Equal(base.Cost) {
				t.Errorf("%s, %s: %+v, %v; the optimum is %s", name, text, got, err, base.Cost)
			}
		}
	}
}

// TestCostOfPlans compares the compiled task with the costs of random plans, and the step that spends too much.
func TestCostOfPlans(t *testing.T) {
	prob := priced(t)
	free, err := withGoal(prob, "(and)")
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(t.Context(), free, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	prices := map[string]float64{"(drive a b)": 2, "(drive b c)": 1.5, "(drive a c)": 5, "(drive c a)": 0, "(rest)": 2}
	list := parse(t, free, "(cost-limit 7)")
	compiled, err := Compile(free, list)
	if err != nil {
		t.Fatal(err)
	}
	j, err := NewJudge(free, list)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		_, steps := w.Walk(w.Sim.Initial(), rng.IntN(9), rng)
		cost, broken := 0.0, 0
		for i, s := range steps {
			if cost += prices[s]; cost > 7 && broken == 0 {
				broken = i + 1
			}
		}
		v, err := world.Judge(compiled, steps)
		violations, fault := j.Violations(pddl.NewSource("plan", strings.Join(steps, "\n")))
		if err != nil || fault != nil || v.Valid != (broken == 0) || len(violations) != map[bool]int{true: 1}[broken > 0] || broken > 0 && violations[0].Step != broken {
			t.Fatalf("%q costs %v: %+v, %v, %v, %v", steps, cost, v, violations, err, fault)
		}
		if broken == 0 {
			kept++
		}
	}
	if kept < 40 || kept > 160 {
		t.Errorf("%d of 200 plans keep the limit", kept)
	}
}

// TestCostLimitsTaken: the least limit counts.
func TestCostLimitsTaken(t *testing.T) {
	prob := priced(t)
	others, least := CostLimits(parse(t, prob, "(cost-limit 9) (missing b) (cost-limit 4)"))
	if len(others) != 1 || least == nil || least.String() != "4" {
		t.Errorf("%v, %v", others, least)
	}
	if _, least := CostLimits(nil); least != nil {
		t.Error("no limit is one")
	}
}
