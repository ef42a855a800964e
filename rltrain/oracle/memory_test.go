package oracle

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/rltrain/rows"
)

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// largeBlocks is a blocksworld-like task of n objects.
func largeBlocks(name string, n int) taskref.Ref {
	var init, goal strings.Builder
	for i := range n {
		fmt.Fprintf(&init, " (ontable o%d) (clear o%d)", i, i)
		if i > 0 {
			fmt.Fprintf(&goal, " (on o%d o%d)", i-1, i)
		}
	}
	return taskref.Ref{
		DomainText: `(define (domain d) (:requirements :strips) (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (holding ?x) (handempty))
		  (:action pick :parameters (?x) :precondition (and (clear ?x) (ontable ?x) (handempty)) :effect (and (holding ?x) (not (ontable ?x)) (not (handempty))))
		  (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y)) :effect (and (on ?x ?y) (not (holding ?x)) (not (clear ?y)) (handempty))))`,
		ProblemText: "(define (problem " + name + ") (:domain d) (:objects" + manyObjects(n) + ") (:init (handempty)" + init.String() + ") (:goal (and" + goal.String() + ")))",
	}
}

// TestCacheIsHonest compares what the cache of tasks says it holds with what the
// heap does, for small and large tasks, with one domain or each its own.
func TestCacheIsHonest(t *testing.T) {
	for i := range 6 {
		objects, own := []int{5, 50, 500}[i/2], i%2 > 0
		o := newTestOracle(t, Options{})
		before := live()
		n := 20_000 / (objects + 100)
		domains := int64(0) // what the resolver counts for parsed domains
		for i := range n {
			ref := largeBlocks(fmt.Sprint("p", i), objects)
			if own {
				ref.DomainText += fmt.Sprint("; ", i)
			}
			if own || i == 0 {
				domains += 1<<14 + 8*int64(len(ref.DomainText))
			}
			o.Score(context.Background(), &rows.Item{Task: ref, Response: "(pick o1)\n(stack o1 o2)"}, "")
		}
		held := live() - before
		counted := o.tasks.Held() + domains
		t.Logf("%d objects, own domain %v, %d tasks: %d bytes a task, %d counted, ratio %.2f", objects, own, n, held/int64(n), counted/int64(n), float64(held)/float64(counted))
		if held > counted*5/4 {
			t.Errorf("%d objects: the heap grew by %d bytes, %d were counted", objects, held, counted)
		}
		runtime.KeepAlive(o)
	}
}
