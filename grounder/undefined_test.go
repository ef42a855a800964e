package grounder

import (
	"context"
	"testing"
)

// TestUnknownEffectConditions: a step is inapplicable in the states in which one
// of its effect conditions is unknown, so the precondition excludes those.
func TestUnknownEffectConditions(t *testing.T) {
	const head = `(:constants o u) (:predicates (p) (q) (r ?x)) (:functions (f) (zero) (w ?x))
		(:action b :parameters () :precondition (p) :effect (q))
		(:action a :parameters () :precondition () :effect (and (p) `
	const init = `(:init (q) (= (zero) 0) (= (w o) 1)) (:goal (p))`
	for _, c := range []struct {
		name, effect string
		want         int // operators of the action
	}{
		{"undefined", `(when (> (f) 0) (not (q)))`, 0},
		{"negated", `(when (not (> (f) 0)) (not (q)))`, 0},
		{"division by zero", `(when (= (/ 1 (zero)) 0) (not (q)))`, 0},
		{"defined", `(when (> (w o) 0) (not (q)))`, 1},
		{"false without it", `(when (and (p) (> (f) 0)) (not (q)))`, 1},
		{"true without it", `(when (or (q) (> (f) 0)) (not (q)))`, 1},
		{"never false without it", `(when (and (= o o) (> (f) 0)) (not (q)))`, 0},
		{"a false antecedent", `(when (imply (= o u) (> (f) 0)) (not (q)))`, 1},
		{"one of several instances", `(forall (?x) (when (> (w ?x) 0) (r ?x)))`, 0},
		{"only defined instances", `(forall (?x) (when (and (= ?x o) (> (w ?x) 0)) (r ?x)))`, 1},
		{"an instance that decides", `(when (exists (?x) (> (w ?x) 0)) (r o))`, 1},
		{"no instance that decides", `(when (forall (?x) (> (w ?x) 0)) (r o))`, 0},
		{"an instance that decides against", `(when (forall (?x) (> (w ?x) 1)) (r o))`, 1},
		{"conditions on the way down count together", `(when (> (f) 0) (when (= o u) (r o)))`, 1},
		{"a condition of nothing", `(when (> (f) 0) (and))`, 1},
	} {
		d, p := small(head+c.effect+"))", init)
		task, err := Ground(context.Background(), parse(t, d, p), Options{KeepIrrelevant: true})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := 0
		for i := range task.Operators.Len() {
			if task.OperatorName(OperatorID(i)) == "(a)" {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: %d operators, want %d\n%s", c.name, got, c.want, dumpTask(task))
		}
	}
}
