package pddl

import (
	"strings"
	"testing"
	"time"
)

const nestedHead = `(define (domain d) (:requirements :adl :fluents :object-fluents) (:types box place)
	(:constants k l start - box) (:predicates (at ?b - box ?x - place) (p ?x - place) (q ?x ?y - object) (r))
	(:functions (in ?b - box) - place (on ?b - box) - box (top) - box (weight ?b - box) - number (dist ?p ?q - place) - number (total-cost) - number)
`

// TestNested states what terms with object fluents are read as.
func TestNested(t *testing.T) {
	for _, c := range []struct{ in, want string }{ // condition, or effect where it says so
		{"(p (in ?a))", "(exists (?in - place) (and (= (in ?a) ?in) (p ?in)))"},
		{"(not (p (in ?a)))", "(not (forall (?in - place) (imply (= (in ?a) ?in) (p ?in))))"},
		{"(imply (p (in ?a)) (p (in ?b)))", "(imply (forall (?in - place) (imply (= (in ?a) ?in) (p ?in))) (exists (?in - place) (and (= (in ?b) ?in) (p ?in))))"},
		{"(not (imply (p (in ?a)) (r)))", "(not (imply (exists (?in - place) (and (= (in ?a) ?in) (p ?in))) (r)))"},
		{"(q (in ?a) (in ?b))", "(exists (?in ?in-2 - place) (and (= (in ?a) ?in) (= (in ?b) ?in-2) (q ?in ?in-2)))"},
		{"(at start (in ?a))", "(exists (?in - place) (and (= (in ?a) ?in) (at start ?in)))"},
		{"(p (in (on ?a)))", "(exists (?on - box ?in - place) (and (= (on ?a) ?on) (= (in ?on) ?in) (p ?in)))"},
		{"(= (in ?a) (in ?b))", "(exists (?in ?in-2 - place) (and (= (in ?a) ?in) (= (in ?b) ?in-2) (= ?in ?in-2)))"},
		{"(= (in (on ?a)) ?h)", "(exists (?on - box) (and (= (on ?a) ?on) (= (in ?on) ?h)))"},
		{"(= (in ?a) undefined)", "(= (in ?a) undefined)"},
		{"(not (= undefined (top)))", "(not (= (top) undefined))"},
		{"(< (weight (on ?a)) (weight (top)))", "(exists (?on ?top - box) (and (= (on ?a) ?on) (= (top) ?top) (< (weight ?on) (weight ?top))))"},
		{"(forall (?in - place) (q ?in (in ?a)))", "(forall (?in - place) (exists (?in-2 - place) (and (= (in ?a) ?in-2) (q ?in ?in-2))))"},
		{"EFFECT (assign (in ?b) (in ?a))", "(not (= (in ?a) undefined)) | (forall (?in - place) (when (= (in ?a) ?in) (assign (in ?b) ?in)))"},
		{"EFFECT (assign (in (on ?b)) ?h)", "(not (= (on ?b) undefined)) | (forall (?on - box) (when (= (on ?b) ?on) (assign (in ?on) ?h)))"},
		{"EFFECT (and (not (p (in ?a))) (p (in ?b)))", "(and (not (= (in ?a) undefined)) (not (= (in ?b) undefined))) | " +
			"(and (forall (?in - place) (when (= (in ?a) ?in) (not (p ?in)))) (forall (?in - place) (when (= (in ?b) ?in) (p ?in))))"},
		{"EFFECT (forall (?c - box) (when (r) (p (in ?c))))", "(forall (?c - box) (imply (r) (not (= (in ?c) undefined)))) | " +
			"(forall (?c - box) (when (r) (forall (?in - place) (when (= (in ?c) ?in) (p ?in)))))"},
		{"EFFECT (increase (total-cost) (dist (in ?a) (in (on ?b))))",
			"(exists (?in - place ?on - box ?in-2 - place) (and (= (in ?a) ?in) (= (on ?b) ?on) (= (in ?on) ?in-2))) | " +
				"(forall (?in - place ?on - box ?in-2 - place) (when (and (= (in ?a) ?in) (= (on ?b) ?on) (= (in ?on) ?in-2)) (increase (total-cost) (dist ?in ?in-2))))"},
	} {
		condition, effect := c.in, "(r)"
		if e, ok := strings.CutPrefix(c.in, "EFFECT "); ok {
			condition, effect = "(and)", e
		}
		d, ds := ParseDomain(NewSource("domain.pddl", nestedHead+"(:action a :parameters (?a ?b - box ?h - place) :precondition "+condition+" :effect "+effect+"))"), Options{Strict: true})
		if d == nil {
			t.Errorf("%s: %v", c.in, ds)
			continue
		}
		n := d.Names(&d.Actions[0].Schema)
		got := n.Formula(d.Actions[0].Precondition)
		if effect != "(r)" {
			got += " | " + n.Effect(d.Actions[0].Effect)
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.in, got, c.want)
		}
		checkDomainStable(t, d)
	}
}

// TestNestedHostile: many terms in one literal take linear time.
func TestNestedHostile(t *testing.T) {
	const n = 50_000
	for _, c := range []string{
		"(q" + strings.Repeat(" (top)", n) + ")",
		"(and" + strings.Repeat(" (p (in ?a))", n) + ")",
		"(p " + strings.Repeat("(on ", 9000) + "k" + strings.Repeat(")", 9000) + ")",
	} {
		start := time.Now()
		ParseDomain(NewSource("domain.pddl", nestedHead+"(:action a :parameters (?a ?b - box ?h - place) :precondition "+c+" :effect (and"+
			strings.Repeat(" (p (in ?b))", n)+")))"), Options{})
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%.40s... took %v", c, d)
		}
	}
}

func TestNestedFaults(t *testing.T) {
	for in, want := range map[string]string{
		"(p (q k l))":            "undeclared-function: predicate 'q' is used as an object",
		"(p (im k))":             "undeclared-function: undeclared function 'im'",
		"(p (weight k))":         "type-mismatch: the values of 'weight' are numbers",
		"(p (in))":               "wrong-arity: 'in' takes 1 argument",
		"(p (on k))":             "type-mismatch: '(on k)' is of type box",
		"(p (in (in k)))":        "type-mismatch: '(in k)' is of type place",
		"(p ())":                 "unexpected-token: expected an object fluent",
		"(= k undefined)":        "type-mismatch: 'undefined' can only be compared with an object fluent",
		"(= (in k) 1)":           "type-mismatch: '=' compares a number with an object",
		"(< (weight (in k)) 1)":  "type-mismatch: '(in k)' is of type place",
		"(> (dist (in k) k) 1)":  "type-mismatch: 'k' is of type box",
		"(forall (?in) (p (in))": "",
	} {
		_, ds := ParseDomain(NewSource("domain.pddl", nestedHead+"(:action a :parameters () :precondition "+in+"))"), Options{})
		errs := ds.Errors()
		if len(errs) == 0 || want != "" && !strings.HasPrefix(string(errs[0].Code)+": "+errs[0].Message, want) {
			t.Errorf("%s: want %s, got\n%v", in, want, errs)
		}
	}
	for in, want := range map[string]string{
		"(:durative-action a :parameters () :duration (= ?duration (dist (in k) (in l))) :condition () :effect (at end (r)))": "in durations",
		"(:durative-action a :parameters () :duration (= ?duration 1) :condition () :effect (at end (p (in k))))":             "in effects of durative actions",
	} {
		_, ds := ParseDomain(NewSource("domain.pddl", nestedHead+in+")"), Options{})
		if errs := ds.Errors(); len(errs) == 0 || errs[0].Code != NestedObjectFluent || !strings.Contains(errs[0].Message, want) {
			t.Errorf("%s: want %s, got\n%v", in, want, errs)
		}
	}
	dom, ds := ParseDomain(NewSource("domain.pddl", nestedHead+")"), Options{})
	if len(ds.Errors()) > 0 {
		t.Fatal(ds)
	}
	for _, in := range []string{"(p (in k))", "(= (weight (on k)) 1)", "(q k (top))"} {
		_, ds := ParseProblem(NewSource("problem.pddl", "(define (problem p) (:domain d) (:objects h - place) (:init (r) "+in+") (:goal (r)))"), dom, Options{})
		if errs := ds.Errors(); len(errs) != 1 || errs[0].Code != NestedObjectFluent || !strings.Contains(errs[0].Message, ":init") {
			t.Errorf("%s in :init: %v", in, errs)
		}
	}
}
