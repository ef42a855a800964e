package feedback

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

const (
	shed = `(define (domain shed) (:predicates (lit) (mended ?f))
		(:durative-action strike :parameters () :duration (= ?duration 5) :effect (and (at start (lit)) (at end (not (lit)))))
		(:durative-action mend :parameters (?f) :duration (and (>= ?duration 3) (<= ?duration 8)) :condition (over all (lit)) :effect (at end (mended ?f))))`
	shedTask = `(define (problem one) (:domain shed) (:objects f) (:init) (:goal (mended f)))`
	fuel     = `(define (domain fuel) (:predicates (at ?x) (road ?x ?y)) (:functions (fuel))
		(:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y) (>= (fuel) 2)) :effect (and (not (at ?x)) (at ?y) (decrease (fuel) 2)))
		(:action fill :parameters () :precondition (< (fuel) 5) :effect (increase (fuel) 3)))`
	fuelTask = `(define (problem n) (:domain fuel) (:objects a b c) (:init (at a) (road a b) (road b c) (= (fuel) 3)) (:goal (at c)))`
)

// TestHintTime has what the levels say of a plan with times.
func TestHintTime(t *testing.T) {
	_, prob := pddltest.Parse(t, shed, shedTask)
	const first = "Your plan is not valid. Step 2, (mend f), from 5 on, cannot be carried out: it does not hold that (lit) (last changed by step 1, (strike))."
	for _, c := range []struct{ plan, want, revealed string }{
		{"0: (strike) [5]\n3: (mend f) [3]", first + " It would be valid if step 2, (mend f), started earlier.",
			first + " It would be valid if step 2, (mend f), started 1 time units earlier."},
		{"0: (strike) [5]\n1: (mend f) [2]",
			"Your plan is not valid. Step 2, (mend f), starting at 1, cannot be carried out: its duration 2 is 1 less than the 3 of (>= ?duration 3). It would be valid if step 2, (mend f), took longer.",
			"Your plan is not valid. Step 2, (mend f), starting at 1, cannot be carried out: its duration 2 is 1 less than the 3 of (>= ?duration 3). It would be valid if step 2, (mend f), took 1 time units longer."},
		{"1: (mend f) [3]", "Your plan is not valid. Step 1, (mend f), from 1 on, cannot be carried out: it does not hold that (lit). It would be valid if it had one more step, a kind of strike.", ""},
	} {
		for _, reveal := range []bool{false, true} {
			critic, err := NewCritic(context.Background(), prob, Options{Level: LevelHint, Style: prompt.StylePDDL, Reveal: reveal, Limits: search.Limits{Nodes: 100000}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := critic.CriticiseText(context.Background(), pddl.NewSource("plan", c.plan))
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if reveal {
				want = c.revealed
			}
			if want != "" && f.Text != want {
				t.Errorf("%s\ngot  %s\nwant %s", c.plan, f.Text, want)
			}
		}
	}
}

// TestRepairNumbers repairs a plan whose states have numbers.
func TestRepairNumbers(t *testing.T) {
	_, prob := pddltest.Parse(t, fuel, fuelTask)
	r, err := NewRepairer(context.Background(), prob, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for plan, want := range map[string]string{
		"(go a b)\n(go b c)":         "1 edits, (go a b) (fill) (go b c); kept 1, (go a b) (fill) (go b c)",
		"(fill)\n(fill)\n(go a b)":   "2 edits, (fill) (go a b) (go b c); kept 1, (fill) (go a b) (go b c)",
		"(go a b)\n(fill)\n(go b c)": "0 edits, (go a b) (fill) (go b c); kept 3, (go a b) (fill) (go b c)",
	} {
		p, err := r.Propose(context.Background(), pddl.NewSource("plan", plan), search.Limits{Nodes: 10000})
		if err != nil {
			t.Fatal(err)
		}
		n, c := &p.Nearest, &p.Completion
		got := fmt.Sprintf("%d edits, %s; kept %d, %s", n.Edits, strings.Join(n.Plan, " "), c.Kept, strings.Join(c.Plan, " "))
		if got != want || !n.Proven || !c.Proven {
			t.Errorf("%s: got %s (%+v), want %s", plan, got, p.Repair, want)
		}
	}
}
