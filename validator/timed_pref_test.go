package validator

import (
	"fmt"
	"testing"

	"github.com/planproof/planproof/pddl"
)

const lamp = `(:predicates (on) (red)) (:action light :parameters () :effect (on)) (:action dark :parameters () :effect (not (on)))
	(:action redden :parameters () :effect (red)) (:action pale :parameters () :effect (not (red)))`

// TestConstraints checks each operator of PDDL 3 at its bounds. A plan is written as the
// times at which the lamp changes: "2 4" lights it at 2 and darkens it at 4; "r" before a
// time is for red.
func TestConstraints(t *testing.T) {
	tests := []struct{ constraint, init, plan, want string }{
		{"(always (on))", "(on)", "", "yes"},
		{"(always (on))", "", "1: (light)", "no"},
		{"(always (on))", "(on)", "1: (dark) 2: (light)", "no"},
		{"(sometime (on))", "", "1: (light) 2: (dark)", "yes"},
		{"(sometime (on))", "(on)", "2: (dark)", "yes"},
		{"(sometime (on))", "", "", "no"},
		{"(at end (on))", "", "1: (light)", "yes"},
		{"(at end (on))", "(on)", "1: (dark)", "no"},
		{"(at end (on))", "(on)", "", "yes"},
		{"(within 3 (on))", "", "3: (light)", "yes"},
		{"(within 3 (on))", "", "3.001: (light)", "no"},
		{"(within 3 (on))", "(on)", "1: (dark)", "yes"},
		{"(at-most-once (on))", "(on)", "1: (dark)", "yes"},
		{"(at-most-once (on))", "(on)", "1: (dark) 2: (light)", "no"},
		{"(at-most-once (on))", "", "1: (light) 2: (redden) 3: (dark)", "yes"},
		{"(at-most-once (on))", "", "", "yes"},
		{"(sometime-after (on) (red))", "", "", "yes"},
		{"(sometime-after (on) (red))", "", "1: (light) 2: (redden)", "yes"},
		{"(sometime-after (on) (red))", "(red)", "1: (light)", "yes"},
		{"(sometime-after (on) (red))", "", "1: (light) 2: (redden) 3: (pale)", "no"},
		{"(sometime-after (on) (red))", "", "1: (light) 2: (redden) 3: (dark) 4: (pale)", "yes"},
		{"(sometime-before (on) (red))", "", "1: (redden) 2: (light)", "yes"},
		{"(sometime-before (on) (red))", "(red)", "1: (pale) 2: (light)", "yes"},
		{"(sometime-before (on) (red))", "", "1: (redden) 1: (light)", "no"},
		{"(sometime-before (on) (red))", "(on) (red)", "", "no"},
		{"(sometime-before (on) (red))", "", "", "yes"},
		{"(always-within 2 (on) (red))", "", "1: (light) 3: (redden)", "yes"},
		{"(always-within 2 (on) (red))", "", "1: (light) 3.1: (redden)", "no"},
		{"(always-within 2 (on) (red))", "", "1: (light) 2: (dark) 3: (redden)", "yes"},
		{"(always-within 2 (on) (red))", "(red)", "1: (light)", "yes"},
		{"(always-within 2 (on) (red))", "", "1: (light)", "no"},
		{"(always-within 2 (on) (red))", "(red)", "1: (light) 2: (pale) 5: (redden)", "no"},
		{"(hold-during 2 5 (on))", "(on)", "5: (dark)", "yes"},
		{"(hold-during 2 5 (on))", "(on)", "4.9: (dark)", "no"},
		{"(hold-during 2 5 (on))", "", "2: (light)", "yes"},
		{"(hold-during 2 5 (on))", "", "2.1: (light)", "no"},
		{"(hold-during 2 5 (on))", "", "1: (light) 1.5: (dark) 9: (light)", "no"},
		{"(hold-during 2 5 (on))", "", "1: (light)", "yes"},
		{"(hold-during 2 5 (on))", "(on)", "1: (dark)", "no"},
		{"(hold-during 2 5 (on))", "(on)", "3: (dark) 4: (light)", "no"},
		{"(hold-during 5 5 (on))", "", "", "yes"},
		{"(hold-after 3 (on))", "", "3: (light)", "yes"},
		{"(hold-after 3 (on))", "", "3.1: (light)", "no"},
		{"(hold-after 3 (on))", "", "1: (light)", "yes"},
		{"(hold-after 3 (on))", "", "1: (light) 2: (dark)", "no"},
		{"(hold-after 3 (on))", "(on)", "4: (dark) 5: (light)", "no"},
		{"(and (sometime (on)) (sometime (red)))", "(on)", "", "no"},
		{"(forall (?x - object) (sometime (seen ?x)))", "(seen a)", "1: (see b)", "yes"},
		{"(forall (?x - object) (sometime (seen ?x)))", "(seen a)", "", "no"},
		// Undefined values do not hold.
		{"(sometime (> (f) 0))", "", "", "no"},
		{"(sometime-after (> (f) 0) (red))", "", "", "yes"},
	}
	for _, tt := range tests {
		t.Run(tt.constraint+" "+tt.init+" "+tt.plan, func(t *testing.T) {
			decl := lamp + ` (:action see :parameters (?x) :effect (seen ?x))`
			domain := "(define (domain d) (:requirements :adl :fluents :constraints :preferences :timed-initial-literals) (:constants a b) (:functions (f)) " + decl + ")"
			domain = replaceOnce(domain, "(red))", "(red) (seen ?x))")
			hard := compile(t, domain, fmt.Sprintf("(define (problem p) (:domain d) (:init %s) (:goal (and)) (:constraints %s))", tt.init, tt.constraint))
			v := hard.Validate(parsePlan(t, tt.plan))
			if v.Valid != (tt.want == "yes") || !v.Valid && v.Failure.Kind != FailConstraint {
				t.Errorf("got %v %s", v.Valid, message(v))
			}
			soft := compile(t, domain, fmt.Sprintf("(define (problem p) (:domain d) (:init %s) (:goal (and)) (:constraints (preference x %s)) (:metric minimize (is-violated x)))", tt.init, tt.constraint))
			v = soft.Validate(parsePlan(t, tt.plan))
			if want := map[string]string{"yes": "0", "no": "1"}[tt.want]; !v.Valid || v.Cost.String() != want {
				t.Errorf("as a preference: %v %s, want %s", v.Valid, v.Cost, want)
			}
		})
	}
}

func replaceOnce(s, old, new string) string {
	for i := 0; i+len(old) <= len(s); i++ {
		if s[i:i+len(old)] == old {
			return s[:i] + new + s[i+len(old):]
		}
	}
	panic("not found: " + old)
}

// TestPreferences checks how violations are counted.
func TestPreferences(t *testing.T) {
	room := `(:types t) (:constants a b c - t) (:predicates (p ?x - t) (done)) (:action a1 :parameters (?x - t) :precondition (preference pre (p ?x)) :effect (done))
		(:action all :parameters () :precondition (forall (?x - t) (preference pre (p ?x))) :effect (done))
		(:action lose :parameters (?x - t) :effect (not (p ?x)))
		(:durative-action long :parameters (?x - t) :duration (= ?duration 4) :condition (and (preference mid (over all (p ?x))) (preference beg (at start (p ?x))) (preference fin (at end (p ?x)))) :effect (at end (done)))
		(:durative-action each :parameters () :duration (= ?duration 4) :condition (forall (?x - t) (preference mid (over all (p ?x)))) :effect (at end (done)))`
	tests := []struct{ name, goal, rest, init, plan, want string }{
		{"a goal preference", "(preference g (p a))", "", "", "", "g 1"},
		{"one that holds", "(preference g (p a))", "", "(p a)", "", "g 0"},
		{"forall outside counts bindings", "(forall (?x - t) (preference g (p ?x)))", "", "(p a)", "", "g 2"},
		{"forall inside counts once", "(preference g (forall (?x - t) (p ?x)))", "", "(p a)", "", "g 1"},
		{"equal names add up", "(and (preference g (p a)) (preference G (p b)) (preference g (p c)))", "", "(p c)", "", "g 2"},
		{"once per execution", "(preference pre (done))", "", "", "1: (a1 a) 2: (a1 a)", "pre 2"},
		{"of each binding", "(preference pre (done))", "", "(p b)", "1: (all)", "pre 2"},
		{"a constraint preference for each binding", "(and)", "(:constraints (forall (?x - t) (preference g (always (p ?x)))))", "(p a)", "", "g 2"},
		{"and once inside", "(and)", "(:constraints (preference g (forall (?x - t) (always (p ?x)))))", "(p a)", "", "g 1"},
		{"over all counts once", "(preference mid (done))", "", "(p a)", "0: (long a) [4] 1: (lose a) 2: (lose a)", "mid 1"},
		{"not at the end", "(preference mid (done))", "", "(p a)", "0: (long a) [4] 4.5: (lose a)", "mid 0"},
		{"at start", "(preference beg (done))", "", "", "0: (long a) [4]", "beg 1"},
		{"at end", "(preference fin (done))", "", "(p a)", "0: (long a) [4] 1: (lose a)", "fin 1"},
		{"at start holds", "(preference beg (done))", "", "(p a)", "0: (long a) [4] 1: (lose a)", "beg 0"},
		{"bindings over all", "(preference mid (done))", "", "(p a) (p b)", "0: (each) [4] 1: (lose a)", "mid 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := tt.want[:len(tt.want)-2]
			j := compile(t, "(define (domain d) (:requirements :adl :typing :fluents :constraints :preferences :durative-actions) "+room+")",
				fmt.Sprintf("(define (problem p) (:domain d) (:init %s) (:goal %s) %s (:metric minimize (is-violated %s)))", tt.init, tt.goal, tt.rest, name))
			v := j.Validate(parsePlan(t, tt.plan))
			if got := name + " " + v.Cost.String(); !v.Valid || got != tt.want {
				t.Errorf("got %v %s, want %s: %s", v.Valid, got, tt.want, message(v))
			}
		})
	}
	// A scratch keeps nothing between plans.
	j := compile(t, "(define (domain d) (:requirements :adl :typing :fluents :constraints :preferences :durative-actions) "+room+")",
		"(define (problem p) (:domain d) (:init (p a)) (:goal (preference pre (done))) (:metric minimize (is-violated pre)))")
	s := j.NewScratch()
	for range 3 {
		if v := j.ValidateWith(parsePlan(t, "1: (a1 b)"), s); !v.Cost.Equal(pddl.Int(1)) {
			t.Errorf("cost %s", v.Cost)
		}
		if v := j.ValidateWith(parsePlan(t, "1: (a1 a)"), s); !v.Cost.Equal(pddl.Int(0)) {
			t.Errorf("cost %s", v.Cost)
		}
	}
}
