package search

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// optimalSearches are all configurations; each must find optimal plans.
var optimalSearches = []string{
	"auto()", "auto(blind=80)", "astar(lmcut())", "astar(hmax())", "astar(pdb())", "astar(pdb(states=10, orders=1))", "astar(blind())", "ucs()",
	"nbs(blind())", "nbs(lmcut())",
}

// sequential leaves a long test of one thread to the full runs: with -short the tests run
// under the race detector, to which it says nothing.
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one thread, and long: make test runs it")
	}
}

func readSAS(tb testing.TB, path string) *grounder.Task {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	task, err := grounder.ReadSAS(f)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return task
}

// ground reads and grounds a PDDL task.
func ground(tb testing.TB, domain, problem string) *grounder.Task {
	tb.Helper()
	dom, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
	if dom == nil {
		tb.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), dom, pddl.Options{})
	if prob == nil {
		tb.Fatal(ds)
	}
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return task
}

func randomTask(t *rapid.T, opt randomsas.Options) *grounder.Task {
	choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
	text := randomsas.Text(choose, opt)
	task, err := grounder.ReadSAS(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return task
}

// anyTask draws a task with any mixture of features, conditional costs included.
func anyTask(t *rapid.T) *grounder.Task {
	task := randomTask(t, randomsas.Options{
		Axioms:             rapid.Bool().Draw(t, "axioms"),
		ConditionalEffects: rapid.Bool().Draw(t, "conditional effects"),
		MaxCost:            rapid.IntRange(0, 3).Draw(t, "cost"),
	})
	if rapid.IntRange(0, 4).Draw(t, "conditional costs") == 0 {
		for o := range task.Operators {
			v := rapid.IntRange(0, len(task.Variables)-1).Draw(t, "variable")
			cond := []grounder.Fact{{Var: int32(v), Val: int32(rapid.IntRange(0, task.Variables[v].Size()-1).Draw(t, "value"))}}
			task.Operators[o].CondCosts = []grounder.CondCost{{Cond: cond, Cost: int64(rapid.IntRange(0, 3).Draw(t, "increase"))}}
		}
	}
	return task
}

// naive is the definition of a task's state space, written down without regard to speed.
type naive struct{ t *grounder.Task }

func (n naive) holds(fs []grounder.Fact, s []int32) bool {
	for _, f := range fs {
		if s[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// close derives the derived variables of s.
func (n naive) close(s []int32) []int32 {
	s = append([]int32(nil), s...)
	top := int32(-1)
	for v := range n.t.Variables {
		if l := n.t.Variables[v].Layer; l >= 0 {
			s[v] = n.t.Variables[v].Default
			top = max(top, l)
		}
	}
	for l := int32(0); l <= top; l++ {
		for changed := true; changed; {
			changed = false
			for _, a := range n.t.Axioms {
				if n.t.Variables[a.Head.Var].Layer == l && n.holds(a.Body, s) && s[a.Head.Var] != a.Head.Val {
					s[a.Head.Var], changed = a.Head.Val, true
				}
			}
		}
	}
	return s
}

func (n naive) initial() []int32 { return n.close(n.t.Init) }

func (n naive) apply(s []int32, o int) (next []int32, cost int64, ok bool) {
	op := &n.t.Operators[o]
	if !n.holds(op.Pre, s) {
		return nil, 0, false
	}
	next = append([]int32(nil), s...)
	for _, e := range op.Effects {
		if n.holds(e.Cond, s) {
			next[e.Var] = e.Val
		}
	}
	cost = op.Cost
	for _, c := range op.CondCosts {
		if n.holds(c.Cond, s) {
			cost += c.Cost
		}
	}
	return n.close(next), cost, true
}

// naiveSpace is an enumerated state space with goal distances; noPlan marks dead ends.
type naiveSpace struct {
	naive
	states      [][]int32
	depth       []int
	index       map[string]int
	edges       int
	goals       int
	cost, steps []int64
}

const noPlan = math.MaxInt64

func enumerate(t *grounder.Task) *naiveSpace {
	sp := &naiveSpace{naive: naive{t}, index: map[string]int{}}
	add := func(s []int32, depth int) {
		if _, ok := sp.index[fmt.Sprint(s)]; !ok {
			sp.index[fmt.Sprint(s)] = len(sp.states)
			sp.states = append(sp.states, s)
			sp.depth = append(sp.depth, depth)
		}
	}
	add(sp.initial(), 0)
	type edge struct {
		from, to int
		cost     int64
	}
	var edges []edge
	for i := 0; i < len(sp.states); i++ {
		for o := range t.Operators {
			if next, c, ok := sp.apply(sp.states[i], o); ok {
				add(next, sp.depth[i]+1)
				edges = append(edges, edge{i, sp.index[fmt.Sprint(next)], c})
			}
		}
	}
	sp.edges = len(edges)
	sp.cost, sp.steps = make([]int64, len(sp.states)), make([]int64, len(sp.states))
	for i, s := range sp.states {
		sp.cost[i], sp.steps[i] = noPlan, noPlan
		if sp.holds(t.Goal, s) {
			sp.goals++
			sp.cost[i], sp.steps[i] = 0, 0
		}
	}
	for changed := true; changed; { // Bellman-Ford
		changed = false
		for _, e := range edges {
			if d := sp.cost[e.to]; d != noPlan && d+e.cost < sp.cost[e.from] {
				sp.cost[e.from], changed = d+e.cost, true
			}
			if d := sp.steps[e.to]; d != noPlan && d+1 < sp.steps[e.from] {
				sp.steps[e.from], changed = d+1, true
			}
		}
	}
	return sp
}

// replay executes a plan by the definition and returns its cost and whether it reaches
// the goal.
func (n naive) replay(plan []grounder.OperatorID) (cost int64, goal bool) {
	s := n.initial()
	for _, o := range plan {
		next, c, ok := n.apply(s, int(o))
		if !ok {
			return cost, false
		}
		s, cost = next, cost+c
	}
	return cost, n.holds(n.t.Goal, s)
}

// smallTasks are the bundled SAS tasks and the cases that all packages share, with their
// optimal costs, "" when unsolvable.
func smallTasks(tb testing.TB) map[string]*grounder.Task {
	tasks := map[string]*grounder.Task{}
	files, err := filepath.Glob("testdata/*.sas")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no tasks in testdata: %v", err)
	}
	for _, f := range files {
		tasks[strings.TrimSuffix(filepath.Base(f), ".sas")] = readSAS(tb, f)
	}
	for _, c := range testkit.Cases(tb) {
		tasks[c.Name] = ground(tb, c.Domain, c.Problem)
	}
	return tasks
}
