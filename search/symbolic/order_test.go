package symbolic

import (
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/search/symbolic/bdd"
)

// pairsTask has operators that change variables i and i+pairs under conditions, and one that changes all of them.
func pairsTask(pairs int) *grounder.Task {
	task := &grounder.Task{}
	all := grounder.Operator{Cost: 1}
	for i := range 2 * pairs {
		task.Variables = append(task.Variables, grounder.Variable{Values: make([]string, 2), Layer: -1})
		task.Init = append(task.Init, 0)
		task.Goal = append(task.Goal, grounder.Fact{Var: int32(i), Val: 1})
		all.Effects = append(all.Effects, grounder.Effect{Var: int32(i), Val: 0})
	}
	task.Operators.Append(all)
	for i := range int32(pairs) {
		a, b := grounder.Fact{Var: i, Val: 0}, grounder.Fact{Var: i + int32(pairs), Val: 0}
		task.Operators.Append(grounder.Operator{Cost: 1, Effects: []grounder.Effect{
			{Var: a.Var, Val: 1, Cond: []grounder.Fact{a}}, {Var: b.Var, Val: 1, Cond: []grounder.Fact{b}},
		}})
	}
	return task
}

// TestOrderGathers: variables that operators on few variables change together, under conditions or not, are next to
// each other, though another operator changes all variables.
func TestOrderGathers(t *testing.T) {
	const pairs = 8
	order := orderVariables(pairsTask(pairs), weighings[0], func(int64) {})
	for i := 0; i < len(order); i += 2 {
		if a, b := order[i], order[i+1]; a%pairs != b%pairs {
			t.Fatalf("order %v: %d and %d are not changed together", order, a, b)
		}
	}
}

// TestContest: each arrangement has its turn, one is left, and all their work is counted.
func TestContest(t *testing.T) {
	s := New(state.NewSystem(pairsTask(6)), Options{Backward: true})
	defer s.Close()
	s.firstRound, s.tick = 1, 1
	rivals, work := 1, int64(0)
	for ended := false; !ended; {
		ended = s.Run(1)
		rivals = max(rivals, len(s.rivals))
		if w := s.Work(); w < work {
			t.Fatalf("work falls from %d to %d", work, w)
		} else {
			work = w
		}
	}
	if rivals != len(weighings) || len(s.rivals) != 1 || s.rivals[0] != s.arrangement {
		t.Errorf("%d arrangements at most and %d in the end", rivals, len(s.rivals))
	}
	if s.outcome != Solved || s.Cost != 6 {
		t.Errorf("outcome %v, cost %d", s.outcome, s.Cost)
	}
}

// TestAtMostOneLinear: the set of states with at most one of many facts takes steps in proportion to their number, in
// whatever order they are listed.
func TestAtMostOneLinear(t *testing.T) {
	const facts = 1000
	task := pairsTask(facts / 2)
	order := make([]int32, facts)
	list := make([]grounder.Fact, facts)
	for i := range order {
		order[i], list[i] = int32(i), grounder.Fact{Var: int32(i), Val: 1}
	}
	m := bdd.New(0)
	n := newEncoding(m, task, order).atMostOne(list)
	if size := m.Size(n); size != 2*facts-2 {
		t.Errorf("%d nodes", size)
	}
	if work := m.Work(); work > 10*facts {
		t.Errorf("%d steps for %d facts", work, facts)
	}
}
