package treesearch

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
	"pgregory.net/rapid"
)

// drawTask draws a small task with true mutex groups: pairs of facts that no reachable
// state has both of.
func drawTask(t *rapid.T, axioms bool) (*grounder.Task, *space.StateSpace) {
	choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
	text := randomsas.Text(choose, randomsas.Options{
		Axioms:             axioms,
		ConditionalEffects: rapid.Bool().Draw(t, "conditional effects"),
		MaxCost:            rapid.IntRange(0, 3).Draw(t, "cost"),
	})
	task, err := grounder.ReadSAS(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	sp, err := space.Enumerate(context.Background(), task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "mutexes") {
		addMutexes(task, sp)
	}
	return task, sp
}

func addMutexes(task *grounder.Task, sp *space.StateSpace) {
	var facts []grounder.Fact
	for v := range task.Variables {
		for x := range task.Variables[v].Size() {
			if task.Variables[v].Layer < 0 {
				facts = append(facts, grounder.Fact{Var: int32(v), Val: int32(x)})
			}
		}
	}
	together := map[[2]grounder.Fact]bool{}
	eachState(sp, func(values []int32) {
		for _, f := range facts {
			for _, g := range facts {
				if values[f.Var] == f.Val && values[g.Var] == g.Val {
					together[[2]grounder.Fact{f, g}] = true
				}
			}
		}
	})
	for i, f := range facts {
		for _, g := range facts[i+1:] {
			if !together[[2]grounder.Fact{f, g}] {
				task.Mutexes = append(task.Mutexes, grounder.MutexGroup{f, g})
			}
		}
	}
}

func eachState(sp *space.StateSpace, visit func(values []int32)) {
	for id := range sp.Len() {
		visit(sp.Values(sp.Row(stateID(id))))
	}
}

// optimum is the cost of a cheapest plan; false without one.
func optimum(t *rapid.T, task *grounder.Task) (int64, bool) {
	r, err := search.Run(context.Background(), task, search.Config{Search: "ucs()"})
	if err != nil {
		t.Fatal(err)
	}
	return r.Cost, r.Status == search.SolvedOptimally
}

// checkSound checks what every method promises of a result, and that it is exact if a
// complete method was given room enough.
func checkSound(t *rapid.T, name string, s *Space, r *Result, budget, best int64, solvable, complete bool) {
	if r.HasPlan() {
		if got := s.planCost(r.Plan); got != r.Cost || r.Cost > budget || r.Cost < best || !solvable {
			t.Fatalf("%s: a plan of cost %d said to cost %d, budget %d, optimum %d", name, got, r.Cost, budget, best)
		}
	}
	bad := false
	switch r.Status {
	case SolvedOptimally:
		bad = r.Cost != best
	case NoPlanInBudget:
		bad = solvable && best <= budget
	case Unsolvable:
		bad = solvable
	case Solved, GaveUp, Nodeout:
		bad = complete
	default:
		bad = true
	}
	if solvable && best <= budget && r.LowerBound > best {
		bad = true
	}
	if bad {
		t.Fatalf("%s: %s at cost %d, bound %d, budget %d, optimum %d (solvable %v)", name, r.Status, r.Cost, r.LowerBound, budget, best, solvable)
	}
}

// TestRandomTasks compares all methods under all guides with uniform-cost search on random
// tasks, under budgets around the optimum.
func TestRandomTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		task, _ := drawTask(t, rapid.Bool().Draw(t, "axioms"))
		best, solvable := optimum(t, task)
		opt := Options{Budget: Unlimited, Expansions: 3000, Seed: 1}
		if rapid.Bool().Draw(t, "bounded") {
			opt.Budget = max(0, best+int64(rapid.IntRange(-2, 3).Draw(t, "budget")))
		}
		s, err := NewSpace(task)
		if err != nil {
			t.Fatal(err)
		}
		for _, guide := range GuideNames {
			g, err := NewGuide(ctx, guide, task, search.Limits{})
			var refusal *heuristic.Refusal
			if errors.As(err, &refusal) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range Methods() {
				r, err := m.Search(ctx, s, g, opt)
				if errors.Is(err, ErrRegression) {
					if s.refusal == nil {
						t.Fatalf("%v, although the task can be regressed", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				complete := m.Name() == "cats" || m.Name() == "best-first"
				checkSound(t, m.Name()+" with "+guide, s, r, opt.Budget, best, solvable, complete)
			}
			first := *NewCATS()
			first.First, first.Weight, first.Norm, first.Distance = true, 0, MinMax, Printed
			if r, err := first.Search(ctx, s, g, opt); err == nil {
				checkSound(t, "first plan with "+guide, s, r, opt.Budget, best, solvable, false)
				if solvable && best <= opt.Budget && !r.HasPlan() {
					t.Fatalf("first plan with %s: %s", guide, r.Status)
				}
			}
		}
	})
}

// TestCompletion checks on random tasks that completing a partial state loses no
// reachable state, and that a refused one has none.
func TestCompletion(t *testing.T) {
	added := 0
	rapid.Check(t, func(t *rapid.T) {
		task, sp := drawTask(t, false)
		s, err := NewSpace(task)
		if err != nil {
			t.Fatal(err)
		}
		p := make([]int32, len(task.Variables))
		for v := range p {
			p[v] = int32(rapid.IntRange(-1, task.Variables[v].Size()-1).Draw(t, "value"))
		}
		q := append([]int32(nil), p...)
		ok := s.full.complete(q)
		eachState(sp, func(values []int32) {
			if !search.PartialState(p).Holds(values) {
				return
			}
			if !ok || !search.PartialState(q).Holds(values) {
				t.Fatalf("%v became %v (%v), but %v is a state of it", p, q, ok, values)
			}
		})
		for v := range p {
			if p[v] != q[v] {
				added++
			}
		}
	})
	if added == 0 && !testing.Short() { // short runs draw a fifth
		t.Error("nothing was ever added: the test shows nothing")
	}
}

// TestBounds: the bounds of every guide are at most the exact ones, in both directions, and
// a dead end is one.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, sp := drawTask(t, false)
		ctx := context.Background()
		exact, err := NewExact(ctx, task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p := make([]int32, len(task.Variables))
		for v := range p {
			p[v] = int32(rapid.IntRange(-1, task.Variables[v].Size()-1).Draw(t, "value"))
		}
		back := exact.Bound(Backward, p)
		// The exact bound by its definition: the cheapest reachable state of p.
		dist := sp.NewDistances()
		if err := dist.From([]state.StateID{0}, sp.TaskCosts(), space.ByCost); err != nil {
			t.Fatal(err)
		}
		want := heuristic.DeadEnd
		for id := range sp.Len() {
			if search.PartialState(p).Holds(sp.Values(sp.Row(stateID(id)))) {
				want = min(want, dist.Cost[id])
			}
		}
		if back != want {
			t.Fatalf("exact distance to %v: %d, want %d", p, back, want)
		}
		for _, name := range []string{"lmcut", "hmax", "blind"} {
			e, err := NewEstimates(name, task)
			var refusal *heuristic.Refusal
			if errors.As(err, &refusal) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Bound(Backward, p); got > back {
				t.Fatalf("%s: %v is %d away, bound %d", name, p, back, got)
			}
			eachState(sp, func(values []int32) {
				if got, want := e.Bound(Forward, values), exact.Bound(Forward, values); got > want {
					t.Fatalf("%s: from %v it is %d to the goal, bound %d", name, values, want, got)
				}
			})
		}
	})
}
