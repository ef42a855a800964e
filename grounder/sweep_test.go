package grounder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// manyOperators is a grounder with hundreds of operators over a few variables, as it is before unreachable values are
// removed. The last value of a variable is mostly set under conditions, if at all, and the last variable is derived.
type manyOperators struct {
	*rand.Rand
	*grounder
}

func newManyOperators(t fatal, seed uint64, opt Options, l limits) manyOperators {
	d, p := small(logisticsLike, logisticsProblem(5, 3))
	m := manyOperators{rand.New(rand.NewPCG(seed, 0)), newGrounder(context.Background(), parse(t, d, p), opt)}
	m.limits = l
	s := &m.sas
	for range 3 + m.IntN(4) {
		size := 3 + m.IntN(3)
		m.vars.members = append(m.vars.members, make([]int32, size-1))
		s.init, s.layer = append(s.init, int32(m.IntN(size-1))), append(s.layer, -1)
	}
	derived := int32(len(s.init))
	m.vars.members = append(m.vars.members, make([]int32, 1))
	s.init, s.layer = append(s.init, 1), append(s.layer, 0)
	s.goal = []Fact{{Var: 0, Val: 1 - min(1, s.init[0])}}
	conds := m.IntN(2) == 0
	for range 6 {
		var list []Effect
		for _, f := range m.facts(derived) {
			list = append(list, Effect{Cond: m.facts(derived + 1), Var: f.Var, Val: f.Val})
		}
		var costs []CondCost
		if conds {
			costs = append(costs, CondCost{Cond: m.facts(derived), Cost: s.costs.index(pddl.Int(int64(m.IntN(9))))})
		}
		s.ops.addList(list, costs)
	}
	nums := m.IntN(3) == 0
	for range 100 + m.IntN(200) {
		op := Operator{Args: make([]pddl.ObjectID, m.IntN(3)), Pre: m.facts(derived + 1), Cost: s.costs.index(pddl.Int(int64(m.IntN(9))))}
		list := int32(m.IntN(len(s.ops.effects)))
		if m.IntN(2) == 0 {
			for _, f := range m.made(derived) {
				op.Effects = append(op.Effects, Effect{Var: f.Var, Val: f.Val})
			}
			list = ^int32(len(op.Effects))
		}
		s.ops.emit(&op, list)
		if nums {
			s.nums = append(s.nums, []fluentEffect{{facts: m.facts(derived)}})
		}
	}
	for range m.IntN(5) {
		s.axioms = append(s.axioms, Axiom{Head: Fact{Var: derived, Val: 0}, Body: m.facts(derived)})
	}
	return m
}

// facts draws a fact or none of each of some variables.
func (m manyOperators) facts(variables int32) (out []Fact) {
	for v := range variables {
		if m.IntN(3) == 0 {
			out = append(out, Fact{Var: v, Val: int32(m.IntN(int(m.vars.size(v))))})
		}
	}
	return out
}

// made draws what an operator makes true, seldom the last value.
func (m manyOperators) made(variables int32) []Fact {
	out := m.facts(variables)
	for i := range out {
		if last := m.vars.size(out[i].Var) - 1; out[i].Val == last && m.IntN(200) > 0 {
			out[i].Val = 0
		}
	}
	return out
}

// simplified runs the stages and says what has become of the operators.
func (m manyOperators) simplified() string {
	var b strings.Builder
	m.removeUnreachable()
	if !m.finished {
		m.removeIrrelevant()
		m.sortFacts(&Task{Operators: m.sas.ops})
	}
	s := &m.sas
	for i := range s.ops.Len() {
		fmt.Fprintln(&b, s.ops.At(i))
	}
	fmt.Fprintln(&b, s.init, s.goal, s.layer, s.axioms, s.nums, s.costs.vals, len(s.ops.args), len(s.ops.facts), m.finished)
	return b.String()
}

// TestManyOperators: operators are simplified alike by any number of threads, however reachability is explored and
// however the edges of the causal graph are kept.
func TestManyOperators(t *testing.T) {
	var less, none int
	for seed := range uint64(200) {
		one := defaultLimits
		one.sweeps = 0
		m := newManyOperators(t, seed, Options{Threads: 1}, one)
		before := m.sas.ops.Len()
		want := m.simplified()
		if m.sas.ops.Len() < before {
			less++
		}
		if m.finished {
			none++
		}
		for threads := 1; threads <= 3; threads++ {
			many := defaultLimits
			many.sweeps, many.dense, many.piece = int(seed%4), int(seed%2)*2048, 1+int(seed%7)
			if got := newManyOperators(t, seed, Options{Threads: threads}, many).simplified(); got != want {
				t.Fatalf("seed %d, one thread:\n%s\n%d threads:\n%s", seed, want, threads, got)
			}
		}
	}
	if less < 50 || none > 100 {
		t.Errorf("operators were dropped in %d of 200 tasks, and %d were trivial", less, none)
	}
}
