package grounder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestThreads: a task is the same for any number of threads, and any sizes of what they are handed.
func TestThreads(t *testing.T) {
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		g := &randomTask{t: t, head: -1}
		domain, problem := g.draw()
		p := parse(t, domain, problem)
		one := defaultLimits
		one.product = rapid.SampledFrom([]int{1, 64}).Draw(t, "product")
		one.sharing = rapid.SampledFrom([]int{0, 1, 4, 1 << 16}).Draw(t, "sharing")
		one.dense = rapid.SampledFrom([]int{0, 2048}).Draw(t, "dense")
		many := one
		many.piece, many.worth = rapid.IntRange(1, 5).Draw(t, "piece"), 0
		opt := Options{KeepIrrelevant: rapid.Bool().Draw(t, "keep"), ObjectFluents: true, NumericFluents: rapid.Bool().Draw(t, "numbers")}
		want, err := groundWith(p, opt, one)
		opt.Threads = rapid.IntRange(2, 4).Draw(t, "threads")
		got, err2 := groundWith(p, opt, many)
		if err != nil || err2 != nil {
			if fmt.Sprint(err) != fmt.Sprint(err2) {
				t.Fatalf("%s%s\n%v, %v", domain, problem, err, err2)
			}
			return
		}
		if a, b := dumpTask(want), dumpTask(got); a != b || want.Bytes() != got.Bytes() {
			t.Fatalf("%s%s\none thread:\n%s\n%d threads:\n%s", domain, problem, a, opt.Threads, b)
		}
		shared += want.Operators.Len()
	})
	if shared == 0 {
		t.Error("no operators")
	}
}

// crowd is a task with different costs, some of them conditional, and a condition that becomes an atom of its own where it may not be multiplied out.
func crowd(t *testing.T) (domain, problem string) {
	var objects, init strings.Builder
	for i := range 9 {
		fmt.Fprintf(&objects, " o%d", i)
		fmt.Fprintf(&init, " (= (w o%d) %d)", i, i%4)
	}
	return `(define (domain d) (:requirements :adl :action-costs) (:predicates (at ?x) (q ?x ?y)) (:functions (total-cost) (w ?x))
 (:action move :parameters (?x ?y) :precondition (at ?x) :effect (and (not (at ?x)) (at ?y) (when (q ?x ?y) (increase (total-cost) (w ?x)))))
 (:action set :parameters (?x ?y) :effect (and (q ?x ?y) (increase (total-cost) (w ?y))))
 (:action look :parameters (?x ?y) :precondition (and (q ?y ?x) (not (at ?x))) :effect (not (q ?y ?x))))`,
		`(define (problem p) (:domain d) (:objects` + objects.String() + `) (:init (at o0) (= (total-cost) 0)` + init.String() + `)
 (:goal (and (at o5) (q o1 o2) (not (q o2 o1)))) (:metric minimize (total-cost)))`
}

// TestThreadsAlone: where an instance needs a new atom, one thread goes on.
func TestThreadsAlone(t *testing.T) {
	domain, problem := crowd(t)
	p := parse(t, domain, problem)
	for _, product := range []int{1, 64} {
		one := defaultLimits
		one.product = product
		want, err := groundWith(p, Options{}, one)
		if err != nil {
			t.Fatal(err)
		}
		for piece := 1; piece <= 8; piece++ {
			many := one
			many.piece, many.worth = piece, 0
			got, err := groundWith(p, Options{Threads: 3}, many)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := dumpTask(want), dumpTask(got); a != b {
				t.Fatalf("one thread:\n%s\nthree, %d instances at a time:\n%s", a, piece, b)
			}
		}
	}
}

// TestThreadsEnd: what ends a thread ends grounding.
func TestThreadsEnd(t *testing.T) {
	domain, problem := crowd(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, name := range []string{"enumerate instances", "instantiate operators"} {
		g := newGrounder(ctx, parse(t, domain, problem), Options{Threads: 3})
		g.limits.piece, g.limits.worth = 4, 0
		var failed any
		for _, s := range stages {
			if s.name == name {
				g.deadline = time.Now().Add(-time.Second)
				g.ticks = 1<<timeTicks - 6 // the next look is near, for every thread
			}
			if failed = func() (failed any) { defer func() { failed = recover() }(); s.run(g); return nil }(); failed != nil || s.name == name {
				break
			}
		}
		if b, ok := failed.(bailout); !ok || !errors.Is(b.err, ErrLimit) {
			t.Errorf("%s: %v", name, failed)
		}
	}
}
