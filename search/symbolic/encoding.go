package symbolic

import (
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/symbolic/bdd"
)

// encoding gives each state variable consecutive bits, the most significant one first, that
// hold its value.
type encoding struct {
	m        *bdd.Manager
	task     *grounder.Task
	first    []int      // by variable
	width    []int      // by variable: 0 for derived ones and those of one value
	total    int        // bits of a state
	derived  []bdd.Node // by variable: the states in which it does not have its default
	bodies   []bdd.Node // of the axioms of the layer that is being computed
	position []int      // by variable, state variables only: its place in the order
}

func newEncoding(m *bdd.Manager, t *grounder.Task, order []int32) *encoding {
	n := len(t.Variables)
	e := &encoding{m: m, task: t, first: make([]int, n), width: make([]int, n), derived: make([]bdd.Node, n), position: make([]int, n)}
	for i, v := range order {
		e.first[v], e.position[v] = e.total, i
		e.width[v] = bits.Len(uint(t.Variables[v].Size() - 1))
		e.total += e.width[v]
	}
	return e
}

// fact returns the states in which a fact holds.
func (e *encoding) fact(f grounder.Fact) bdd.Node {
	if v := &e.task.Variables[f.Var]; v.Layer >= 0 {
		if f.Val == v.Default {
			return e.m.Not(e.derived[f.Var])
		}
		return e.derived[f.Var]
	}
	return e.value(f, e.m.Bit)
}

// next returns the relation in whose successors a fact on a state variable holds.
func (e *encoding) next(f grounder.Fact) bdd.Node { return e.value(f, e.m.NextBit) }

func (e *encoding) value(f grounder.Fact, bit func(int, bool) bdd.Node) bdd.Node {
	n, w := bdd.True, e.width[f.Var]
	for i := w - 1; i >= 0; i-- {
		n = e.m.And(bit(e.first[f.Var]+i, f.Val>>(w-1-i)&1 != 0), n)
	}
	return n
}

// all returns the states in which all facts hold.
func (e *encoding) all(facts []grounder.Fact) bdd.Node {
	n := bdd.True
	for i := len(facts) - 1; i >= 0; i-- {
		n = e.m.And(e.fact(facts[i]), n)
	}
	return n
}

// stay returns the relation that leaves the given bits, in ascending order, as they are.
func (e *encoding) stay(list []int) bdd.Node {
	n := bdd.True
	for i := len(list) - 1; i >= 0; i-- {
		n = e.m.And(e.m.Stay(list[i]), n)
	}
	return n
}

// bitsOf returns the bits of a variable.
func (e *encoding) bitsOf(v int32) (list []int) {
	for i := range e.width[v] {
		list = append(list, e.first[v]+i)
	}
	return list
}

// encode writes the state variables of values into row.
func (e *encoding) encode(row []bool, values []int32) {
	for v, w := range e.width {
		for i := range w {
			row[e.first[v]+i] = values[v]>>(w-1-i)&1 != 0
		}
	}
}

// decode is the inverse of encode.
func (e *encoding) decode(values []int32, row []bool) {
	for v, w := range e.width {
		x := int32(0)
		for i := range w {
			x *= 2
			if row[e.first[v]+i] {
				x++
			}
		}
		values[v] = x
	}
}

// valid returns the states in which a variable has a value, if not all have.
func (e *encoding) valid(v int32) bdd.Node {
	n := bdd.False
	for x := range e.task.Variables[v].Size() {
		n = e.m.Or(n, e.value(grounder.Fact{Var: v, Val: int32(x)}, e.m.Bit))
	}
	return n
}

// atMostOne returns the states in which at most one of the facts holds. It begins with the variable at the bottom, so
// that each fact only adds nodes on top.
func (e *encoding) atMostOne(facts []grounder.Fact) bdd.Node {
	facts = slices.Clone(facts)
	slices.SortStableFunc(facts, func(a, b grounder.Fact) int { return e.position[b.Var] - e.position[a.Var] })
	none, one := bdd.True, bdd.False
	for _, f := range facts {
		b := e.fact(f)
		one = e.m.Or(e.m.Diff(one, b), e.m.And(none, b))
		none = e.m.Diff(none, b)
	}
	return e.m.Or(none, one)
}
