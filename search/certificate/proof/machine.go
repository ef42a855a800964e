package proof

import (
	"cmp"
	"context"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// machine is the checker's own, simple reading of what operators and axioms of a ground
// task do. It shares no code with package search.
type machine struct {
	t    *Task
	base []int // numbers facts, see FactBase
	// ops lists each operator once: under the fact of its precondition that holds most
	// seldom, or in free if it has no precondition. See arrange.
	ops     [][]fdr.OperatorID
	free    []fdr.OperatorID
	layers  [][]fdr.Axiom // in order
	derived bool
	step    int64 // the least cost of an operator
	after   []int64
	ctx     context.Context
	ticks   int64 // work since the last look at ctx
}

// lookEvery is the work between two looks at the context, about a millisecond.
const lookEvery = 1 << 18

// worked counts n units of work, and stops once the context has ended.
func (m *machine) worked(n int) {
	if m.ticks += int64(n) + 1; m.ticks >= lookEvery {
		m.ticks = 0
		if m.ctx.Err() != nil {
			panic(stop{context.Cause(m.ctx)})
		}
	}
}

// FactBase numbers facts: those of variable v are base[v] + value.
func FactBase(variables []fdr.Variable) []int {
	base := make([]int, len(variables)+1)
	for v := range variables {
		base[v+1] = base[v] + variables[v].Size()
	}
	return base
}

func newMachine(ctx context.Context, t *Task) *machine {
	m := &machine{t: t, base: FactBase(t.Variables), after: make([]int64, len(t.Fluents)), ctx: ctx}
	for o := range t.Operators {
		if c := t.Operators[o].Cost; o == 0 || c < m.step {
			m.step = c
		}
	}
	layer := func(a fdr.Axiom) int32 { return t.Variables[a.Head.Var].Layer }
	for _, a := range slices.SortedStableFunc(slices.Values(t.Axioms), func(a, b fdr.Axiom) int { return cmp.Compare(layer(a), layer(b)) }) {
		if n := len(m.layers); n == 0 || layer(m.layers[n-1][0]) != layer(a) {
			m.layers = append(m.layers, nil)
		}
		m.layers[len(m.layers)-1] = append(m.layers[len(m.layers)-1], a)
	}
	m.derived = slices.ContainsFunc(t.Variables, func(v fdr.Variable) bool { return v.Layer >= 0 })
	return m
}

// arrange fills ops and free. often says of each fact how often it holds.
func (m *machine) arrange(often []int) {
	m.ops = make([][]fdr.OperatorID, len(often))
	for o := range m.t.Operators {
		pre := m.t.Operators[o].Pre
		if len(pre) == 0 {
			m.free = append(m.free, fdr.OperatorID(o))
			continue
		}
		best := m.fact(pre[0])
		for _, f := range pre[1:] {
			if k := m.fact(f); often[k] < often[best] {
				best = k
			}
		}
		m.ops[best] = append(m.ops[best], fdr.OperatorID(o))
	}
}

func (m *machine) fact(f fdr.Fact) int { return m.base[f.Var] + int(f.Val) }

func holds(facts []fdr.Fact, values []int32) bool {
	for _, f := range facts {
		if values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// derive sets the derived variables in values: their defaults, and then layer by layer
// what the axioms add, until nothing changes. Comparisons come first.
func (m *machine) derive(values []int32) {
	if !m.derived {
		return
	}
	for v := range m.t.Variables {
		if x := &m.t.Variables[v]; x.Layer >= 0 {
			values[v] = x.Default
		}
	}
	m.compare(values)
	for _, layer := range m.layers {
		for changed := true; changed; {
			changed = false
			m.ticks += int64(len(layer))
			for i := range layer {
				a := &layer[i]
				if values[a.Head.Var] != a.Head.Val && holds(a.Body, values) {
					values[a.Head.Var] = a.Head.Val
					changed = true
				}
			}
		}
	}
}

// applicable appends the operators whose preconditions hold in values.
func (m *machine) applicable(dst []fdr.OperatorID, values []int32) []fdr.OperatorID {
	dst = append(dst, m.free...)
	m.ticks += int64(len(values) + len(m.free))
	for v, val := range values[:len(m.t.Variables)] {
		m.ticks += int64(len(m.ops[m.base[v]+int(val)]))
		for _, o := range m.ops[m.base[v]+int(val)] {
			if holds(m.t.Operators[o].Pre, values) {
				dst = append(dst, o)
			}
		}
	}
	return dst
}

// cost returns what op costs in values, at most Infinite - 1.
func (m *machine) cost(op *Operator, values []int32) int64 {
	c := op.Cost
	for i := range op.CondCosts {
		if x := &op.CondCosts[i]; holds(x.Cond, values) {
			c = plus(c, x.Cost)
		}
	}
	return min(c, Infinite-1)
}

// plus adds two costs that are not negative; the sum is at most Infinite.
func plus(a, b int64) int64 {
	if a > Infinite-b {
		return Infinite
	}
	return a + b
}

// consequences returns facts that hold wherever the given ones do: themselves, and what axioms
// derive of them.
func (m *machine) consequences(facts []fdr.Fact) map[fdr.Fact]bool {
	known := map[fdr.Fact]bool{}
	for _, f := range facts {
		known[f] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range m.t.Axioms {
			a := &m.t.Axioms[i]
			if !known[a.Head] && !slices.ContainsFunc(a.Body, func(f fdr.Fact) bool { return !known[f] }) {
				known[a.Head], changed = true, true
			}
		}
	}
	return known
}
