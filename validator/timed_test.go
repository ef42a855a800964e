package validator

import (
	"testing"

	"github.com/planproof/planproof/pddl"
)

// timedCase is a rule of docs/SEMANTICS.md with a plan that shows it. Failures are written
// "kind step@time part: unmet".
type timedCase struct{ name, decl, task, plan, want string }

// boil and shared declarations of the cases.
const (
	heat = `(:predicates (hot) (on) (off) (done)) (:durative-action heat :parameters () :duration (= ?duration 4)
		:condition (over all (on)) :effect (and (at start (on)) (at end (hot))))
		(:action switch :parameters () :effect (not (on))) (:action relight :parameters () :effect (on))`
	tank = `(:predicates (open) (never)) (:functions (level)) (:durative-action fill :parameters () :duration (>= ?duration 0)
		:condition (over all (< (level) 10)) :effect (increase (level) (* #t 2)))
		(:durative-action drain :parameters () :duration (> ?duration 0) :condition (over all (> (level) 0)) :effect (decrease (level) (* #t 1)))
		(:action look :parameters () :precondition (= (level) 4) :effect (open))
		(:action pour :parameters () :effect (increase (level) 3))`
)

var timedCases = []timedCase{
	// Time, duration.
	{"start effects are seen inside", heat, `(:init) (:goal (hot))`, "0: (heat) [4]", "valid 1"},
	{"an invariant breaks between", heat, `(:init) (:goal (hot))`, "0: (heat) [4]\n2: (switch)", "invariant 1@2 over all: (on)"},
	{"and does not recover", heat, `(:init) (:goal (hot))`, "0: (heat) [4]\n2: (switch)\n3: (relight)", "invariant 1@2 over all: (on)"},
	{"an invariant may break at the end", heat, `(:init) (:goal (hot))`, "0: (heat) [4]\n4: (switch)", "valid 2"},
	{"order of lines is free", heat, `(:init) (:goal (hot))`, "4: (switch)\n0: (heat) [4]", "valid 2"},
	{"a missing duration", heat, `(:init) (:goal (hot))`, "0: (heat)", "syntax 1@0 start: "},
	{"a wrong duration", heat, `(:init) (:goal (hot))`, "0: (heat) [3]", "precondition 1@0 start: (= ?duration 4)"},
	{"too long", heat, `(:init) (:goal (hot))`, "0: (heat) [4.1]", "precondition 1@0 start: (= ?duration 4)"},
	{"unstamped steps start at 1, 2, 3", heat, `(:init) (:goal (hot)) (:metric minimize (total-time))`, "(heat) [4] (heat) [4]", "valid 6 (1 warning)"},
	{"exponents and capitals", heat, `(:init) (:goal (hot)) (:metric minimize (total-time))`, "1E1: (HEAT) [4e0]\r\n", "valid 14"},
	{"the duration is rounded as written", `(:predicates (p)) (:durative-action third :parameters () :duration (= ?duration (/ 10 3)) :effect (at end (p)))`,
		`(:init) (:goal (p))`, "0: (third) [3.333]", "valid 1"},
	{"but not more", `(:predicates (p)) (:durative-action third :parameters () :duration (= ?duration (/ 10 3)) :effect (at end (p)))`,
		`(:init) (:goal (p))`, "0: (third) [3.334]", "precondition 1@0 start: (= ?duration (/ 10 3))"},
	{"inequalities are exact", `(:predicates (p)) (:durative-action a :parameters () :duration (and (> ?duration 1) (<= ?duration 5)) :effect (at end (p)))`,
		`(:init) (:goal (p))`, "0: (a) [5.001]", "precondition 1@0 start: (<= ?duration 5)"},
	{"strict inequalities", `(:predicates (p)) (:durative-action a :parameters () :duration (and (> ?duration 1) (< ?duration 5)) :effect (at end (p)))`,
		`(:init) (:goal (p))`, "0: (a) [1]", "precondition 1@0 start: (> ?duration 1)"},
	{"a bound at the end reads the state there", `(:predicates (p)) (:functions (f)) (:durative-action a :parameters () :duration (at end (= ?duration (f))) :effect (at end (p))) (:action set :parameters () :effect (assign (f) 7))`,
		`(:init (= (f) 1)) (:goal (p))`, "0: (a) [7]\n2: (set)", "valid 2"},
	{"no constraint", `(:predicates (p)) (:durative-action a :parameters () :duration () :effect (at end (p)))`, `(:init) (:goal (p))`, "0: (a) [0.5]", "valid 1"},
	{"zero duration, start and end interfere", `(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration 0) :condition (at end (p)) :effect (at start (p)))`,
		`(:init (p)) (:goal (p))`, "0: (a) [0]", "mutex 1@0 end: (p)"},
	{"zero duration", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 0) :condition (over all (q)) :effect (and (at start (p)) (at end (p))))`,
		`(:init) (:goal (p))`, "0: (a) [0]", "valid 1"},
	{"?duration in effects", `(:functions (f)) (:durative-action a :parameters () :duration (>= ?duration 1) :effect (at end (increase (f) (* 2 ?duration))))`,
		`(:init (= (f) 0)) (:goal (= (f) 5))`, "0: (a) [2.5]", "valid 1"},
	// Interference.
	{"an end and a start that needs it", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 1) :effect (at end (p))) (:action b :parameters () :precondition (p) :effect (q))`,
		`(:init) (:goal (q))`, "0: (a) [1]\n1: (b)", "precondition 2@1 : (p)"},
	{"even where it holds already", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 1) :effect (at end (p))) (:action b :parameters () :precondition (p) :effect (q))`,
		`(:init (p)) (:goal (q))`, "0: (a) [1]\n1: (b)", "mutex 2@1 : (p)"},
	{"any gap separates", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 1) :effect (at end (p))) (:action b :parameters () :precondition (p) :effect (q))`,
		`(:init) (:goal (q))`, "0: (a) [1]\n1.000000001: (b)", "valid 2"},
	{"the condition of an effect that does not fire", `(:predicates (p) (q) (r)) (:action a :parameters () :effect (when (p) (q))) (:action b :parameters () :effect (p))`,
		`(:init) (:goal (p))`, "0: (a)\n0: (b)", "mutex 2@ : (p)"},
	{"the bound of a duration is read", `(:functions (f)) (:durative-action a :parameters () :duration (= ?duration (f)) :effect (and)) (:action b :parameters () :effect (increase (f) 1))`,
		`(:init (= (f) 1)) (:goal (and))`, "0: (a) [1]\n0: (b)", "mutex 2@0 : (f)"},
	{"a preference is read", `(:predicates (p) (q)) (:action a :parameters () :precondition (preference x (p)) :effect (q)) (:action b :parameters () :effect (not (p)))`,
		`(:init (p)) (:goal (q))`, "0: (a)\n0: (b)", "mutex 2@0 : (p)"},
	{"also a durative one", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 1) :condition (preference x (at end (p))) :effect (at end (q))) (:action b :parameters () :effect (not (p)))`,
		`(:init (p)) (:goal (q))`, "0: (a) [1]\n1: (b)", "mutex 2@1 : (p)"},
	{"conditions over all are not read at an instant", heat, `(:init) (:goal (hot))`, "0: (heat) [4]\n4: (switch)\n4: (switch)", "valid 3"},
	{"timed literals interfere", `(:predicates (p) (q)) (:action a :parameters () :precondition (p) :effect (q))`, `(:init (p) (at 3 (not (p)))) (:goal (q))`, "3: (a)", "mutex 1@3 : (p)"},
	{"nor at the start", heat, `(:init) (:goal (hot))`, "0: (heat) [4]\n0: (relight)", "valid 2"},
	{"a condition over all that never holds", `(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (p)))`,
		`(:init) (:goal (and))`, "0: (a) [4]", "invariant 1@0 over all: (p)"},
	{"a condition at the end is read there", `(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (at end (p))) (:action gain :parameters () :effect (p))`,
		`(:init) (:goal (and))`, "0: (a) [4]\n2: (gain)", "valid 2"},
	{"and may fail there", `(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (at end (p)))`,
		`(:init) (:goal (and))`, "0: (a) [4]", "precondition 1@4 end: (p)"},
	{"a duration at an instantaneous step", heat, `(:init) (:goal (on))`, "0: (relight) [4]", "valid 1 (1 warning)"},
	// Timed literals.
	{"literals before and after", `(:predicates (p) (q)) (:action a :parameters () :precondition (p) :effect (q))`, `(:init (at 1 (p)) (at 9 (not (q)))) (:goal (and (p) (q)))`, "2: (a)", "goal 0@ : (q)"},
	{"they may reach the goal", `(:predicates (p))`, `(:init (at 9 (p))) (:goal (p)) (:metric minimize (total-time))`, "", "valid 0"},
	{"numbers", `(:functions (f))`, `(:init (= (f) 1) (at 9 (= (f) 2))) (:goal (= (f) 2))`, "", "valid 0"},
	// Conditional effects across time.
	{"a condition at the start is remembered", `(:predicates (p) (q) (r)) (:durative-action a :parameters () :duration (= ?duration 4) :effect (when (at start (p)) (at end (q)))) (:action lose :parameters () :effect (not (p)))`,
		`(:init (p)) (:goal (q))`, "0: (a) [4]\n1: (lose)", "valid 2"},
	{"and one that does not hold there is not", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 4) :effect (when (at start (p)) (at end (q)))) (:action gain :parameters () :effect (p))`,
		`(:init) (:goal (q))`, "0: (a) [4]\n1: (gain)", "goal 0@ : (q)"},
	{"a condition over all", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 4) :effect (when (over all (p)) (at end (q)))) (:action lose :parameters () :effect (not (p))) (:action gain :parameters () :effect (p))`,
		`(:init (p)) (:goal (q))`, "0: (a) [4]\n1: (lose)\n2: (gain)", "goal 0@ : (q)"},
	{"for each binding", `(:predicates (p ?x) (q ?x)) (:constants a b) (:durative-action act :parameters () :duration (= ?duration 4) :effect (forall (?x) (when (and (at start (p ?x)) (at end (p ?x))) (at end (q ?x))))) (:action lose :parameters (?x) :effect (not (p ?x)))`,
		`(:init (p a) (p b)) (:goal (and (q a) (not (q b))))`, "0: (act) [4]\n1: (lose b)", "valid 2"},
	{"an undefined last part with a false condition inside", `(:predicates (p) (q)) (:functions (f)) (:durative-action a :parameters () :duration (= ?duration 4) :effect (when (and (at start (p)) (at end (> (f) 0))) (at end (when (q) (not (p))))))`,
		`(:init (p)) (:goal (p))`, "0: (a) [4]", "valid 1"},
	{"the end reads its part of the condition", `(:predicates (p) (q)) (:durative-action a :parameters () :duration (= ?duration 4) :effect (when (and (at start (p)) (at end (p))) (at end (q)))) (:action lose :parameters () :effect (not (p)))`,
		`(:init (p)) (:goal (and))`, "0: (a) [4]\n4: (lose)", "mutex 2@4 : (p)"},
	// Continuous effects.
	{"strict bounds may be touched at the end", tank, `(:init (= (level) 0)) (:goal (= (level) 10))`, "0: (fill) [5]", "valid 1"},
	{"but not before", tank, `(:init (= (level) 0)) (:goal (and))`, "0: (fill) [6]", "invariant 1@5 over all: (< (level) 10)"},
	{"rates add up", tank, `(:init (= (level) 0)) (:goal (= (level) 8))`, "0: (fill) [2]\n1: (fill) [2]", "valid 2"},
	{"and the roots with them", tank, `(:init (= (level) 0)) (:goal (and))`, "0: (fill) [4]\n1: (fill) [3]", "invariant 1@3 over all: (< (level) 10)"},
	{"an instant reads the running value", tank, `(:init (= (level) 0)) (:goal (open))`, "0: (fill) [4]\n2: (look)", "valid 2"},
	{"exactly", tank, `(:init (= (level) 0)) (:goal (open))`, "0: (fill) [4]\n2.01: (look)", "precondition 2@2.01 : (= (level) 4)"},
	{"a jump on the way", tank, `(:init (= (level) 0)) (:goal (= (level) 9))`, "0: (fill) [3]\n1: (pour)", "valid 2"},
	{"a jump beyond", tank, `(:init (= (level) 9)) (:goal (and))`, "0: (fill) [0.1]\n0.05: (pour)", "invariant 1@0.05 over all: (< (level) 10)"},
	{"from a bound on", tank, `(:init (= (level) 0)) (:goal (and))`, "0: (fill) [1]\n0.5: (drain) [3]", "invariant 2@2.5 over all: (> (level) 0)"},
	{"a condition that starts false", tank, `(:init (= (level) 0)) (:goal (and))`, "0: (drain) [1]", "invariant 1@0 over all: (> (level) 0)"},
	{"disjunctions across a root", `(:predicates (p)) (:functions (f)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (or (< (f) 2) (> (f) 2))) :effect (increase (f) (* #t 1)))`,
		`(:init (= (f) 0)) (:goal (and))`, "0: (a) [4]", "invariant 1@2 over all: (or (< (f) 2) (> (f) 2))"},
	{"a bound that is met and then left", `(:functions (f)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (and (<= (f) 2) (>= (f) 0))) :effect (increase (f) (* #t 1)))`,
		`(:init (= (f) 0)) (:goal (and))`, "0: (a) [4]", "invariant 1@2 over all: (<= (f) 2)"},
	{"below a derived predicate", `(:predicates (d)) (:functions (f)) (:derived (d) (<= (f) 2)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (forall (?x - object) (d))) :effect (increase (f) (* #t 1)))`,
		`(:objects o) (:init (= (f) 0)) (:goal (and))`, "0: (a) [4]", "invariant 1@2 over all: (d)"},
	{"closed disjunctions", `(:predicates (p)) (:functions (f)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (or (< (f) 2) (>= (f) 2))) :effect (increase (f) (* #t 1)))`,
		`(:init (= (f) 0)) (:goal (and))`, "0: (a) [4]", "valid 1"},
	{"derived predicates", `(:predicates (d)) (:functions (f)) (:derived (d) (<= (f) 2)) (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (d)) :effect (increase (f) (* #t 1)))`,
		`(:init (= (f) 0)) (:goal (and))`, "0: (a) [4]", "invariant 1@2 over all: (d)"},
	{"an undefined fluent", tank, `(:init) (:goal (and))`, "0: (fill) [1]", "numeric 1@0 start: (level)"},
	// Identical steps.
	{"a step overlaps itself", heat, `(:init) (:goal (hot))`, "0: (heat) [4]\n1: (heat) [4]", "valid 2"},
}

// TestTimed checks the rules of time.
func TestTimed(t *testing.T) { runTimed(t, timedCases) }

func runTimed(t *testing.T, cases []timedCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			domain := "(define (domain d) (:requirements :adl :typing :fluents :object-fluents :derived-predicates :durative-actions :duration-inequalities :continuous-effects :timed-initial-literals :constraints :preferences) " + tt.decl + ")"
			v := compile(t, domain, "(define (problem p) (:domain d) "+tt.task+")").Validate(parsePlan(t, tt.plan))
			if got := describeTimed(v); got != tt.want {
				t.Errorf("got  %s\nwant %s\n%s", got, tt.want, message(v))
			}
		})
	}
}

func describeTimed(v *Verdict) string {
	if v.Valid {
		return describe(v)
	}
	f := v.Failure
	s := describe(&Verdict{Failure: f})
	kind, rest := string(f.Kind)+" ", s[len(f.Kind)+1:]
	i := 0
	for rest[i] != ':' {
		i++
	}
	return kind + rest[:i] + "@" + f.Time + " " + f.At + rest[i:]
}

// TestLeavesBound has the words for a condition that holds at the moment of the failure, but not right after.
func TestLeavesBound(t *testing.T) {
	j := compile(t, "(define (domain d) (:requirements :fluents :durative-actions :duration-inequalities :continuous-effects) (:functions (f))"+
		" (:durative-action a :parameters () :duration (= ?duration 4) :condition (over all (<= (f) 2)) :effect (increase (f) (* #t 1))))",
		"(define (problem p) (:domain d) (:init (= (f) 0)) (:goal (and)))")
	v := j.Explain(parsePlan(t, "0: (a) [4]"), j.NewScratch())
	const words = "step 1 (a), from 2 on: (<= (f) 2) does not hold any more: (f) is 2; it must hold from 0 to 4"
	const why = "(<= (f) 2) held until 2; per time unit, continuous effects change (f) by 1"
	if f := v.Failure; f == nil || f.Message != words || f.Because != why {
		t.Errorf("%+v", f)
	}
}

// TestDurationTolerance checks that the tolerance widens every bound.
func TestDurationTolerance(t *testing.T) {
	j := compile(t, `(define (domain d) (:requirements :durative-actions :duration-inequalities) (:predicates (p))
		(:durative-action a :parameters () :duration (and (>= ?duration 2) (<= ?duration 4)) :effect (at end (p)))
		(:durative-action b :parameters () :duration (= ?duration 2) :effect (at end (p))))`, `(define (problem x) (:domain d) (:init) (:goal (p)))`)
	for _, tt := range []struct {
		plan, tolerance string
		want            bool
	}{
		{"0: (a) [4.1]", "0.1", true}, {"0: (a) [4.1]", "0.09", false}, {"0: (a) [1.9]", "0.1", true}, {"0: (a) [1.9]", "0.01", false},
		{"0: (b) [2.1]", "0.1", true}, {"0: (b) [2.1]", "0.09", false}, {"0: (b) [1.90]", "0.1", true}, {"0: (b) [1.90]", "0", false},
	} {
		s := j.NewScratch()
		s.Tolerance, _ = pddl.ParseNumber(tt.tolerance)
		if v := j.ValidateWith(parsePlan(t, tt.plan), s); v.Valid != tt.want {
			t.Errorf("%s, tolerance %s: %v", tt.plan, tt.tolerance, v.Valid)
		}
	}
}

// TestTimedEpsilon checks the gap between interfering ends, also of one step.
func TestTimedEpsilon(t *testing.T) {
	j := compile(t, `(define (domain d) (:requirements :durative-actions :duration-inequalities :timed-initial-literals) (:predicates (p) (q) (r) (z))
		(:durative-action a :parameters () :duration (>= ?duration 0) :effect (and (at start (p)) (at end (not (p)))))
		(:action need :parameters () :precondition (p) :effect (q)) (:action other :parameters () :precondition (r)) (:action idle :parameters () :effect (q)))`,
		`(define (problem x) (:domain d) (:init (at 7 (r)) (at 3 (z)) (at 3.05 (not (z)))) (:goal (and)))`)
	for _, tt := range []struct {
		plan, epsilon string
		want          bool
	}{
		{"0: (a) [1]", "0.5", true}, {"0: (a) [0.5]", "0.5", false}, {"0: (a) [0.5]", "0.4", true},
		{"0: (a) [9]\n0.1: (need)", "0.1", false}, {"0: (a) [9]\n0.2: (need)", "0.1", true}, {"0: (a) [1]\n0.9: (need)", "0.1", false},
		{"0: (a) [9]\n0.05: (idle)\n0.1: (need)", "0.1", false}, {"7.1: (other)", "0.1", false}, {"7.2: (other)", "0.1", true}, {"6.9: (a) [5]", "1", true},
	} {
		s := j.NewScratch()
		s.Epsilon, _ = pddl.ParseNumber(tt.epsilon)
		if v := j.ValidateWith(parsePlan(t, tt.plan), s); v.Valid != tt.want {
			t.Errorf("%s, epsilon %s: %v %s", tt.plan, tt.epsilon, v.Valid, message(v))
		}
	}
}

// TestTimedScratch checks that a plan that fails while fluents move leaves nothing behind.
func TestTimedScratch(t *testing.T) {
	j := compile(t, "(define (domain d) (:requirements :adl :fluents :durative-actions :duration-inequalities :continuous-effects) "+tank+")",
		"(define (problem p) (:domain d) (:init (= (level) 4)) (:goal (open)))")
	s := j.NewScratch()
	for range 2 {
		if v := j.ValidateWith(parsePlan(t, "0: (fill) [4]"), s); v.Valid || v.Failure.Time != "3" {
			t.Errorf("%s", message(v))
		}
		if v := j.ValidateWith(parsePlan(t, "2: (look)"), s); !v.Valid {
			t.Errorf("%s", message(v))
		}
	}
}

// TestEpsilon checks that a wider gap between interfering steps can be required.
func TestEpsilon(t *testing.T) {
	j := compile(t,
		`(define (domain d) (:predicates (p) (q)) (:action need :parameters () :precondition (p)) (:action del :parameters () :effect (not (p))) (:action other :parameters () :effect (q)))`,
		`(define (problem x) (:domain d) (:init (p)) (:goal (and)))`)
	tests := []struct{ plan, epsilon, want string }{
		{"1: (need) 1.01: (other) 1.1: (del)", "0", "valid 3"},
		{"1: (need) 1.01: (other) 1.1: (del)", "0.09", "valid 3"},
		{"1: (need) 1.01: (other) 1.1: (del)", "0.1", "mutex 3: (p)"},
		{"1: (need) 1.01: (other) 1.11: (del)", "0.1", "valid 3"},
		{"(need) (other) (del)", "5", "valid 3"},
	}
	for _, tt := range tests {
		s := j.NewScratch()
		s.Epsilon, _ = pddl.ParseNumber(tt.epsilon)
		if got := describe(j.ValidateWith(parsePlan(t, tt.plan), s)); got != tt.want {
			t.Errorf("%s, epsilon %s: got %s, want %s", tt.plan, tt.epsilon, got, tt.want)
		}
	}
}
