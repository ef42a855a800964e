package prune_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/prune"
)

// TestReduceKeepsCosts: the reduced task has the optimal cost of the original, and its plans are plans of that,
// whatever work is allowed.
func TestReduceKeepsCosts(t *testing.T) {
	removed, unsolvable := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
		var task *grounder.Task
		if choose(0, 1) == 0 {
			task = tasktest.Random(choose, randomsas.Options{MaxCost: 3})
		} else {
			task = tasktest.Any(choose)
		}
		work := int64(1) << choose(4, 20)
		r := prune.Reduce(task, work, nil)
		want := tasktest.Enumerate(task).Cost[0]
		if r.Unsolvable {
			if unsolvable++; want != tasktest.NoPlan {
				t.Fatalf("said to have no plan; one costs %d", want)
			}
			return
		}
		if r.Task == nil {
			return
		}
		removed += task.Operators.Len() - len(r.Operators)
		if got := tasktest.Enumerate(r.Task).Cost[0]; got != want {
			t.Fatalf("cost %d, want %d", got, want)
		}
		res, err := search.Run(context.Background(), r.Task, search.Config{Search: "ucs()"})
		if err != nil {
			t.Fatal(err)
		}
		var plan []grounder.OperatorID
		for _, o := range res.Plan {
			plan = append(plan, r.Operators[o])
		}
		if want == tasktest.NoPlan {
			return
		}
		if cost, goal := (tasktest.Naive{Task: task}).Replay(plan); cost != want || !goal {
			t.Fatalf("the plan costs %d, want %d; reaches the goal: %v", cost, want, goal)
		}
	})
	if (removed == 0 || unsolvable == 0) && !testing.Short() {
		t.Errorf("%d operators removed, %d tasks shown to have no plan", removed, unsolvable)
	}
}

// TestReduceFindsMutexes has a key that one of two hands holds, and a door that both would open: the forward side
// excludes that. A trap that nothing leaves is excluded by the backward side.
func TestReduceFindsMutexes(t *testing.T) {
	fact := func(v, x int32) grounder.Fact { return grounder.Fact{Var: v, Val: x} }
	effect := func(v, x int32) grounder.Effect { return grounder.Effect{Var: v, Val: x} }
	two := []string{"no", "yes"}
	task := &grounder.Task{
		Name: "key", SchemaNames: []string{"o"},
		Variables: []grounder.Variable{{Layer: -1, Values: two}, {Layer: -1, Values: two}, {Layer: -1, Values: []string{"shut", "open", "broken"}}},
		Init:      []int32{1, 0, 0},
		Goal:      []grounder.Fact{fact(2, 1)},
		Operators: grounder.NewOperators(
			grounder.Operator{Pre: []grounder.Fact{fact(0, 1)}, Effects: []grounder.Effect{effect(0, 0), effect(1, 1)}, Cost: 1},
			grounder.Operator{Pre: []grounder.Fact{fact(1, 1)}, Effects: []grounder.Effect{effect(1, 0), effect(0, 1)}, Cost: 1},
			grounder.Operator{Pre: []grounder.Fact{fact(0, 1), fact(1, 1)}, Effects: []grounder.Effect{effect(2, 1)}, Cost: 1}, // never
			grounder.Operator{Pre: []grounder.Fact{fact(1, 1), fact(2, 0)}, Effects: []grounder.Effect{effect(2, 1)}, Cost: 5},
			grounder.Operator{Pre: []grounder.Fact{fact(2, 0)}, Effects: []grounder.Effect{effect(2, 2)}, Cost: 1}, // never to the goal
		),
	}
	r := prune.Reduce(task, 1<<20, nil)
	if r.Task == nil || len(r.Operators) != 3 || r.Operators[2] != 3 || r.Task.Variables[2].Size() != 2 {
		t.Fatalf("%+v", r)
	}
	found := false
	for _, g := range r.Task.Mutexes {
		has := map[grounder.Fact]bool{}
		for _, f := range g {
			has[f] = true
		}
		found = found || has[fact(0, 1)] && has[fact(1, 1)]
	}
	if !found {
		t.Errorf("no mutex group has both hands: %v", r.Task.Mutexes)
	}
}
