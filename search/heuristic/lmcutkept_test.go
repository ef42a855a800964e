package heuristic_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/heuristic"
)

// walk evaluates states along random paths, each with what is kept of the one before, and
// compares the estimates with the distances.
type walk struct {
	*tasktest.Space
	h         heuristic.Incremental
	choose    func(lo, hi int) int
	kept      map[int][]int64 // what all operators inherit from a state
	inherited int             // states whose landmarks are of another one in part
}

// passed returns what all operators inherit.
func (w *walk) passed() (all []int64) {
	for o := range w.Task.Operators.Len() {
		all = append(all, w.h.Inherited(grounder.OperatorID(o)))
	}
	return all
}

// recall recalls a state, and compares what it passes on with what it did before.
func (w *walk) recall(t reporter, i int) bool {
	t.Helper()
	if !w.h.Recall(uint32(i)) {
		return false
	}
	if got := w.passed(); !slices.Equal(got, w.kept[i]) {
		t.Fatalf("state %d passes on %d, before %d", i, got, w.kept[i])
	}
	return true
}

// evaluate evaluates state i, reached from state from (or none, if below 0) by operator op.
func (w *walk) evaluate(t reporter, i, from int, op grounder.OperatorID) {
	t.Helper()
	least, until := int64(0), int64(w.choose(0, 1))*1e9
	var est int64
	var done bool
	if from < 0 {
		est, done = w.h.Begin(w.States[i], until)
	} else {
		if w.recall(t, from) {
			least = w.h.Inherited(op)
		}
		est, done = w.h.BeginFrom(w.States[i], until, uint32(from), op)
	}
	for !done {
		est, done = w.h.Continue(until)
	}
	switch {
	case est == heuristic.DeadEnd:
		if w.Cost[i] != tasktest.NoPlan {
			t.Fatalf("a state at distance %d is called a dead end", w.Cost[i])
		}
		return
	case est > w.Cost[i]:
		t.Fatalf("estimate %d of a state at distance %d", est, w.Cost[i])
	case est < least:
		t.Fatalf("estimate %d of a state that inherits %d", est, least)
	}
	found, before := w.passed(), w.kept[i]
	w.h.Keep(uint32(i))
	if !w.h.Recall(uint32(i)) {
		t.Fatalf("a state is forgotten at once")
	}
	if w.kept[i] = w.passed(); !slices.Equal(w.kept[i], found) && !slices.Equal(w.kept[i], before) {
		t.Fatalf("state %d passes on %d, but %d was found, and %d before", i, w.kept[i], found, before)
	}
	if w.h.Inherits(uint32(i)) {
		w.inherited++
	}
	for o := range w.Task.Operators.Len() {
		if next, _, ok := w.Apply(w.States[i], o); ok {
			n := w.Index[fmt.Sprint(next)]
			if b := w.h.Inherited(grounder.OperatorID(o)); b > w.Cost[n] {
				t.Fatalf("a state at distance %d inherits %d", w.Cost[n], b)
			}
		}
	}
}

// step goes on from state i by an operator, which need not be applicable there. It returns
// -1 at the end of the path.
func (w *walk) step(t reporter, i int) int {
	if len(w.Task.Init) == 0 || w.Task.Operators.Len() == 0 {
		return -1
	}
	o := w.choose(0, w.Task.Operators.Len()-1)
	next, _, ok := w.Apply(w.States[i], o)
	if !ok {
		return i
	}
	n := w.Index[fmt.Sprint(next)]
	w.evaluate(t, n, i, grounder.OperatorID(o))
	if w.Cost[n] == tasktest.NoPlan {
		return -1
	}
	return n
}

// TestKeptCuts: on random tasks, whose costs may be large, estimates that begin with cuts of
// a predecessor are admissible and no lower than what is inherited, and what is kept
// stays the same, whichever cuts are dropped in between.
func TestKeptCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keptCuts(t, func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
	})
	// What follows is the same in every run, so that the test cannot see too little by chance.
	inherited, forgotten := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		i, f := keptCuts(t, func(lo, hi int) int { return lo + rng.IntN(hi-lo+1) })
		inherited, forgotten = inherited+i, forgotten+f
	}
	if inherited < 10 || forgotten < 10 {
		t.Errorf("%d states have inherited, %d are not kept", inherited, forgotten)
	}
}

// keptCuts follows one path in one task. It returns how many states have inherited and how many
// are not kept in the end.
func keptCuts(t reporter, choose tasktest.Choose) (inherited, forgotten int) {
	t.Helper()
	task := tasktest.Any(choose)
	if choose(0, 1) == 1 {
		for o := range task.Operators.Len() {
			task.Operators.SetCost(o, task.Operators.Cost(o)<<40)
		}
	}
	h, err := heuristic.NewLMCut(task)
	if err != nil {
		t.Fatalf("%v", err)
	}
	w := walk{Space: tasktest.Enumerate(task), h: h.(heuristic.Incremental), choose: choose, kept: map[int][]int64{}}
	w.h.KeepWithin(int64(choose(0, 4)) << choose(0, 10))
	at := choose(0, len(w.States)-1)
	w.evaluate(t, at, -1, 0)
	for n := 0; n < 40 && at >= 0; n++ {
		at = w.step(t, at)
		w.recall(t, choose(0, len(w.States)-1))
	}
	for i := range w.States {
		if !w.recall(t, i) {
			forgotten++
		}
	}
	return w.inherited, forgotten
}

// TestKeepKeepsMore: a second evaluation that finds less does not replace the first. Along random paths estimates that
// begin with kept cuts and fresh ones differ both ways.
func TestKeepKeepsMore(t *testing.T) {
	less, more := 0, 0
	for _, name := range []string{"logistics:2-2-2-1", "elevator:4", "gripper:3"} {
		_, task := tasktest.Bundled(name)
		h, err := heuristic.NewLMCut(task)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		w := walk{Space: tasktest.Enumerate(task), h: h.(heuristic.Incremental)}
		for n := range uint32(30) {
			values, id := task.Init, 100*n+1
			w.h.Estimate(values)
			w.h.Keep(id - 1)
			for id < 100*n+20 {
				o := rng.IntN(task.Operators.Len())
				next, _, ok := w.Apply(values, o)
				if !ok {
					continue
				}
				first, _ := w.h.BeginFrom(next, math.MaxInt64, id-1, grounder.OperatorID(o))
				if first == heuristic.DeadEnd {
					break
				}
				want := w.passed()
				w.h.Keep(id)
				second := w.h.Estimate(next)
				if second >= first {
					want = w.passed()
				}
				w.h.Keep(id)
				switch {
				case w.h.Inherits(id):
					t.Fatalf("%s: a state that was evaluated anew inherits", name)
				case !w.h.Recall(id) || !slices.Equal(w.passed(), want):
					t.Fatalf("%s: estimates %d, then %d: passes on %d, want %d", name, first, second, w.passed(), want)
				case second < first:
					less++
				case second > first:
					more++
				}
				values, id = next, id+1
			}
		}
	}
	if less == 0 || more == 0 {
		t.Errorf("the second evaluation finds less %d times, more %d times", less, more)
	}
}
