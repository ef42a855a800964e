package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/search/heuristic"
)

// TestRandomTasks compares every configuration with the definition on random tasks.
func TestRandomTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		sp := tasktest.Enumerate(task)
		for _, s := range optimalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, s, sp, r)
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkResult(t fataler, search string, sp *tasktest.Space, r *Result) {
	t.Helper()
	switch want := sp.Cost[0]; {
	case refused(sp.Task, search, r):
	case want == tasktest.NoPlan:
		if r.Status != Unsolvable {
			t.Fatalf("%s: %s, want a proof that there is no plan", search, r.Status)
		}
	case r.Status != SolvedOptimally || r.Cost != want:
		t.Fatalf("%s: %s at cost %d, want %d", search, r.Status, r.Cost, want)
	default:
		if cost, goal := sp.Replay(r.Plan); cost != want || !goal {
			t.Fatalf("%s: the plan costs %d (want %d), reaches the goal: %v", search, cost, want, goal)
		}
		if r.InitialH > want || r.InitialH < 0 {
			t.Fatalf("%s: initial estimate %d of a task of cost %d", search, r.InitialH, want)
		}
		if r.ExpandedUntilLastJump > r.Expanded || r.Expanded > r.States+r.Reopened || r.Evaluated > r.States {
			t.Fatalf("%s: statistics do not fit together: %+v", search, r)
		}
	}
}

// refused reports whether a search has rightly refused a task.
func refused(task *grounder.Task, search string, r *Result) bool {
	if r.Status != Unsupported {
		return false
	}
	if strings.HasPrefix(search, "nbs") && strings.Contains(r.Reason, "cases of conditional effects") {
		return true
	}
	for _, f := range heuristic.FeaturesOf(task) {
		rightly := strings.Contains(search, "cegar") && r.Refusal.Error() == heuristic.Lookup("cegar").Check(task).Error() ||
			f == heuristic.ConditionalCosts && strings.Contains(search, "lmcut") && strings.Contains(r.Reason, "does not support "+string(f)) ||
			f == heuristic.Axioms && strings.HasPrefix(search, "nbs") && (strings.Contains(r.Reason, "that depend on themselves") || strings.Contains(r.Reason, "alternatives"))
		if rightly {
			return true
		}
	}
	return false
}

// TestKnownCosts runs every configuration on the tasks with known costs.
func TestKnownCosts(t *testing.T) {
	testkit.Long(t)
	known := map[string]string{ // of testdata/*.sas, worked out by hand; "" is unsolvable
		"axioms": "2", "conditional": "3", "zero-cost": "5", "unsolvable": "", "detour": "6", "trivial": "0",
	}
	for _, c := range testkit.Cases(t) {
		known[c.Name] = c.Cost
	}
	for name, task := range tasktest.SmallTasks(t) {
		want, ok := known[name]
		if !ok {
			t.Errorf("%s: no known cost", name)
			continue
		}
		for _, s := range optimalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			if refused(task, s, r) {
				continue
			}
			got := ""
			if r.Status == SolvedOptimally {
				got = fmt.Sprint(r.Cost)
				if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Plan); !goal || cost != r.Cost {
					t.Errorf("%s, %s: the plan does not replay", name, s)
				}
			} else if r.Status != Unsolvable {
				got = string(r.Status)
			}
			if got != want {
				t.Errorf("%s, %s: %q, want %q", name, s, got, want)
			}
		}
	}
}

// TestRunsAreEqual repeats runs: everything but the time must be the same.
func TestRunsAreEqual(t *testing.T) {
	testkit.Long(t)
	for name, task := range tasktest.SmallTasks(t) {
		for _, s := range optimalSearches {
			var first *Result
			for i := 0; i < 3; i++ {
				r, err := Run(context.Background(), task, Config{Search: s})
				if err != nil {
					t.Fatal(err)
				}
				r.SearchCPUSeconds = 0
				if first == nil {
					first = r
				} else if !reflect.DeepEqual(r, first) {
					t.Errorf("%s, %s: %+v then %+v", name, s, first, r)
				}
			}
		}
	}
}

// TestSlicesDoNotMatter cuts runs into slices of different sizes.
func TestSlicesDoNotMatter(t *testing.T) {
	task := tasktest.SmallTasks(t)["blocksworld-5-1"]
	for _, s := range []string{"auto()", "astar(lmcut())", "astar(hmax())", "ucs()", "nbs(lmcut())", "nbs(blind())", "symbolic()"} {
		var first *Result
		for _, units := range []int64{1, 7, 1000, 1 << 40} {
			p, err := parseSearch(s)
			if err != nil {
				t.Fatal(err)
			}
			e, err := newEngine(task, p, Limits{}, Limits{}.clock(context.Background()))
			if err != nil {
				t.Fatal(err)
			}
			for !e.run(units) {
			}
			r := e.outcome()
			if first == nil {
				first = r
			} else if !reflect.DeepEqual(first, r) {
				t.Errorf("%s in slices of %d: %+v, want %+v", s, units, r, first)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	testkit.Long(t)
	task := tasktest.Counter(16, 1)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		lim  Limits
		want Status
	}{
		{context.Background(), Limits{Nodes: 1000}, Nodeout},
		{context.Background(), Limits{Memory: 1 << 18}, Memout},
		{context.Background(), Limits{Wall: time.Nanosecond}, Timeout},
		{context.Background(), Limits{CPU: time.Nanosecond}, Timeout},
		{cancelled, Limits{}, Timeout},
		{context.Background(), Limits{Nodes: 1 << 20, Memory: 1 << 30, CPU: time.Hour, Wall: time.Hour}, SolvedOptimally},
	} {
		for _, s := range []string{"auto()", "astar(hmax())", "ucs()", "nbs(hmax())"} {
			r, err := Run(c.ctx, task, Config{Search: s, Limits: c.lim})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != c.want {
				t.Errorf("%s with %+v: %s, want %s", s, c.lim, r.Status, c.want)
			}
			if c.want == Nodeout && r.Expanded != 1000 {
				t.Errorf("%s: %d expanded, want 1000", s, r.Expanded)
			}
		}
	}
}

// TestMemoryLimitIsKept compares the accounting with the limit while a search fills it.
func TestMemoryLimitIsKept(t *testing.T) {
	testkit.Long(t)
	for _, mb := range []int64{1, 3} {
		for _, s := range optimalSearches {
			p, _ := parseSearch(s)
			e, err := newEngine(tasktest.Counter(22, 1), p, Limits{Memory: mb << 20}, Limits{}.clock(context.Background()))
			if errors.Is(err, heuristic.ErrMemory) && (s == "astar(pdb())" || strings.Contains(s, "scp") || strings.Contains(s, "pdbs")) {
				continue // its tables alone need more
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < 400 && !e.run(1<<16); i++ {
				if b := e.bytes(); b > mb<<20+1<<18 {
					t.Fatalf("%s holds %d bytes of %d", s, b, mb<<20)
				}
			}
		}
	}
}

// TestHugeCosts has paths beyond 63 bits, and one just below.
func TestHugeCosts(t *testing.T) {
	for _, c := range []struct {
		bits int
		cost int64
		want Status
	}{
		{3, math.MaxInt64 / 7, SolvedOptimally},
		{3, math.MaxInt64/7 + 1, Unsupported},
		{10, math.MaxInt64 / 2, Unsupported},
		{1, math.MaxInt64, SolvedOptimally},
	} {
		task := tasktest.Counter(c.bits, c.cost)
		for _, s := range optimalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != c.want || r.Status == SolvedOptimally && r.Cost != (1<<c.bits-1)*c.cost {
				t.Errorf("%d bits of cost %d, %s: %s at %d, want %s", c.bits, c.cost, s, r.Status, r.Cost, c.want)
			}
			if r.Status == Unsupported && !strings.Contains(r.Reason, "63 bits") {
				t.Errorf("%s: no reason: %q", s, r.Reason)
			}
		}
	}
}

// TestMixedHugeCosts draws costs over the whole range, so that estimates are scaled and
// sums overflow now and then.
func TestMixedHugeCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t, randomsas.Options{MaxCost: 1})
		for o := range task.Operators.Len() {
			shift := rapid.IntRange(0, 60).Draw(t, "shift")
			task.Operators.SetCost(o, int64(rapid.IntRange(0, 7).Draw(t, "cost"))<<shift)
		}
		sp := enumerateBig(task)
		for _, s := range optimalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			if sp == nil {
				if r.Status == SolvedOptimally {
					if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Plan); !goal || cost != r.Cost || cost < 0 {
						t.Fatalf("%s: wrong cost %d", s, r.Cost)
					}
				}
				continue
			}
			checkResult(t, s, sp, r)
		}
	})
}

// enumerateBig is enumerate where no simple path can overflow, else nil.
func enumerateBig(task *grounder.Task) *tasktest.Space {
	for o := range task.Operators.Len() {
		if task.Operators.Cost(o) > math.MaxInt64/1024 {
			return nil // at most 4^5 states
		}
	}
	return tasktest.Enumerate(task)
}

func TestUnsolvableByGrounding(t *testing.T) {
	task := tasktest.Counter(2, 1)
	task.Unsolvable = true
	r, err := Run(context.Background(), task, Config{})
	if err != nil || r.Status != Unsolvable {
		t.Errorf("%v, %v", r, err)
	}
}

func TestMalformedTasksAreRefused(t *testing.T) {
	negative := tasktest.Counter(2, -1)
	short := tasktest.Counter(2, 1)
	short.Init = short.Init[:1]
	for _, task := range []*grounder.Task{negative, short} {
		if _, err := Run(context.Background(), task, Config{}); err == nil {
			t.Error("no error")
		}
	}
}

func TestObserver(t *testing.T) {
	calls := 0
	o := func(r *Result) {
		calls++
		if r.Expanded == 0 || r.States == 0 || r.Search == "" {
			t.Errorf("progress without content: %+v", r)
		}
	}
	if _, err := Run(context.Background(), tasktest.Counter(18, 1), Config{Search: "ucs()", Observer: o}); err != nil {
		t.Fatal(err)
	}
	if calls == 0 {
		t.Error("the observer was never called")
	}
}

// TestAutoPicksTheBetterSearch has a task that only LM-cut solves within reach, and one
// where the estimate is worthless and slow.
func TestAutoPicksTheBetterSearch(t *testing.T) {
	r, err := Run(context.Background(), tasktest.Counter(14, 1), Config{})
	if err != nil || r.Status != SolvedOptimally || r.Search != "astar(blind())" {
		t.Errorf("counter: %+v, %v", r, err)
	}
	wide := &grounder.Task{SchemaNames: []string{"set"}}
	for i := 0; i < 40; i++ {
		wide.Variables = append(wide.Variables, grounder.Variable{Layer: -1, Values: []string{"0", "1"}})
		wide.Init = append(wide.Init, 0)
		wide.Goal = append(wide.Goal, grounder.Fact{Var: int32(i), Val: 1})
		wide.Operators.Append(grounder.Operator{Cost: 1, Effects: []grounder.Effect{{Var: int32(i), Val: 1}}})
	}
	r, err = Run(context.Background(), wide, Config{Limits: Limits{Memory: 16 << 20}})
	if err != nil || r.Status != SolvedOptimally || r.Search != "astar(lmcut())" || r.Cost != 40 {
		t.Errorf("wide: %+v, %v", r, err)
	}
}

// TestBounds: where a limit ends a search, its lower bound is at most the optimum, and a plan
// that it knows replays at its cost.
func TestBounds(t *testing.T) {
	known, raised := 0, 0
	for name, task := range tasktest.SmallTasks(t) {
		full, err := Run(context.Background(), task, Config{Search: "symbolic()"})
		if err != nil || full.Status != SolvedOptimally {
			continue
		}
		for _, s := range []string{"symbolic()", "auto()", "nbs(blind())"} {
			for _, n := range []int64{2, 9, 30} {
				r, err := Run(context.Background(), task, Config{Search: s, Limits: Limits{Nodes: n}})
				if err != nil {
					t.Fatal(err)
				}
				if r.Lower > full.Cost || r.Status == SolvedOptimally && r.Lower != r.Cost {
					t.Errorf("%s, %s, limit %d: %s with lower bound %d, optimum %d", name, s, n, r.Status, r.Lower, full.Cost)
				}
				if r.Status == Nodeout && r.Lower > 1 {
					raised++
				}
				if r.Best == nil {
					continue
				}
				known++
				if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Best.Operators); !goal || cost != r.Best.Cost || cost < full.Cost {
					t.Errorf("%s, %s, limit %d: the plan known costs %d, goal %v; said to cost %d", name, s, n, cost, goal, r.Best.Cost)
				}
			}
		}
	}
	if known == 0 || raised == 0 {
		t.Errorf("%d plans known at a limit, %d bounds raised", known, raised)
	}
}

// TestGreedy: greedy search finds a plan, at the cost at which it replays, where there is one.
func TestGreedy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		sp := tasktest.Enumerate(task)
		for _, s := range []string{"greedy(hmax())", "greedy(lmcut())", "greedy(blind())", "lazy()"} {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			switch want := sp.Cost[0]; {
			case refused(task, s, r):
			case want == tasktest.NoPlan && r.Status == Unsolvable:
			case want == tasktest.NoPlan || r.Status != Solved || r.Cost < want || r.Lower > want:
				t.Fatalf("%s: %s at cost %d, lower bound %d, want %d or more", s, r.Status, r.Cost, r.Lower, want)
			default:
				if cost, goal := sp.Replay(r.Plan); cost != r.Cost || !goal {
					t.Fatalf("%s: the plan costs %d (said to cost %d), reaches the goal: %v", s, cost, r.Cost, goal)
				}
			}
		}
	})
}
