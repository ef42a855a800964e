package space

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/planproof/planproof/search"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/state"
)

func mustEnumerate(tb testing.TB, task *grounder.Task) *StateSpace {
	tb.Helper()
	s, err := Enumerate(context.Background(), task, search.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestStateSpaceFollowsTheDefinition compares states and transitions with a naive
// enumeration, and distances of random goals and costs with Bellman and Ford's algorithm.
func TestStateSpaceFollowsTheDefinition(t *testing.T) {
	checkOften(t, func(t *rapid.T) {
		task := anyTask(t)
		s, err := Enumerate(context.Background(), task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		sp := tasktest.Enumerate(task)
		if s.Len() != len(sp.States) || s.Edges() != sp.Edges {
			t.Fatalf("%d states, %d transitions; want %d, %d", s.Len(), s.Edges(), len(sp.States), sp.Edges)
		}
		ids := make([]state.StateID, len(sp.States)) // of the naive states
		for i, values := range sp.States {
			row, err := s.Pack(values)
			if err != nil {
				t.Fatal(err)
			}
			id, ok := s.ID(row)
			if !ok || fmt.Sprint(s.Values(s.Row(id))) != fmt.Sprint(values) {
				t.Fatalf("state %v is missing", values)
			}
			ids[i] = id
		}
		if s.PerDepth[0] != 1 || ids[0] != 0 {
			t.Fatal("state 0 is not the initial one")
		}
		checkTransitions(t, s, sp, ids)
		goal := []grounder.Fact{}
		for v := range task.Variables {
			if rapid.IntRange(0, 2).Draw(t, "in goal") == 0 {
				goal = append(goal, grounder.Fact{Var: int32(v), Val: int32(rapid.IntRange(0, task.Variables[v].Size()-1).Draw(t, "value"))})
			}
		}
		goals, err := s.Satisfying(goal)
		if err != nil {
			t.Fatal(err)
		}
		costs := s.TaskCosts()
		edges := naiveEdges(sp, func(o int, c int64) int64 { return c })
		switch rapid.IntRange(0, 2).Draw(t, "costs") {
		case 0:
			by := make([]int64, task.Operators.Len())
			top := rapid.SampledFrom([]int64{0, 3, maxBuckets - 1, maxBuckets, 1 << 40}).Draw(t, "largest")
			for o := range by {
				by[o] = rapid.Int64Range(0, top).Draw(t, "cost")
			}
			if costs, err = s.OperatorCosts(by); err != nil {
				t.Fatal(err)
			}
			edges = naiveEdges(sp, func(o int, _ int64) int64 { return by[o] })
		case 1:
			costs, edges = s.Steps(), naiveEdges(sp, func(int, int64) int64 { return 1 })
		}
		isGoal := make([]bool, len(sp.States))
		for i := range sp.States {
			isGoal[i] = sp.Holds(goal, sp.States[i])
		}
		source := rapid.IntRange(0, len(sp.States)-1).Draw(t, "source")
		isSource := make([]bool, len(sp.States))
		isSource[source] = true
		d := s.NewDistances()
		for _, o := range []Order{ByCost, ByCostThenSteps, ByStepsThenCost} {
			if err := d.To(goals, costs, o); err != nil {
				t.Fatal(err)
			}
			compareDistances(t, d, ids, bellmanFord(edges, isGoal, o, true), o)
			if err := d.From([]state.StateID{ids[source]}, costs, o); err != nil {
				t.Fatal(err)
			}
			compareDistances(t, d, ids, bellmanFord(edges, isSource, o, false), o)
		}
	})
}

// checkTransitions compares both lists of transitions with the naive ones.
func checkTransitions(t *rapid.T, s *StateSpace, sp *tasktest.Space, ids []state.StateID) {
	type arc struct {
		from, to state.StateID
		op       grounder.OperatorID
	}
	want := map[arc]int{}
	for _, e := range naiveEdges(sp, func(_ int, c int64) int64 { return c }) {
		want[arc{ids[e.from], ids[e.to], grounder.OperatorID(e.op)}]++
	}
	out, in := map[arc]int{}, map[arc]int{}
	for id := state.StateID(0); int(id) < s.Len(); id++ {
		to, ops := s.Out().Of(id)
		for k := range to {
			out[arc{id, to[k], ops[k]}]++
		}
		from, ops := s.In().Of(id)
		for k := range from {
			in[arc{from[k], id, ops[k]}]++
		}
	}
	if fmt.Sprint(out) != fmt.Sprint(want) || fmt.Sprint(in) != fmt.Sprint(want) {
		t.Fatalf("out %v\nin %v\nwant %v", out, in, want)
	}
}

type naiveEdge struct {
	from, to, op int
	cost         int64
}

func naiveEdges(sp *tasktest.Space, price func(o int, cost int64) int64) []naiveEdge {
	var edges []naiveEdge
	for i := range sp.States {
		for o := range sp.Task.Operators.Len() {
			if next, c, ok := sp.Apply(sp.States[i], o); ok {
				edges = append(edges, naiveEdge{i, sp.Index[fmt.Sprint(next)], o, price(o, c)})
			}
		}
	}
	return edges
}

// bellmanFord returns (first, second) criterion of the lexicographic order by state.
func bellmanFord(edges []naiveEdge, sources []bool, o Order, backward bool) [][2]int64 {
	dist := make([][2]int64, len(sources))
	for i := range dist {
		dist[i] = [2]int64{math.MaxInt64, 0}
		if sources[i] {
			dist[i] = [2]int64{}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			a, b := e.from, e.to
			if backward {
				a, b = b, a
			}
			w := [2]int64{e.cost, 1}
			if o == ByStepsThenCost {
				w = [2]int64{1, e.cost}
			} else if o == ByCost {
				w[1] = 0
			}
			if dist[a][0] == math.MaxInt64 {
				continue
			}
			v := [2]int64{dist[a][0] + w[0], dist[a][1] + w[1]}
			if v[0] < dist[b][0] || v[0] == dist[b][0] && v[1] < dist[b][1] {
				dist[b], changed = v, true
			}
		}
	}
	return dist
}

func compareDistances(t *rapid.T, d *Distances, ids []state.StateID, want [][2]int64, o Order) {
	if (d.Steps == nil) != (o == ByCost) {
		t.Fatalf("order %d: Steps is %v", o, d.Steps)
	}
	for i, w := range want {
		got := [2]int64{d.Cost[ids[i]], 0}
		switch o {
		case ByCostThenSteps:
			got[1] = d.Steps[ids[i]]
		case ByStepsThenCost:
			got = [2]int64{d.Steps[ids[i]], d.Cost[ids[i]]}
		}
		if w[0] == math.MaxInt64 {
			if d.Cost[ids[i]] != Unreachable || d.Steps != nil && d.Steps[ids[i]] != Unreachable {
				t.Fatalf("order %d, state %d: %v, want unreachable", o, i, got)
			}
		} else if got != w {
			t.Fatalf("order %d, state %d: %v, want %v", o, i, got, w)
		}
	}
}

// TestDistancesHuge: a distance beyond 63 bits is an error unless another path is cheaper.
func TestDistancesHuge(t *testing.T) {
	task := tasktest.Counter(3, 1)
	s := mustEnumerate(t, task)
	goals, err := s.Satisfying(task.Goal)
	if err != nil || len(goals) != 1 {
		t.Fatal(goals, err)
	}
	d := s.NewDistances()
	for _, c := range []struct {
		low  int64 // cost of flipping the lowest bit, four times
		fits bool
	}{{1 << 60, true}, {1<<61 - 1, true}, {1 << 61, false}, {1<<63 - 1, false}} {
		by := []int64{c.low, 0, 0}
		costs, err := s.OperatorCosts(by)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Order{ByCost, ByCostThenSteps, ByStepsThenCost} {
			err := d.To(goals, costs, o)
			if (err == nil) != c.fits || err == nil && d.Cost[0] != 4*c.low {
				t.Errorf("cost %d, order %d: %d, %v", c.low, o, d.Cost[0], err)
			}
		}
	}
}

func TestOperatorCostsRefused(t *testing.T) {
	s := mustEnumerate(t, tasktest.Counter(3, 1))
	for _, c := range []struct {
		cost []int64
		want string
	}{{[]int64{1, 1}, "2 costs for 3 operators"}, {[]int64{1, -2, 1}, "negative cost -2"}} {
		if _, err := s.OperatorCosts(c.cost); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.cost, err, c.want)
		}
	}
	if _, err := s.Satisfying([]grounder.Fact{{Var: 9, Val: 0}}); err == nil {
		t.Error("a goal on a variable that does not exist")
	}
	goals, err := s.Satisfying([]grounder.Fact{{Var: 0, Val: 0}, {Var: 0, Val: 1}})
	if err != nil || len(goals) != 0 {
		t.Errorf("a contradiction holds in %v, %v", goals, err)
	}
}

func TestEnumerateLimits(t *testing.T) {
	for _, c := range []struct {
		lim  search.Limits
		want search.Status
	}{{search.Limits{Nodes: 100}, search.Nodeout}, {search.Limits{Memory: 1 << 20}, search.Memout}, {search.Limits{Wall: 1}, search.Timeout}} {
		_, err := Enumerate(context.Background(), tasktest.Counter(20, 1), c.lim)
		var le *search.LimitError
		if !errors.As(err, &le) || le.Status != c.want {
			t.Errorf("%+v: %v, want %s", c.lim, err, c.want)
		}
	}
}

// TestDistancesAllocateNothing, also with several goroutines on one space.
func TestDistancesAllocateNothing(t *testing.T) {
	s := mustEnumerate(t, tasktest.SmallTasks(t)["blocksworld-5-3"])
	by := make([]int64, s.Task().Operators.Len())
	for o := range by {
		by[o] = int64(o % 7)
	}
	costs, err := s.OperatorCosts(by)
	if err != nil {
		t.Fatal(err)
	}
	d := s.NewDistances()
	goals := []state.StateID{5}
	if n := testing.AllocsPerRun(20, func() {
		for _, o := range []Order{ByCost, ByCostThenSteps, ByStepsThenCost} {
			if err := d.To(goals, costs, o); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own := s.NewDistances()
			if err := own.To(goals, costs, ByStepsThenCost); err != nil || fmt.Sprint(own.Cost) != fmt.Sprint(d.Cost) {
				t.Error("distances differ between goroutines", err)
			}
		}()
	}
	wg.Wait()
}
