package heuristic

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// numericRelaxation is the delete relaxation of a task with fluents. Propositions are all
// facts, then bounds: sums of fluents that must not be negative. A comparison "at least"
// and a bound are the same; "equal" needs two bounds, "unequal" one of two.
//
// What an operator does for a bound is its contribution: by how much it can raise the sum,
// from a given state on (Scala et al., "Subgoaling Techniques for Satisficing and Optimal
// Numeric Planning", JAIR 68, 2020, section 3, call bounds on which all operators have
// constant effects simple numeric conditions). For a plan from a state s that makes a sum
// non-negative, the contributions of its operators sum up to at least the deficit in s:
//
//   - A fluent that is only increased and decreased by constants ends at its value in s plus
//     those constants.
//   - Other fluents end, if an assignment of a constant c is the last, at c plus later
//     constants: c less the value in s counts for the assignment, if that raises the sum, and
//     of the constants those that do.
//   - Any other effect counts as all that is missing, and so does a value for a fluent that
//     has none in s.
//
// An operator with several parts (see relaxation) contributes the sum of its parts.
type numericRelaxation struct {
	vars     int
	factBase []int32
	bounds   []bound
	isBound  []int32 // by proposition: its bound, -1 for a fact
	props    int
	goal     int32
	true     int32
	always   []int32
	stateVar []int32

	ops  []numericOp
	ach  lists   // by proposition: operators that can achieve it
	uses lists   // by proposition: operators with it as a precondition
	cost []int64 // by owner
}

// bound is a sum that must not be negative, or fluents that must have values.
type bound struct {
	sum    grounder.Sum
	values bool // only that
	prop   int32
}

// numericOp is a part of an operator, an axiom or what defines a comparison.
type numericOp struct {
	owner int32 // index in cost
	pre   []int32
	eff   []int32
	help  []help // for bounds
}

// help is the contribution of an operator to a bound. Parts of one operator share it.
type help struct {
	prop int32
	*contribution
}

type contribution struct {
	constant int64
	all      bool // as much as is missing
	sets     []setting
}

// setting is an assignment of a constant to a fluent of the bound.
type setting struct {
	fluent int32
	coef   int64
	value  int64
}

// newNumericRelaxation compiles t.
func newNumericRelaxation(t *grounder.Task, b *Budget) (*numericRelaxation, error) {
	r := &numericRelaxation{vars: len(t.Variables), factBase: make([]int32, len(t.Variables)+1)}
	for v := range t.Variables {
		r.factBase[v+1] = r.factBase[v] + int32(t.Variables[v].Size())
	}
	r.goal = r.factBase[len(t.Variables)]
	r.true = r.goal + 1
	r.props = int(r.true) + 1
	r.always = []int32{r.true}
	r.isBound = make([]int32, r.props)
	for p := range r.isBound {
		r.isBound[p] = -1
	}
	r.compare(t)
	for v := range t.Variables {
		switch x := &t.Variables[v]; {
		case x.Layer < 0:
			r.stateVar = append(r.stateVar, int32(v))
		default: // what is not derived, and what a comparison does not say
			r.always = append(r.always, r.factBase[v]+x.Default)
		}
	}
	wild := wildFluents(t)
	for o := range t.Operators.Len() {
		r.cost = append(r.cost, t.Operators.Cost(o))
		if !b.spend(operatorTicks + 8*(len(t.Operators.Pre(o))+len(t.Operators.Effects(o)))) {
			return nil, b.err
		}
		r.split(t, int32(o), wild)
	}
	free := int32(len(r.cost))
	r.cost = append(r.cost, 0)
	for i := range r.ops {
		if r.ops[i].owner < 0 {
			r.ops[i].owner = free
		}
	}
	for i := range t.Axioms {
		a := &t.Axioms[i]
		r.add(numericOp{owner: free, pre: r.facts(a.Body), eff: []int32{r.fact(a.Head)}})
	}
	r.add(numericOp{owner: free, pre: r.facts(t.Goal), eff: []int32{r.goal}})
	return r, r.index(b)
}

func (r *numericRelaxation) fact(f grounder.Fact) int32 { return r.factBase[f.Var] + f.Val }

func (r *numericRelaxation) facts(fs []grounder.Fact) []int32 {
	out := make([]int32, len(fs))
	for i, f := range fs {
		out[i] = r.fact(f)
	}
	return out
}

func (r *numericRelaxation) add(op numericOp) {
	if len(op.pre) == 0 {
		op.pre = []int32{r.true}
	}
	r.ops = append(r.ops, op)
}

// compare makes the bounds.
func (r *numericRelaxation) compare(t *grounder.Task) {
	for i := range t.Numeric.Comparisons {
		c := &t.Numeric.Comparisons[i]
		holds := r.fact(grounder.Fact{Var: c.Var, Val: 0})
		switch c.Kind {
		case grounder.NonNegative, grounder.HasValue:
			r.isBound[holds] = int32(len(r.bounds))
			r.bounds = append(r.bounds, bound{sum: c.Sum, values: c.Kind == grounder.HasValue, prop: holds})
		case grounder.Zero:
			r.add(numericOp{owner: -1, pre: []int32{r.bound(c.Sum, 1, 0), r.bound(c.Sum, -1, 0)}, eff: []int32{holds}})
		case grounder.NonZero:
			r.add(numericOp{owner: -1, pre: []int32{r.bound(c.Sum, 1, -1)}, eff: []int32{holds}})
			r.add(numericOp{owner: -1, pre: []int32{r.bound(c.Sum, -1, -1)}, eff: []int32{holds}})
		}
	}
}

// bound makes a proposition: sign times the sum, plus add, is not negative.
func (r *numericRelaxation) bound(s grounder.Sum, sign, add int64) int32 {
	out := grounder.Sum{Const: sign*s.Const + add}
	for _, t := range s.Terms {
		out.Terms = append(out.Terms, grounder.Term{Fluent: t.Fluent, Coef: sign * t.Coef})
	}
	p := int32(r.props)
	r.props++
	r.isBound = append(r.isBound, int32(len(r.bounds)))
	r.bounds = append(r.bounds, bound{sum: out, prop: p})
	return p
}

// wildFluents marks the fluents with effects other than increases by constants.
func wildFluents(t *grounder.Task) []bool {
	wild := make([]bool, len(t.Numeric.Fluents))
	for _, cs := range t.Numeric.Changes {
		for i := range cs {
			if !cs[i].Add || len(cs[i].Sum.Terms) > 0 {
				wild[cs[i].Fluent] = true
			}
		}
	}
	return wild
}

// split adds the parts of operator o.
func (r *numericRelaxation) split(t *grounder.Task, o int32, wild []bool) {
	op := t.Operators.At(int(o))
	base := r.facts(op.Pre)
	parts := []numericOp{{owner: o, pre: base}}
	changes := [][]*grounder.Change{nil}
	index := map[string]int{"": 0}
	part := func(cond []grounder.Fact) int {
		if len(cond) == 0 {
			return 0
		}
		key := fmt.Sprint(cond)
		k, ok := index[key]
		if !ok {
			k = -1
			if compatible(op.Pre, cond) {
				k = len(parts)
				parts = append(parts, numericOp{owner: o, pre: sortUnique(append(r.facts(cond), base...))})
				changes = append(changes, nil)
			}
			index[key] = k
		}
		return k
	}
	for i := range op.Effects {
		if k := part(op.Effects[i].Cond); k >= 0 {
			parts[k].eff = append(parts[k].eff, r.fact(grounder.Fact{Var: op.Effects[i].Var, Val: op.Effects[i].Val}))
		}
	}
	for i := range t.Numeric.Changes[o] {
		c := &t.Numeric.Changes[o][i]
		if k := part(c.Cond); k >= 0 {
			changes[k] = append(changes[k], c)
		}
	}
	for i := range r.bounds {
		r.help(&r.bounds[i], parts, changes, wild)
	}
	for _, p := range parts {
		if len(p.eff)+len(p.help) > 0 {
			r.add(p)
		}
	}
}

// help finds what the parts of an operator contribute to a bound.
func (r *numericRelaxation) help(x *bound, parts []numericOp, changes [][]*grounder.Change, wild []bool) {
	var total contribution
	var helping []int
	for k, cs := range changes {
		c := contributionOf(x, cs, wild)
		if c.all || c.constant > 0 || len(c.sets) > 0 {
			helping = append(helping, k)
			total.all = total.all || c.all || total.constant+c.constant < 0
			total.constant += c.constant
			total.sets = append(total.sets, c.sets...)
		}
	}
	for _, k := range helping {
		parts[k].help = append(parts[k].help, help{x.prop, &total})
	}
}

// contributionOf is what effects that fire together contribute to a bound.
func contributionOf(x *bound, changes []*grounder.Change, wild []bool) (c contribution) {
	net, ok := int64(0), true
	add := func(to *int64, coef, k int64) {
		hi, lo := bits.Mul64(uint64(max(coef, -coef)), uint64(max(k, -k)))
		sum := *to + coef*k
		ok = ok && hi == 0 && lo < 1<<62 && max(sum, -sum) < 1<<62
		*to = sum
	}
	for _, ch := range changes {
		for _, t := range x.sum.Terms {
			if t.Fluent != ch.Fluent {
				continue
			}
			switch {
			case !ch.Add && len(ch.Sum.Terms) == 0:
				c.sets = append(c.sets, setting{t.Fluent, t.Coef, ch.Sum.Const})
			case len(ch.Sum.Terms) > 0:
				c.all = c.all || t.Coef != 0 || !ch.Add
			case !wild[t.Fluent]:
				add(&net, t.Coef, ch.Sum.Const)
			case (t.Coef > 0) == (ch.Sum.Const > 0):
				add(&c.constant, t.Coef, ch.Sum.Const)
			}
		}
	}
	c.all = c.all || !ok
	c.constant += max(net, 0)
	return c
}

// index builds the lists by proposition.
func (r *numericRelaxation) index(b *Budget) error {
	var eff, pre lists
	for i := range r.ops {
		op := &r.ops[i]
		if !b.spend(operatorTicks + len(op.pre) + len(op.eff) + len(op.help)) {
			return b.err
		}
		all := append([]int32(nil), op.eff...)
		for _, h := range op.help {
			all = append(all, h.prop)
		}
		eff.add(sortUnique(all))
		pre.add(sortUnique(append([]int32(nil), op.pre...)))
		op.pre = pre.of(int32(i))
	}
	for i := range r.ops {
		r.ops[i].pre = pre.of(int32(i))
	}
	r.ach, r.uses = eff.invert(r.props), pre.invert(r.props)
	return nil
}

// deficits computes what is missing in a state for each bound: 0 if it holds. A bound whose
// fluents lack a value, and one that lacks more than 63 bits, misses 1.
func (r *numericRelaxation) deficits(values []int32, dst []int64) {
	for i := range r.bounds {
		x := &r.bounds[i]
		v, fits, defined := state.Sum(&x.sum, values, r.vars)
		switch {
		case !defined, !fits && v < 0:
			dst[i] = 1
		case x.values || v >= 0:
			dst[i] = 0
		default:
			dst[i] = -v
		}
	}
}

// amount is what a contribution is in a state where the bound misses deficit > 0, at most
// that.
func (r *numericRelaxation) amount(h *help, values []int32, deficit int64) int64 {
	if h.all {
		return deficit
	}
	if x := &r.bounds[r.isBound[h.prop]]; r.lacksValue(x, values) {
		for _, s := range h.sets {
			if state.Fluent(values, r.vars, int(s.fluent)) == grounder.NoValue {
				return deficit
			}
		}
		return 0
	}
	n := min(h.constant, deficit)
	for _, s := range h.sets {
		d := s.value - state.Fluent(values, r.vars, int(s.fluent))
		if (d > 0) != (s.coef > 0) || d == 0 || s.coef == 0 {
			continue
		}
		hi, lo := bits.Mul64(uint64(max(d, -d)), uint64(max(s.coef, -s.coef)))
		if hi > 0 || lo >= uint64(deficit-n) {
			return deficit
		}
		n += int64(lo)
	}
	return n
}

func (r *numericRelaxation) lacksValue(x *bound, values []int32) bool {
	for _, t := range x.sum.Terms {
		if state.Fluent(values, r.vars, int(t.Fluent)) == grounder.NoValue {
			return true
		}
	}
	return false
}

// muldiv is a*b/c rounded up or down, for 0 <= a and 0 < b, c; math.MaxInt64 if larger.
func muldiv(a, b, c int64, up bool) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if up {
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(c-1), 0)
		hi += carry
	}
	if hi >= uint64(c) {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}

func (r *numericRelaxation) bytes() int64 {
	n := 4*int64(len(r.factBase)+len(r.isBound)+len(r.ach.items)+len(r.ach.start)+2*len(r.uses.items)+len(r.uses.start)) + 8*int64(len(r.cost))
	for i := range r.ops {
		n += 128 + 4*int64(len(r.ops[i].eff)) + 16*int64(len(r.ops[i].help))
	}
	return n
}
