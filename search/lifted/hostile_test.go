package lifted

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func parse(t testing.TB, domain, problem string) *pddl.Problem {
	t.Helper()
	_, p := pddltest.Parse(t, "(define (domain d) (:requirements :adl :fluents :durative-actions :derived-predicates :object-fluents :timed-initial-literals :preferences :constraints) "+domain+")", "(define (problem x) (:domain d) "+problem+")")
	return p
}

// TestHostile: small tasks that are wrong easily, with what the answer must be.
func TestHostile(t *testing.T) {
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprintf("?x%d", i)
	}
	all := strings.Join(many, " ")
	objects := "(:objects o"
	for i := range 60 {
		objects += fmt.Sprintf(" o%d", i)
	}
	objects += ")"
	for name, c := range map[string]struct{ domain, problem, status string }{
		"no objects": {"(:predicates (p ?x) (q)) (:action a :parameters (?x) :effect (p ?x)) (:action b :effect (q))",
			"(:init) (:goal (q))", "1"},
		"no objects, no plan": {"(:predicates (p ?x) (q)) (:action a :parameters (?x) :effect (q))", "(:init) (:goal (q))", "unsolvable"},
		"no objects of a type": {"(:types t u) (:predicates (q)) (:action a :parameters (?x - t) :effect (q))",
			"(:objects o - u) (:init) (:goal (q))", "unsolvable"},
		"no actions": {"(:predicates (q))", "(:init) (:goal (q))", "unsolvable"},
		"empty goal": {"(:predicates (q))", "(:init) (:goal (and))", "0"},
		"the goal holds": {"(:predicates (q) (r)) (:action a :effect (and (r) (not (q))))",
			"(:init (q)) (:goal (and (q) (not (r))))", "0"},
		"a goal against itself": {"(:predicates (q)) (:action a :effect (q))", "(:init) (:goal (and (q) (not (q))))", "unsolvable"},
		"12 parameters that nothing mentions": {"(:predicates (q)) (:action a :parameters (" + all + ") :effect (q))",
			objects + " (:init) (:goal (q))", "1"},
		"12 parameters, one matters": {"(:predicates (p ?x)) (:action a :parameters (" + all + ") :effect (p ?x3))",
			objects + " (:init) (:goal (and (p o3) (p o7)))", "2"},
		"12 equal parameters": {"(:predicates (p " + all + ")) (:action a :parameters (" + all + ") :precondition (and " +
			equalities(many) + ") :effect (p " + all + "))", objects + " (:init) (:goal (p" + strings.Repeat(" o7", 12) + "))", "1"},
		"equality only": {"(:predicates (p ?x ?y)) (:action a :parameters (?x ?y) :precondition (not (= ?x ?y)) :effect (p ?x ?y))",
			"(:objects o u) (:init) (:goal (p o o))", "unsolvable"},
		"added and deleted": {"(:predicates (p) (q)) (:action a :precondition (p) :effect (and (p) (not (p)) (q)))",
			"(:init (p)) (:goal (and (p) (q)))", "1"},
		"added and deleted by two parameters": {"(:predicates (p ?x) (q)) (:action a :parameters (?x ?y) :precondition (p ?x) :effect (and (not (p ?x)) (p ?y)))",
			"(:objects o) (:init (p o)) (:goal (not (p o)))", "unsolvable"},
		"one variable twice": {"(:predicates (r ?x ?y) (q ?x)) (:action a :parameters (?x) :precondition (r ?x ?x) :effect (q ?x))" +
			"(:action b :parameters (?x ?y) :precondition (r ?x ?y) :effect (r ?y ?x))",
			"(:objects o u) (:init (r o u)) (:goal (q o))", "unsolvable"},
		"a quantifier over no objects": {"(:types t) (:predicates (p ?x - t) (q)) (:action a :precondition (forall (?x - t) (p ?x)) :effect (q))",
			"(:init) (:goal (q))", "1"},
		"effects read the state before": {"(:predicates (p) (q)) (:action a :effect (and (when (p) (not (p))) (when (not (p)) (p)) (when (p) (q))))",
			"(:init) (:goal (q))", "2"},
		"steps that cost nothing": {"(:predicates (p ?x) (e ?x ?y)) (:functions (total-cost) - number (w ?x) - number)" +
			"(:action a :parameters (?x ?y) :precondition (and (p ?x) (e ?x ?y)) :effect (and (p ?y) (not (p ?x)) (increase (total-cost) (w ?y))))",
			"(:objects a b c) (:init (p a) (e a b) (e b a) (e b c) (e a c) (= (w a) 0) (= (w b) 0) (= (w c) 2.5)) (:goal (p c)) (:metric minimize (total-cost))", "2.5"},
		"a cost without a value": {"(:predicates (p ?x)) (:functions (total-cost) - number (w ?x) - number)" +
			"(:action a :parameters (?x) :effect (and (p ?x) (increase (total-cost) (w ?x))))",
			"(:objects a b) (:init (= (w a) 1)) (:goal (p b)) (:metric minimize (total-cost))", "unsolvable"},
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, c.domain, c.problem)
			r, own, err := Run(t.Context(), p, search.Limits{Nodes: 1000, CPU: 20 * time.Second}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := string(r.Status)
			if r.Status == search.SolvedOptimally {
				if got = own.PlanCost(r.Cost).String(); got != judged(t, p, own, r).String() {
					t.Errorf("the judge says that %s is wrong", got)
				}
			}
			if got != c.status {
				t.Errorf("%s, want %s", got, c.status)
			}
		})
	}
}

func equalities(vars []string) (out string) {
	for _, v := range vars[1:] {
		out += "(= " + vars[0] + " " + v + ")"
	}
	return out
}

// wide is a task whose one action has 60^12 instances that all lead to different states.
func wide(t testing.TB) *pddl.Problem {
	var vars, objects string
	for i := range 12 {
		vars += fmt.Sprintf(" ?x%d", i)
	}
	for i := range 60 {
		objects += fmt.Sprintf(" o%d", i)
	}
	return parse(t, "(:predicates (p"+vars+") (q)) (:action a :parameters ("+vars+") :effect (p"+vars+")) (:action b :parameters (?x) :precondition (and (q) (p"+
		strings.Repeat(" ?x", 12)+")) :effect (q))", "(:objects"+objects+") (:init) (:goal (q))")
}

// TestLimits: an expansion that would never end is ended by each limit, and memory is not passed.
func TestLimits(t *testing.T) {
	p := wide(t)
	began := time.Now()
	r, _, err := Run(t.Context(), p, search.Limits{Wall: 100 * time.Millisecond}, nil)
	if err != nil || r.Status != search.Timeout {
		t.Fatalf("%+v, %v", r, err)
	}
	if took := time.Since(began); took > 5*300*time.Millisecond {
		t.Errorf("a limit of 100 ms took %v", took)
	}
	for _, limit := range []int64{4 << 20, 64 << 20} {
		task, _ := newTask(p, unlimited())
		e := newEngine(task, search.Limits{Memory: limit})
		e.look = func() bool { return false }
		if e.search(); e.end == nil || e.end.Status != search.Memout {
			t.Fatalf("%+v", e.end)
		}
		if have := e.bytes(); have > limit || have < limit/4 {
			t.Errorf("%d bytes held at a limit of %d", have, limit)
		}
	}
	again, _, _ := Run(t.Context(), p, search.Limits{Memory: 4 << 20}, nil)
	first, _, _ := Run(t.Context(), p, search.Limits{Memory: 4 << 20}, nil)
	if again.States != first.States || again.Generated != first.Generated {
		t.Errorf("%+v and %+v", first, again)
	}
}

// unlimited lets work go on.
func unlimited() *meter { return &meter{look: func() bool { return false }} }

// TestLoadingLooks: loading many facts and values looks at the clock as often as work is done, and ends at whichever look
// says so.
func TestLoadingLooks(t *testing.T) {
	const n = 300 // squared: the facts, and the values
	objects := ""
	for i := range n {
		objects += fmt.Sprintf(" o%d", i)
	}
	var b strings.Builder
	for i := range n {
		for k := range n {
			fmt.Fprintf(&b, "(r o%d o%d)(= (w o%d o%d) %d)", i, k, i, k, k)
		}
	}
	p := parse(t, "(:predicates (r ?x ?y) (q ?x)) (:functions (w ?x ?y) (total-cost)) (:action a :parameters (?x ?y) :precondition (and (q ?x) (r ?x ?y)) "+
		":effect (and (q ?y) (increase (total-cost) (w ?x ?y))))", "(:objects"+objects+") (:init (= (total-cost) 0) (q o1) "+b.String()+") (:goal (q o2)) (:metric minimize (total-cost))")
	looks, most := 0, math.MaxInt
	m := func() *meter {
		looks = 0
		return &meter{look: func() bool { looks++; return looks > most }}
	}
	task, diags := newTask(p, m())
	if diags != nil || task.halted {
		t.Fatal(diags)
	}
	whole := looks
	// Facts are read once, counted by column and indexed in two passes; values are read, indexed and priced.
	if least := 8 * n * n / lookEvery; whole < least {
		t.Errorf("%d looks, want %d", whole, least)
	}
	for most = range whole {
		task, diags := newTask(p, m())
		if diags != nil || !task.halted || looks != most+1 {
			t.Fatalf("look %d of %d: %v, halted %v after %d looks", most, whole, diags, task.halted, looks)
		}
		if r := task.preds[0].rel; most == 0 && r.n > 2*lookEvery {
			t.Errorf("%d facts are read before the first look", r.n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, _, err := Run(ctx, p, search.Limits{}, nil); err != nil || r.Status != search.Timeout || r.Search != Name {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEndsAtEachLook: a search whose context ends gives no answer.
func TestEndsAtEachLook(t *testing.T) {
	p := pddltest.Load(t, "blocksworld:6-77")
	testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
		r, _, err := Run(ctx, p, search.Limits{}, nil)
		if err != nil {
			return false, err
		}
		if r.Status == search.Timeout {
			return false, ctx.Err()
		}
		return r.Status == search.SolvedOptimally, nil
	})
}

// TestRefused: what is not supported is refused by name at its place.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		domain, problem string
		code            pddl.Code
	}{
		"rules":       {"(:predicates (p) (q)) (:derived (q) (p)) (:action a :effect (p))", "(:init) (:goal (q))", UnsupportedAxioms},
		"comparison":  {"(:predicates (p)) (:functions (f)) (:action a :precondition (> (f) 1) :effect (p))", "(:init (= (f) 0)) (:goal (p))", grounder.UnsupportedNumeric},
		"assignment":  {"(:predicates (p)) (:functions (f)) (:action a :effect (and (p) (assign (f) 2)))", "(:init (= (f) 0)) (:goal (p))", grounder.UnsupportedNumeric},
		"object":      {"(:types t) (:predicates (p)) (:functions (f) - t) (:action a :parameters (?x - t) :precondition (= (f) ?x) :effect (p))", "(:init) (:goal (p))", grounder.UnsupportedObjectFluents},
		"durative":    {"(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p)))", "(:init) (:goal (p))", grounder.UnsupportedDurative},
		"timed":       {"(:predicates (p))", "(:init (at 3 (p))) (:goal (p))", grounder.UnsupportedTimedLiterals},
		"preference":  {"(:predicates (p))", "(:init) (:goal (preference x (p)))", grounder.UnsupportedPreferences},
		"constraints": {"(:predicates (p))", "(:init) (:goal (p)) (:constraints (always (p)))", grounder.UnsupportedConstraints},
		"maximize":    {"(:predicates (p)) (:functions (f)) (:action a :effect (increase (f) 1))", "(:init (= (f) 0)) (:goal (p)) (:metric maximize (f))", grounder.UnsupportedMaximize},
		"negative": {"(:predicates (p) (q)) (:functions (f)) (:action a :effect (and (q) (decrease (f) 1)))", "(:init (= (f) 0)) (:goal (q)) (:metric minimize (f))",
			grounder.NegativeActionCost},
	} {
		t.Run(name, func(t *testing.T) {
			p := parse(t, c.domain, c.problem)
			_, _, err := Run(t.Context(), p, search.Limits{}, nil)
			var diags pddl.Diagnostics
			if !errors.As(err, &diags) || diags[0].Code != c.code || diags[0].Pos == 0 {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}
