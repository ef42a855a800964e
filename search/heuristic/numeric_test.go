package heuristic_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// numericSpace is a state space by definition: states in the order of their discovery, steps
// and distances to the goal.
type numericSpace struct {
	sys      *state.System
	values   [][]int32
	steps    [][]numericStep
	distance []int64
}

type numericStep struct {
	op   grounder.OperatorID
	cost int64
	to   int
}

// enumerate returns nil if there are more states than most, or numbers grow out of bounds.
func enumerate(task *grounder.Task, most int) *numericSpace {
	s := &numericSpace{sys: state.NewSystem(task)}
	reg, x := state.NewRegistry(s.sys.Packer.Words(), 0), s.sys.NewScratch()
	row := s.sys.Initial()
	reg.Insert(row, reg.Hash(row))
	for at := 0; at < reg.Len(); at++ {
		if at > most {
			return nil
		}
		row := append([]uint64(nil), reg.Row(state.StateID(at))...)
		s.sys.Unpack(row, x)
		s.values = append(s.values, append([]int32(nil), x.Values...))
		s.distance = append(s.distance, math.MaxInt64)
		if s.sys.IsGoal(row, x) {
			s.distance[at] = 0
		}
		var steps []numericStep
		for _, op := range append([]grounder.OperatorID(nil), s.sys.Applicable(x)...) {
			cost, ok := s.sys.Applier.Cost(x.Values, op)
			if !ok {
				return nil
			}
			s.sys.Applier.Apply(x.Next, row, x.Values, op)
			to, _ := reg.Insert(x.Next, reg.Hash(x.Next))
			steps = append(steps, numericStep{op, cost, int(to)})
		}
		s.steps = append(s.steps, steps)
	}
	for changed := true; changed; {
		changed = false
		for i, steps := range s.steps {
			for _, st := range steps {
				if d := s.distance[st.to]; d < math.MaxInt64 && d+st.cost < s.distance[i] {
					s.distance[i], changed = d+st.cost, true
				}
			}
		}
	}
	return s
}

// TestNumericAdmissible: on every state of exhausted numeric tasks no heuristic exceeds the
// distance, what it inherits does not either, and a dead end is one.
func TestNumericAdmissible(t *testing.T) {
	states, informed := 0, map[string]int{}
	one := func(t *rapid.T) {
		choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "choice") }
		domain, problem := tasktest.NumericText(choose, choose(0, 1) == 0)
		d, _ := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
		p, _ := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), d, pddl.Options{})
		task, err := grounder.Ground(context.Background(), p, grounder.Options{NumericFluents: true, KeepIrrelevant: true})
		if errors.As(err, new(pddl.Diagnostics)) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if task.Numeric == nil || task.Unsolvable {
			return
		}
		s := enumerate(task, 400)
		if s == nil {
			return
		}
		states += len(s.values)
		for _, name := range []string{"blind", "hmax", "lmcut"} {
			info := heuristic.Lookup(name)
			h, err := info.New(task)
			if err != nil {
				t.Fatal(err)
			}
			for i, values := range s.values {
				est := h.Estimate(values)
				if est > s.distance[i] || est < 0 {
					t.Fatalf("%s estimates %d in a state at distance %d\n%s\n%s", name, est, s.distance[i], domain, problem)
				}
				if est > 0 && est < heuristic.DeadEnd {
					informed[name]++
				}
				inherit, ok := h.(heuristic.Inheriting)
				for _, st := range s.steps[i] {
					if ok && est < heuristic.DeadEnd && inherit.Inherited(st.op) > s.distance[st.to] {
						t.Fatalf("%s passes on %d to a state at distance %d\n%s\n%s", name, inherit.Inherited(st.op), s.distance[st.to], domain, problem)
					}
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			one(t)
		}
	})
	t.Logf("%d states, estimates above 0: %v", states, informed)
	if states < 500 || informed["lmcut"] < 50 {
		t.Error("too few states to test anything")
	}
}

// TestNumericEstimates: what each rule of the relaxation is worth in the initial state of a
// task with actions over the numbers n and m and the facts p and g.
func TestNumericEstimates(t *testing.T) {
	for name, c := range map[string]struct {
		actions, goal string
		cost          int64 // of a cheapest plan
		hmax, lmcut   int64
	}{
		"repetitions": {`(:action a :effect (and (increase (n) 3) (increase (total-cost) 2)))`, `(>= (n) 10)`, 8, 8, 8},
		"two bounds": {`(:action a :effect (and (increase (n) 1) (increase (total-cost) 2)))
			(:action b :effect (and (increase (m) 1) (increase (total-cost) 3)))`, `(and (>= (n) 4) (<= (- 2 (m)) -3))`, 23, 15, 23},
		"net effects": {`(:action a :effect (and (increase (n) 3) (decrease (m) 2) (increase (total-cost) 1)))`, `(>= (+ (n) (m)) 6)`, 6, 6, 6},
		"a fluent that is also assigned forgets": {`(:action a :effect (and (increase (n) 6) (decrease (m) 5) (increase (total-cost) 1)))
			(:action b :effect (and (assign (m) 0) (increase (total-cost) 1)))`, `(>= (+ (n) (m)) 10)`, 3, 2, 2},
		"assignments contribute what they raise": {`(:action a :effect (and (increase (n) 1) (increase (total-cost) 1)))
			(:action b :effect (and (assign (n) 4) (increase (total-cost) 1)))`, `(>= (n) 10)`, 7, 3, 3},
		"an operator with two ways into the zone pays by the shorter": {`(:action a :effect (and (increase (n) 1) (p) (increase (total-cost) 1)))
			(:action b :precondition (p) :effect (g)) (:action c :precondition (>= (n) 10) :effect (g))`, `(g)`, 1, 1, 1},
		"what reaches a precondition may help as well": {`(:action a :effect (and (increase (n) 5) (p) (increase (total-cost) 5)))
			(:action b :precondition (p) :effect (and (increase (n) 5) (increase (total-cost) 1)))`, `(>= (n) 10)`, 6, 6, 6},
		"linear effects count as all":   {`(:action a :effect (and (increase (n) (m)) (increase (total-cost) 1))) (:action b :effect (and (increase (m) 1) (increase (total-cost) 1)))`, `(>= (n) 10)`, 7, 1, 1},
		"no contribution is a dead end": {`(:action a :effect (and (decrease (n) 1) (p)))`, `(>= (n) 1)`, math.MaxInt64, heuristic.DeadEnd, heuristic.DeadEnd},
		"equality needs both bounds":    {`(:action a :effect (and (increase (n) 1) (increase (total-cost) 2)))`, `(= (n) 3)`, 6, 6, 6},
		"an undefined number needs an assignment": {`(:action a :effect (and (increase (u) 1) (increase (total-cost) 1)))
			(:action b :effect (and (assign (u) 1) (increase (total-cost) 5)))`, `(>= (u) 3)`, 7, 5, 5},
	} {
		task := tasktest.GroundNumeric(t, "(define (domain d) (:requirements :numeric-fluents) (:predicates (p) (g)) (:functions (n) (m) (u) (total-cost))\n"+c.actions+")",
			"(define (problem x) (:domain d) (:init (= (n) 0) (= (m) 0) (= (total-cost) 0)) (:goal "+c.goal+") (:metric minimize (total-cost)))")
		unit, _ := task.CostUnit.Int64()
		for h, want := range map[string]int64{"hmax": c.hmax, "lmcut": c.lmcut} {
			e, err := heuristic.Lookup(h).New(task)
			if err != nil {
				t.Fatal(err)
			}
			got := e.Estimate(state.Initial(task))
			if got < heuristic.DeadEnd {
				got *= unit
			}
			if got != want || got > c.cost {
				t.Errorf("%s: %s estimates %d, want %d (a plan costs %d)", name, h, got, want, c.cost)
			}
		}
	}
}
