package heuristic_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/space"
)

func randomTask(t *rapid.T) *grounder.Task {
	return tasktest.Random(func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }, randomsas.Options{
		Axioms:             rapid.Bool().Draw(t, "axioms"),
		ConditionalEffects: rapid.Bool().Draw(t, "conditional effects"),
		MaxCost:            rapid.IntRange(0, 4).Draw(t, "cost"),
	})
}

// bundled returns search's tasks in SAS form and the PDDL cases that all packages share.
func bundled(tb testing.TB) map[string]*grounder.Task {
	tasks := map[string]*grounder.Task{}
	files, err := filepath.Glob("../testdata/*.sas")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no tasks in ../testdata: %v", err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			tb.Fatal(err)
		}
		task, err := grounder.ReadSAS(f)
		f.Close()
		if err != nil {
			tb.Fatal(err)
		}
		tasks[filepath.Base(name)] = task
	}
	for _, c := range testkit.Cases(tb) {
		dom, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", c.Domain), pddl.Options{})
		if dom == nil {
			tb.Fatal(ds)
		}
		prob, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", c.Problem), dom, pddl.Options{})
		if prob == nil {
			tb.Fatal(ds)
		}
		task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
		if err != nil {
			tb.Fatal(err)
		}
		tasks[c.Name] = task
	}
	return tasks
}

type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkAgainstTable tests what the catalogue promises of every heuristic, on every state
// of a task (most, if there are many).
func checkAgainstTable(t reporter, task *grounder.Task, tab *space.Table) {
	t.Helper()
	most := int64(1000)
	if testing.Short() {
		most = 200
	}
	step := max(1, int(tab.States/most))
	for _, info := range heuristic.Catalogue {
		if info.Check(task) != nil {
			continue
		}
		values := map[string]int64{}
		for _, o := range info.Options {
			values[o.Name] = o.Default
		}
		values["work"] = 1 // of heuristics that build until it is done
		h, err := info.Build(task, values, nil)
		if err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}
		first := map[int]int64{}
		for round := 0; round < 2; round++ {
			i := 0
			tab.EachState(func(s space.State, d space.Distance) {
				i++
				if i%step != 0 {
					return
				}
				v := h.Estimate(tab.Values(s))
				if round == 0 {
					first[i] = v
				} else if first[i] != v {
					t.Fatalf("%s: %d, then %d for the same state", info.Name, first[i], v)
				}
				checkEstimate(t, info, h, tab, s, d, v)
			})
		}
	}
}

func checkEstimate(t reporter, info heuristic.Info, h heuristic.Heuristic, tab *space.Table, s space.State, d space.Distance, v int64) {
	t.Helper()
	if v < 0 {
		t.Fatalf("%s: negative estimate %d", info.Name, v)
	}
	if v == heuristic.DeadEnd {
		if !d.DeadEnd {
			t.Fatalf("%s: a state at distance %d is called a dead end", info.Name, d.Cost)
		}
		return
	}
	if !d.DeadEnd && v > d.Cost {
		t.Fatalf("%s: estimate %d of a state at distance %d", info.Name, v, d.Cost)
	}
	// Successors: consistency and inherited estimates. Inherited refers to the last state
	// given to Estimate, so it is asked first.
	task := tab.Task()
	inherit, _ := h.(heuristic.Inheriting)
	type successor struct {
		s    space.State
		cost int64
	}
	var next []successor
	for o := range task.Operators.Len() {
		id := grounder.OperatorID(o)
		n, c, err := tab.Apply(s, task.OperatorName(id))
		if errors.Is(err, space.ErrInapplicable) {
			continue
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
		if inherit != nil {
			if b := inherit.Inherited(id); !distanceOf(t, tab, n).DeadEnd && b > distanceOf(t, tab, n).Cost {
				t.Fatalf("%s: inherits %d for a state at distance %d", info.Name, b, distanceOf(t, tab, n).Cost)
			} else if b < v-c && task.Operators.CondCosts(o) == nil && !conditional(task) {
				t.Fatalf("%s: inherits %d from %d by an operator of cost %d", info.Name, b, v, c)
			}
		}
		next = append(next, successor{n, c})
	}
	if info.Properties.Consistent {
		for _, n := range next {
			if w := h.Estimate(tab.Values(n.s)); w != heuristic.DeadEnd && v > w+n.cost {
				t.Fatalf("%s: estimate falls from %d to %d at cost %d", info.Name, v, w, n.cost)
			}
		}
	}
}

// conditional reports whether LM-cut of the task may be below h-max.
func conditional(task *grounder.Task) bool {
	for _, f := range heuristic.FeaturesOf(task) {
		if f == heuristic.ConditionalEffects {
			return true
		}
	}
	return false
}

func distanceOf(t reporter, tab *space.Table, s space.State) space.Distance {
	t.Helper()
	d, ok := tab.Distance(s)
	if !ok {
		t.Fatalf("a successor is missing from the table")
	}
	return d
}

func TestPropertiesOnRandomTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		tab, err := space.Exhaust(context.Background(), task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checkAgainstTable(t, task, tab)
	})
}

func TestPropertiesOnBundledTasks(t *testing.T) {
	limit := int64(20000)
	if testing.Short() {
		limit = 2000
	}
	for name, task := range bundled(t) {
		tab, err := space.Exhaust(context.Background(), task, search.Limits{Nodes: limit})
		var le *search.LimitError
		if errors.As(err, &le) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkAgainstTable(t, task, tab)
	}
}

// naiveHMax is h-max by its defining equations, over facts, with derived variables that
// may always fall back to their default.
func naiveHMax(task *grounder.Task, values []int32) int64 {
	h := map[grounder.Fact]int64{}
	get := func(fs ...[]grounder.Fact) int64 {
		worst := int64(0)
		for _, list := range fs {
			for _, f := range list {
				d, ok := h[f]
				if !ok {
					return math.MaxInt64
				}
				worst = max(worst, d)
			}
		}
		return worst
	}
	for v := range task.Variables {
		if task.Variables[v].Layer >= 0 {
			h[grounder.Fact{Var: int32(v), Val: task.Variables[v].Default}] = 0
		} else {
			h[grounder.Fact{Var: int32(v), Val: values[v]}] = 0
		}
	}
	for changed := true; changed; {
		changed = false
		set := func(f grounder.Fact, d int64) {
			if old, ok := h[f]; !ok || d < old {
				h[f], changed = d, true
			}
		}
		for o := range task.Operators.Len() {
			op := task.Operators.At(o)
			for _, e := range op.Effects {
				if contradict(op.Pre, e.Cond) {
					continue
				}
				if d := get(op.Pre, e.Cond); d != math.MaxInt64 {
					set(grounder.Fact{Var: e.Var, Val: e.Val}, d+op.Cost)
				}
			}
		}
		for _, a := range task.Axioms {
			if d := get(a.Body); d != math.MaxInt64 {
				set(a.Head, d)
			}
		}
	}
	return get(task.Goal)
}

func contradict(a, b []grounder.Fact) bool {
	for _, f := range a {
		for _, g := range b {
			if f.Var == g.Var && f.Val != g.Val {
				return true
			}
		}
	}
	return false
}

func TestHMaxFollowsItsEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		h, err := heuristic.NewHMax(task)
		if err != nil {
			t.Fatal(err)
		}
		l, err := heuristic.NewLMCut(task)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 5; i++ {
			values := make([]int32, len(task.Variables))
			for v := range values {
				values[v] = int32(rapid.IntRange(0, task.Variables[v].Size()-1).Draw(t, "value"))
			}
			want := naiveHMax(task, values)
			if got := h.Estimate(values); got != want {
				t.Fatalf("h-max %d, want %d", got, want)
			}
			switch got := l.Estimate(values); {
			case (got == heuristic.DeadEnd) != (want == math.MaxInt64):
				t.Fatalf("LM-cut %d, but h-max %d", got, want)
			case got < want:
				t.Fatalf("LM-cut %d below h-max %d", got, want)
			}
		}
	})
}

// TestLMCutValues has tasks whose LM-cut estimate can be worked out by hand.
func TestLMCutValues(t *testing.T) {
	tasks := bundled(t)
	for name, want := range map[string]int64{
		"gripper-1": 3, "gripper-2": 5, "zero-cost.sas": 5, "detour.sas": 6, "trivial.sas": 0, "axioms.sas": 2, "unsolvable.sas": 2,
	} {
		task := tasks[name]
		if task == nil {
			t.Errorf("no task %s", name)
			continue
		}
		h, err := heuristic.NewLMCut(task)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Estimate(task.Init); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// TestResumable cuts evaluations into the smallest pieces: the bounds never fall, and the last
// is the estimate.
func TestResumable(t *testing.T) {
	pieces := 0
	for name, task := range bundled(t) {
		pieces += checkPieces(t, name, task)
	}
	if pieces < 10 {
		t.Errorf("all evaluations have %d pieces before their last", pieces)
	}
	rapid.Check(t, func(t *rapid.T) { checkPieces(t, "random", randomTask(t)) })
}

// checkPieces counts the pieces of an evaluation before its last.
func checkPieces(t interface{ Fatalf(string, ...any) }, name string, task *grounder.Task) (pieces int) {
	h, err := heuristic.NewLMCut(task)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want, r := h.Estimate(task.Init), h.(heuristic.Resumable)
	last := int64(-1)
	for bound, done := r.Begin(task.Init, 0); ; bound, done = r.Continue(0) {
		if bound < last || bound > want || done && bound != want {
			t.Fatalf("%s: bound %d after %d, the estimate is %d", name, bound, last, want)
		}
		if last = bound; done {
			break
		}
		pieces++
	}
	if bound, done := heuristic.EstimateUntil(h, task.Init, func() bool { return false }); bound != want || !done {
		t.Fatalf("%s: estimate %d until never, want %d", name, bound, want)
	}
	return pieces
}

// TestLargeCosts scales all costs of random tasks: estimates scale along, through the
// 32-bit, the 64-bit and the bucket-free form, and round down beyond.
func TestLargeCosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t)
		values := task.Init
		base := map[string]int64{}
		for _, shift := range []uint{0, 12, 30, 50, 60} {
			big := *task
			big.Operators = task.Operators.Clone()
			for o := range big.Operators.Len() {
				big.Operators.SetCost(o, big.Operators.Cost(o)<<shift)
			}
			for _, info := range heuristic.Catalogue {
				h, err := info.New(&big)
				if err != nil {
					t.Fatal(err)
				}
				v := h.Estimate(values)
				if shift == 0 {
					base[info.Name] = v
					continue
				}
				want := base[info.Name]
				if want == heuristic.DeadEnd {
					if v != want {
						t.Fatalf("%s << %d: %d, want a dead end", info.Name, shift, v)
					}
					continue
				}
				if top := int64(math.MaxInt64) >> shift; want > top {
					want = top // capped
				}
				if v>>shift != want && !(v == heuristic.DeadEnd-1 && want == int64(math.MaxInt64)>>shift) {
					t.Fatalf("%s << %d: %d, want %d << %d", info.Name, shift, v, want, shift)
				}
			}
		}
	})
}

// TestNoAllocations: estimates are made in place.
func TestNoAllocations(t *testing.T) {
	if invariants.Enabled {
		t.Skip("the assertions allocate")
	}
	task := bundled(t)["logistics-3-2-2-2"]
	for _, info := range heuristic.Catalogue {
		h, err := info.New(task)
		if err != nil {
			t.Fatal(err)
		}
		h.Estimate(task.Init)
		if n := testing.AllocsPerRun(100, func() { h.Estimate(task.Init) }); n > 0 {
			t.Errorf("%s: %v allocations per estimate", info.Name, n)
		}
	}
}

func TestRefusal(t *testing.T) {
	task := &grounder.Task{Operators: grounder.NewOperators(grounder.Operator{Cost: 2, CondCosts: []grounder.CondCost{{Cost: 1}}}, grounder.Operator{})}
	err := heuristic.Lookup("lmcut").Check(task)
	var r *heuristic.Refusal
	if !errors.As(err, &r) || r.Error() != "lmcut does not support conditional-costs" {
		t.Errorf("%v", err)
	}
	if err := heuristic.Lookup("blind").Check(task); err != nil {
		t.Error(err)
	}
	if heuristic.Lookup("no-such") != nil {
		t.Error("found a heuristic that is not there")
	}
	got := heuristic.FeaturesOf(task)
	if len(got) != 3 || got[0] != heuristic.ActionCosts || got[1] != heuristic.ZeroCostActions || got[2] != heuristic.ConditionalCosts {
		t.Errorf("features %v", got)
	}
}
