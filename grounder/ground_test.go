package grounder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/pddl"
)

// small wraps sections into a domain and a problem.
func small(domain, problem string) (string, string) {
	return "(define (domain d) (:requirements :adl :action-costs :derived-predicates :fluents)\n" + domain + ")",
		"(define (problem p) (:domain d)\n" + problem + ")"
}

func groundText(t *testing.T, domain, problem string, opt Options) (*Task, error) {
	t.Helper()
	d, p := small(domain, problem)
	return Ground(context.Background(), parse(t, d, p), opt)
}

// TestGround gives the whole task for each construct.
func TestGround(t *testing.T) {
	for _, c := range []struct{ name, domain, problem, want string }{
		{"one variable for a mutex group",
			`(:predicates (at ?x) (road ?x ?y))
			 (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x))))`,
			`(:objects a b c) (:init (at a) (road a b) (road b c) (road c c)) (:goal (at c))`,
			`
var 0 layer -1: Atom at(a) | Atom at(b) | Atom at(c)
init [0]
goal [{0 2}]
(go a b) cost 1 pre [{0 0}]
  [] -> {0 1}
(go b c) cost 1 pre [{0 1}]
  [] -> {0 2}
`},
		{"adds win over deletes under conditions",
			`(:predicates (p) (c) (e))
			 (:action act :effect (and (when (c) (p)) (when (e) (not (p)))))
			 (:action flip :effect (and (not (c)) (e) (not (p))))`,
			`(:init (c)) (:goal (and (p) (not (c))))`,
			`
var 0 layer -1: Atom e() | NegatedAtom e()
var 1 layer -1: Atom c() | NegatedAtom c()
var 2 layer -1: Atom p() | NegatedAtom p()
init [1 0 1]
goal [{1 1} {2 0}]
(act) cost 1 pre []
  [{1 0}] -> {2 0}
  [{0 0} {1 1} {2 0}] -> {2 1}
(flip) cost 1 pre []
  [] -> {0 0}
  [] -> {1 1}
  [] -> {2 1}
`},
		{"two atoms swap: each delete is what the other's add relies on",
			`(:predicates (p) (q) (done))
			 (:action swap :effect (and (when (p) (and (q) (not (p)))) (when (q) (and (p) (not (q)))) (done)))`,
			`(:init (p)) (:goal (and (q) (not (p)) (done)))`,
			`
var 0 layer -1: Atom p() | NegatedAtom p()
var 1 layer -1: Atom q() | NegatedAtom q()
var 2 layer -1: Atom done() | NegatedAtom done()
mutex [{0 0} {1 0}]
init [0 1 1]
goal [{0 1} {1 0} {2 0}]
(swap) cost 1 pre []
  [{1 0}] -> {0 0}
  [{0 0}] -> {0 1}
  [{0 0}] -> {1 0}
  [{1 0}] -> {1 1}
  [] -> {2 0}
`},
		{"universal precondition over a static predicate",
			`(:predicates (needs ?x ?y) (made ?x) (shipped ?x))
			 (:action make :parameters (?x) :precondition (not (made ?x)) :effect (made ?x))
			 (:action ship :parameters (?x) :precondition (forall (?y) (imply (needs ?x ?y) (made ?y))) :effect (shipped ?x))`,
			`(:objects a b c) (:init (needs a b) (needs a c)) (:goal (shipped a))`,
			`
var 0 layer -1: Atom made(c) | NegatedAtom made(c)
var 1 layer -1: Atom made(b) | NegatedAtom made(b)
var 2 layer -1: Atom shipped(a) | NegatedAtom shipped(a)
init [1 1 1]
goal [{2 0}]
(make b) cost 1 pre [{1 1}]
  [] -> {1 0}
(make c) cost 1 pre [{0 1}]
  [] -> {0 0}
(ship a) cost 1 pre [{0 0} {1 0}]
  [] -> {2 0}
`},
		{"universal precondition over a disjunction",
			`(:predicates (p ?x) (q ?x) (g))
			 (:action p :parameters (?x) :effect (p ?x))
			 (:action q :parameters (?x) :effect (and (q ?x) (not (p ?x))))
			 (:action end :precondition (forall (?x) (or (p ?x) (q ?x))) :effect (g))`,
			`(:objects a b) (:init) (:goal (g))`,
			`
var 0 layer -1: Atom q(b) | NegatedAtom q(b)
var 1 layer -1: Atom q(a) | NegatedAtom q(a)
var 2 layer -1: Atom p(b) | NegatedAtom p(b)
var 3 layer -1: Atom p(a) | NegatedAtom p(a)
var 4 layer 0 default 1: Atom new-axiom@0() | NegatedAtom new-axiom@0()
var 5 layer -1: Atom g() | NegatedAtom g()
init [1 1 1 1 1 1]
goal [{5 0}]
(p a) cost 1 pre []
  [] -> {3 0}
(p b) cost 1 pre []
  [] -> {2 0}
(q a) cost 1 pre []
  [] -> {1 0}
  [] -> {3 1}
(q b) cost 1 pre []
  [] -> {0 0}
  [] -> {2 1}
(end) cost 1 pre [{4 1}]
  [] -> {5 0}
axiom [{0 1} {2 1}] -> {4 0}
axiom [{1 1} {3 1}] -> {4 0}
`},
		{"goal with a disjunction, layers",
			`(:predicates (p ?x) (dirty) (clean))
			 (:derived (dirty) (exists (?x) (p ?x)))
			 (:derived (clean) (not (dirty)))
			 (:action wipe :parameters (?x) :effect (not (p ?x)))`,
			`(:objects a b) (:init (p a) (p b)) (:goal (or (clean) (and (p b) (not (p a)))))`,
			`
var 0 layer -1: Atom p(b) | NegatedAtom p(b)
var 1 layer -1: Atom p(a) | NegatedAtom p(a)
var 2 layer 0 default 1: Atom dirty() | NegatedAtom dirty()
var 3 layer 1 default 1: Atom clean() | NegatedAtom clean()
var 4 layer 1 default 1: Atom new-axiom@0() | NegatedAtom new-axiom@0()
init [0 0 1 1 1]
goal [{4 0}]
(wipe a) cost 1 pre []
  [] -> {1 1}
(wipe b) cost 1 pre []
  [] -> {0 1}
axiom [{0 0}] -> {2 0}
axiom [{1 0}] -> {2 0}
axiom [{2 1}] -> {3 0}
axiom [{0 0} {1 1}] -> {4 0}
axiom [{3 0}] -> {4 0}
`},
		{"parameters in effects only, the same constant twice",
			`(:constants k) (:predicates (p ?x ?y))
			 (:action act :parameters (?x ?y) :precondition (not (= ?x k)) :effect (p ?x ?x))`,
			`(:objects a) (:init) (:goal (p a a))`,
			`
var 0 layer -1: Atom p(a, a) | NegatedAtom p(a, a)
init [1]
goal [{0 0}]
(act a k) cost 1 pre []
  [] -> {0 0}
(act a a) cost 1 pre []
  [] -> {0 0}
`},
		{"goal out of reach",
			`(:predicates (p) (q)) (:action a :precondition (q) :effect (p))`, `(:init) (:goal (p))`,
			`
var 0 layer -1: Atom dummy(val1) | Atom dummy(val2)
init [0]
goal [{0 1}]
`},
		{"goal true already",
			`(:predicates (p) (q)) (:action a :precondition (q) :effect (p))`, `(:init (q)) (:goal (q))`,
			`
var 0 layer -1: Atom dummy(val1) | Atom dummy(val2)
init [0]
goal [{0 0}]
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, err := groundText(t, c.domain, c.problem, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkTask(t, task)
			if got := dumpTask(task); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%s", got)
			}
			if task.Unsolvable != (c.name == "goal out of reach") {
				t.Errorf("unsolvable %v", task.Unsolvable)
			}
		})
	}
}

// TestCosts checks what operators cost, as "name cost [conditional costs]", in
// units of the problem.
func TestCosts(t *testing.T) {
	const head = `(:constants o1 o2) (:predicates (p) (q) (r ?x)) (:functions (total-cost) (w ?x) (fuel) (other ?x))`
	for _, c := range []struct {
		name, actions, init, metric string
		want                        string
	}{
		{"no metric: every step costs 1", `(:action a :effect (and (p) (increase (total-cost) 7)))`, ``, ``, "1 0 | (a) 1"},
		{"several increases add up", `(:action a :effect (and (p) (increase (total-cost) 7) (increase (total-cost) 3)))`, ``,
			`(total-cost)`, "10 0 | (a) 1"},
		{"decimals and a common unit", `(:action a :effect (and (p) (increase (total-cost) 0.5))) (:action b :effect (and (p) (increase (total-cost) 1.25)))`, ``,
			`(total-cost)`, "0.25 0 | (a) 2 | (b) 5"},
		{"beyond 63 bits, if multiples are small", `(:action a :effect (and (p) (increase (total-cost) 36893488147419103232))) (:action b :effect (and (p) (increase (total-cost) 18446744073709551616)))`, ``,
			`(total-cost)`, "18446744073709551616 0 | (a) 2 | (b) 1"},
		{"free actions", `(:action a :effect (p))`, ``, `(total-cost)`, "1 0 | (a) 0"},
		{"static fluents, undefined ones forbid the step", `(:action a :parameters (?x) :effect (and (p) (increase (total-cost) (* 2 (w ?x)))))`, `(= (w o1) 3)`,
			`(total-cost)`, "6 0 | (a o1) 1"},
		{"division by zero forbids the step", `(:action a :parameters (?x) :effect (and (p) (increase (total-cost) (/ 6 (w ?x)))))`, `(= (w o1) 0) (= (w o2) 4)`,
			`(total-cost)`, "1.5 0 | (a o2) 1"},
		{"conditional", `(:action a :effect (and (p) (increase (total-cost) 4) (when (q) (increase (total-cost) 6)))) (:action b :effect (q))`, ``,
			`(total-cost)`, "2 0 | (a) 2 [q]3 | (b) 0"},
		{"conditional on a disjunction counts once", `(:action a :effect (and (p) (when (or (q) (r o1)) (increase (total-cost) 6)))) (:action b :effect (and (q) (r o1)))`, ``,
			`(total-cost)`, "6 0 | (a) 0 [new-axiom@0]1 | (b) 0"},
		{"universal counts each", `(:action a :effect (and (p) (forall (?x) (increase (total-cost) (w ?x)))))`, `(= (w o1) 3) (= (w o2) 4)`,
			`(total-cost)`, "7 0 | (a) 1"},
		{"undefined under a condition forbids the condition", `(:action a :effect (and (p) (when (q) (increase (total-cost) (w o1))))) (:action b :effect (not (q)))`, `(q)`,
			`(total-cost)`, "1 0 | (a) 0 pre{!q} | (b) 0"},
		{"linear metric", `(:action a :effect (and (p) (increase (total-cost) 4) (increase (fuel) 3)))`, `(= (fuel) 10)`,
			`(+ (* 2 (total-cost)) (/ (fuel) 3) 1)`, "9 13/3 | (a) 1"},
		{"total-time counts steps", `(:action a :effect (and (p) (increase (total-cost) 4)))`, ``,
			`(+ (total-cost) (* 2 (total-time)))`, "6 0 | (a) 1"},
		{"decrease by a negative amount", `(:action a :effect (and (p) (decrease (total-cost) (- 5))))`, ``, `(total-cost)`, "5 0 | (a) 1"},
		{"other numeric effects do not matter", `(:action a :parameters (?x) :effect (and (p) (increase (other ?x) 3) (assign (fuel) (w ?x))))`, `(= (other o1) 0) (= (other o2) 0) (= (w o1) 1)`,
			`(total-cost)`, "1 0 | (a o1) 0"},
		{"but increasing an undefined fluent forbids the step", `(:action a :parameters (?x) :effect (and (p) (increase (other ?x) 3)))`, `(= (other o2) 1)`,
			`(total-cost)`, "1 0 | (a o2) 0"},
		{"static comparisons", `(:action a :parameters (?x) :precondition (and (> (w ?x) 1) (not (= (w ?x) 3))) :effect (p))`, `(= (w o1) 3) (= (w o2) 2)`,
			`(total-cost)`, "1 0 | (a o2) 0"},
		{"an undefined comparison is false, negated too", `(:action a :parameters (?x) :precondition (not (> (w ?x) 1)) :effect (p)) (:action b :precondition (or (> (w o2) 1) (not (p))) :effect (p))`, `(= (w o1) 0)`,
			`(total-cost)`, "1 0 | (a o1) 0 | (b) 0 pre{!p}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			metric := ""
			if c.metric != "" {
				metric = "(:metric minimize " + c.metric + ")"
			}
			task, err := groundText(t, head+c.actions, "(:init "+c.init+") (:goal (p))"+metric, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkTask(t, task)
			if got := costText(task); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func costText(t *Task) string {
	name := func(f Fact) string {
		s := t.Variables[f.Var].Values[f.Val]
		s = strings.TrimSuffix(strings.Replace(strings.TrimPrefix(s, "Atom "), "NegatedAtom ", "!", 1), "()")
		return s
	}
	s := t.CostUnit.String() + " " + t.CostBase.String()
	for i := range t.Operators {
		op := &t.Operators[i]
		s += fmt.Sprintf(" | %s %d", t.OperatorName(OperatorID(i)), op.Cost)
		for _, c := range op.CondCosts {
			var names []string
			for _, f := range c.Cond {
				names = append(names, name(f))
			}
			s += fmt.Sprintf(" [%s]%d", strings.Join(names, ","), c.Cost)
		}
		for _, f := range op.Pre {
			s += " pre{" + name(f) + "}"
		}
	}
	return s
}

// TestRefusals: what is not supported is refused by name at its place.
func TestRefusals(t *testing.T) {
	const ok = `(:action a :effect (p))`
	for _, c := range []struct{ domain, problem, want string }{
		{`(:durative-action m :parameters () :duration (= ?duration 1) :condition () :effect (at end (p)))`, ``, "domain.pddl:3:19: error[unsupported-durative-actions]"},
		{ok, `(:constraints (always (p)))`, "problem.pddl:3:2: error[unsupported-constraints]"},
		{`(:action a :precondition (preference x (p)) :effect (p))`, ``, "domain.pddl:3:26: error[unsupported-preferences]"},
		{`(:action a :precondition (> (fuel) 1) :effect (and (p) (decrease (fuel) 1)))`, ``, "domain.pddl:3:29: error[unsupported-numeric-fluents]"},
		{`(:action a :effect (and (p) (increase (total-cost) (fuel)) (decrease (fuel) 1)))`, ``, "domain.pddl:3:52: error[unsupported-numeric-fluents]"},
		{ok, `(:metric maximize (total-cost))`, "problem.pddl:3:1: error[unsupported-maximize]"},
		{ok, `(:metric minimize (* (total-cost) (fuel)))`, "problem.pddl:3:35: error[unsupported-metric]"},
		{`(:action a :effect (and (p) (assign (total-cost) 1)))`, `(:metric minimize (total-cost))`, "domain.pddl:3:29: error[unsupported-metric]"},
		{`(:action a :effect (and (p) (increase (total-cost) (- (+ (w) (w))))))`, `(:metric minimize (total-cost))`, "domain.pddl:3:29: error[negative-action-cost]"},
		{`(:action a :effect (and (p) (when (p) (increase (total-cost) (- (+ (w) (w)))))))`, `(:metric minimize (total-cost))`, "domain.pddl:3:39: error[negative-action-cost]"},
		{`(:action a :effect (and (p) (increase (total-cost) 9223372036854775807))) (:action b :effect (and (p) (increase (total-cost) 1)))`,
			`(:metric minimize (total-cost))`, "problem.pddl:3:1: error[cost-too-large]"},
		{`(:functions (f) - object)(:action a :effect (and (p) (assign (f) undefined)))`, ``, "domain.pddl:3:54: error[unsupported-object-fluents]"},
		{`(:action a :effect (and (p) (increase (fuel) 1) (assign (fuel) 1)))`, ``, "domain.pddl:3:49: error[unsupported-numeric-fluents]"},
	} {
		domain := "(:predicates (p))"
		if !strings.HasPrefix(c.domain, "(:functions") {
			domain += "(:functions (total-cost) (fuel) (w))"
		}
		d := "(define (domain d) (:requirements :adl :fluents :durative-actions :constraints :preferences :object-fluents)\n" + domain + "\n" + c.domain + ")"
		init := "(= (w) 1) (= (fuel) 0)"
		if strings.HasPrefix(c.domain, "(:functions") {
			init = ""
		}
		p := "(define (problem p) (:domain d)\n(:init " + init + ") (:goal (p))\n" + c.problem + ")"
		_, err := Ground(context.Background(), parse(t, d, p), Options{})
		var ds pddl.Diagnostics
		if !errors.As(err, &ds) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v\nwant %s", c.domain, c.problem, err, c.want)
		}
	}
}

// TestWriteSASRefusals: costs that the format cannot hold.
func TestWriteSASRefusals(t *testing.T) {
	for _, c := range []struct{ effect, want string }{
		{`(increase (total-cost) 2147483649)`, "large action costs"},
		{`(when (q) (increase (total-cost) 2))`, "conditional action costs"},
	} {
		task, err := groundText(t, `(:predicates (p) (q)) (:functions (total-cost)) (:action a :effect (and (p) `+c.effect+`)) (:action b :effect (and (q) (increase (total-cost) 2)))`,
			`(:init) (:goal (and (p) (q))) (:metric minimize (total-cost))`, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteSAS(&bytes.Buffer{}, task); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.effect, err)
		}
	}
}

// wide has six parameters over n objects.
func wide(n int, pre string) (domain, problem string) {
	var objs, init strings.Builder
	for i := range n {
		fmt.Fprintf(&objs, " o%d", i)
		fmt.Fprintf(&init, " (p o%d)", i)
	}
	return `(:predicates (p ?x) (q) (never ?x ?y) (link ?x ?y)) (:action a :parameters (?a ?b ?c ?d ?e ?f) :precondition (and (p ?a) (p ?b) (p ?c) (p ?d) (p ?e) (p ?f) ` + pre + `) :effect (and (q) (not (p ?a))))
		(:action b :parameters (?x ?y) :effect (link ?x ?y))`,
		"(:objects" + objs.String() + ") (:init" + init.String() + ") (:goal (q))"
}

// TestWideActions: a precondition that cannot hold is found before its
// substitutions are; a hundred to the sixth of them end at a limit.
func TestWideActions(t *testing.T) {
	for _, pre := range []string{"(never ?e ?f)", "(never ?a ?f)", "(link ?a ?b) (never ?c ?c)"} {
		domain, problem := wide(100, pre)
		task, err := groundText(t, domain, problem, Options{Time: 20 * time.Second})
		if err != nil || !task.Unsolvable {
			t.Errorf("%s: %v", pre, err)
		}
	}
	domain, problem := wide(100, "")
	if _, err := groundText(t, domain, problem, Options{Time: 200 * time.Millisecond}); !errors.Is(err, ErrLimit) || errors.Is(err, ErrMemory) {
		t.Errorf("time: %v", err)
	}
	if _, err := groundText(t, domain, problem, Options{Memory: 100 << 20}); !errors.Is(err, ErrLimit) || !errors.Is(err, ErrMemory) {
		t.Errorf("memory: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	d, p := small(domain, problem)
	if _, err := Ground(ctx, parse(t, d, p), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
}

// TestMemoryBefore: what others keep on the heap is not held against grounding.
func TestMemoryBefore(t *testing.T) {
	ballast := make([]byte, 200<<20)
	runtime.GC()
	if _, err := groundText(t, logisticsLike, logisticsProblem(30, 4), Options{Memory: 100 << 20}); err != nil {
		t.Error(err)
	}
	runtime.KeepAlive(ballast)
}

// TestLongChain: deep recursion of rules and components must not need a deep stack.
func TestLongChain(t *testing.T) {
	const n = 20000
	var objs, init strings.Builder
	for i := range n {
		fmt.Fprintf(&objs, " o%d", i)
		if i > 0 {
			fmt.Fprintf(&init, " (next o%d o%d)", i-1, i)
		}
	}
	task, err := groundText(t, `(:predicates (next ?x ?y) (on ?x) (lit ?x))
		(:derived (lit ?x) (on ?x))
		(:derived (lit ?y) (exists (?x) (and (lit ?x) (next ?x ?y))))
		(:action switch :parameters (?x) :precondition (not (on ?x)) :effect (on ?x))`,
		"(:objects"+objs.String()+") (:init"+init.String()+fmt.Sprintf(") (:goal (lit o%d))", n-1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := task.Stats(), (Stats{Facts: 4 * n, Variables: 2 * n, Operators: n, Axioms: 2*n - 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
