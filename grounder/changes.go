package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// changeOf is a numeric effect of one instance before its translation: the fluent becomes
// the sum, or the sum is added to it.
type changeOf struct {
	fluent int32
	add    bool
	sum    sum
	cond   []glit
	pos    pddl.Pos
}

// fluentEffect is the same with a condition in facts.
type fluentEffect struct {
	changeOf
	facts []Fact
}

// change records a numeric effect on a tracked fluent. It reports false if the fluent
// never has a value.
func (b *opBuilder) change(t *costTerm, s sum, cond []glit, env []pddl.ObjectID) bool {
	g := b.g
	id := g.fluentID(t.fn, groundArgs(nil, t.args, env))
	if id < 0 {
		return false
	}
	c := changeOf{fluent: id, add: true, sum: s, cond: cond, pos: t.pos}
	old := sum{terms: []sumTerm{{id, pddl.Int(1)}}}
	switch t.op {
	case pddl.OpAssign:
		c.add = false
	case pddl.OpDecrease:
		c.sum = g.scaled(s, pddl.Int(-1))
	case pddl.OpScaleUp:
		c.add, c.sum = false, g.scaled(old, s.constant)
	case pddl.OpScaleDown:
		k, ok := pddl.Int(1).Div(s.constant)
		if !ok {
			return false
		}
		c.add, c.sum = false, g.scaled(old, k)
	}
	if t.op != pddl.OpAssign && !b.demandValues(cond, g.undefinable(old)) {
		return false
	}
	b.nums = append(b.nums, c)
	return true
}

// demandValues requires that fluents have values if cond holds. It reports false if
// they cannot have any.
func (b *opBuilder) demandValues(cond []glit, fluents []int32) bool {
	l, t := b.g.hasValues(fluents)
	switch {
	case t == always:
		return true
	case len(cond) == 0:
		b.pre = append(b.pre, l)
		return true
	}
	return b.forbid(append(slices.Clip(cond), l.negated()))
}

// forbidConflicts makes the step inapplicable where two effects on one fluent fire of
// which one does more than add. It reports false if that is always so.
func (b *opBuilder) forbidConflicts() bool {
	for i := range b.nums {
		for k := range b.nums[:i] {
			x, y := &b.nums[i], &b.nums[k]
			if x.fluent != y.fluent || x.add && y.add {
				continue
			}
			both := slices.Concat(x.cond, y.cond)
			slices.Sort(both)
			if !b.forbid(slices.Compact(both)) {
				return false
			}
		}
	}
	return true
}

// emitChanges files the numeric effects of the operator emitted last.
func (b *opBuilder) emitChanges() {
	g := b.g
	if len(g.num.fluents) == 0 {
		return
	}
	s := &g.sas
	s.nums = append(s.nums, make([][]fluentEffect, s.ops.Len()-len(s.nums))...)
	var out []fluentEffect
	for _, c := range b.nums {
		for _, cond := range b.assign.conditions(c.cond) {
			out = append(out, fluentEffect{c, s.facts.copy(cond)})
		}
	}
	slices.SortStableFunc(out, func(a, b fluentEffect) int { return int(a.fluent) - int(b.fluent) })
	s.nums[s.ops.Len()-1] = out
}

// padChanges makes a list for every operator, if there is one for any.
func (g *grounder) padChanges() {
	if s := &g.sas; s.nums != nil {
		s.nums = append(s.nums, make([][]fluentEffect, s.ops.Len()-len(s.nums))...)
	}
}

// changesKey extends the key of an operator.
func (b *opBuilder) changesKey(k []byte) []byte {
	for i := range b.nums {
		c := &b.nums[i]
		k = append(k, byte(c.fluent), byte(c.fluent>>8), byte(c.fluent>>16), byte(c.fluent>>24), '=')
		if c.add {
			k = append(k, '+')
		}
		k = append(k, b.g.sumKey(c.sum)...)
		for _, l := range c.cond {
			k = append(k, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
		}
	}
	return k
}

// renameChanges renames the conditions of an operator's numeric effects.
func (g *grounder) renameChanges(r *renaming, op int) []fluentEffect {
	if g.sas.nums == nil {
		return nil
	}
	kept := g.sas.nums[op][:0]
	for _, c := range g.sas.nums[op] {
		var ok bool
		if c.facts, ok = r.conjunction(c.facts); ok && !g.num.dropped(c.fluent) {
			kept = append(kept, c)
		}
	}
	return kept
}

// changing is a numeric effect of an operator.
type changing struct{ op, effect int32 }

// fluentRelevance finds the fluents that relevant comparisons depend on.
type fluentRelevance struct {
	g          *grounder
	comparison map[int32]*compared // by variable
	changing   [][]changing        // by fluent
}

// newFluentRelevance returns nil if there are no fluents.
func (g *grounder) newFluentRelevance() *fluentRelevance {
	if len(g.num.fluents) == 0 {
		return nil
	}
	g.num.kept = make([]bool, len(g.num.fluents))
	r := &fluentRelevance{g: g, comparison: make(map[int32]*compared), changing: make([][]changing, len(g.num.fluents))}
	for i := range g.num.comparisons {
		c := &g.num.comparisons[i]
		if f := g.sas.rename.of(g.vars.fact[c.atom]); f.Var >= 0 {
			r.comparison[f.Var] = c
		}
	}
	for op, cs := range g.sas.nums {
		for k := range cs {
			r.changing[cs[k].fluent] = append(r.changing[cs[k].fluent], changing{int32(op), int32(k)})
		}
	}
	return r
}

// mark keeps what the comparison of a variable depends on, if it has one, and calls f for
// each effect on it.
func (r *fluentRelevance) mark(v int32, f func(op int32, c *fluentEffect)) {
	if r == nil || r.comparison[v] == nil {
		return
	}
	var queue []int32
	add := func(s sum) {
		for _, t := range s.terms {
			if !r.g.num.kept[t.fluent] {
				r.g.num.kept[t.fluent] = true
				queue = append(queue, t.fluent)
			}
		}
	}
	add(r.comparison[v].sum)
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, c := range r.changing[x] {
			r.g.tick()
			e := &r.g.sas.nums[c.op][c.effect]
			add(e.sum)
			f(c.op, e)
		}
	}
}

// dropped reports whether a fluent is known not to matter.
func (n *numeric) dropped(fluent int32) bool { return n.kept != nil && !n.kept[fluent] }
