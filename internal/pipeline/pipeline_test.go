package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// TestConfirm hands the guard before printing what a broken search would find: a plan that
// does not work, and one that is priced wrong. Neither may get through.
func TestConfirm(t *testing.T) {
	prob, task := tasktest.Bundled("blocksworld:3-1")
	found, err := search.Run(context.Background(), task, search.Config{})
	if err != nil || found.Status != search.SolvedOptimally {
		t.Fatal(found, err)
	}
	a, err := Confirm(prob, task, found, nil)
	if err != nil || !a.Verdict.Valid || len(a.Plan) != len(found.Plan) {
		t.Errorf("a right plan: %+v, %v", a, err)
	}
	short, wrong := *found, *found
	short.Plan = found.Plan[1:]
	wrong.Cost++
	for name, r := range map[string]*search.Result{"a plan without its first step": &short, "a wrong cost": &wrong} {
		var no *Disagreement
		if a, err := Confirm(prob, task, r, nil); a != nil || !errors.As(err, &no) || !strings.Contains(err.Error(), "the judge refuses or prices otherwise") {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

// TestUndecided: a plan that the judge cannot decide within its limits is no answer, and no
// disagreement with the search either.
func TestUndecided(t *testing.T) {
	var objects, pairs strings.Builder
	for i := range 20 {
		fmt.Fprintf(&objects, " o%d", i)
		for k := range 20 {
			fmt.Fprintf(&pairs, "(q o%d o%d)", i, k)
		}
	}
	d, _ := pddl.ParseDomain(pddl.NewSource("domain", `(define (domain d) (:requirements :adl) (:predicates (g) (q ?a ?b))
 (:action a :parameters () :precondition (forall (?a ?b ?c) (imply (and (q ?a ?b) (q ?b ?c)) (q ?a ?c))) :effect (g)))`), pddl.Options{})
	prob, diags := pddl.ParseProblem(pddl.NewSource("problem", "(define (problem p) (:domain d) (:objects"+objects.String()+") (:init "+pairs.String()+") (:goal (g)))"), d, pddl.Options{})
	if err := diags.FirstError(); err != nil {
		t.Fatal(err)
	}
	judge, err := validator.NewJudge(prob, validator.Options{MaxWork: 1})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Solve(context.Background(), prob, Options{Judge: judge})
	if err != nil || a.Status != search.Timeout || a.Verdict != nil || a.Result.Plan != nil || !strings.Contains(a.Reason, "not judged: it takes too many evaluations") {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = Solve(context.Background(), prob, Options{}); err != nil || a.Status != search.SolvedOptimally {
		t.Fatalf("%+v, %v", a, err)
	}
	var no *Disagreement
	if a, err := Confirm(prob, a.Task, a.Result, judge); a != nil || !errors.Is(err, search.ErrLimit) || errors.As(err, &no) {
		t.Errorf("%v, %v", a, err)
	}
}

// TestConfirmTable: a table of another cost than the problem has is refused, and so are its
// plans.
func TestConfirmTable(t *testing.T) {
	ctx := context.Background()
	prob, task := tasktest.Bundled("blocksworld:3-1")
	if _, err := Exhaust(ctx, prob, task, search.Limits{}, nil); err != nil {
		t.Fatal(err)
	}
	wrong := *task
	wrong.Operators = task.Operators.Clone()
	for o := range wrong.Operators.Len() {
		wrong.Operators.SetCost(o, 2)
	}
	var no *Disagreement
	if _, err := Exhaust(ctx, prob, &wrong, search.Limits{}, nil); !errors.As(err, &no) {
		t.Errorf("operators that cost twice as much: %v", err)
	}
	table, err := space.Exhaust(ctx, &wrong, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := NewPlans(ctx, prob, table, search.Limits{}, space.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := plans.Next(); !errors.As(err, &no) {
		t.Errorf("a plan of that table: %+v, %v", a, err)
	}
}

// TestConfirmGoals: distances to many goals are confirmed one by one. The state space has a cost of 1 for the step
// here, and the judge one of 2.
func TestConfirmGoals(t *testing.T) {
	ctx := context.Background()
	priced := func(cost string) *pddl.Problem {
		return tasktest.Parse(t, `(define (domain d) (:requirements :strips :action-costs) (:predicates (p) (q)) (:functions (total-cost))
 (:action a :parameters () :precondition (p) :effect (and (q) (increase (total-cost) `+cost+`))))`,
			"(define (problem x) (:domain d) (:init (p) (= (total-cost) 0)) (:goal (q)) (:metric minimize (total-cost)))")
	}
	prob, dear := priced("1"), priced("2")
	goals, err := space.ReadGoals(prob, pddl.NewSource("goals", "(and (q))\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []bool{false, true} {
		calls := 0
		g, err := NewGoals(ctx, prob, space.GoalOptions{Reprice: func(p *pddl.Problem) (*pddl.Problem, error) {
			if calls++; calls == 1 || !wrong { // of the space
				return p, nil
			}
			return dear, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		var no *Disagreement
		rows := 0
		_, err = g.Each(ctx, goals, func(row *space.GoalDistance) error { rows++; return nil })
		if wrong != errors.As(err, &no) || wrong == (rows == 1) {
			t.Errorf("wrong %v: %d rows, %v", wrong, rows, err)
		}
	}
}
