package grounder

import (
	"fmt"
	"math/big"

	"github.com/planproof/planproof/pddl"
)

// costTable numbers the distinct costs of a task: operators keep an index until
// all are known and can be scaled together.
type costTable struct {
	vals  []pddl.Number
	small map[int64]int64
	other map[string]int64
}

// reset empties the table.
func (t *costTable) reset() {
	t.vals = t.vals[:0]
	clear(t.small)
	clear(t.other)
}

func (t *costTable) index(v pddl.Number) int64 {
	if t.small == nil {
		t.small, t.other = make(map[int64]int64), make(map[string]int64)
	}
	n, isInt := v.Int64()
	if isInt {
		if i, ok := t.small[n]; ok {
			return i
		}
	} else if i, ok := t.other[v.String()]; ok {
		return i
	}
	i := int64(len(t.vals))
	t.vals = append(t.vals, v)
	if isInt {
		t.small[n] = i
	} else {
		t.other[v.String()] = i
	}
	return i
}

// price computes the cost of the instance in b.env into b.cost and b.conds. It reports
// false if an effect reads an undefined value, which makes the step inapplicable.
func (b *opBuilder) price() bool {
	g := b.g
	b.cost = g.num.perStep
	if !g.num.metric {
		b.cost = pddl.Int(1)
	}
	b.nums = b.nums[:0]
	for i := range b.a.costs {
		t := &b.a.costs[i]
		ok := true
		if t.join == nil {
			ok = b.priceTerm(t, b.env)
		} else {
			copy(t.join.env, b.env)
			t.join.each(func() bool { ok = b.priceTerm(t, t.join.env); return !ok })
		}
		if !ok {
			return false
		}
	}
	if b.cost.Sign() < 0 {
		b.negativeCost(b.a.costs[0].pos)
	}
	return b.forbidConflicts()
}

func (b *opBuilder) negativeCost(pos pddl.Pos) {
	b.g.refuse(b.g.dom.Source, pos, NegativeActionCost, fmt.Sprintf("action %s has a negative cost in this problem", b.a.src.Name))
	b.g.sortDiagnostics()
	panic(bailout{b.g.diags})
}

// priceTerm adds one numeric effect. It reports false if the instance is inapplicable.
func (b *opBuilder) priceTerm(t *costTerm, env []pddl.ObjectID) bool {
	g := b.g
	from := len(b.lits.buf)
	lits, ok := g.conjunction(b.lits.buf, &t.cond, env)
	b.lits.buf = lits
	if !ok {
		return true
	}
	cond := lits[from:len(lits):len(lits)]
	s, defined := g.linearSum(t.expr, env)
	if g.num.tracked[t.fn] {
		defined = defined && b.change(t, s, cond, env)
	} else if t.op != pddl.OpAssign {
		if _, known := g.defined(t.fn, t.args, env); !known {
			defined = false
		}
	}
	v := s.constant
	if t.op == pddl.OpScaleDown && v.Sign() == 0 {
		defined = false
	}
	if !defined || !b.demandValues(cond, g.undefinable(s)) {
		return b.forbid(cond)
	}
	w := g.weightOf(t.fn, t.args, env)
	if w.Sign() == 0 {
		return true
	}
	if len(s.terms) > 0 {
		g.refuse(g.dom.Source, t.expr.Pos, UnsupportedMetric,
			fmt.Sprintf("the cost of action %s depends on a fluent that actions change", b.a.src.Name))
		g.sortDiagnostics()
		panic(bailout{g.diags})
	}
	v = v.Mul(w)
	if t.op == pddl.OpDecrease {
		v = v.Neg()
	}
	switch {
	case len(cond) == 0:
		b.cost = b.cost.Add(v)
	case v.Sign() < 0:
		b.negativeCost(t.pos)
	case v.Sign() > 0:
		b.conds = append(b.conds, condCost{cond, v})
	}
	return true
}

// forbid adds the negation of a condition to the precondition. It reports false if the
// condition is empty.
func (b *opBuilder) forbid(cond []glit) bool {
	switch len(cond) {
	case 0:
		return false
	case 1:
		b.pre = append(b.pre, cond[0].negated())
	default:
		a := b.g.newAtom()
		b.g.axioms.add(a, cond)
		b.pre = append(b.pre, newLit(a, true))
	}
	return true
}

// weightOf is the coefficient of a ground fluent in the metric.
func (g *grounder) weightOf(f pddl.FunctionID, args []pddl.Term, env []pddl.ObjectID) pddl.Number {
	w := g.num.weight[f]
	if w == nil {
		return pddl.Number{}
	}
	var key [16]pddl.ObjectID
	if k := w.rel.find(groundArgs(key[:0], args, env)); k >= 0 {
		return w.coef[k]
	}
	return pddl.Number{}
}

// checkNumericEffects refuses numeric effects that do more than accumulate where that
// matters: on fluents of the metric, and where two effects change one fluent and their
// order would count.
func (g *grounder) checkNumericEffects() {
	for _, a := range g.actions {
		count := make(map[pddl.FunctionID]int)
		for i := range a.costs {
			count[a.costs[i].fn]++
		}
		for i := range a.costs {
			t := &a.costs[i]
			additive := t.op == pddl.OpIncrease || t.op == pddl.OpDecrease
			name := g.dom.Functions[t.fn].Name
			switch {
			case !additive && g.num.weight[t.fn] != nil:
				g.refuse(g.dom.Source, t.pos, UnsupportedMetric,
					fmt.Sprintf("the metric reads (%s ...), which this effect does more than increase", name))
			case g.opt.NumericFluents:
			case !additive && (count[t.fn] > 1 || len(t.vars) > 0):
				g.refuse(g.dom.Source, t.pos, UnsupportedNumeric,
					fmt.Sprintf("several numeric effects of one action on %s, not all increases, are not supported by grounding", name))
			case t.op != pddl.OpAssign && g.num.assigns[t.fn] && !g.isTotalCost(t.fn) && !g.allDefined(t.fn):
				g.refuse(g.dom.Source, t.pos, UnsupportedNumeric,
					fmt.Sprintf("grounding does not support changing (%s ...), which is undefined until an action assigns it", name))
			}
		}
	}
}

// allDefined reports whether every instance of a fluent has an initial value.
func (g *grounder) allDefined(f pddl.FunctionID) bool {
	want := 1
	for _, p := range g.dom.Functions[f].Params {
		want *= len(g.prob.ObjectsOfType(p.Type))
		if want > maxCount {
			return false
		}
	}
	return g.num.values[f].rel.n >= want
}

// scaleCosts replaces the cost indices by integers without a common divisor, and
// sets the unit that one of them is worth.
func (g *grounder) scaleCosts(t *Task) {
	ops := &t.Operators
	t.Metric = g.num.metric
	t.CostUnit = pddl.Int(1)
	t.CostBase = g.num.constant
	if !t.Metric {
		for i := range ops.rows {
			ops.rows[i].cost = 1
		}
		ops.conds = nil
		return
	}
	used := make([]bool, len(g.sas.costs.vals))
	for i := range ops.rows {
		used[ops.rows[i].cost] = true
		for _, c := range ops.CondCosts(i) {
			used[c.Cost] = true
		}
	}
	unit, scaled := g.commonUnit(used)
	t.CostUnit = unit
	for i := range ops.rows {
		ops.rows[i].cost = scaled[ops.rows[i].cost]
	}
	for _, list := range ops.conds {
		for k := range list {
			list[k].Cost = scaled[list[k].Cost]
		}
	}
}

// commonUnit returns the largest number that all used costs are multiples of (1
// if all are 0), and the multiples.
func (g *grounder) commonUnit(used []bool) (pddl.Number, []int64) {
	vals := g.sas.costs.vals
	den := big.NewInt(1)
	for i, v := range vals {
		if used[i] {
			d := v.Rat().Denom()
			den.Mul(den, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, den, d)))
			g.boundNumber(pddl.FromRat(new(big.Rat).SetInt(den)), g.prob.Metric.Pos)
		}
	}
	num := new(big.Int)
	ints := make([]*big.Int, len(vals))
	for i, v := range vals {
		if used[i] {
			r := v.Rat()
			ints[i] = r.Num().Mul(r.Num(), new(big.Int).Quo(den, r.Denom()))
			num.GCD(nil, nil, num, ints[i])
		}
	}
	if num.Sign() == 0 {
		num.SetInt64(1)
		den.SetInt64(1)
	}
	scaled := make([]int64, len(vals))
	for i, n := range ints {
		if n == nil {
			continue
		}
		n.Quo(n, num)
		if n.BitLen() > 62 {
			g.refuse(g.prob.Source, g.prob.Metric.Pos, CostTooLarge,
				fmt.Sprintf("action costs of this problem range over more than 62 bits (%s times their common unit)", n))
			panic(bailout{g.diags})
		}
		scaled[i] = n.Int64()
	}
	return pddl.FromRat(new(big.Rat).SetFrac(num, den)), scaled
}
