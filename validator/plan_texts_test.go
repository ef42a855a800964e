package validator

import (
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestPlanTexts: the forms of plans in docs/SEMANTICS.md, read or not as it says.
func TestPlanTexts(t *testing.T) {
	const head, problem = "(define (domain d) (:requirements :typing :durative-actions) (:types t) (:predicates (g ?x - t)) ",
		"(define (problem p) (:domain d) (:objects o - t) (:init) (:goal (g o)))"
	plain := compile(t, head+"(:action a :parameters (?x - t) :effect (g ?x)))", problem)
	timed := compile(t, head+"(:durative-action a :parameters (?x - t) :duration (= ?duration 5) :condition (and) :effect (at end (g ?x))))", problem)
	for _, c := range []struct {
		judge *Judge
		text  string
		read  bool
	}{
		{plain, "(a o)\n; cost = 1 (unit cost)\n", true},
		{plain, "0: (A O)\n", true},
		{plain, "0:   (A O) [1]\n", true},
		{timed, "; Version LPG-td-1.0\n; Time 0.01\n\n0.0002:   (A O) [5.0000]\n", true},
		{timed, "; Plan found with metric 5.000\n0.000: (a o)  [5.000]\n", true},
		{timed, "0.00000000: (a o) [5.00000000]\n", true},
		{timed, "0.0: ( a o)[5.0]; comment\n", true},
		{timed, "0.000:\t(a o) [5.000]\r\n", true},
		{timed, "\xef\xbb\xbf0.0 : ( a  o ) [ 5 ]\n", true},
		{timed, "1e-1: (a o) [5e0]\n", true},
		{plain, "(a o) (a o)\n", true},
		{plain, "0.0: (a o)\n1.0: @PlanEND\n", true},
		{plain, "step    0: A O\n", false},
		{plain, "STEP 0: a(o)\n", false},
		{plain, "a o (1)\n", false},
		{timed, "0.0: a(o) [5.0]\n", false},
		{timed, "0.0002:   (A O) [D:5.00; C:0.10]\n", false},
		{plain, "0: (A O)\n1: (REACH-GOAL)\n", false},
		{plain, "1/2: (a o)\n", false},
		{plain, "0,5: (a o)\n", false},
		{plain, "1_000: (a o)\n", false},
		{timed, "0: (a o) [0x5]\n", false},
		{timed, "0: (a o) [nan]\n", false},
		{plain, "1e-99999: (a o)\n", false},
	} {
		v, _ := c.judge.ValidateText(pddl.NewSource("plan", c.text), c.judge.NewScratch())
		if v.Valid != c.read {
			t.Errorf("%q: valid %v, want %v: %s", c.text, v.Valid, c.read, message(v))
		}
		if !c.read && v.Failure.Line == 0 {
			t.Errorf("%q: no place: %s", c.text, message(v))
		}
		if !c.read && !strings.Contains(c.text, "REACH") && v.Failure.Kind != FailSyntax {
			t.Errorf("%q: %s", c.text, v.Failure.Kind)
		}
	}
}
