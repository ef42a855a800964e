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

const (
	pantry = `(define (domain pantry) (:types jar) (:predicates (open) (full ?j - jar) (cold)) (:functions (level))
		(:process cool :parameters () :precondition (not (cold)) :effect (decrease (level) (* #t 2)))
		(:event chill :parameters () :precondition (and (not (cold)) (<= (level) 0)) :effect (cold))
		(:durative-action fill :parameters (?j - jar) :duration (= ?duration 2) :condition (over all (open))
			:effect (at end (full ?j)))
		(:action open :parameters () :precondition (preference chilled (cold)) :effect (open))
		(:action close :parameters () :precondition (open) :effect (not (open))))`
	pantryTask = `(define (problem p) (:domain pantry) (:objects a b - jar) (:init (= (level) 3))
		(:goal (and (full a) (forall (?j - jar) (preference both (full ?j)))))
		(:metric minimize (+ (total-time) (* 5 (is-violated both)))))`
)

// TestAllTimed has the feedback of level all on plans with times: each step that fails when those that
// failed before are left out, by its place in time, and what is violated.
func TestAllTimed(t *testing.T) {
	_, prob := pddltest.Parse(t, pantry, pantryTask)
	for plan, want := range map[string]string{
		// As written, the third step comes first.
		"4: (close)\n2: (fill b) [1]\n1: (close)\n1.25: (open)\n3: (fill a) [3]": "Your plan is not valid. " +
			"Step 1, (close), at 1, cannot be carried out: it does not hold that (open). " +
			"Step 3, (fill b), starting at 2, cannot be carried out: its duration 1 is 1 less than the 2 of (= ?duration 2). " +
			"Step 4, (fill a), starting at 3, cannot be carried out: its duration 3 is 1 more than the 2 of (= ?duration 2). " +
			"After the last step the goal is not reached: it does not hold that (full a). (Steps that cannot be carried out were left out to see what follows.)",
		"1: (open)\n2: (fly)\n2.5: (fill a) [2]\n8: (close)": "Your plan is not valid. Step 2, (fly), at 2, cannot be carried out: there is no action fly. The rest of the plan reaches the goal.",
		"1: (open)\n2: (fill a) [2]":                         "Your plan is valid. It violates the preference chilled: at each open, (cold). It violates the preference both: for every ?j, (full ?j); this adds 5 to the cost.",
	} {
		critic, err := NewCritic(context.Background(), prob, Options{Level: LevelAll, Style: prompt.StylePDDL})
		if err != nil {
			t.Fatal(err)
		}
		f, err := critic.CriticiseText(context.Background(), pddl.NewSource("plan", plan))
		if err != nil {
			t.Fatal(err)
		}
		if f.Text != want {
			t.Errorf("%s\ngot  %s\nwant %s", plan, f.Text, want)
		}
	}
}

// TestAllKeepsTimes leaves out a step of a plan without times: the others keep the moments they had, so
// that a condition over all is not mended by moving everything forward.
func TestAllKeepsTimes(t *testing.T) {
	_, prob := pddltest.Parse(t, pantry, pantryTask)
	critic, err := NewCritic(context.Background(), prob, Options{Level: LevelAll})
	if err != nil {
		t.Fatal(err)
	}
	plan, _ := pddl.ParsePlan(pddl.NewSource("plan", "(open)\n(fly)\n(fill a) [2]\n(close)"))
	f, err := critic.Criticise(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range f.Errors {
		kinds = append(kinds, fmt.Sprint(e.Step, " ", e.Kind))
	}
	if got := strings.Join(kinds, ", "); got != "2 unknown-action, 3 invariant, 0 goal" {
		t.Errorf("got %s\n%s", got, f.Text)
	}
}

// TestWishesInWords words what a preference asks, and what happened by itself.
func TestWishesInWords(t *testing.T) {
	_, prob := pddltest.Parse(t, pantry, pantryTask)
	critic, err := NewCritic(context.Background(), prob, Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := pddl.NewSource("plan", "1: (open)\n2: (fill a) [2]")
	v, _ := critic.judge.ExplainText(src, critic.judge.NewScratch())
	const want = "The plan is valid: its 2 steps reach the goal at cost 9.\n" +
		"It violates the preference chilled: at each open, cold.\n" +
		"It violates the preference both: for every jar J, full jar J; this adds 5 to the cost.\n" +
		"By itself, this happened: from 0 on: process (cool); at 1.5: event (chill); until 1.5: process (cool).\n"
	if got := critic.Explain(v); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
