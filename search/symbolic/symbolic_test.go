package symbolic

import (
	"math"
	"reflect"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/state"
)

func run(s *Search, units int64) *Search {
	defer s.Close()
	for !s.Run(units) {
	}
	return s
}

// TestAgainstEnumeration: on random tasks with axioms, conditional effects and costs of 0 the
// search finds the cost that enumerating all states finds, or that there is no plan, with
// either side alone blocked or not, when nodes are collected at every step, and when orders of variables compete in
// rounds of a few steps.
func TestAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := tasktest.Any(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
		if task.Unsolvable {
			return
		}
		want := tasktest.Enumerate(task).Cost[0]
		for _, opt := range []Options{{Backward: true}, {}} {
			for _, always := range []bool{false, true} {
				s := New(state.NewSystem(task), opt)
				if s.alwaysCollect = always; always {
					s.firstRound, s.tick = 1, 1
				}
				run(s, 1<<30)
				check(t, s, task, want)
			}
		}
		s := New(state.NewSystem(task), Options{Backward: true})
		s.onlyBackward = true
		check(t, run(s, 1<<30), task, want)
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check compares the end of a search with the optimal cost.
func check(t fataler, s *Search, task *grounder.Task, want int64) {
	t.Helper()
	switch {
	case want == tasktest.NoPlan && s.Outcome() == Exhausted:
	case want == tasktest.NoPlan || s.Outcome() != Solved || s.Cost != want:
		t.Fatalf("outcome %d at cost %d (%s), want cost %d", s.Outcome(), s.Cost, s.Reason, want)
	default:
		if cost, goal := (tasktest.Naive{Task: task}).Replay(s.Plan); !goal || cost != want {
			t.Fatalf("the plan costs %d and reaches the goal: %v; want cost %d", cost, goal, want)
		}
	}
}

// TestBounds: the lower bound never exceeds the cost of a cheapest plan, a search that knows
// of a plan of that cost finds none cheaper, and one that knows a worse plan finds it.
func TestBounds(t *testing.T) {
	for name, task := range tasktest.SmallTasks(t) {
		s := New(state.NewSystem(task), Options{Backward: true})
		lowest := []int64{}
		for !s.Run(1 << 12) {
			lowest = append(lowest, s.Lower())
		}
		s.Close()
		if s.Outcome() != Solved {
			continue
		}
		for _, l := range append(lowest, s.Lower()) {
			if l > s.Cost {
				t.Errorf("%s: a lower bound of %d on cost %d", name, l, s.Cost)
			}
		}
		if s.Lower() != s.Cost {
			t.Errorf("%s: ended with a lower bound of %d on cost %d", name, s.Lower(), s.Cost)
		}
		known := New(state.NewSystem(task), Options{Backward: true})
		known.SetBound(s.Cost)
		if run(known, 1<<40); known.Outcome() != Exhausted || known.Lower() != s.Cost {
			t.Errorf("%s: outcome %d, lower bound %d, with a plan of cost %d known", name, known.Outcome(), known.Lower(), s.Cost)
		}
		worse := New(state.NewSystem(task), Options{Backward: true})
		worse.SetBound(s.Cost + 1)
		if run(worse, 1<<40); worse.Outcome() != Solved || worse.Cost != s.Cost {
			t.Errorf("%s: outcome %d at cost %d, want cost %d", name, worse.Outcome(), worse.Cost, s.Cost)
		}
	}
}

// TestSlices: how a run is cut into slices changes neither answer nor work, and slices are
// kept to within the steps between two looks.
func TestSlices(t *testing.T) {
	task := tasktest.SmallTasks(t)["blocksworld-5-1"]
	whole := run(New(state.NewSystem(task), Options{Backward: true}), math.MaxInt64/2)
	s := New(state.NewSystem(task), Options{Backward: true})
	s.tick = 1
	defer s.Close()
	slices := 0
	for before := int64(0); !s.Run(1); before = s.Work() {
		if slices++; s.Work()-before > 1<<20 {
			t.Fatalf("a slice of %d units", s.Work()-before)
		}
	}
	if slices < 10 || s.Work() != whole.Work() || !reflect.DeepEqual(s.Plan, whole.Plan) {
		t.Errorf("%d slices, work %d and plan %v, want %d and %v", slices, s.Work(), s.Plan, whole.Work(), whole.Plan)
	}
}

// TestMemory: a search under a limit holds no more than that. One that does not suffice
// ends it, one that suffices only because nodes are collected does not.
func TestMemory(t *testing.T) {
	task := tasktest.SmallTasks(t)["blocksworld-5-1"]
	outcomes := map[Outcome]int{}
	for limit := int64(200 << 10); limit <= 64<<20; limit *= 2 {
		s := New(state.NewSystem(task), Options{Backward: true, Memory: limit})
		for !s.Run(1 << 16) {
			if s.Bytes() > limit {
				t.Fatalf("%d bytes held, the limit is %d", s.Bytes(), limit)
			}
		}
		s.Close()
		outcomes[s.Outcome()]++
	}
	if outcomes[Full] == 0 || outcomes[Solved] == 0 || len(outcomes) != 2 {
		t.Errorf("outcomes %v", outcomes)
	}
}

// TestClose: a search that is closed before it has ended leaves no goroutine behind.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		s := New(state.NewSystem(tasktest.SmallTasks(t)["blocksworld-5-1"]), Options{Backward: true})
		s.Run(1)
		s.Close()
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, were %d", after, before)
	}
}

// TestSettle: a search that has to end with what it knows gives a plan of that cost.
func TestSettle(t *testing.T) {
	settled := 0
	for name, task := range tasktest.SmallTasks(t) {
		s := New(state.NewSystem(task), Options{Backward: true})
		s.tick = 1
		ended := false
		for !ended && s.best.state == nil {
			ended = s.Run(1)
		}
		if !ended {
			settled++
			upper, _ := s.Upper()
			s.Settle()
			for !s.Run(1) {
			}
			if cost, goal := (tasktest.Naive{Task: task}).Replay(s.Plan); s.Outcome() != Solved || !goal || cost > upper || cost != s.Cost {
				t.Errorf("%s: outcome %d, a plan of cost %d, said to cost %d, at most %d", name, s.Outcome(), cost, s.Cost, upper)
			}
		}
		s.Close()
	}
	if settled == 0 {
		t.Error("no task in which a plan is known before the end")
	}
}
