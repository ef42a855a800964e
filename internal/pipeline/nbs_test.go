package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func read(t *testing.T, domain, problem string) *pddl.Problem {
	t.Helper()
	d, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
	if d == nil {
		t.Fatal(ds)
	}
	p, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), d, pddl.Options{})
	if p == nil {
		t.Fatal(ds)
	}
	return p
}

const nbsDomain = `(define (domain d) (:requirements :adl :action-costs :derived-predicates)
 (:types a b - object)
 (:constants a1 a2 - a b1 b2 - b)
 (:predicates (p ?x) (q ?x) (r ?x ?y) (some) (tc ?x ?y))
 (:functions (total-cost) - number)
 RULES
 (:action go :parameters (?x - object)
  :precondition PRE
  :effect (and (q ?x) EFFECT (increase (total-cost) 2)))
 (:action mk :parameters (?x - object) :precondition (not (p ?x)) :effect (and (p ?x) (increase (total-cost) 1))))`

const nbsProblem = `(define (problem x) (:domain d) (:init (p a1) (= (total-cost) 0)) (:goal GOAL) (:metric minimize (total-cost)))`

// TestFromBothEnds: what PDDL without axioms is compiled to is searched from both ends, at the
// cost that searching forwards finds.
func TestFromBothEnds(t *testing.T) {
	for name, c := range map[string]struct{ rules, pre, effect, goal string }{
		"disjunction":             {"", "(or (p ?x) (q a1))", "(and)", "(and (q b1) (q b2))"},
		"disjunctive goal":        {"", "(p ?x)", "(and)", "(or (q b1) (and (q a1) (q a2)))"},
		"disjunctions in a goal":  {"", "(p ?x)", "(not (p ?x))", "(and (or (q b1) (p b1)) (forall (?y - b) (or (q ?y) (and (p ?y) (p a1)))))"},
		"goal of a quantifier":    {"", "(p ?x)", "(not (p ?x))", "(exists (?x - b) (and (q ?x) (not (p ?x))))"},
		"equality across types":   {"", "(and (p ?x) (forall (?y - b) (or (= ?x ?y) (q a1))))", "(and)", "(and (q b1) (q b2))"},
		"universal precondition":  {"", "(forall (?y - b) (or (p ?y) (q ?y)))", "(not (p ?x))", "(and (q a1) (not (p a1)))"},
		"universal and disjoined": {"", "(or (forall (?y) (or (p ?y) (q ?y))) (p ?x))", "(not (p ?x))", "(and (q a2) (q b1) (not (p b1)))"},
		"disjunctive condition":   {"", "(p ?x)", "(when (or (q a1) (p b1)) (not (p ?x)))", "(and (q a2) (not (p a2)))"},
		"disjunctive cost":        {"", "(p ?x)", "(when (or (q a1) (p b1) (p b2)) (increase (total-cost) 7))", "(and (q a2) (q a1))"},
		"exists in a condition":   {"", "(p ?x)", "(when (exists (?y) (and (p ?y) (q ?y))) (not (p ?x)))", "(and (q a2) (not (p a2)) (q a1))"},
		"a rule without recursion": {"(:derived (some) (exists (?y - b) (and (p ?y) (q ?y))))", "(p ?x)", "(and)",
			"(and (some) (q a1))"},
		"unreachable": {"", "(and (p ?x) (or (q ?x) (r ?x ?x)))", "(and)", "(or (q b1) (q b2))"},
	} {
		t.Run(name, func(t *testing.T) {
			p := read(t, strings.NewReplacer("RULES", c.rules, "PRE", c.pre, "EFFECT", c.effect).Replace(nbsDomain), strings.Replace(nbsProblem, "GOAL", c.goal, 1))
			solve := func(s string) *Answer {
				a, err := Solve(context.Background(), p, Options{Search: search.Config{Search: s}})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			want := solve("ucs()")
			for _, s := range []string{"nbs(blind(), backward=0)", "nbs(blind())", "nbs(hmax())"} {
				if got := solve(s); got.Status != want.Status || got.Result.Cost != want.Result.Cost {
					t.Errorf("%s: %s (%s) at cost %d, want %s at %d", s, got.Status, got.Reason, got.Result.Cost, want.Status, want.Result.Cost)
				}
			}
		})
	}
}

// TestRefusedAt: what a search from both ends refuses is refused with its place.
func TestRefusedAt(t *testing.T) {
	recursive := strings.NewReplacer("RULES", "(:derived (tc ?x ?y) (or (r ?x ?y) (exists (?z) (and (r ?x ?z) (tc ?z ?y)))))",
		"PRE", "(p ?x)", "EFFECT", "(forall (?y) (when (p ?y) (r ?x ?y)))").Replace(nbsDomain)
	const wide = `(define (domain d) (:requirements :adl) (:predicates (on ?x) (off ?x) (done))
 (:action a :parameters (?x) :effect (on ?x))
 (:action b :parameters (?x) :effect (off ?x))
 (:action c :parameters () :precondition (forall (?x) (or (on ?x) (off ?x))) :effect (done)))`
	objects := "(define (problem x) (:domain d) (:objects a b c d e f g h i j k l)\n (:init)\n (:goal GOAL))"
	for name, c := range map[string]struct{ domain, problem, want string }{
		"recursion": {recursive, strings.Replace(nbsProblem, "GOAL", "(tc a1 b1)", 1), "derived predicates that depend on themselves: tc("},
		"goal": {wide, strings.Replace(objects, "GOAL", "(forall (?x) (or (on ?x) (off ?x)))", 1),
			"more than 1024 alternatives, at problem.pddl:3:3"},
		"precondition": {wide, strings.Replace(objects, "GOAL", "(done)", 1), "more than 1024 alternatives, at domain.pddl:4:11"},
	} {
		a, err := Solve(context.Background(), read(t, c.domain, c.problem), Options{Search: search.Config{Search: "nbs(blind())"}})
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != search.Unsupported || !strings.Contains(a.Reason, c.want) || !strings.Contains(a.Reason, ", at ") {
			t.Errorf("%s: %s %q, want %q with its place", name, a.Status, a.Reason, c.want)
		}
	}
}
