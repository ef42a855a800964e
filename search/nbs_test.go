package search

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/state"
)

// bidirectionalSearches are the configurations that search from both ends.
var bidirectionalSearches = []string{"nbs(blind(), backward=0)", "nbs(blind(), backward=1)", "nbs(blind())", "nbs(hmax(), backward=0)", "nbs(hmax())", "nbs(lmcut())"}

// TestBidirectionalOnRandomTasks compares with the definition, with mutex groups that prune.
func TestBidirectionalOnRandomTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := groundTask(t)
		addMutexes(t, task)
		sp := tasktest.Enumerate(task)
		for _, s := range bidirectionalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, s, sp, r)
		}
	})
}

// wideTask draws a task with up to some thousand states and costs that differ much, so that
// the first plan found is often not the cheapest.
func wideTask(r *rand.Rand) *grounder.Task {
	task := &grounder.Task{SchemaNames: []string{"o"}}
	n := 3 + r.IntN(3)
	for range n {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: make([]string, 2+r.IntN(4))})
		task.Init = append(task.Init, 0)
	}
	facts := func(most int) (fs []grounder.Fact) {
		left := 1 + r.IntN(most)
		for v := range n {
			if left > 0 && r.IntN(n-v) < left {
				fs = append(fs, grounder.Fact{Var: int32(v), Val: int32(r.IntN(task.Variables[v].Size()))})
				left--
			}
		}
		return fs
	}
	task.Goal = facts(n)
	most := []int64{1, 2, 5, 50}[r.IntN(4)]
	for range 10 + r.IntN(30) {
		op := grounder.Operator{Pre: facts(3), Cost: r.Int64N(most + 1)}
		for _, f := range facts(2) {
			e := grounder.Effect{Var: f.Var, Val: f.Val}
			if r.IntN(8) == 0 {
				e.Cond = facts(1)
			}
			op.Effects = append(op.Effects, e)
		}
		task.Operators.Append(op)
	}
	return task
}

// TestBidirectionalOnWideTasks compares with uniform-cost search, on as many tasks as
// PLANPROOF_WIDE_TASKS says if it is set: each thousand takes seconds.
func TestBidirectionalOnWideTasks(t *testing.T) {
	tasks := 300
	if testing.Short() {
		tasks = 50
	}
	if n, err := strconv.Atoi(os.Getenv("PLANPROOF_WIDE_TASKS")); err == nil {
		tasks = n
	}
	solved := 0
	for seed := range uint64(tasks) {
		task := wideTask(rand.New(rand.NewPCG(seed, 1)))
		want, err := Run(context.Background(), task, Config{Search: "ucs()"})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range bidirectionalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != want.Status || r.Cost != want.Cost {
				t.Errorf("task %d, %s: %s at cost %d, want %s at %d", seed, s, r.Status, r.Cost, want.Status, want.Cost)
			}
			if r.Status == SolvedOptimally {
				solved++
				if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Plan); !goal || cost != r.Cost {
					t.Errorf("task %d, %s: the plan does not replay", seed, s)
				}
			}
		}
	}
	if solved < tasks {
		t.Errorf("only %d runs found a plan", solved)
	}
}

// TestDominance has a chain of facts that leads nowhere. Each can be achieved from the one
// before, alone or together with any of some switches, which only makes more special
// what was known to lead to the goal at the same cost.
func TestDominance(t *testing.T) {
	const links, switches = 6, 8
	task := &grounder.Task{SchemaNames: []string{"o"}}
	for range links + switches {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{"off", "on"}})
		task.Init = append(task.Init, 0)
	}
	on := func(v int) grounder.Fact { return grounder.Fact{Var: int32(v), Val: 1} }
	add := func(v int, pre ...grounder.Fact) {
		task.Operators.Append(grounder.Operator{Cost: 1, Pre: pre, Effects: []grounder.Effect{{Var: int32(v), Val: 1}}})
	}
	task.Goal = []grounder.Fact{on(links - 1)}
	for v := 1; v < links; v++ {
		for s := range switches {
			add(v, on(v-1), on(links+s))
		}
		add(v, on(v-1))
	}
	for s := range switches {
		add(links + s)
	}
	r, err := Run(context.Background(), task, Config{Search: "nbs(blind(), backward=0)"})
	if err != nil || r.Status != Unsolvable || r.Backward > links {
		t.Errorf("%+v, %v: want a proof by at most %d partial states", r, err, links)
	}
}

// TestBidirectionalCases are cases worked out by hand, over variables of three values that are 0 at the start.
func TestBidirectionalCases(t *testing.T) {
	fact := func(v, x int32) grounder.Fact { return grounder.Fact{Var: v, Val: x} }
	set := func(cost int64, pre []grounder.Fact, effects ...grounder.Fact) grounder.Operator {
		op := grounder.Operator{Cost: cost, Pre: pre}
		for _, e := range effects {
			op.Effects = append(op.Effects, grounder.Effect{Var: e.Var, Val: e.Val})
		}
		return op
	}
	facts := func(fs ...grounder.Fact) []grounder.Fact { return fs }
	for _, c := range []struct {
		name    string
		ops     []grounder.Operator
		goal    []grounder.Fact
		mutexes []grounder.MutexGroup
		want    int64 // -1: unsolvable
		most    int64 // expansions
	}{
		{"the goal holds at the start", []grounder.Operator{set(1, nil, fact(0, 1))}, facts(fact(0, 0), fact(1, 0)), nil, 0, 0},
		{"there is no goal", []grounder.Operator{set(1, nil, fact(0, 1))}, nil, nil, 0, 0},
		{"no operators", nil, facts(fact(0, 1)), nil, -1, 1},
		{"one step", []grounder.Operator{set(3, nil, fact(0, 1))}, facts(fact(0, 1)), nil, 3, 2},
		{"no operator achieves the goal", []grounder.Operator{set(1, nil, fact(1, 1)), set(1, nil, fact(1, 0))}, facts(fact(0, 1)), nil, -1, 9},
		{"the goal is out of reach, both sides search", []grounder.Operator{
			set(1, nil, fact(1, 1)), set(1, facts(fact(1, 1)), fact(1, 0)), set(1, facts(fact(2, 2), fact(1, 1)), fact(0, 1)), set(1, facts(fact(1, 2)), fact(2, 2)),
		}, facts(fact(0, 1)), nil, -1, 20},
		{"mutually exclusive goal facts", []grounder.Operator{set(1, nil, fact(0, 1)), set(1, nil, fact(1, 1), fact(0, 0))},
			facts(fact(0, 1), fact(1, 1)), []grounder.MutexGroup{{fact(0, 1), fact(1, 1)}}, -1, 0},
		{"the halves meet where the partial state says nothing of some variables", []grounder.Operator{
			set(1, facts(fact(0, 0)), fact(0, 1), fact(2, 1)), set(1, facts(fact(0, 1)), fact(0, 2)),
			set(1, facts(fact(0, 2)), fact(1, 1)), set(1, facts(fact(1, 1)), fact(1, 2)),
		}, facts(fact(1, 2)), nil, 4, 40},
		{"a cycle of cost 0 on the way, expensive steps past it", []grounder.Operator{
			set(0, facts(fact(0, 0)), fact(0, 1)), set(0, facts(fact(0, 1)), fact(0, 0)), set(0, facts(fact(0, 1)), fact(0, 2)), set(0, facts(fact(0, 2)), fact(0, 0)),
			set(2, facts(fact(0, 2)), fact(1, 1)), set(1, nil, fact(0, 0), fact(1, 2)), set(5, nil, fact(1, 1)),
		}, facts(fact(1, 1)), nil, 2, 40},
		{"only steps of cost 0", []grounder.Operator{
			set(0, facts(fact(0, 0)), fact(0, 1)), set(0, facts(fact(0, 1)), fact(0, 2)), set(0, facts(fact(0, 2)), fact(0, 0), fact(1, 1)),
		}, facts(fact(0, 0), fact(1, 1)), nil, 0, 40},
		{"operators with the same effect, the more expensive one listed first", []grounder.Operator{
			set(7, nil, fact(0, 1)), set(2, nil, fact(0, 1)), set(7, facts(fact(0, 1)), fact(0, 2)), set(2, facts(fact(0, 1)), fact(0, 2)),
		}, facts(fact(0, 2)), nil, 4, 40},
		{"a partial state found at less cost after a more expensive way to a more general one", []grounder.Operator{
			set(9, nil, fact(0, 2)), set(1, facts(fact(1, 1)), fact(0, 2)), set(1, facts(fact(2, 1)), fact(1, 1)), set(1, nil, fact(2, 1)),
		}, facts(fact(0, 2)), nil, 3, 40},
		{"the first plan found is not the cheapest", []grounder.Operator{
			set(10, nil, fact(0, 2)), set(3, nil, fact(1, 1)), set(3, facts(fact(1, 1)), fact(1, 2)), set(3, facts(fact(1, 2)), fact(0, 2)),
		}, facts(fact(0, 2)), nil, 9, 40},
	} {
		task := &grounder.Task{SchemaNames: []string{"o"}, Operators: grounder.NewOperators(c.ops...), Goal: c.goal, Mutexes: c.mutexes}
		for _, v := range []string{"a", "b", "c"} {
			task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{v + "0", v + "1", v + "2"}})
			task.Init = append(task.Init, 0)
		}
		for _, s := range bidirectionalSearches {
			r, err := Run(context.Background(), task, Config{Search: s})
			if err != nil {
				t.Fatal(err)
			}
			got := int64(-1)
			if r.Status == SolvedOptimally {
				got = r.Cost
				if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Plan); !goal || cost != r.Cost {
					t.Errorf("%s, %s: the plan %v does not replay", c.name, s, r.Plan)
				}
			} else if r.Status != Unsolvable {
				t.Errorf("%s, %s: %s", c.name, s, r.Status)
			}
			if got != c.want || r.Expanded > c.most {
				t.Errorf("%s, %s: cost %d after %d expansions, want %d after at most %d", c.name, s, got, r.Expanded, c.want, c.most)
			}
		}
	}
}

// TestBidirectionalSavesWork has a task with one way through and two wide ends.
func TestBidirectionalSavesWork(t *testing.T) {
	task := tasktest.SmallTasks(t)["blocksworld-5-3"]
	one, err := Run(context.Background(), task, Config{Search: "astar(blind())"})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Run(context.Background(), task, Config{Search: "nbs(blind())"})
	if err != nil {
		t.Fatal(err)
	}
	if two.Expanded*2 > one.Expanded || two.Backward == 0 || two.Backward == two.Expanded {
		t.Errorf("%d expansions, %d of them backward; from one end %d", two.Expanded, two.Backward, one.Expanded)
	}
}

// TestMatchTree compares with a list of all keys.
func TestMatchTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t, randomsas.Options{})
		if rapid.Bool().Draw(t, "a wide variable") {
			task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: make([]string, 300)})
			task.Init = append(task.Init, 0)
		}
		s := state.NewSystem(task)
		draw := func(least int) PartialState {
			p := make(PartialState, len(task.Variables))
			for v := range p {
				if size := task.Variables[v].Size(); size > 1 { // else the packed form knows its value
					p[v] = int32(rapid.IntRange(least, size-1).Draw(t, ""))
				}
			}
			return p
		}
		for _, partial := range []bool{false, true} {
			testMatchTree(t, s, partial, draw)
		}
	})
}

func testMatchTree(t *rapid.T, s *state.System, partial bool, draw func(least int) PartialState) {
	w := s.Packer.Words()
	f := newFront(s.Packer, partial)
	var keys []PartialState
	var costs []int64
	key := make([]uint64, 2*w)
	for n := rapid.IntRange(0, 60).Draw(t, "keys"); n > 0; n-- {
		p := draw(map[bool]int{false: 0, true: -1}[partial])
		s.Packer.PackPartial(key[:w], key[w:], p)
		id, fresh := f.reg.Insert(key, f.reg.Hash(key))
		g := int64(rapid.IntRange(0, 9).Draw(t, "cost"))
		node := f.reg.Record(id)[f.key:]
		if !fresh && g >= int64(node[nodeCost]) {
			continue
		}
		node[nodeCost] = uint64(g)
		f.enter(id, g)
		if fresh {
			keys, costs = append(keys, p), append(costs, g)
		} else {
			costs[id] = g
		}
	}
	for range 5 {
		q := draw(-1)
		most := int64(rapid.IntRange(0, 10).Draw(t, "most"))
		want := int64(11)
		for i, k := range keys {
			match := partial && k.Subsumes(q) || !partial && q.Holds(k)
			if match && costs[i] <= most {
				want = min(want, costs[i])
			}
		}
		least := int64(rapid.IntRange(0, int(want)).Draw(t, "least"))
		s.Packer.PackPartial(key[:w], key[w:], q)
		got, ok := int64(11), false
		if partial {
			if _, c, found := f.tree.cheapestGeneral(state.NoState, key[:w], key[w:], least, most, false); found {
				got, ok = c, true
			}
		} else if _, c, found := f.tree.cheapestMember(key[:w], key[w:], least, most); found {
			got, ok = c, true
		}
		if got != want || ok != (want < 11) {
			t.Fatalf("%v among %v at %v up to %d (partial %v): %d, want %d", q, keys, costs, most, partial, got, want)
		}
	}
}

func BenchmarkNBSBlind(b *testing.B) {
	for _, name := range []string{"blocksworld-5-3", "logistics-3-2-2-2", "gripper-4"} {
		b.Run(name, func(b *testing.B) { benchTask(b, name, "nbs(blind())") })
	}
}

func benchTask(b *testing.B, name, search string) {
	task := tasktest.SmallTasks(b)[name]
	b.ReportAllocs()
	for b.Loop() {
		r, err := Run(context.Background(), task, Config{Search: search})
		if err != nil || r.Status != SolvedOptimally {
			b.Fatalf("%+v, %v", r, err)
		}
		b.ReportMetric(float64(r.Expanded), "expansions/op")
	}
}
