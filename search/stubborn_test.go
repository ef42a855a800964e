package search

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
)

// TestStubbornKeepsCosts: the state space in which each state has only the operators of its stubborn set has the
// goal distances of the whole one. A set that forgets an achiever makes tasks with plans look unsolvable.
func TestStubbornKeepsCosts(t *testing.T) {
	leftOut := 0
	rapid.Check(t, func(t *rapid.T) {
		task := randomTask(t, randomsas.Options{MaxCost: 3})
		s := newStubborn(task)
		sp := tasktest.Enumerate(task)
		type edge struct {
			from, to int
			cost     int64
		}
		var edges []edge
		cost := make([]int64, len(sp.States))
		for i, state := range sp.States {
			if cost[i] = tasktest.NoPlan; sp.Holds(task.Goal, state) {
				cost[i] = 0
				continue
			}
			var ops []grounder.OperatorID
			for o := range task.Operators.Len() {
				if _, _, ok := sp.Apply(state, o); ok {
					ops = append(ops, grounder.OperatorID(o))
				}
			}
			kept := s.prune(state, slices.Clone(ops))
			leftOut += len(ops) - len(kept)
			for _, o := range kept {
				next, c, _ := sp.Apply(state, int(o))
				edges = append(edges, edge{i, sp.Index[fmt.Sprint(next)], c})
			}
		}
		for again := true; again; {
			again = false
			for _, e := range edges {
				if d := cost[e.to]; d != tasktest.NoPlan && d+e.cost < cost[e.from] {
					cost[e.from], again = d+e.cost, true
				}
			}
		}
		if !slices.Equal(cost, sp.Cost) {
			t.Fatalf("goal distances %v, want %v", cost, sp.Cost)
		}
	})
	if leftOut == 0 && !testing.Short() {
		t.Error("no operator was left out")
	}
}

// switches sets variables one by one; their order does not matter.
func switches(n int) *grounder.Task {
	task := &grounder.Task{SchemaNames: []string{"set"}}
	for i := range int32(n) {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{"0", "1"}})
		task.Init = append(task.Init, 0)
		task.Goal = append(task.Goal, grounder.Fact{Var: i, Val: 1})
		task.Operators.Append(grounder.Operator{Cost: 1, Effects: []grounder.Effect{{Var: i, Val: 1}}})
	}
	return task
}

// TestStubbornSavesStates: of n independent switches, n+1 states are left of 2^n. On a counter that can be set back at
// any time, where every step depends on the others, sets are soon not computed any more.
func TestStubbornSavesStates(t *testing.T) {
	counter := tasktest.Counter(12, 1)
	back := grounder.Operator{Cost: 1}
	for v := range counter.Variables {
		back.Effects = append(back.Effects, grounder.Effect{Var: int32(v), Val: counter.Init[v]})
	}
	counter.Operators.Append(back)
	for _, c := range []struct {
		task *grounder.Task
		off  bool
		most int64 // states expanded
	}{{switches(12), false, 13}, {counter, true, 1 << 12}} {
		p, err := parseSearch("astar(hmax(), stubborn=1)")
		if err != nil {
			t.Fatal(err)
		}
		e, err := newEngine(c.task, p, Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for !e.run(slice) {
		}
		if r := e.outcome(); r.Status != SolvedOptimally || r.Expanded > c.most {
			t.Errorf("%s after %d expansions, want at most %d", r.Status, r.Expanded, c.most)
		}
		if off := e.(*astar).stubborn.off; off != c.off {
			t.Errorf("sets switched off: %v, want %v", off, c.off)
		}
	}
}
