package search

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// symmetric lists the searches that use symmetries.
func symmetric() (list []string) {
	for _, s := range optimalSearches {
		if strings.Contains(s, "symmetry=1") {
			list = append(list, s)
		}
	}
	return list
}

// TestSymmetriesKeepCosts: on random tasks beside themselves, searches with symmetries have the costs of the definition,
// and their plans, led back to the states that were replaced, replay.
func TestSymmetriesKeepCosts(t *testing.T) {
	replaced := 0
	rapid.Check(t, func(t *rapid.T) {
		task := tasktest.Twins(choose(t))
		sp := tasktest.Enumerate(task)
		for _, s := range symmetric() {
			r, o := ended(t, task, s)
			checkResult(t, s, sp, r)
			if o != nil && o.on {
				replaced++
			}
			p, _ := parseSearch(s)
			if o != nil && !anyState(p.heuristic.Name) && !o.group.Keeps(task.Init) {
				t.Fatalf("%s uses symmetries that may lead to states that cannot be reached", s)
			}
		}
	})
	if replaced == 0 && !testing.Short() {
		t.Error("no state was replaced")
	}
}

// TestAnyState: the estimates of heuristics that are used with all symmetries hold in every assignment of the variables,
// reachable or not.
func TestAnyState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		states := allStates(task)
		if len(states) > 200 {
			return
		}
		for _, info := range heuristic.Catalogue {
			if !anyState(info.Name) || info.Check(task) != nil {
				continue
			}
			h, err := info.New(task)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range states {
				moved := *task
				moved.Init = tasktest.Naive{Task: task}.Close(s)
				if got, want := h.Estimate(moved.Init), tasktest.Enumerate(&moved).Cost[0]; got > want {
					t.Fatalf("%s: %v is estimated at %d of %d", info.Name, s, got, want)
				}
			}
		}
	})
}

// ended runs a search to its end and returns what it has replaced, nil if the task has no symmetries.
func ended(t fataler, task *grounder.Task, search string) (*Result, *orbits) {
	t.Helper()
	p, err := parseSearch(search)
	if err != nil {
		t.Fatalf("%v", err)
	}
	e, err := newEngine(task, p, Limits{}, Limits{}.clock(context.Background()))
	if err != nil {
		return &Result{Status: Unsupported, Reason: err.Error(), Refusal: err}, nil
	}
	for !e.run(slice) {
	}
	return e.outcome(), orbitsOf(e)
}

func orbitsOf(e engine) *orbits {
	switch x := e.(type) {
	case *astar:
		return x.orbit
	case *blindSearch:
		return x.orbit
	}
	return nil
}

// TestBallsAreAlike: of 12 equal balls only their number in each place matters, in auto, too.
func TestBallsAreAlike(t *testing.T) {
	task := tasktest.Carrier(t, 12)
	for _, s := range append(symmetric(), "auto()") {
		r, err := Run(context.Background(), task, Config{Search: s})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != SolvedOptimally || r.Cost != 35 || r.States > 2000 {
			t.Errorf("%s: %s at cost %d after %d states", s, r.Status, r.Cost, r.States)
		}
		if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Plan); cost != 35 || !goal {
			t.Errorf("%s: the plan does not replay", s)
		}
	}
}

// lopsided is a task of two walkers on a ring of n places. They can be exchanged, but the first has a map, which halves
// its costs until both are at their goal: before, no state is symmetric to another.
func lopsided(n int32) *grounder.Task {
	places := make([]string, n)
	maps := []string{"no map", "map"}
	task := &grounder.Task{
		Variables: []grounder.Variable{{Layer: -1, Values: places}, {Layer: -1, Values: places}, {Layer: -1, Values: maps}, {Layer: -1, Values: maps}},
		Init:      []int32{0, 0, 1, 0},
		Goal:      []grounder.Fact{{Var: 0, Val: n - 1}, {Var: 1, Val: n - 1}},
	}
	for v := range int32(2) {
		for x := range n {
			for has := range int32(2) {
				task.Operators.Append(grounder.Operator{
					Cost: int64(2 - has), Pre: []grounder.Fact{{Var: v, Val: x}, {Var: 2 + v, Val: has}},
					Effects: []grounder.Effect{{Var: v, Val: (x + 1) % n}},
				})
			}
		}
		give := grounder.Operator{Cost: 1, Pre: slices.Clone(task.Goal)}
		for w := range int32(2) {
			give.Pre = append(give.Pre, grounder.Fact{Var: 2 + w, Val: (v + w) % 2})
			give.Effects = append(give.Effects, grounder.Effect{Var: 2 + w, Val: (v + w + 1) % 2})
		}
		task.Operators.Append(give)
	}
	return task
}

// TestNothingAlike: where no state reached is symmetric to another, a search with symmetries expands what one without
// does, and not what is symmetric to that as well; auto goes on with the searches in progress.
func TestNothingAlike(t *testing.T) {
	for task, alike := range map[*grounder.Task]bool{lopsided(150): false, tasktest.Carrier(t, 8): true} {
		plain, _ := ended(t, task, "astar(blind())")
		r, o := ended(t, task, "astar(blind(), symmetry=1)")
		if o == nil || r.Cost != plain.Cost {
			t.Fatalf("no symmetries, or cost %d instead of %d", r.Cost, plain.Cost)
		}
		if alike && r.Expanded*10 > plain.Expanded || !alike && r.Expanded > plain.Expanded {
			t.Errorf("%d expansions with symmetries, %d without", r.Expanded, plain.Expanded)
		}
		a := newAuto(state.NewSystem(task), Limits{}, 15, Limits{}.clock(context.Background()))
		for a.racers[0].engine == nil || a.racers[0].done() < 1<<20 {
			if a.run(1 << 18) {
				t.Fatal("auto ended before it looked for symmetries")
			}
		}
		lmcut := a.racers[0].engine
		a.reduce()
		if again := a.racers[0].engine != lmcut; again != alike {
			t.Errorf("auto begins again: %t", again)
		}
	}
}

// TestSymmetriesGivenUp: two switches are alike, but only the end of a long count releases them. Where nothing is
// replaced, a search stops looking.
func TestSymmetriesGivenUp(t *testing.T) {
	const bits = 15
	task := tasktest.Counter(bits, 1)
	for v := range int32(2) {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{"0", "1"}})
		task.Init = append(task.Init, 0)
		task.Goal = append(task.Goal, grounder.Fact{Var: bits + v, Val: 1})
		task.Operators.Append(grounder.Operator{
			Cost: 1, Pre: []grounder.Fact{{Var: bits - 1, Val: 1}}, Effects: []grounder.Effect{{Var: bits + v, Val: 1}},
		})
	}
	r, o := ended(t, task, "astar(blind(), symmetry=1)")
	if o == nil || o.on || o.trial != nil {
		t.Error("a search looks for symmetric states that there are none of")
	}
	if want := int64(1<<bits + 1); r.Cost != want {
		t.Errorf("cost %d, want %d", r.Cost, want)
	}
}
