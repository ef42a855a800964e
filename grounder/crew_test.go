package grounder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// TestThreads: a task is the same for any number of threads, and any sizes of what they are handed.
func TestThreads(t *testing.T) {
	try := func(t *rapid.T, domain, problem string) {
		one := defaultLimits
		one.product = rapid.SampledFrom([]int{1, 64}).Draw(t, "product")
		one.sharing = rapid.SampledFrom([]int{0, 1, 4, 1 << 16}).Draw(t, "sharing")
		one.dense = rapid.SampledFrom([]int{0, 2048}).Draw(t, "dense")
		one.sweeps = rapid.IntRange(0, 3).Draw(t, "sweeps")
		many := one
		many.piece, many.worth = rapid.IntRange(1, 5).Draw(t, "piece"), 0
		opt := Options{KeepIrrelevant: rapid.Bool().Draw(t, "keep"), ObjectFluents: true, NumericFluents: rapid.Bool().Draw(t, "numbers")}
		opt2 := opt
		opt2.Threads = rapid.IntRange(2, 4).Draw(t, "threads")
		sameTask(t, domain, problem, opt, opt2, one, many)
	}
	for _, c := range [][2]string{{logisticsLike, logisticsProblem(5, 3)},
		{`(:predicates (at ?x)) (:functions (fuel) (total-cost)) (:action go :parameters (?x ?y) :precondition (and (at ?x) (>= (fuel) 1))
		   :effect (and (not (at ?x)) (at ?y) (decrease (fuel) 1)))`, `(:objects a b c d e) (:init (at a) (= (fuel) 9)) (:goal (at e))`},
		{`(:predicates (at ?x)) (:functions (fuel) (total-cost)) (:action go :parameters (?x ?y) :precondition (at ?x)
		   :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (fuel)))) (:action fill :effect (increase (fuel) 1))`,
			`(:objects a b c d e) (:init (at a) (= (fuel) 9) (= (total-cost) 0)) (:goal (and (at e) (>= (fuel) 12))) (:metric minimize (total-cost))`}} {
		domain, problem := small(c[0], c[1])
		rapid.Check(t, func(t *rapid.T) { try(t, domain, problem) })
	}
	rapid.Check(t, func(t *rapid.T) {
		g := &randomTask{t: t, head: -1}
		domain, problem := g.draw()
		try(t, domain, problem)
	})
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
	for _, product := range []int{1, 64} {
		one := defaultLimits
		one.product = product
		for piece := 1; piece <= 8; piece++ {
			many := one
			many.piece, many.worth = piece, 0
			if task := sameTask(t, domain, problem, Options{}, Options{Threads: 3}, one, many); task.Operators.Len() == 0 {
				t.Error("no operators")
			}
		}
	}
}

// endsOnce is a context that has ended at one look only, so that no thread but one learns of it.
type endsOnce struct {
	context.Context
	left  atomic.Int64 // looks before
	ended atomic.Bool
}

func (c *endsOnce) Err() error {
	if c.left.Add(-1) != -1 {
		return nil
	}
	c.ended.Store(true)
	return context.DeadlineExceeded
}

// TestThreadsEnd: what ends any thread ends the stage of grounding that it is at, as with one thread.
func TestThreadsEnd(t *testing.T) {
	domain, problem := crowd(t)
	p := parse(t, domain, problem)
	for _, name := range []string{"enumerate instances", "instantiate operators", "remove unreachable values", "remove the irrelevant and order variables", "finish"} {
		for looks := range int64(3) {
			g := newGrounder(t.Context(), p, Options{Threads: 3})
			g.limits.piece, g.limits.worth, g.limits.dense = 4, 0, int(looks%2)*2048
			i := slices.IndexFunc(stages, func(s stage) bool { return s.name == name })
			for _, s := range stages[:i] {
				s.run(g)
			}
			ctx := &endsOnce{Context: t.Context()}
			ctx.left.Store(looks)
			g.ctx, g.ticks = ctx, 1<<timeTicks-3 // the next look is near, for every thread
			failed := func() (failed any) {
				defer func() { failed = recover() }()
				stages[i].run(g)
				return nil
			}()
			b, ok := failed.(bailout)
			if (looks == 0 || ctx.ended.Load()) && !(ok && errors.Is(b.err, ErrLimit) && errors.Is(b.err, context.DeadlineExceeded)) {
				t.Errorf("%s, after %d looks: %v", name, looks, failed)
			}
		}
	}
}
