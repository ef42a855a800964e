// Package tasktest holds what tests of searches and state spaces share: ground tasks, bundled
// and random, and the definition of a task's state space, written down without regard to
// speed (Naive, Enumerate).
package tasktest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/randomsas"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/certificate"
)

// ReadSAS reads a task in the translator's output format.
func ReadSAS(tb testing.TB, path string) *grounder.Task {
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

// Ground reads and grounds a PDDL task.
func Ground(tb testing.TB, domain, problem string) *grounder.Task {
	tb.Helper()
	task, err := grounder.Ground(context.Background(), Parse(tb, domain, problem), grounder.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return task
}

// Bundled reads and grounds a bundled task, such as "blocksworld:3-1". It panics where that
// fails, so that examples stay short.
func Bundled(name string) (*pddl.Problem, *grounder.Task) {
	domSrc, probSrc, err := domains.Load(name)
	if err != nil {
		panic(err)
	}
	dom, diags := pddl.ParseDomain(domSrc, pddl.Options{})
	prob, more := pddl.ParseProblem(probSrc, dom, pddl.Options{})
	if diags = append(diags, more...); diags.HasErrors() {
		panic(diags)
	}
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err != nil {
		panic(err)
	}
	return prob, task
}

// Choose picks an integer from lo to hi; it is the only source of randomness, so that a
// property-testing library can shrink a task.
type Choose func(lo, hi int) int

// Random makes a random task of the language that opt describes.
func Random(choose Choose, opt randomsas.Options) *grounder.Task {
	text := randomsas.Text(choose, opt)
	task, err := grounder.ReadSAS(strings.NewReader(text))
	if err != nil {
		panic(fmt.Sprintf("%v\n%s", err, text))
	}
	return task
}

// Any makes a random task with any mixture of features, conditional costs included.
func Any(choose Choose) *grounder.Task {
	task := Random(choose, randomsas.Options{
		Axioms:             choose(0, 1) == 1,
		ConditionalEffects: choose(0, 1) == 1,
		MaxCost:            choose(0, 3),
	})
	if choose(0, 4) == 0 {
		for o := range task.Operators.Len() {
			v := choose(0, len(task.Variables)-1)
			cond := []grounder.Fact{{Var: int32(v), Val: int32(choose(0, task.Variables[v].Size()-1))}}
			op := task.Operators.At(o)
			op.CondCosts = []grounder.CondCost{{Cond: cond, Cost: int64(choose(0, 3))}}
			task.Operators.Set(o, op)
		}
	}
	return task
}

// LargeCosts makes a random task whose costs may be as large as costs can be.
func LargeCosts(choose Choose) *grounder.Task {
	task := Any(choose)
	costs := []int64{0, 1, 7, 1 << 40, 1 << 61, grounder.MaxCost - 1, grounder.MaxCost}
	for o := range task.Operators.Len() {
		task.Operators.SetCost(o, costs[choose(0, len(costs)-1)])
		increases := task.Operators.CondCosts(o)
		for i := range increases {
			increases[i].Cost = costs[choose(0, len(costs)-1)]
		}
	}
	return task
}

// Naive is the definition of a task's state space, written down without regard to speed.
type Naive struct{ Task *grounder.Task }

// Holds reports whether all facts hold in s.
func (n Naive) Holds(fs []grounder.Fact, s []int32) bool {
	for _, f := range fs {
		if s[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// Close derives the derived variables of s.
func (n Naive) Close(s []int32) []int32 {
	s = append([]int32(nil), s...)
	top := int32(-1)
	for v := range n.Task.Variables {
		if l := n.Task.Variables[v].Layer; l >= 0 {
			s[v] = n.Task.Variables[v].Default
			top = max(top, l)
		}
	}
	for l := int32(0); l <= top; l++ {
		for changed := true; changed; {
			changed = false
			for _, a := range n.Task.Axioms {
				if n.Task.Variables[a.Head.Var].Layer == l && n.Holds(a.Body, s) && s[a.Head.Var] != a.Head.Val {
					s[a.Head.Var], changed = a.Head.Val, true
				}
			}
		}
	}
	return s
}

// Initial returns the initial state.
func (n Naive) Initial() []int32 { return n.Close(n.Task.Init) }

// Apply executes operator o in s; ok is false where it is not applicable.
func (n Naive) Apply(s []int32, o int) (next []int32, cost int64, ok bool) {
	op := n.Task.Operators.At(o)
	if !n.Holds(op.Pre, s) {
		return nil, 0, false
	}
	next = append([]int32(nil), s...)
	for _, e := range op.Effects {
		if n.Holds(e.Cond, s) {
			next[e.Var] = e.Val
		}
	}
	cost = op.Cost
	for _, c := range op.CondCosts {
		if n.Holds(c.Cond, s) {
			cost += c.Cost
		}
	}
	return n.Close(next), cost, true
}

// Space is an enumerated state space with goal distances; NoPlan marks dead ends.
type Space struct {
	Naive
	States      [][]int32
	Depth       []int
	Index       map[string]int
	Edges       int
	Goals       int
	Cost, Steps []int64
}

// NoPlan is the distance of a dead end.
const NoPlan = math.MaxInt64

// Enumerate lists the states of a task and computes their distances by Bellman-Ford.
func Enumerate(t *grounder.Task) *Space {
	sp := &Space{Naive: Naive{t}, Index: map[string]int{}}
	add := func(s []int32, depth int) {
		if _, ok := sp.Index[fmt.Sprint(s)]; !ok {
			sp.Index[fmt.Sprint(s)] = len(sp.States)
			sp.States = append(sp.States, s)
			sp.Depth = append(sp.Depth, depth)
		}
	}
	add(sp.Initial(), 0)
	type edge struct {
		from, to int
		cost     int64
	}
	var edges []edge
	for i := 0; i < len(sp.States); i++ {
		for o := range t.Operators.Len() {
			if next, c, ok := sp.Apply(sp.States[i], o); ok {
				add(next, sp.Depth[i]+1)
				edges = append(edges, edge{i, sp.Index[fmt.Sprint(next)], c})
			}
		}
	}
	sp.Edges = len(edges)
	sp.Cost, sp.Steps = make([]int64, len(sp.States)), make([]int64, len(sp.States))
	for i, s := range sp.States {
		sp.Cost[i], sp.Steps[i] = NoPlan, NoPlan
		if sp.Holds(t.Goal, s) {
			sp.Goals++
			sp.Cost[i], sp.Steps[i] = 0, 0
		}
	}
	for changed := true; changed; { // Bellman-Ford
		changed = false
		for _, e := range edges {
			if d := sp.Cost[e.to]; d != NoPlan && d+e.cost < sp.Cost[e.from] {
				sp.Cost[e.from], changed = d+e.cost, true
			}
			if d := sp.Steps[e.to]; d != NoPlan && d+1 < sp.Steps[e.from] {
				sp.Steps[e.from], changed = d+1, true
			}
		}
	}
	return sp
}

// Replay executes a plan by the definition and returns its cost and whether it reaches
// the goal.
func (n Naive) Replay(plan []grounder.OperatorID) (cost int64, goal bool) {
	s := n.Initial()
	for _, o := range plan {
		next, c, ok := n.Apply(s, int(o))
		if !ok {
			return cost, false
		}
		s, cost = next, cost+c
	}
	return cost, n.Holds(n.Task.Goal, s)
}

// SmallTasks are the bundled SAS tasks and the cases that all packages share, with their
// optimal costs, "" when unsolvable.
func SmallTasks(tb testing.TB) map[string]*grounder.Task {
	tasks := map[string]*grounder.Task{}
	files, err := filepath.Glob(filepath.Join(testkit.Root(), "search/testdata/*.sas"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no tasks in testdata: %v", err)
	}
	for _, f := range files {
		tasks[strings.TrimSuffix(filepath.Base(f), ".sas")] = ReadSAS(tb, f)
	}
	for _, c := range testkit.Cases(tb) {
		tasks[c.Name] = Ground(tb, c.Domain, c.Problem)
	}
	return tasks
}

// Counter is a binary counter of n bits that must count to the top: 2^n states in a line.
func Counter(n int, cost int64) *grounder.Task {
	task := &grounder.Task{Name: "counter"}
	for i := 0; i < n; i++ {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{"0", "1"}})
		task.Init = append(task.Init, 0)
		task.Goal = append(task.Goal, grounder.Fact{Var: int32(i), Val: 1})
		task.SchemaNames = append(task.SchemaNames, "set"+strconv.Itoa(i))
		op := grounder.Operator{Schema: int32(i), Cost: cost}
		for j := 0; j < i; j++ {
			op.Pre = append(op.Pre, grounder.Fact{Var: int32(j), Val: 1})
			op.Effects = append(op.Effects, grounder.Effect{Var: int32(j), Val: 0})
		}
		op.Pre = append(op.Pre, grounder.Fact{Var: int32(i), Val: 0})
		op.Effects = append(op.Effects, grounder.Effect{Var: int32(i), Val: 1})
		task.Operators.Append(op)
	}
	return task
}

// EachEdge visits all transitions.
func (sp *Space) EachEdge(visit func(from, to int, cost int64)) {
	for i, s := range sp.States {
		for o := range sp.Task.Operators.Len() {
			if next, cost, ok := sp.Apply(s, o); ok {
				visit(i, sp.Index[fmt.Sprint(next)], cost)
			}
		}
	}
}

// TB is what testing.TB and rapid.TB have in common.
type TB interface {
	Helper()
	Fatal(...any)
}

// CheckCertificate writes a certificate, reads it back and checks it. It returns the
// number of bytes written.
func CheckCertificate(tb TB, task *grounder.Task, c *certificate.Certificate) (int, *certificate.Report, error) {
	tb.Helper()
	var file bytes.Buffer
	if err := certificate.Write(&file, task, c); err != nil {
		tb.Fatal(err)
	}
	n := file.Len()
	rd, err := certificate.NewReader(&file)
	if err != nil {
		return n, nil, err
	}
	read, err := rd.Read(context.Background(), task, 1<<30)
	if err != nil {
		return n, nil, err
	}
	report, err := certificate.Check(context.Background(), task, read, 1<<30)
	return n, report, err
}
