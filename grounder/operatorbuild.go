package grounder

import (
	"slices"
	"unsafe"
)

// emit adds an operator with the effects and conditional costs of a list, or else with effects of its own.
func (t *Operators) emit(op *Operator, list int32) {
	t.rows = append(t.rows, operatorRow{schema: op.Schema, list: list, cost: op.Cost,
		args: newStretch(len(t.args), len(op.Args)), pre: newStretch(len(t.facts), len(op.Pre))})
	t.args = append(t.args, op.Args...)
	t.facts = append(t.facts, op.Pre...)
	if list < 0 {
		for i := range op.Effects {
			t.facts = append(t.facts, Fact{Var: op.Effects[i].Var, Val: op.Effects[i].Val})
		}
	}
}

// mark is the size of a table at some time.
type mark struct{ rows, args, facts int }

func (t *Operators) mark() mark { return mark{len(t.rows), len(t.args), len(t.facts)} }

// reserve makes room for n times as many operators as were added since m, and as many arguments and
// preconditions, so that the arrays need not be copied when they grow.
func (t *Operators) reserve(m mark, times float64, g *grounder) {
	more := func(n int) int { g.work(n >> 4); return int(float64(n) * times) }
	rows, args, facts := more(len(t.rows)-m.rows), more(len(t.args)-m.args), more(len(t.facts)-m.facts)
	g.expect(bytesFor(t.rows, rows) + bytesFor(t.args, args) + bytesFor(t.facts, facts))
	t.rows, t.args, t.facts = roomFor(t.rows, rows), roomFor(t.args, args), roomFor(t.facts, facts)
}

// bytesFor returns what roomFor allocates.
func bytesFor[T any](s []T, more int) int64 {
	if cap(s)-len(s) >= more {
		return 0
	}
	var one T
	return int64(len(s)+more) * int64(unsafe.Sizeof(one))
}

// roomFor makes room for more elements. Unlike slices.Grow it does not write to it, which would take time on one
// thread that others can take over: pages come from the system when they are first written to.
func roomFor[T any](s []T, more int) []T {
	if cap(s)-len(s) >= more {
		return s
	}
	out := make([]T, len(s), len(s)+more)
	copy(out, s)
	return out
}

// conditional reports whether an effect has a condition.
func (t *Operators) conditional(g *grounder) bool {
	for _, list := range t.effects {
		g.work(1 + len(list))
		if slices.ContainsFunc(list, func(e Effect) bool { return len(e.Cond) > 0 }) {
			return true
		}
	}
	return false
}
