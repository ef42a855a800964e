package grounder

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
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

// TestWideActions: a precondition that cannot hold is detected before its substitutions
// are enumerated; a hundred to the sixth of them reach a limit.
func TestWideActions(t *testing.T) {
	testkit.Long(t)
	for _, pre := range []string{"(never ?e ?f)", "(never ?a ?f)", "(link ?a ?b) (never ?c ?c)"} {
		domain, problem := wide(100, pre)
		task, err := groundText(t, domain, problem, Options{Time: 20 * time.Second})
		if err != nil || !task.Unsolvable {
			t.Errorf("%s: %v", pre, err)
		}
	}
	domain, problem := wide(100, "")
	for threads := range 3 {
		if _, err := groundText(t, domain, problem, Options{Time: 200 * time.Millisecond, Threads: threads}); !errors.Is(err, ErrLimit) || errors.Is(err, ErrMemory) {
			t.Errorf("time: %v", err)
		}
		if _, err := groundText(t, domain, problem, Options{Memory: 100 << 20, Threads: threads}); !errors.Is(err, ErrLimit) || !errors.Is(err, ErrMemory) {
			t.Errorf("memory: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	d, p := small(domain, problem)
	if _, err := Ground(ctx, parse(t, d, p), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
}

// TestMemoryBefore: memory that was on the heap before does not count for grounding.
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
