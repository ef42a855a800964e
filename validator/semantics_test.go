package validator

import (
	"fmt"
	"strings"
	"testing"
)

// TestSemantics states each rule as a tiny task and plan. want is "valid COST" or
// "KIND STEP: UNSATISFIED; BECAUSE", shortened as shown by describe.
func TestSemantics(t *testing.T) {
	const writes = `(:predicates (p)) (:functions (x)) (:action add :parameters () :effect (p)) (:action del :parameters () :effect (not (p)))
		(:action set :parameters (?o) :effect (assign (x) 2)) (:action inc :parameters () :effect (increase (x) 1))`
	tests := []struct {
		name   string
		decl   string // predicates, functions, types, actions
		task   string // objects, init, goal, metric
		plan   string
		want   string
		reason string // expected Because, if not ""
	}{
		// State.
		{"deletes come before adds",
			`(:predicates (p)) (:action a :parameters () :effect (and (p) (not (p))))`,
			`(:init (p)) (:goal (p))`, "(a)", "valid 1", ""},
		{"conditional effects read the old state",
			`(:predicates (p) (q)) (:action swap :parameters () :effect (and (when (p) (and (q) (not (p)))) (when (q) (and (p) (not (q))))))`,
			`(:init (p)) (:goal (and (q) (not (p))))`, "(swap)", "valid 1", ""},
		{"two conditional effects that fire: the add wins",
			`(:predicates (p) (c)) (:action a :parameters () :effect (and (when (c) (p)) (when (c) (not (p)))))`,
			`(:init (p) (c)) (:goal (p))`, "(a)", "valid 1", ""},
		{"right-hand sides read the old state",
			`(:predicates (p)) (:functions (x) (y)) (:action swap :parameters () :effect (and (assign (x) (y)) (assign (y) (x))))`,
			`(:init (= (x) 1) (= (y) 2)) (:goal (and (= (x) 2) (= (y) 1)))`, "(swap)", "valid 1", ""},
		{"an effect on a missing atom changes nothing",
			`(:predicates (p)) (:action a :parameters () :effect (not (p)))`,
			`(:init) (:goal (not (p)))`, "(a)", "valid 1", ""},
		{"universal effect over a type and its subtypes",
			`(:types big small - object mid - big) (:predicates (p ?x - object)) (:action a :parameters () :effect (forall (?x - big) (p ?x)))`,
			`(:objects b - big m - mid s - small) (:init) (:goal (and (p b) (p m) (not (p s))))`, "(a)", "valid 1", ""},
		{"nested universal effects with a condition in between",
			`(:types o - object) (:predicates (e ?x ?y - o) (r ?x - o)) (:action a :parameters () :effect (forall (?x - o) (when (r ?x) (forall (?y - o) (when (e ?x ?y) (r ?y))))))`,
			`(:objects a b c - o) (:init (r a) (e a b) (e b c)) (:goal (and (r b) (not (r c))))`, "(a)", "valid 1", ""},
		{"an effect fires once for a value, however many atoms hold it beside another",
			`(:predicates (p ?x ?y)) (:functions (total-cost)) (:action a :parameters () :effect (forall (?x) (when (p ?x ?x) (increase (total-cost) 1))))`,
			`(:objects o u v w x y z) (:init (p o o) (p o u) (p o v) (p w o)) (:goal (and)) (:metric minimize (total-cost))`, "(a)", "valid 1", ""},

		// Derived predicates.
		{"a head with a variable twice derives equal arguments only",
			`(:predicates (e ?x) (w ?x ?y)) (:derived (w ?a ?a) (e ?a))`,
			`(:objects o u) (:init (e o)) (:goal (and (w o o) (not (w u u)) (not (w o u)) (not (w u o))))`, "", "valid 0", ""},
		{"a head with a variable of two types has both",
			`(:types s t - object) (:predicates (e ?x) (w ?x ?y)) (:derived (w ?a - s ?a - t) (e ?a))`,
			`(:objects o - s u - t) (:init (e o) (e u)) (:goal (not (exists (?x ?y) (w ?x ?y))))`, "", "valid 0", ""},

		// Conditions.
		{"unmet literal and the step that broke it",
			`(:predicates (p) (q)) (:action a :parameters () :effect (not (p))) (:action b :parameters () :precondition (and (q) (p)))`,
			`(:init (p) (q)) (:goal (and))`, "(a) (a) (b)", "precondition 3: (p)", "step 1 (a) made (p) false"},
		{"last breaking step counts",
			`(:predicates (p)) (:action off :parameters () :effect (not (p))) (:action on :parameters () :effect (p)) (:action b :parameters () :precondition (p))`,
			`(:init (p)) (:goal (and))`, "(off) (on) (off) (b)", "precondition 4: (p)", "step 3 (off) made (p) false"},
		{"never true",
			`(:predicates (p)) (:action on :parameters () :effect (p)) (:action b :parameters () :precondition (p))`,
			`(:init) (:goal (and))`, "(b)", "precondition 1: (p)", "(p) was never true: it is not in the initial state and no earlier step adds it"},
		{"static",
			`(:predicates (p ?x)) (:action b :parameters (?x) :precondition (p ?x))`,
			`(:objects o u) (:init (p o)) (:goal (and))`, "(b u)", "precondition 1: (p u)", "(p u) is not in the initial state, and no action adds it"},
		{"negative literal",
			`(:predicates (p)) (:action a :parameters () :effect (p)) (:action b :parameters () :precondition (not (p)))`,
			`(:init) (:goal (and))`, "(a) (b)", "precondition 2: (not (p))", "step 1 (a) made (p) true"},
		{"disjunction is listed whole",
			`(:predicates (p ?x) (q)) (:action b :parameters (?x) :precondition (and (q) (or (p ?x) (not (q)))))`,
			`(:objects o) (:init (q)) (:goal (and))`, "(b o)", "precondition 1: (or (p o) (not (q)))", ""},
		{"universal condition lists the bindings that break it",
			`(:predicates (p ?x) (q ?x)) (:action b :parameters () :precondition (forall (?x) (imply (q ?x) (p ?x))))`,
			`(:objects o u w) (:init (q o) (q u) (p u) (q w)) (:goal (and))`, "(b)", "precondition 1: (imply (q o) (p o)) (imply (q w) (p w))", ""},
		{"negated existential lists the bindings that satisfy it",
			`(:predicates (p ?x)) (:action b :parameters () :precondition (not (exists (?x) (p ?x))))`,
			`(:objects o u) (:init (p u)) (:goal (and))`, "(b)", "precondition 1: (not (p u))", ""},
		{"existential is listed whole",
			`(:predicates (p ?x ?y)) (:action b :parameters (?y) :precondition (exists (?x) (p ?x ?y)))`,
			`(:objects o) (:init) (:goal (and))`, "(b o)", "precondition 1: (exists (?x - object) (p ?x o))", ""},
		{"quantifier over an empty type",
			`(:types none thing) (:predicates (p ?x - object)) (:action b :parameters () :precondition (forall (?x - none) (p ?x))) (:action c :parameters () :precondition (exists (?x - none) (not (p ?x))))`,
			`(:objects t - thing) (:init) (:goal (and))`, "(b) (c)", "precondition 2: (exists (?x - none) (not (p ?x)))", ""},
		{"equality",
			`(:predicates (p)) (:action b :parameters (?x ?y) :precondition (not (= ?x ?y)))`,
			`(:objects u v) (:init) (:goal (and))`, "(b u v) (b u u)", "precondition 2: (not (= u u))", ""},
		{"goal names what is unmet",
			`(:predicates (p) (q)) (:action a :parameters () :effect (and (p) (not (q))))`,
			`(:init (q)) (:goal (and (p) (q)))`, "(a)", "goal 0: (q)", "step 1 (a) made (q) false"},

		// Numbers.
		{"decimals are exact",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (increase (x) 0.1))`,
			`(:init (= (x) 0)) (:goal (= (x) 0.3))`, "(a) (a) (a)", "valid 3", ""},
		{"strict comparison at equality",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (> (x) 1))`,
			`(:init (= (x) 1)) (:goal (and))`, "(a)", "precondition 1: (> (x) 1)", ""},
		{"the broken comparison has a history",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (>= (x) 2) :effect (decrease (x) 2))`,
			`(:init (= (x) 5)) (:goal (and))`, "(a) (a) (a)", "precondition 3: (>= (x) 2)", "step 2 (a) made (>= (x) 2) false"},
		{"several increases add up",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (and (increase (x) 1) (increase (x) 2) (decrease (x) 0.5)))`,
			`(:init (= (x) 0)) (:goal (= (x) 2.5))`, "(a)", "valid 1", ""},
		{"scaling",
			`(:predicates (p)) (:functions (x)) (:action up :parameters () :effect (scale-up (x) 3)) (:action down :parameters () :effect (scale-down (x) 2))`,
			`(:init (= (x) 5)) (:goal (= (x) 7.5))`, "(up) (down)", "valid 2", ""},
		{"two assignments conflict",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (and (assign (x) 1) (assign (x) 2)))`,
			`(:init) (:goal (and))`, "(a)", "effect-conflict 1: (x)", ""},
		{"so do two assignments of one value",
			`(:predicates (p ?o)) (:functions (x)) (:action a :parameters () :effect (forall (?o) (when (p ?o) (assign (x) 1))))`,
			`(:objects u v) (:init (p u) (p v)) (:goal (= (x) 1))`, "(a)", "effect-conflict 1: (x)", ""},
		{"assignment and increase conflict",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (and (assign (x) 1) (increase (x) 1)))`,
			`(:init (= (x) 0)) (:goal (and))`, "(a)", "effect-conflict 1: (x)", ""},
		{"scaling twice conflicts",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (and (scale-up (x) 2) (scale-up (x) 2)))`,
			`(:init (= (x) 1)) (:goal (and))`, "(a)", "effect-conflict 1: (x)", ""},

		// Undefined values.
		{"undefined in a condition",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (> (x) 1))`,
			`(:init) (:goal (and))`, "(a)", "numeric 1: (> (x) 1)", ""},
		{"undefined under a negation is not satisfied either",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (not (> (x) 1)))`,
			`(:init) (:goal (and))`, "(a)", "numeric 1: (not (> (x) 1))", ""},
		{"a true disjunct makes it irrelevant",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (or (> (x) 1) (p)))`,
			`(:init (p)) (:goal (and))`, "(a)", "valid 1", ""},
		{"so does a false antecedent",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (imply (p) (> (x) 1)))`,
			`(:init) (:goal (and))`, "(a)", "valid 1", ""},
		{"a false conjunct decides",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :precondition (and (> (x) 1) (p)))`,
			`(:init) (:goal (and))`, "(a)", "precondition 1: (> (x) 1) (p)", ""},
		{"division by zero is undefined",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (assign (x) (/ 1 (x))))`,
			`(:init (= (x) 0)) (:goal (and))`, "(a)", "numeric 1: (/ 1 (x))", ""},
		{"scaling down by zero",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (scale-down (x) 0))`,
			`(:init (= (x) 1)) (:goal (and))`, "(a)", "numeric 1: (x)", ""},
		{"increase of an undefined fluent",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (increase (x) 1))`,
			`(:init) (:goal (and))`, "(a)", "numeric 1: (x)", ""},
		{"assignment defines",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (assign (x) 1))`,
			`(:init) (:goal (= (x) 1))`, "(a)", "valid 1", ""},
		{"undefined condition of an effect",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (when (> (x) 1) (p)))`,
			`(:init) (:goal (and))`, "(a)", "numeric 1: (x)", ""},
		{"an effect that does not fire may be undefined",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (when (p) (assign (x) (x))))`,
			`(:init) (:goal (and))`, "(a)", "valid 1", ""},
		{"undefined goal",
			`(:predicates (p)) (:functions (x))`,
			`(:init) (:goal (> (x) 0))`, "", "numeric 0: (> (x) 0)", ""},

		// Costs.
		{"without a metric the cost is the number of steps",
			`(:predicates (p)) (:functions (total-cost)) (:action a :parameters () :effect (increase (total-cost) 7))`,
			`(:init) (:goal (and))`, "(a) (a)", "valid 2 (total-cost 14)", ""},
		{"total-cost starts at 0 and may start elsewhere",
			`(:predicates (p)) (:functions (total-cost)) (:action a :parameters () :effect (increase (total-cost) 7))`,
			`(:init (= (total-cost) 100)) (:goal (and)) (:metric minimize (total-cost))`, "(a)", "valid 107", ""},
		{"total-cost that nothing changes",
			`(:predicates (p)) (:functions (total-cost)) (:action a :parameters () :effect (p))`,
			`(:init) (:goal (p)) (:metric minimize (total-cost))`, "(a)", "valid 0", ""},
		{"fractions and large numbers",
			`(:predicates (p)) (:functions (total-cost)) (:action a :parameters () :effect (increase (total-cost) (/ 10 3)))`,
			`(:init (= (total-cost) 9223372036854775807)) (:goal (and)) (:metric minimize (* 3 (total-cost)))`, "(a)", "valid 27670116110564327431", ""},
		{"fraction as a cost",
			`(:predicates (p)) (:functions (total-cost)) (:action a :parameters () :effect (increase (total-cost) (/ 10 3)))`,
			`(:init) (:goal (and)) (:metric minimize (total-cost))`, "(a)", "valid 10/3", ""},
		{"metric over other fluents, maximized",
			`(:predicates (p)) (:functions (x) (y)) (:action a :parameters () :effect (and (increase (x) 1) (decrease (y) 1)))`,
			`(:init (= (x) 0) (= (y) 0)) (:goal (and)) (:metric maximize (+ (* 2 (x)) (y)))`, "(a) (a)", "valid 2", ""},
		{"total-time of unstamped steps",
			`(:predicates (p)) (:action a :parameters () :effect (p))`,
			`(:init) (:goal (p)) (:metric minimize (total-time))`, "(a) (a)", "valid 2", ""},
		{"total-time of stamped steps",
			`(:predicates (p)) (:action a :parameters () :effect (p))`,
			`(:init) (:goal (p)) (:metric minimize (total-time))`, "0.5: (a) 2.25: (a)", "valid 2.25", ""},
		{"undefined metric",
			`(:predicates (p)) (:functions (x)) (:action a :parameters () :effect (p))`,
			`(:init) (:goal (p)) (:metric minimize (x))`, "(a)", "valid undefined", ""},

		// Derived predicates.
		{"recursion",
			`(:predicates (e ?x ?y) (r ?x ?y)) (:derived (r ?x ?y) (or (e ?x ?y) (exists (?z) (and (e ?x ?z) (r ?z ?y))))) (:action cut :parameters (?x ?y) :effect (not (e ?x ?y))) (:action go :parameters (?x ?y) :precondition (r ?x ?y))`,
			`(:objects a b c d) (:init (e a b) (e b c) (e c a) (e c d)) (:goal (and))`, "(go a d) (cut c a) (go a d) (cut b c) (go a d)", "precondition 5: (r a d)", "step 4 (cut b c) made (r a d) false"},
		{"negated derived",
			`(:predicates (lit ?x) (dark)) (:derived (dark) (not (exists (?x) (lit ?x)))) (:action on :parameters (?x) :effect (lit ?x)) (:action sleep :parameters () :precondition (dark))`,
			`(:objects l) (:init) (:goal (and))`, "(sleep) (on l) (sleep)", "precondition 3: (dark)", "step 2 (on l) made (dark) false"},
		{"a rule with an undefined body does not fire",
			`(:predicates (p) (d)) (:functions (x)) (:derived (d) (> (x) 0)) (:action a :parameters () :precondition (not (d)))`,
			`(:init) (:goal (and))`, "(a)", "valid 1", ""},
		{"numbers below a derived predicate",
			`(:predicates (full)) (:functions (x)) (:derived (full) (>= (x) 2)) (:action fill :parameters () :precondition (not (full)) :effect (increase (x) 1))`,
			`(:init (= (x) 0)) (:goal (full))`, "(fill) (fill)", "valid 2", ""},

		{"a rule for a subtype derives nothing of other objects",
			`(:types t u) (:predicates (p ?x - object) (d ?x - object)) (:derived (d ?x - t) (p ?x)) (:action need :parameters (?x - object) :precondition (d ?x))`,
			`(:objects a - t b - u) (:init (p a) (p b)) (:goal (and))`, "(need a) (need b)", "precondition 2: (d b)", ""},

		// Quantifiers that are searched by index.
		{"an indexed variable keeps its type",
			`(:types t u) (:predicates (s ?x ?y - object) (p ?x - object)) (:action a :parameters (?y - object) :precondition (exists (?x - t) (and (s ?x ?y) (not (p ?x)))))`,
			`(:objects a1 a2 a3 a4 a5 a6 - t b - u c d - u) (:init (s b c) (s a1 d)) (:goal (and))`, "(a d) (a c)", "precondition 2: (exists (?x - t) (and (s ?x c) (not (p ?x))))", ""},
		{"a repeated variable is compared",
			`(:predicates (s ?x ?y ?z) (p ?x)) (:action a :parameters (?y) :precondition (exists (?x) (and (s ?x ?x ?y) (not (p ?x)))))`,
			`(:objects a1 a2 a3 a4 a5 a6) (:init (s a1 a2 a3) (s a2 a2 a4)) (:goal (and))`, "(a a4) (a a3)", "precondition 2: (exists (?x - object) (and (s ?x ?x a3) (not (p ?x))))", ""},
		{"added and deleted atoms are seen through the index",
			`(:predicates (s ?x ?y) (p ?x)) (:action add :parameters (?x ?y) :effect (s ?x ?y)) (:action del :parameters (?x ?y) :effect (not (s ?x ?y))) (:action a :parameters (?y) :precondition (exists (?x) (and (s ?x ?y) (p ?x)))) (:action mark :parameters (?y) :effect (forall (?x) (when (s ?x ?y) (p ?x))))`,
			`(:objects a1 a2 a3 a4 a5 a6 a7 a8 a9) (:init (s a1 a2)) (:goal (and (p a1) (p a3) (not (p a4))))`,
			"(add a3 a2) (add a4 a2) (del a4 a2) (mark a2) (a a2) (del a1 a2) (a a2) (del a3 a2) (a a2)", "precondition 9: (exists (?x - object) (and (s ?x a2) (p ?x)))", "step 8 (del a3 a2) made (exists (?x - object) (and (s ?x a2) (p ?x))) false"},

		// Object fluents.
		{"object fluents",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action go :parameters (?t - thing ?f ?d - place) :precondition (= (at ?t) ?f) :effect (assign (at ?t) ?d))`,
			`(:objects x y - place v - thing) (:init (= (at v) x)) (:goal (= (at v) y))`, "(go v x y)", "valid 1", ""},

		{"an object fluent as a term",
			`(:types place thing) (:predicates (lit ?p - place)) (:functions (at ?t - thing) - place) (:action use :parameters (?t - thing) :precondition (lit (at ?t)) :effect (not (lit (at ?t))))`,
			`(:objects x y - place v w - thing) (:init (= (at v) x) (= (at w) y) (lit x)) (:goal (not (lit (at v))))`, "(use v) (use v)",
			"precondition 2: (lit (at v))", "step 1 (use v) made (lit (at v)) false"},
		{"two object fluents are compared",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action meet :parameters (?t ?u - thing) :precondition (not (= (at ?t) (at ?u))) :effect (assign (at ?t) (at ?u)))`,
			`(:objects x y - place v w - thing) (:init (= (at v) x) (= (at w) y)) (:goal (= (at v) (at w)))`, "(meet v w)", "valid 1", ""},
		{"an undefined fluent as a term satisfies neither an atom nor its negation",
			`(:types place thing) (:predicates (lit ?p - place)) (:functions (at ?t - thing) - place) (:action a :parameters () :effect (and))`,
			`(:objects x - place v - thing) (:init (lit x)) (:goal (or (lit (at v)) (not (lit (at v)))))`, "", "goal 0: (or (lit (at v)) (not (lit (at v))))", ""},
		{"an undefined fluent is undefined",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action leave :parameters (?t - thing) :effect (assign (at ?t) undefined))`,
			`(:objects x - place v w - thing) (:init (= (at v) x)) (:goal (and (= (at v) undefined) (= (at w) undefined)))`, "(leave v)", "valid 1", ""},
		{"an assignment of a defined fluent",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action meet :parameters (?t ?u - thing) :effect (assign (at ?t) (at ?u)))`,
			`(:objects x - place v w - thing) (:init (= (at v) x)) (:goal (and))`, "(meet w v) (meet v w)", "valid 2", ""},
		{"an assignment of an undefined fluent is no step",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action meet :parameters (?t ?u - thing) :effect (assign (at ?t) (at ?u)))`,
			`(:objects x - place v w - thing) (:init (= (at v) x)) (:goal (and))`, "(meet v w)", "precondition 1: (not (= (at w) undefined))", ""},
		{"right-hand sides of object fluents read the old state",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action swap :parameters (?t ?u - thing) :effect (and (assign (at ?t) (at ?u)) (assign (at ?u) (at ?t))))`,
			`(:objects x y - place v w - thing) (:init (= (at v) x) (= (at w) y)) (:goal (and (= (at v) y) (= (at w) x)))`, "(swap v w)", "valid 1", ""},
		{"a swap with itself assigns twice",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place) (:action swap :parameters (?t ?u - thing) :effect (and (assign (at ?t) (at ?u)) (assign (at ?u) (at ?t))))`,
			`(:objects x - place v - thing) (:init (= (at v) x)) (:goal (and))`, "(swap v v)", "effect-conflict 1: (at v)", ""},
		{"an effect that does not fire needs no value",
			`(:types place thing) (:predicates (p) (lit ?p - place)) (:functions (at ?t - thing) - place) (:action a :parameters () :effect (forall (?t - thing) (when (p) (lit (at ?t))))) (:action on :parameters () :effect (p))`,
			`(:objects x - place v w - thing) (:init (= (at v) x)) (:goal (and))`, "(a) (on) (a)", "precondition 3: (imply (p) (not (= (at w) undefined)))", ""},
		{"costs between places that fluents name",
			`(:types place thing) (:predicates (p)) (:functions (at ?t - thing) - place (far ?p ?q - place) (total-cost) - number) (:action go :parameters (?t - thing ?p - place) :effect (and (assign (at ?t) ?p) (increase (total-cost) (far (at ?t) ?p))))`,
			`(:objects x y - place v - thing) (:init (= (at v) x) (= (far x y) 3) (= (far y x) 5) (= (total-cost) 0)) (:goal (and)) (:metric minimize (total-cost))`, "(go v y) (go v x) (go v y)", "valid 11", ""},

		// Names.
		{"case does not matter",
			`(:predicates (p ?x)) (:action Go :parameters (?x) :effect (p ?x))`,
			`(:objects Home) (:init) (:goal (p home))`, "(GO hOME)", "valid 1", ""},
		{"unknown action", `(:predicates (p)) (:action stack :parameters ())`, `(:init) (:goal (and))`, "(stak)", "unknown-action 1: ", ""},
		{"arity", `(:predicates (p)) (:action stack :parameters ())`, `(:objects o) (:init) (:goal (and))`, "(stack) (stack o)", "arity 2: ", ""},
		{"unknown object", `(:predicates (p)) (:action a :parameters (?x))`, `(:objects o) (:init) (:goal (and))`, "(a ghost)", "unknown-object 1: ", ""},
		{"type", `(:types a b) (:predicates (p)) (:action a :parameters (?x - a))`, `(:objects o - b) (:init) (:goal (and))`, "(a o)", "type 1: ", ""},
		{"either type", `(:types a b c) (:predicates (p)) (:action a :parameters (?x - (either a b)))`, `(:objects o - b u - c) (:init) (:goal (and))`, "(a o) (a u)", "type 2: ", ""},
		{"the first bad step counts, whatever comes later",
			`(:predicates (p)) (:action a :parameters () :precondition (p))`, `(:init) (:goal (and))`, "(a) (nonsense)", "precondition 1: (p)", ""},

		// Time stamps of instantaneous steps.
		{"time decides the order",
			`(:predicates (p)) (:action need :parameters () :precondition (p)) (:action del :parameters () :effect (not (p)))`,
			`(:init (p)) (:goal (and))`, "2: (del) 1: (need)", "valid 2", ""},
		{"any positive gap separates",
			`(:predicates (p)) (:action need :parameters () :precondition (p)) (:action del :parameters () :effect (not (p)))`,
			`(:init (p)) (:goal (and))`, "1: (need) 1.000001: (del)", "valid 2", ""},
		{"equal times do not",
			`(:predicates (p)) (:action need :parameters () :precondition (p)) (:action del :parameters () :effect (not (p)))`,
			`(:init (p)) (:goal (and))`, "1: (need) 1.0: (del)", "mutex 2: (p)", ""},
		{"concurrent steps read the state before",
			`(:predicates (p) (q)) (:action add :parameters () :effect (p)) (:action need :parameters () :precondition (q) :effect (not (q)))`,
			`(:init (q)) (:goal (and (p) (not (q))))`, "1: (add) 1: (need)", "valid 2", ""},
		{"concurrent increases commute",
			`(:predicates (p)) (:functions (x)) (:action inc :parameters (?o) :effect (increase (x) 1)) (:action dec :parameters () :effect (decrease (x) 0.5))`,
			`(:objects o u) (:init (= (x) 0)) (:goal (= (x) 1.5))`, "1: (inc o) 1: (inc u) 1: (dec)", "valid 3", ""},
		{"a concurrent read of a changed value interferes",
			`(:predicates (p)) (:functions (x) (y)) (:action inc :parameters () :effect (increase (x) 1)) (:action copy :parameters () :effect (assign (y) (x)))`,
			`(:init (= (x) 0)) (:goal (and))`, "1: (inc) 1: (copy)", "mutex 2: (x)", ""},
		{"conditions of effects that do not fire count",
			`(:predicates (p) (q)) (:action when-p :parameters () :effect (when (p) (q))) (:action add :parameters () :effect (p))`,
			`(:init) (:goal (and))`, "1: (when-p) 1: (add)", "mutex 2: (p)", ""},
		{"atoms below derived predicates count",
			`(:predicates (e ?x ?y) (r ?x)) (:derived (r ?x) (exists (?y) (and (e ?x ?y) (r ?y)))) (:derived (r ?x) (e ?x ?x)) (:action need :parameters (?x) :precondition (r ?x)) (:action del :parameters (?x ?y) :effect (not (e ?x ?y)))`,
			`(:objects a b) (:init (e a a)) (:goal (and))`, "1: (need a) 1: (del b a)", "mutex 2: (e b a)", ""},
		{"a quantified variable stands for every object of its type",
			`(:types t u) (:predicates (p ?x - object)) (:action need :parameters () :precondition (forall (?x - t) (p ?x))) (:action del :parameters (?x - object) :effect (not (p ?x)))`,
			`(:objects a - t b - u) (:init (p a) (p b)) (:goal (and))`, "1: (need) 1: (del b) 2: (need) 2: (del a)", "mutex 4: (p a)", ""},
		{"of steps at one time the first in the text comes first, wherever others stand",
			`(:predicates (p) (q)) (:action ok :parameters () :effect (p)) (:action bad :parameters () :precondition (q))`,
			`(:init) (:goal (and))`, "2: (ok) 1: (ok) 1: (bad)", "precondition 2: (q)", ""},
		{"an atom added and deleted",
			writes,
			`(:objects o u) (:init (= (x) 0)) (:goal (and))`, "1: (add) 1: (del)", "mutex 2: (p)", ""},
		{"an atom deleted and added",
			writes,
			`(:objects o u) (:init (= (x) 0)) (:goal (and))`, "1: (del) 1: (add)", "mutex 2: (p)", ""},
		{"a value assigned twice, even the same",
			writes,
			`(:objects o u) (:init (= (x) 0)) (:goal (and))`, "1: (set o) 1: (set u)", "mutex 2: (x)", ""},
		{"a value increased and assigned",
			writes,
			`(:objects o u) (:init (= (x) 0)) (:goal (and))`, "1: (inc) 1: (set o)", "mutex 2: (x)", ""},
		{"a value assigned and increased",
			writes,
			`(:objects o u) (:init (= (x) 0)) (:goal (and))`, "1: (set o) 1: (inc)", "mutex 2: (x)", ""},
		{"a repeated variable stands for one object at a time",
			`(:predicates (p ?x ?y)) (:action need :parameters () :precondition (not (exists (?x) (p ?x ?x)))) (:action add :parameters (?x ?y) :effect (p ?x ?y))`,
			`(:objects a b) (:init) (:goal (and))`, "1: (need) 1: (add a b) 2: (need) 2: (add a a)", "mutex 4: (p a a)", ""},
		{"a rule for a subtype does not look at other objects",
			`(:types t u) (:predicates (p ?x ?y - object) (d ?x - object)) (:derived (d ?x - t) (exists (?y - object) (p ?x ?y))) (:action need :parameters () :precondition (not (exists (?x - object) (d ?x)))) (:action add :parameters (?x ?y - object) :effect (p ?x ?y))`,
			`(:objects a - t b - u) (:init) (:goal (and))`, "1: (need) 1: (add b a) 2: (need) 2: (add a b)", "mutex 4: (p a b)", ""},
		{"the same step twice at one time is two steps",
			`(:predicates (p)) (:action toggle :parameters () :precondition (p) :effect (not (p)))`,
			`(:init (p)) (:goal (and))`, "1: (toggle) 1: (toggle)", "mutex 2: (p)", ""},
		{"a duration is ignored",
			`(:predicates (p)) (:action a :parameters () :effect (p))`,
			`(:init) (:goal (p))`, "0: (a) [5]", "valid 1 (1 warning)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			domain := "(define (domain d) (:requirements :adl :typing :fluents :object-fluents :derived-predicates :action-costs) " + tt.decl + ")"
			problem := "(define (problem p) (:domain d) " + tt.task + ")"
			v := compile(t, domain, problem).Validate(parsePlan(t, tt.plan))
			if got := describe(v); got != tt.want {
				t.Errorf("got  %s\nwant %s\n%s", got, tt.want, message(v))
			}
			if tt.reason != "" && v.Failure.Because != tt.reason {
				t.Errorf("because %q, want %q", v.Failure.Because, tt.reason)
			}
		})
	}
}

// describe shortens a verdict to what TestSemantics compares.
func describe(v *Verdict) string {
	if !v.Valid {
		return fmt.Sprintf("%s %d: %s", v.Failure.Kind, v.Failure.Step, strings.Join(v.Failure.Unsatisfied, " "))
	}
	s := "valid undefined"
	if v.CostDefined {
		s = "valid " + v.Cost.String()
	}
	if v.HasTotalCost {
		s += " (total-cost " + v.TotalCost.String() + ")"
	}
	if len(v.Warnings) > 0 {
		s += fmt.Sprintf(" (%s)", count(len(v.Warnings), "warning"))
	}
	return s
}

// TestRefused checks that unsupported constructs are named at their place.
func TestRefused(t *testing.T) {
	tests := []struct{ name, decl, task, want string }{
		{"effect before its cause", `(:predicates (p)) (:durative-action act :parameters () :duration (= ?duration 1) :effect (when (at end (p)) (at start (p))))`, `(:init) (:goal (p))`, "error[unsupported-durative-actions]: an effect at the start that depends on a condition over all or at the end"},
		{"conditional rate", `(:predicates (p)) (:functions (f)) (:durative-action act :parameters () :duration (= ?duration 1) :effect (when (at start (p)) (increase (f) (* #t 1))))`, `(:init) (:goal (p))`, "error[unsupported-continuous-effects]: a conditional continuous effect"},
		{"acceleration", `(:functions (f) (g)) (:durative-action act :parameters () :duration (= ?duration 1) :effect (and (increase (g) (* #t 1)) (increase (f) (* #t (g)))))`, `(:init) (:goal (and))`, "error[unsupported-continuous-effects]: a rate that itself changes continuously"},
		{"quadratic condition", `(:functions (f)) (:durative-action act :parameters () :duration (= ?duration 1) :condition (over all (> (* (f) (f)) 1)) :effect (increase (f) (* #t 1)))`, `(:init) (:goal (and))`, "error[unsupported-continuous-effects]: a condition that is not linear"},
		{"constraint on a moving fluent", `(:functions (f)) (:durative-action act :parameters () :duration (= ?duration 1) :effect (increase (f) (* #t 1)))`, `(:init) (:goal (and)) (:constraints (always (> (f) 1)))`, "error[unsupported-continuous-effects]: a constraint on what changes continuously"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := parse(t, "(define (domain d) (:requirements :adl :typing :fluents :durative-actions :continuous-effects :timed-initial-literals :constraints :preferences) "+tt.decl+")", "(define (problem p) (:domain d) "+tt.task+")")
			_, err := NewJudge(p, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	p := parse(t, "(define (domain d) (:requirements :constraints) (:predicates (p)))", "(define (problem p) (:domain d) (:init) (:goal (and)) (:constraints (and)))")
	if _, err := NewJudge(p, Options{}); err != nil {
		t.Errorf("an empty constraints section constrains nothing: %v", err)
	}
}
