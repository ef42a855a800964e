package search

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"planproof/grounder"
	"planproof/pddl"
)

// TestTableFollowsTheDefinition compares a table with a naive enumeration.
func TestTableFollowsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		tab, err := Exhaust(context.Background(), task, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, tab, enumerate(task))
		frugal, err := frugalTable(task)
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, frugal, enumerate(task))
	})
}

// frugalTable builds a table by sweeps, as if memory did not allow collecting transitions.
func frugalTable(task *grounder.Task) (*Table, error) {
	sim, err := NewSimulator(task)
	if err != nil {
		return nil, err
	}
	e := newExhauster(context.Background(), sim, Limits{})
	if err := e.forward(); err != nil {
		return nil, err
	}
	e.lim.Memory = 1
	if err := e.backward(); err != nil {
		return nil, err
	}
	return e.tab, e.tab.summarise()
}

func checkTable(t *rapid.T, tab *Table, sp *naiveSpace) {
	dead := 0
	perDepth := map[int]int64{}
	for i, s := range sp.states {
		d, ok := tab.DistanceOf(s)
		if !ok {
			t.Fatalf("state %v is missing", s)
		}
		want := Distance{Cost: sp.cost[i], Steps: sp.steps[i]}
		if sp.cost[i] == noPlan {
			want = Distance{DeadEnd: true}
			dead++
		}
		if d != want {
			t.Fatalf("state %v: %+v, want %+v", s, d, want)
		}
		perDepth[sp.depth[i]]++
	}
	if int(tab.States) != len(sp.states) || int(tab.Edges) != sp.edges || int(tab.GoalStates) != sp.goals || int(tab.DeadEnds) != dead {
		t.Fatalf("%d states %d edges %d goals %d dead ends, want %d %d %d %d",
			tab.States, tab.Edges, tab.GoalStates, tab.DeadEnds, len(sp.states), sp.edges, sp.goals, dead)
	}
	if len(perDepth) != len(tab.PerDepth) || tab.Depth() != len(perDepth)-1 {
		t.Fatalf("depths %v, want %v", tab.PerDepth, perDepth)
	}
	for d, n := range tab.PerDepth {
		if perDepth[d] != n {
			t.Fatalf("depths %v, want %v", tab.PerDepth, perDepth)
		}
	}
	if got, want := tab.OptimalPlans, sp.optimalPlans(); got != want {
		t.Fatalf("%s optimal plans, want %s", got, want)
	}
}

// optimalPlans counts by walking all optimal plans, to a length that only a cycle exceeds.
func (sp *naiveSpace) optimalPlans() string {
	if sp.cost[0] == noPlan {
		return "0"
	}
	ways := map[int]*big.Int{0: big.NewInt(1)}
	total := new(big.Int)
	for length := 0; len(ways) > 0; length++ {
		if length > len(sp.states) {
			return "infinite"
		}
		next := map[int]*big.Int{}
		for i, n := range ways {
			if sp.holds(sp.t.Goal, sp.states[i]) {
				total.Add(total, n)
			}
			for o := range sp.t.Operators {
				s, c, ok := sp.apply(sp.states[i], o)
				if !ok {
					continue
				}
				j := sp.index[fmt.Sprint(s)]
				if sp.cost[j] == noPlan || sp.cost[j]+c != sp.cost[i] {
					continue
				}
				if next[j] == nil {
					next[j] = new(big.Int)
				}
				next[j].Add(next[j], n)
			}
		}
		ways = next
	}
	return total.String()
}

// TestBlocksworldStates has the known numbers of states, hand-empty and hand-full.
func TestBlocksworldStates(t *testing.T) {
	tasks := smallTasks(t)
	for name, want := range map[string]int64{"blocksworld-3-1": 22, "blocksworld-4-1": 125, "blocksworld-5-1": 866} {
		tab, err := Exhaust(context.Background(), tasks[name], Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if tab.States != want {
			t.Errorf("%s: %d states, want %d", name, tab.States, want)
		}
	}
}

// TestSameNameOnce has a disjunction, which gives two operators of one name: where both
// are applicable there is one edge and one plan.
func TestSameNameOnce(t *testing.T) {
	task := ground(t, `(define (domain d) (:requirements :adl) (:predicates (a) (b) (g))
	  (:action go :parameters () :precondition (or (a) (b)) :effect (g))
	  (:action drop :parameters () :precondition (a) :effect (not (a))))`,
		`(define (problem p) (:domain d) (:init (a) (b)) (:goal (g)))`)
	tab, err := Exhaust(context.Background(), task, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tab.OptimalPlans != "1" || tab.States != 4 || tab.Edges != 6 {
		t.Errorf("%s plans, %d states, %d edges; want 1, 4, 6", tab.OptimalPlans, tab.States, tab.Edges)
	}
	if d, done, err := tab.DistanceAfter([]string{"(drop)"}); err != nil || done != 1 || d.Cost != 1 {
		t.Errorf("after drop: %+v, %d, %v", d, done, err)
	}
	if d, done, err := tab.DistanceAfter([]string{"(DROP)", " ( go ) "}); err != nil || done != 2 || d.Cost != 0 {
		t.Errorf("after go: %+v, %d, %v", d, done, err)
	}
	if _, done, err := tab.DistanceAfter([]string{"(drop)", "(drop)"}); !errors.Is(err, ErrInapplicable) || done != 1 {
		t.Errorf("drop twice: %d, %v", done, err)
	}
	if d, done, err := tab.DistanceAfter([]string{"(fly)"}); !errors.Is(err, ErrUnknownAction) || done != 0 || d.Cost != 1 {
		t.Errorf("fly: %+v, %d, %v", d, done, err)
	}
}

// TestPlanDescends replays optimal plans: with every step the distance falls by its cost.
func TestPlanDescends(t *testing.T) {
	for name, task := range smallTasks(t) {
		tab, err := Exhaust(context.Background(), task, Limits{Nodes: 1 << 17})
		if err != nil {
			var le *LimitError
			if errors.As(err, &le) {
				continue
			}
			t.Fatal(err)
		}
		r, err := Run(context.Background(), task, Config{})
		if err != nil {
			t.Fatal(err)
		}
		d := tab.InitialDistance()
		if d.DeadEnd != (r.Status == Unsolvable) || !d.DeadEnd && d.Cost != r.Cost {
			t.Errorf("%s: %+v, but the search says %s at %d", name, d, r.Status, r.Cost)
		}
		s, left := tab.Initial(), d.Cost
		for _, op := range r.Plan {
			next, c, err := tab.Apply(s, task.OperatorName(op))
			if err != nil {
				t.Fatal(err)
			}
			s, left = next, left-c
			if d, ok := tab.Distance(s); !ok || d.Cost != left {
				t.Errorf("%s: distance %+v, want %d", name, d, left)
			}
		}
		if !d.DeadEnd && !tab.IsGoal(s) {
			t.Errorf("%s: the plan ends outside the goal", name)
		}
	}
}

func TestTableFile(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		if rapid.Bool().Draw(t, "large") {
			for o := range task.Operators {
				task.Operators[o].Cost *= 1 << 40
			}
		}
		tab, err := Exhaust(context.Background(), task, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "t.table")
		if err := tab.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := LoadTable(path, task)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.States, got.Edges, got.PerDepth, got.GoalStates, got.DeadEnds, got.OptimalPlans) !=
			fmt.Sprint(tab.States, tab.Edges, tab.PerDepth, tab.GoalStates, tab.DeadEnds, tab.OptimalPlans) {
			t.Fatalf("%+v became %+v", tab, got)
		}
		tab.EachState(func(s State, d Distance) {
			if x, ok := got.Distance(s); !ok || x != d {
				t.Fatalf("state %v: %+v became %+v", s, d, x)
			}
		})
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadTable(path, task); err == nil {
			t.Fatal("a table cut short was read")
		}
		data[cut] ^= byte(rapid.IntRange(1, 255).Draw(t, "damage"))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadTable(path, task); err == nil {
			t.Fatal("a damaged table was read")
		}
	})
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestTableOfAnotherTask(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.table")
	task := counterTask(3, 1)
	tab, err := Exhaust(context.Background(), task, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, other := range []*grounder.Task{counterTask(4, 1), counterTask(3, 2)} {
		if _, err := LoadTable(path, other); !errors.Is(err, ErrOtherTask) {
			t.Errorf("%v, want ErrOtherTask", err)
		}
	}
	if err := tab.Save(filepath.Join(path, "below-a-file")); err == nil {
		t.Error("saved below a file")
	}
	if _, err := LoadTable(filepath.Join(t.TempDir(), "absent"), task); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want not exist", err)
	}
}

func TestExhaustLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		lim  Limits
		want Status
	}{
		{context.Background(), Limits{Nodes: 100}, Nodeout},
		{context.Background(), Limits{Memory: 1 << 20}, Memout},
		{context.Background(), Limits{Wall: 1}, Timeout},
		{cancelled, Limits{}, Timeout},
	} {
		_, err := Exhaust(c.ctx, counterTask(20, 1), c.lim)
		var le *LimitError
		if !errors.As(err, &le) || le.Status != c.want {
			t.Errorf("%+v: %v, want %s", c.lim, err, c.want)
		}
	}
	task := counterTask(3, 1)
	task.Unsolvable, task.Trivial = true, true
	if _, err := Exhaust(context.Background(), task, Limits{}); !errors.Is(err, ErrNoStateSpace) {
		t.Errorf("%v, want ErrNoStateSpace", err)
	}
}

// TestExhaustUnsolvable: a goal out of reach costs no state space where everything
// is kept.
func TestExhaustUnsolvable(t *testing.T) {
	for _, c := range []struct {
		name, domain, problem string
		states                int64
	}{
		{"out of reach", `(:predicates (turned) (opened) (key))
			(:action turn :parameters () :precondition (and) :effect (turned))
			(:action open :parameters () :precondition (and (turned) (key)) :effect (opened))`,
			`(:init) (:goal (opened))`, 2},
		{"mutually exclusive", `(:predicates (at ?x))
			(:action go :parameters (?x ?y) :precondition (and (at ?x) (not (= ?x ?y))) :effect (and (not (at ?x)) (at ?y)))`,
			`(:objects a b c) (:init (at a)) (:goal (and (at a) (at b)))`, 3},
		{"contradictory", `(:predicates (p) (q)) (:action do :parameters () :precondition (p) :effect (q))`,
			`(:init (p)) (:goal (and (q) (not (q))))`, 2},
		{"static", `(:predicates (p) (q) (s)) (:action do :parameters () :precondition (p) :effect (q))`,
			`(:init (p)) (:goal (and (q) (s)))`, 2},
		{"no action", `(:predicates (p) (q)) (:action do :parameters () :precondition (p) :effect (q))`,
			`(:init) (:goal (q))`, 1},
		{"derived", `(:predicates (p) (q) (d)) (:derived (d) (and (p) (not (p)))) (:action do :parameters () :precondition (p) :effect (q))`,
			`(:init (p)) (:goal (and (q) (d)))`, 2},
	} {
		dom, ds := pddl.ParseDomain(&pddl.Source{Name: "d", Text: "(define (domain d) (:requirements :adl :derived-predicates) " + c.domain + ")"}, pddl.Options{})
		prob, ps := pddl.ParseProblem(&pddl.Source{Name: "p", Text: "(define (problem p) (:domain d) " + c.problem + ")"}, dom, pddl.Options{})
		if prob == nil {
			t.Fatal(ds, ps)
		}
		task, err := grounder.Ground(context.Background(), prob, grounder.Options{KeepIrrelevant: true})
		if err != nil {
			t.Fatal(err)
		}
		table, err := Exhaust(context.Background(), task, Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if table.States != c.states || table.GoalStates != 0 || !table.InitialDistance().DeadEnd {
			t.Errorf("%s: %d states, %d of them goals, want %d and 0", c.name, table.States, table.GoalStates, c.states)
		}
	}
}

// TestExhaustHugeCosts has distances of 63 bits and beyond.
func TestExhaustHugeCosts(t *testing.T) {
	task := counterTask(3, 1<<40)
	task.Operators[0].Cost = 1 << 41 // costs differ: four increments of the lowest bit
	tab, err := Exhaust(context.Background(), task, Limits{})
	if err != nil || tab.InitialDistance().Cost != 4<<41+3<<40 {
		t.Errorf("%v, %v", tab, err)
	}
	for _, top := range []int64{1 << 61, 1<<63 - 1} {
		task.Operators[0].Cost = top
		if _, err := Exhaust(context.Background(), task, Limits{}); err == nil {
			t.Error("distances beyond 63 bits: no error")
		}
		if _, err := frugalTable(task); err == nil {
			t.Error("by sweeps: no error")
		}
	}
	even := counterTask(3, 1<<61)
	if _, err := Exhaust(context.Background(), even, Limits{}); err == nil {
		t.Error("equal costs: no error")
	}
}

// TestConcurrentLookUps is for the race detector.
func TestConcurrentLookUps(t *testing.T) {
	task := smallTasks(t)["axioms"]
	tab, err := Exhaust(context.Background(), task, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; k < 200; k++ {
				if d, _, err := tab.DistanceAfter([]string{"(press left)", "(press right)"}); err != nil || d.Cost != 0 {
					t.Errorf("%+v, %v", d, err)
				}
			}
		}()
	}
	wg.Wait()
}

// FuzzLoadTable feeds damaged files; it must not panic or take much memory.
func FuzzLoadTable(f *testing.F) {
	task := counterTask(3, 1)
	tab, err := Exhaust(context.Background(), task, Limits{})
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "t.table")
	if err := tab.Save(path); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(tableMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "t.table")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := LoadTable(path, task); err == nil && got.States != 8 {
			t.Fatalf("read a table of %d states", got.States)
		}
	})
}

// TestExhaustLimitsWithinAState has one state with 30,000 successors of 4 KB each: the
// limits must hold while it is expanded, and not only between states.
func TestExhaustLimitsWithinAState(t *testing.T) {
	const n = 30_000
	task := &grounder.Task{CostUnit: pddl.Int(1), SchemaNames: []string{"set"}}
	for i := range int32(n) {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{"off", "on"}})
		task.Init = append(task.Init, 0)
		task.ObjectNames = append(task.ObjectNames, "o"+strconv.Itoa(int(i)))
		task.Operators = append(task.Operators, grounder.Operator{
			Args: []pddl.ObjectID{pddl.ObjectID(i)}, Effects: []grounder.Effect{{Var: i, Val: 1}}, Cost: 1,
		})
	}
	task.Goal = []grounder.Fact{{Var: 0, Val: 1}, {Var: 1, Val: 1}}
	_, err := Exhaust(context.Background(), task, Limits{Memory: 24 << 20})
	var le *LimitError
	if !errors.As(err, &le) || le.Status != Memout || le.States >= n {
		t.Errorf("%v, want memout within the first expansion", err)
	}
}
