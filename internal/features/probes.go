package features

import (
	"strings"

	"github.com/planproof/planproof/pddl"
)

// probe is a tiny task that uses one language feature. A test checks that each probe uses
// the feature it is named after, and that every feature has one.
type probe struct {
	feature string
	// What replaces a part of the plain task: types, functions, action parameters,
	// precondition, effect, further domain sections, initial state, goal and
	// further problem sections.
	types, functions, params, pre, effect, domain, init, goal, problem string
}

var probes = []probe{
	{feature: "typing", types: "(:types t)", params: "?x - t"},
	{feature: "either-types", types: "(:types t u)", params: "?x - (either t u)"},
	{feature: "equality", params: "?x", pre: "(= ?x o)"},
	{feature: "negative-preconditions", pre: "(not (q))"},
	{feature: "disjunctive-preconditions", pre: "(or (p) (q))"},
	{feature: "existential-preconditions", pre: "(exists (?y) (r ?y))", init: "(r o)"},
	{feature: "universal-preconditions", pre: "(forall (?y) (r ?y))", init: "(r o)"},
	{feature: "conditional-effects", effect: "(when (p) (q))"},
	{feature: "universal-effects", effect: "(and (q) (forall (?y) (r ?y)))"},
	{feature: "derived-predicates", domain: "(:derived (d) (q))", goal: "(d)"},
	{feature: "action-costs", functions: "(total-cost)", effect: "(and (q) (increase (total-cost) 5))",
		init: "(= (total-cost) 0)", problem: "(:metric minimize (total-cost))"},
	{feature: "numeric-fluents", functions: "(f)", effect: "(and (q) (increase (f) 1))",
		init: "(= (f) 0)", goal: "(and (q) (>= (f) 1))"},
	{feature: "object-fluents", types: "(:types t)", functions: "(at) - t", effect: "(and (q) (assign (at) o))",
		goal: "(= (at) o)"},
	{feature: "durative-actions", domain: "(:durative-action w :parameters () :duration (= ?duration 1) :condition (at start (p)) :effect (at end (q)))"},
	{feature: "duration-inequalities", domain: "(:durative-action w :parameters () :duration (<= ?duration 1) :condition (at start (p)) :effect (at end (q)))"},
	{feature: "continuous-effects", functions: "(f)", init: "(= (f) 0)",
		domain: "(:durative-action w :parameters () :duration (= ?duration 1) :condition () :effect (and (increase (f) (* #t 1)) (at end (q))))"},
	{feature: "processes", functions: "(f)", init: "(= (f) 0)", domain: "(:process w :parameters () :precondition (p) :effect (increase (f) (* #t 1)))"},
	{feature: "events", domain: "(:event w :parameters () :precondition (p) :effect (not (p)))"},
	{feature: "timed-initial-literals", init: "(at 5 (q))"},
	{feature: "timed-initial-fluents", functions: "(f)", init: "(= (f) 0) (at 5 (= (f) 1))"},
	{feature: "trajectory-constraints", problem: "(:constraints (always (p)))"},
	{feature: "preferences", goal: "(and (q) (preference g (p)))", problem: "(:metric minimize (is-violated g))"},
}

// plainProbe uses nothing beyond STRIPS.
var plainProbe = probe{feature: "strips"}

// sources writes the probe's domain and problem.
func (p *probe) sources() (domain, problem *pddl.Source) {
	or := func(s, plain string) string {
		if s == "" {
			return plain
		}
		return s
	}
	object := "o"
	if p.types != "" {
		object = "o - t"
	}
	d := []string{
		"(define (domain probe)",
		"(:requirements :adl :numeric-fluents :object-fluents :derived-predicates :durative-actions :duration-inequalities",
		":continuous-effects :timed-initial-literals :constraints :preferences)", p.types,
		"(:constants " + object + ") (:predicates (p) (q) (d) (r ?x))",
	}
	if p.functions != "" {
		d = append(d, "(:functions "+p.functions+")")
	}
	d = append(d, "(:action a :parameters ("+p.params+") :precondition "+or(p.pre, "(p)")+" :effect "+or(p.effect, "(q)")+")", p.domain, ")")
	text := "(define (problem probe-1) (:domain probe) (:init (p) " + p.init + ") (:goal " + or(p.goal, "(q)") + ") " + p.problem + ")"
	return pddl.NewSource("probe/domain.pddl", strings.Join(d, "\n")), pddl.NewSource("probe/problem.pddl", text)
}
