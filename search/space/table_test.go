package space

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"sync"
	"testing"

	"github.com/planproof/planproof/search"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
)

// TestTableFollowsTheDefinition compares a table with a naive enumeration, whichever way it
// is made.
func TestTableFollowsTheDefinition(t *testing.T) {
	checkOften(t, func(t *rapid.T) {
		task := anyTask(t)
		want := tasktest.Enumerate(task)
		tab, err := Exhaust(context.Background(), task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, tab, want)
		for name, tune := range tunings {
			if tab, err = tunedTable(task, tune); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			checkTable(t, tab, want)
		}
	})
}

// checkOften checks several hundred cases: some mistakes show in few of the random tasks.
func checkOften(t *testing.T, prop func(*rapid.T)) {
	for range 5 {
		rapid.Check(t, prop)
	}
}

// tunings are the ways to make a table.
var tunings = map[string]func(*exhauster){
	"by lists": func(e *exhauster) { e.lists = true },
	"by several threads": func(e *exhauster) {
		e.threads, e.parallel, e.batch = 2, 0, 1
	},
	"by scanning for open states": func(e *exhauster) { e.open = 0 },
	"by lists, threads and scanning": func(e *exhauster) {
		e.lists, e.threads, e.parallel, e.batch, e.open = true, 3, 2, 2, 1
	},
	"by sweeps": nil,
}

func tunedTable(task *grounder.Task, tune func(*exhauster)) (*Table, error) {
	sim, err := NewSimulator(task)
	if err != nil {
		return nil, err
	}
	e := newExhauster(context.Background(), sim, search.Limits{})
	if tune != nil {
		tune(e)
	}
	if err := e.forward(); err != nil {
		return nil, err
	}
	if tune != nil {
		err = e.backward()
	} else { // as if memory did not allow collecting transitions
		e.inverse = nil
		err = e.measure(nil, len(e.costs.value) <= 1)
	}
	if err != nil {
		return nil, err
	}
	e.tab.countDeadEnds()
	e.tab.OptimalPlans, err = e.countPlans()
	return e.tab, err
}

func checkTable(t *rapid.T, tab *Table, sp *tasktest.Space) {
	dead := 0
	perDepth := map[int]int64{}
	for i, s := range sp.States {
		packed, err := tab.Pack(s)
		d, ok := tab.Distance(packed)
		if err != nil || !ok {
			t.Fatalf("state %v is missing", s)
		}
		want := Distance{Cost: sp.Cost[i], Steps: sp.Steps[i]}
		if sp.Cost[i] == tasktest.NoPlan {
			want = Distance{DeadEnd: true}
			dead++
		}
		if d != want {
			t.Fatalf("state %v: %+v, want %+v", s, d, want)
		}
		perDepth[sp.Depth[i]]++
	}
	if int(tab.States) != len(sp.States) || int(tab.Edges) != sp.Edges || int(tab.GoalStates) != sp.Goals || int(tab.DeadEnds) != dead {
		t.Fatalf("%d states %d edges %d goals %d dead ends, want %d %d %d %d",
			tab.States, tab.Edges, tab.GoalStates, tab.DeadEnds, len(sp.States), sp.Edges, sp.Goals, dead)
	}
	if len(perDepth) != len(tab.PerDepth) || tab.Depth() != len(perDepth)-1 {
		t.Fatalf("depths %v, want %v", tab.PerDepth, perDepth)
	}
	for d, n := range tab.PerDepth {
		if perDepth[d] != n {
			t.Fatalf("depths %v, want %v", tab.PerDepth, perDepth)
		}
	}
	if got, want := tab.OptimalPlans, countPlans(sp); got != want {
		t.Fatalf("%s optimal plans, want %s", got, want)
	}
}

// countPlans counts by walking all optimal plans, to a length that only a cycle exceeds.
func countPlans(sp *tasktest.Space) string {
	if sp.Cost[0] == tasktest.NoPlan {
		return "0"
	}
	ways := map[int]*big.Int{0: big.NewInt(1)}
	total := new(big.Int)
	for length := 0; len(ways) > 0; length++ {
		if length > len(sp.States) {
			return "infinite"
		}
		next := map[int]*big.Int{}
		for i, n := range ways {
			if sp.Holds(sp.Task.Goal, sp.States[i]) {
				total.Add(total, n)
			}
			for o := range sp.Task.Operators.Len() {
				s, c, ok := sp.Apply(sp.States[i], o)
				if !ok {
					continue
				}
				j := sp.Index[fmt.Sprint(s)]
				if sp.Cost[j] == tasktest.NoPlan || sp.Cost[j]+c != sp.Cost[i] {
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

// TestManyPlans: a chain of n steps, each of two actions to choose from, has 2^n plans.
func TestManyPlans(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 200} {
		task := &grounder.Task{SchemaNames: []string{"left", "right"}, Init: []int32{0}, Goal: []grounder.Fact{{Var: 0, Val: int32(n)}}}
		task.Variables = []grounder.Variable{{Layer: -1, Values: make([]string, n+1)}}
		for i := range int32(2 * n) {
			task.ObjectNames = append(task.ObjectNames, strconv.Itoa(int(i)))
			task.Operators.Append(grounder.Operator{
				Schema: i % 2, Args: []pddl.ObjectID{pddl.ObjectID(i / 2)}, Cost: 1,
				Pre: []grounder.Fact{{Var: 0, Val: i / 2}}, Effects: []grounder.Effect{{Var: 0, Val: i/2 + 1}},
			})
		}
		tab, err := Exhaust(context.Background(), task, search.Limits{})
		if want := new(big.Int).Lsh(big.NewInt(1), uint(n)).String(); err != nil || tab.OptimalPlans != want {
			t.Errorf("%d steps: %v plans, %v, want %s", n, tab.OptimalPlans, err, want)
		}
	}
}

// TestBlocksworldStates has the known numbers of states, hand-empty and hand-full.
func TestBlocksworldStates(t *testing.T) {
	tasks := tasktest.SmallTasks(t)
	for name, want := range map[string]int64{"blocksworld-3-1": 22, "blocksworld-4-1": 125, "blocksworld-5-1": 866} {
		tab, err := Exhaust(context.Background(), tasks[name], search.Limits{})
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
	task := tasktest.Ground(t, `(define (domain d) (:requirements :adl) (:predicates (a) (b) (g))
	  (:action go :parameters () :precondition (or (a) (b)) :effect (g))
	  (:action drop :parameters () :precondition (a) :effect (not (a))))`,
		`(define (problem p) (:domain d) (:init (a) (b)) (:goal (g)))`)
	tab, err := Exhaust(context.Background(), task, search.Limits{})
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
	for name, task := range tasktest.SmallTasks(t) {
		tab, err := Exhaust(context.Background(), task, search.Limits{Nodes: 1 << 17})
		if err != nil {
			var le *search.LimitError
			if errors.As(err, &le) {
				continue
			}
			t.Fatal(err)
		}
		r, err := search.Run(context.Background(), task, search.Config{})
		if err != nil {
			t.Fatal(err)
		}
		d := tab.InitialDistance()
		if d.DeadEnd != (r.Status == search.Unsolvable) || !d.DeadEnd && d.Cost != r.Cost {
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

func TestExhaustLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		lim  search.Limits
		want search.Status
	}{
		{context.Background(), search.Limits{Nodes: 100}, search.Nodeout},
		{context.Background(), search.Limits{Memory: 1 << 20}, search.Memout},
		{context.Background(), search.Limits{Wall: 1}, search.Timeout},
		{cancelled, search.Limits{}, search.Timeout},
	} {
		_, err := Exhaust(c.ctx, tasktest.Counter(20, 1), c.lim)
		var le *search.LimitError
		if !errors.As(err, &le) || le.Status != c.want {
			t.Errorf("%+v: %v, want %s", c.lim, err, c.want)
		}
	}
	task := tasktest.Counter(3, 1)
	task.Unsolvable, task.Trivial = true, true
	if _, err := Exhaust(context.Background(), task, search.Limits{}); !errors.Is(err, ErrNoStateSpace) {
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
		table, err := Exhaust(context.Background(), task, search.Limits{})
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
	task := tasktest.Counter(3, 1<<40)
	task.Operators.SetCost(0, 1<<41) // costs differ: four increments of the lowest bit
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil || tab.InitialDistance().Cost != 4<<41+3<<40 {
		t.Errorf("%v, %v", tab, err)
	}
	for _, top := range []int64{1 << 61, 1<<63 - 1} {
		task.Operators.SetCost(0, top)
		if _, err := Exhaust(context.Background(), task, search.Limits{}); err == nil {
			t.Error("distances beyond 63 bits: no error")
		}
		if _, err := tunedTable(task, nil); err == nil {
			t.Error("by sweeps: no error")
		}
	}
	even := tasktest.Counter(3, 1<<61)
	if _, err := Exhaust(context.Background(), even, search.Limits{}); err == nil {
		t.Error("equal costs: no error")
	}
}

// TestConcurrentLookUps is for the race detector.
func TestConcurrentLookUps(t *testing.T) {
	task := tasktest.SmallTasks(t)["axioms"]
	tab, err := Exhaust(context.Background(), task, search.Limits{})
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

// TestExhaustLimitsWithinAState has one state with 30,000 successors of 4 KB each: the
// limits must hold while it is expanded, and not only between states.
func TestExhaustLimitsWithinAState(t *testing.T) {
	const n = 30_000
	task := &grounder.Task{CostUnit: pddl.Int(1), SchemaNames: []string{"set"}}
	for i := range int32(n) {
		task.Variables = append(task.Variables, grounder.Variable{Layer: -1, Values: []string{"off", "on"}})
		task.Init = append(task.Init, 0)
		task.ObjectNames = append(task.ObjectNames, "o"+strconv.Itoa(int(i)))
		task.Operators.Append(grounder.Operator{
			Args: []pddl.ObjectID{pddl.ObjectID(i)}, Effects: []grounder.Effect{{Var: i, Val: 1}}, Cost: 1,
		})
	}
	task.Goal = []grounder.Fact{{Var: 0, Val: 1}, {Var: 1, Val: 1}}
	_, err := Exhaust(context.Background(), task, search.Limits{Memory: 24 << 20})
	var le *search.LimitError
	if !errors.As(err, &le) || le.Status != search.Memout || le.States >= n {
		t.Errorf("%v, want memout within the first expansion", err)
	}
}

func TestMalformedTasksAreRefused(t *testing.T) {
	negative := tasktest.Counter(2, -1)
	short := tasktest.Counter(2, 1)
	short.Init = short.Init[:1]
	for _, task := range []*grounder.Task{negative, short} {
		if _, err := Exhaust(context.Background(), task, search.Limits{}); err == nil {
			t.Error("no error")
		}
	}
}

// TestCostThatMeansInfinite: a plan may cost 2^63-1, the number that tables write for
// dead ends. There is no table then.
func TestCostThatMeansInfinite(t *testing.T) {
	task := &grounder.Task{Name: "chain", Variables: []grounder.Variable{{Layer: -1, Values: []string{"0", "1", "2", "3"}}}, Init: []int32{0},
		Goal: []grounder.Fact{{Val: 3}}, SchemaNames: []string{"step"}}
	for i, cost := range []int64{grounder.MaxCost, grounder.MaxCost, 1} {
		task.Operators.Append(grounder.Operator{Cost: cost, Pre: []grounder.Fact{{Val: int32(i)}},
			Effects: []grounder.Effect{{Val: int32(i + 1)}}})
	}
	if _, err := Exhaust(context.Background(), task, search.Limits{}); err == nil {
		t.Error("a table has that distance")
	}
}
