package validator

import "testing"

// TestClocked: with processes and events validity depends on the clock, so that no order of
// happenings proves that a shift is the smallest.
func TestClocked(t *testing.T) {
	const problem = "(define (problem p) (:domain d) (:init (= (level) 0)) (:goal (> (level) 0)))"
	const head = "(define (domain d) (:requirements :durative-actions :fluents :time) (:predicates (open)) (:functions (level))\n" +
		" (:durative-action open-it :parameters () :duration (= ?duration 1) :condition () :effect (at start (open)))\n"
	for _, c := range []struct{ more, want string }{
		{"", ""},
		{"(:process fill :parameters () :precondition (open) :effect (increase (level) (* #t 1)))", "processes and events"},
		{"(:event spill :parameters () :precondition (open) :effect (and (not (open)) (assign (level) 1)))", "processes and events"},
	} {
		if got := compile(t, head+c.more+")", problem).Clocked(); got != c.want {
			t.Errorf("%q with %q, want %q", got, c.more, c.want)
		}
	}
}
