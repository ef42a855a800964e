package validator

import (
	"testing"

	"github.com/planproof/planproof/pddl"
)

// ruleJudge compiles a task with three actions: b needs what a does, and the condition of c compares with an undefined
// value. With timed the domain has a durative action, too.
func ruleJudge(t *testing.T, timed bool) *Judge {
	t.Helper()
	text := `(define (domain d) (:predicates (p) (q)) (:functions (f))
(:action a :parameters () :effect (p))
(:action b :parameters () :precondition (p) :effect (q))
(:action c :parameters () :precondition (not (> 1 (f))) :effect (q))`
	if timed {
		text += `(:durative-action e :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p)))`
	}
	dom, diags := pddl.ParseDomain(&pddl.Source{Name: "domain", Text: text + ")"}, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	prob, diags := pddl.ParseProblem(&pddl.Source{Name: "problem", Text: "(define (problem x) (:domain d) (:init) (:goal (q)))"}, dom, pddl.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	j, err := NewJudge(prob, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestRules: rules 1 and 16 of docs/SEMANTICS.md, for tasks with and without durative actions.
func TestRules(t *testing.T) {
	for _, timed := range []bool{false, true} {
		j := ruleJudge(t, timed)
		early := &pddl.Plan{Timed: true, Steps: []pddl.Step{{Name: "a", Time: pddl.Int(-1)}, {Name: "b", Time: pddl.Int(1)}}}
		if v := j.Validate(early); v.Valid || v.Failure.Kind != FailSyntax {
			t.Errorf("timed %v: a step at a negative time: %+v", timed, v.Failure)
		}
		for plan, want := range map[string]FailureKind{
			"1.00000000000000000000001: (b)\n1: (a)": "", // no double tells the two apart
			"1.00000000000000000000001: (a)\n1: (b)": FailPrecondition,
			"1: (c)":                                 FailNumeric,
		} {
			v, diags := j.ValidateText(&pddl.Source{Name: "plan", Text: plan}, j.NewScratch())
			var got FailureKind
			if v.Failure != nil {
				got = v.Failure.Kind
			}
			if diags.HasErrors() || got != want {
				t.Errorf("timed %v, %q: %q, want %q (%v)", timed, plan, got, want, diags)
			}
		}
	}
}
