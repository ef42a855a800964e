package grounder

import (
	"slices"
	"unsafe"

	"github.com/planproof/planproof/pddl"
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
	g.expect(int64(rows)*int64(unsafe.Sizeof(operatorRow{})) + int64(args)*int64(unsafe.Sizeof(pddl.ObjectID(0))) + int64(facts)*int64(unsafe.Sizeof(Fact{})))
	t.rows, t.args, t.facts = roomFor(t.rows, rows), roomFor(t.args, args), roomFor(t.facts, facts)
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

// renameOperators rewrites the operators in place and drops those that can never be
// applied or change nothing.
func (g *grounder) renameOperators(r *renaming) {
	s := &g.sas
	t := &s.ops
	extra := g.renameLists(r)
	rows, args, facts := t.rows[:0], t.args[:0], t.facts[:0]
	for i := range t.rows {
		g.tick()
		row := t.rows[i]
		pre, ok := r.conjunction(t.Pre(i))
		if !ok {
			continue
		}
		nums, own := g.renameChanges(r, i), r.changes(t.own(i))
		if len(t.listed(i))+len(own)+len(nums) == 0 && !g.opt.KeepIrrelevant {
			continue
		}
		if row.list < 0 {
			row.list = ^int32(len(own))
		}
		if extra != nil && row.list >= 0 && extra[row.list].Sign() != 0 {
			row.cost = s.costs.index(s.costs.vals[row.cost].Add(extra[row.list]))
		}
		if s.nums != nil {
			s.nums[len(rows)] = nums
		}
		list := t.Args(i)
		row.args, row.pre = newStretch(len(args), len(list)), newStretch(len(facts), len(pre))
		args, facts, rows = append(args, list...), append(append(facts, pre...), own...), append(rows, row)
	}
	t.rows, t.args, t.facts = rows, args, facts
	if s.nums != nil {
		s.nums = s.nums[:len(rows)]
	}
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

// renameLists rewrites the effects and conditional costs of all lists. If there are conditional costs,
// it returns by list what has become unconditional.
func (g *grounder) renameLists(r *renaming) (extra []pddl.Number) {
	s := &g.sas
	t := &s.ops
	for l := range t.effects {
		t.effects[l] = r.effects(t.effects[l])
		g.work(1 + len(t.effects[l]))
	}
	if t.conds == nil {
		return nil
	}
	extra = make([]pddl.Number, len(t.conds))
	for l := range t.conds {
		kept := t.conds[l][:0]
		for _, c := range t.conds[l] {
			var ok bool
			if c.Cond, ok = r.conjunction(c.Cond); !ok {
				continue
			}
			if len(c.Cond) == 0 {
				extra[l] = extra[l].Add(s.costs.vals[c.Cost])
				continue
			}
			kept = append(kept, c)
		}
		t.conds[l] = kept
		g.tick()
	}
	return extra
}

// changes rewrites facts that become true in place, without those that are true already.
func (r *renaming) changes(facts []Fact) []Fact {
	kept := facts[:0]
	for _, f := range facts {
		if f = r.of(f); f.Var >= 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// effects rewrites effects in place, without those that change nothing.
func (r *renaming) effects(effects []Effect) []Effect {
	kept := effects[:0]
	for _, e := range effects {
		f := r.of(Fact{Var: e.Var, Val: e.Val})
		var ok bool
		if f.Var < 0 {
			continue // true already, or its condition is unreachable
		}
		if e.Cond, ok = r.conjunction(e.Cond); !ok {
			continue
		}
		e.Var, e.Val = f.Var, f.Val
		kept = append(kept, e)
	}
	return kept
}
