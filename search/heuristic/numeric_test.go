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
	rapid.Check(t, func(t *rapid.T) {
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
	})
	t.Logf("%d states, estimates above 0: %v", states, informed)
	if states < 500 || informed["lmcut"] < 50 {
		t.Error("too few states to test anything")
	}
}
