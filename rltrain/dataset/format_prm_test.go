package dataset

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/search"
)

// A walk with a way that leads nowhere, a detour, and a whistle that costs something and
// changes nothing that the goal depends on, so that grounding leaves it out.
const walkDomain = `(define (domain walk)
  (:requirements :strips :action-costs)
  (:predicates (at ?x) (way ?x ?y) (heard))
  (:functions (total-cost) (length ?x ?y))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (way ?x ?y))
    :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (length ?x ?y))))
  (:action whistle :parameters (?x) :precondition (at ?x) :effect (and (heard) (increase (total-cost) 0.25))))`

const walkProblem = `(define (problem w) (:domain walk) (:objects a b c pit)
  (:init (at a) (way a b) (way b c) (way a c) (way b a) (way b pit) (= (length a b) 1) (= (length b c) 1.5)
    (= (length a c) 4) (= (length b a) 0) (= (length b pit) 0) (= (total-cost) 2))
  (:goal (at c)) (:metric minimize (total-cost)))`

func TestPromisingSteps(t *testing.T) {
	prob := parseTask(t, walkDomain, walkProblem)
	for _, c := range []struct{ plan, executable, solvable, optimal string }{
		{"(go a b) (go b c)", "+++", "+++", "+++"},
		{"(go a c)", "++", "++", "--"},                                     // a dearer plan
		{"(go a b)", "+-", "+-", "+-"},                                     // well begun
		{"(go a b) (go b a) (go a b) (go b c)", "+++++", "+++++", "+----"}, // the way back is free, to go again is not
		{"(go a b) (go b pit)", "++-", "+--", "+--"},                       // nothing leads out of it
		{"(whistle a) (go a b) (go b c)", "++++", "++++", "----"},          // grounding does not know it
		{"(go a b) (whistle b) (go b c)", "++++", "++++", "+---"},          //
		{"(go b c) (go a b)", "---", "---", "---"},                         // the first cannot be executed
		{"(go a b) (go a b) (go b c)", "+---", "+---", "+---"},             //
		{"(go a b) (fly b c) (go b c)", "+---", "+---", "+---"},            // there is no such action
		{"(go a b) (go b pit) (go pit c)", "++--", "+---", "+---"},         //
		{"", "-", "-", "-"},
	} {
		var plan []string
		if c.plan != "" {
			plan = strings.Split(strings.ReplaceAll(c.plan, ") (", ")\n("), "\n")
		}
		for labels, want := range map[StepLabels]string{ExecutableSteps: c.executable, SolvableSteps: c.solvable, OptimalSteps: c.optimal} {
			j, err := newStepJudge(context.Background(), prob, labels, search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := j.label(plan, judgeSteps(j.judge, plan).Valid)
			if err != nil {
				t.Fatal(err)
			}
			told := ""
			for _, right := range got {
				told += map[bool]string{true: "+", false: "-"}[right]
			}
			if told != want {
				t.Errorf("%q of %s: %s, want %s", labels, c.plan, told, want)
			}
		}
	}
}

// Labels of optimal steps against a planner that shares no code with planproof: a step is
// right exactly if what was paid up to it and what the goal is away from there are together
// what the task costs.
func TestOptimalStepsAgainstNaivePlanner(t *testing.T) {
	for _, name := range []string{"blocksworld:3-17", "blocksworld:4-17", "gripper:2-2"} {
		prob := bundled(t, name)
		simple := naive.New(prob.Domain.String(), prob.String())
		away := simple.Distances(100_000)
		best := away[simple.Key(simple.Initial())]
		gold, _, err := (&solver{}).cheapest(context.Background(), prob)
		if err != nil || gold == nil || best == 0 {
			t.Fatal(name, best, gold, err)
		}
		j, err := newStepJudge(context.Background(), prob, OptimalSteps, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var objects []string
		for _, o := range prob.Objects {
			objects = append(objects, strings.ToLower(o.Name))
		}
		right, wrong := 0, 0
		for _, m := range mutants(gold.Plan, objects, seeded.Rand(1, name)) {
			got, err := j.label(m.steps, false)
			if err != nil {
				t.Fatal(err)
			}
			executed, _, _, _ := simple.Run(m.steps)
			for i := range m.steps {
				_, cost, _, key := simple.Run(m.steps[:i+1])
				left, alive := away[key]
				want := i < executed && alive && cost+left == best
				if got[i] != want {
					t.Errorf("%s: step %d of %v: %v, want %v", name, i+1, m.steps, got[i], want)
				}
				if want {
					right++
				} else if i < executed {
					wrong++
				}
			}
		}
		if right == 0 || wrong == 0 {
			t.Errorf("%s: %d executable steps are optimal and %d are not: too few to tell", name, right, wrong)
		}
	}
}

func TestNoDistances(t *testing.T) {
	numeric := strings.ReplaceAll(walkDomain, "(at ?x) (way ?x ?y))", "(at ?x) (way ?x ?y) (< (total-cost) 9))")
	_, err := newStepJudge(context.Background(), parseTask(t, numeric, walkProblem), OptimalSteps, search.Limits{})
	if !errors.Is(err, errNoDistances) || leftOut(err) != DropDistances {
		t.Errorf("a task with numbers in its states: %v", err)
	}
	_, err = newStepJudge(context.Background(), bundled(t, "blocksworld:5-3"), OptimalSteps, search.Limits{Memory: 1 << 10})
	if !errors.Is(err, errDistanceLimit) || leftOut(err) != DropLimit {
		t.Errorf("a limit: %v", err)
	}
}
