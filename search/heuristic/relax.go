package heuristic

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/planproof/planproof/grounder"
)

// relaxation is the delete relaxation of a task in flat arrays, reduced to what can
// contribute to the goal.
//
// Propositions are the facts that are relevant, then one that always holds (a
// precondition for operators without one) and one for the goal. Relaxed operators are
//
//   - one per operator and set of effect conditions: the preconditions with the
//     conditions, the unconditional effects or those under these conditions;
//   - one of cost 0 per axiom. A derived variable may fall back to its default in any
//     state, so its default value always holds;
//   - one of cost 0 from the goal facts to the goal proposition.
//
// Every plan of the task thus yields a relaxed plan of the same cost (insert the axioms
// that fire after each step), so the optimal relaxed cost is admissible. Relaxed operators
// with equal preconditions and effects are merged, keeping the least cost.
type relaxation struct {
	props      int
	goal, true int32
	factBase   []int32 // of a variable
	factProp   []int32 // factBase[v]+value -> proposition, -1 when irrelevant
	always     []int32 // propositions that hold in every state
	stateVars  []int32

	ops  int
	cost []int64 // of relaxed operators, in units of 2^shift
	// shift is 0 unless costs are so large that sums would overflow; rounding a cost
	// down keeps estimates admissible.
	shift uint
	sum   int64 // of cost: bounds every sum of costs of distinct operators

	pre, eff lists // by relaxed operator; moved to the explorer
	ach      lists // by proposition: relaxed operators that achieve it

	// repr is, for each operator, a relaxed operator that carries its cost, or -1 when no
	// effect of it is relevant. The parts of an operator share one cost: applying it is
	// paid for once however many effects fire.
	repr []int32
	// siblings lists, for a relaxed operator, all that share its cost, itself included;
	// it is nil when every operator has one part.
	siblings *lists
}

// unary is a relaxed operator under construction, over fact numbers.
type unary struct {
	pre, eff []int32
	cost     int64
	owner    int32 // operator, or -1
}

// maxListed bounds the conditions and the effects of one operator: records have 16 bits for
// their numbers.
const maxListed = math.MaxUint16

// newRelaxation compiles the relaxation of t within a budget, which may be nil.
func newRelaxation(t *grounder.Task, b *Budget) (*relaxation, error) {
	r := &relaxation{factBase: make([]int32, len(t.Variables)+1)}
	for v := range t.Variables {
		r.factBase[v+1] = r.factBase[v] + int32(t.Variables[v].Size())
		if t.Variables[v].Layer < 0 {
			r.stateVars = append(r.stateVars, int32(v))
		}
	}
	us, err := r.collect(t, b)
	if err == nil {
		us, err = r.reduce(t, us, b)
	}
	if err != nil {
		return nil, err
	}
	if err := r.number(t, us, b); err != nil {
		return nil, err
	}
	r.scale()
	return r, nil
}

func (r *relaxation) fact(f grounder.Fact) int32 { return r.factBase[f.Var] + f.Val }

// operatorTicks is the work of compiling an operator, besides that for its facts: a
// microsecond is some 64 ticks of a Budget.
const operatorTicks = 16

// collect lists the relaxed operators of t over fact numbers; the goal is fact number
// factBase[len(Variables)].
func (r *relaxation) collect(t *grounder.Task, b *Budget) ([]unary, error) {
	var us []unary
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		if !b.spend(operatorTicks + 8*(len(op.Pre)+len(op.Effects))) {
			return nil, b.err
		}
		us = append(us, r.split(op, int32(o))...)
	}
	for i := range t.Axioms {
		a := &t.Axioms[i]
		if !b.spend(operatorTicks + 8*len(a.Body)) {
			return nil, b.err
		}
		us = append(us, unary{pre: r.facts(a.Body), eff: []int32{r.fact(a.Head)}, owner: -1})
	}
	goal := r.factBase[len(t.Variables)]
	return append(us, unary{pre: r.facts(t.Goal), eff: []int32{goal}, owner: -1}), nil
}

func (r *relaxation) facts(fs []grounder.Fact) []int32 {
	out := make([]int32, len(fs))
	for i, f := range fs {
		out[i] = r.fact(f)
	}
	return sortUnique(out)
}

// split returns the parts of an operator, the unconditional one first. A condition that
// contradicts the preconditions never fires and gives no part.
func (r *relaxation) split(op grounder.Operator, owner int32) []unary {
	base := unary{pre: r.facts(op.Pre), cost: op.Cost, owner: owner}
	parts := []unary{base}
	index := map[string]int{"": 0}
	for i := range op.Effects {
		e := &op.Effects[i]
		part := 0
		if len(e.Cond) > 0 {
			key := fmt.Sprint(e.Cond)
			k, ok := index[key]
			if !ok {
				k = -1
				if compatible(op.Pre, e.Cond) {
					k = len(parts)
					parts = append(parts, unary{pre: sortUnique(append(r.facts(e.Cond), base.pre...)), cost: op.Cost, owner: owner})
				}
				index[key] = k
			}
			part = k
		}
		if part >= 0 {
			parts[part].eff = append(parts[part].eff, r.fact(grounder.Fact{Var: e.Var, Val: e.Val}))
		}
	}
	for i := range parts {
		parts[i].eff = sortUnique(parts[i].eff)
	}
	return parts
}

// compatible reports whether no fact of b contradicts one of a; both are sorted by Var.
func compatible(a, b []grounder.Fact) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Var < b[j].Var:
			i++
		case a[i].Var > b[j].Var:
			j++
		case a[i].Val != b[j].Val:
			return false
		default:
			i++
			j++
		}
	}
	return true
}

// reduce drops effects that hold already or lead nowhere, operators left without effect,
// and merges one-part operators that do the same.
func (r *relaxation) reduce(t *grounder.Task, us []unary, b *Budget) ([]unary, error) {
	facts := r.factBase[len(t.Variables)] + 1
	relevant, useful, err := r.relevance(facts, us, b)
	if err != nil {
		return nil, err
	}
	parts := make([]int32, t.Operators.Len())
	for i := range us {
		if useful[i] && us[i].owner >= 0 {
			parts[us[i].owner]++
		}
	}
	r.repr = make([]int32, t.Operators.Len())
	for o := range r.repr {
		r.repr[o] = -1
	}
	merged := map[string]int32{}
	var out []unary
	var key []byte
	for i := range us {
		u := us[i]
		if !useful[i] {
			continue
		}
		if !b.spend(operatorTicks + 8*(len(u.pre)+len(u.eff))) {
			return nil, b.err
		}
		if len(u.pre) > maxListed || len(u.eff) > maxListed {
			return nil, fmt.Errorf("an operator, axiom or goal has more than %d conditions or effects", maxListed)
		}
		keep := make([]int32, 0, len(u.eff))
		for _, e := range u.eff {
			if relevant[e] && !contains(u.pre, e) {
				keep = append(keep, e)
			}
		}
		u.eff = keep
		at := int32(len(out))
		if u.owner < 0 || parts[u.owner] == 1 {
			key = appendKey(appendKey(key[:0], u.pre), u.eff)
			if j, ok := merged[string(key)]; ok {
				out[j].cost = min(out[j].cost, u.cost)
				at = j
			} else {
				merged[string(key)] = at
			}
		}
		if u.owner >= 0 {
			r.repr[u.owner] = at
		}
		if int(at) == len(out) {
			out = append(out, u)
		}
	}
	r.link(out, parts)
	r.numberFacts(relevant)
	return out, nil
}

// numberFacts gives the relevant facts their propositions.
func (r *relaxation) numberFacts(relevant []bool) {
	r.factProp = make([]int32, len(relevant))
	for f := range r.factProp {
		r.factProp[f] = -1
		if relevant[f] {
			r.factProp[f] = int32(r.props)
			r.props++
		}
	}
}

// relevance walks back from the goal: a fact is relevant when it is the goal or a
// precondition of a useful operator; an operator is useful when it adds a relevant fact.
func (r *relaxation) relevance(facts int32, us []unary, b *Budget) (relevant, useful []bool, err error) {
	var eff lists
	for i := range us {
		eff.add(us[i].eff)
	}
	ach := eff.invert(int(facts))
	relevant, useful = make([]bool, facts), make([]bool, len(us))
	relevant[facts-1] = true
	for stack := []int32{facts - 1}; len(stack) > 0; {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, o := range ach.of(f) {
			if useful[o] || contains(us[o].pre, f) {
				continue
			}
			useful[o] = true
			if !b.spend(operatorTicks + len(us[o].pre)) {
				return nil, nil, b.err
			}
			for _, p := range us[o].pre {
				if !relevant[p] {
					relevant[p] = true
					stack = append(stack, p)
				}
			}
		}
	}
	return relevant, useful, nil
}

// link sets siblings when some operator has several useful parts.
func (r *relaxation) link(us []unary, parts []int32) {
	several := false
	for _, n := range parts {
		several = several || n > 1
	}
	if !several {
		return
	}
	byOwner := make([][]int32, len(parts))
	for i := range us {
		if o := us[i].owner; o >= 0 && parts[o] > 1 {
			byOwner[o] = append(byOwner[o], int32(i))
		}
	}
	r.siblings = &lists{}
	for i := range us {
		if o := us[i].owner; o >= 0 && parts[o] > 1 {
			r.siblings.add(byOwner[o])
		} else {
			r.siblings.add([]int32{int32(i)})
		}
	}
}

// number builds the flat arrays over proposition numbers.
func (r *relaxation) number(t *grounder.Task, us []unary, b *Budget) error {
	r.goal = r.factProp[len(r.factProp)-1]
	r.true = int32(r.props)
	r.props++
	r.always = append(r.always, r.true)
	for v := range t.Variables {
		if x := &t.Variables[v]; x.Layer >= 0 {
			if p := r.factProp[r.factBase[v]+x.Default]; p >= 0 {
				r.always = append(r.always, p)
			}
		}
	}
	r.ops = len(us)
	var buf []int32
	rename := func(fs []int32) []int32 {
		buf = buf[:0]
		for _, f := range fs {
			buf = append(buf, r.factProp[f])
		}
		return buf
	}
	for i := range us {
		if !b.spend(operatorTicks + len(us[i].pre) + len(us[i].eff)) {
			return b.err
		}
		r.cost = append(r.cost, us[i].cost)
		if len(us[i].pre) == 0 {
			r.pre.add([]int32{r.true})
		} else {
			r.pre.add(rename(us[i].pre))
		}
		r.eff.add(rename(us[i].eff))
	}
	r.ach = r.eff.invert(r.props)
	used := r.stateVars[:0]
	for _, v := range r.stateVars {
		for val := 0; val < t.Variables[v].Size(); val++ {
			if r.factProp[r.factBase[v]+int32(val)] >= 0 {
				used = append(used, v)
				break
			}
		}
	}
	r.stateVars = used
	return nil
}

// scale halves all costs until their sum is below 2^61.
func (r *relaxation) scale() {
	for {
		var hi, lo uint64
		for _, c := range r.cost {
			var carry uint64
			lo, carry = bits.Add64(lo, uint64(c), 0)
			hi += carry
		}
		if hi == 0 && lo < 1<<61 {
			r.sum = int64(lo)
			return
		}
		r.shift++
		for i := range r.cost {
			r.cost[i] >>= 1
		}
	}
}

// unscale turns a sum of scaled costs into a cost, capped below DeadEnd: the cap is
// never above a path cost that the search can represent plus one.
func (r *relaxation) unscale(c int64) int64 {
	if r.shift > 0 && c > (DeadEnd-1)>>r.shift {
		return DeadEnd - 1
	}
	return c << r.shift
}

func (r *relaxation) bytes() int64 {
	n := len(r.factBase) + len(r.factProp) + len(r.stateVars) + len(r.repr) + 2*len(r.cost)
	for _, l := range []*lists{&r.pre, &r.eff, &r.ach, r.siblings} {
		if l != nil {
			n += len(l.start) + len(l.items)
		}
	}
	return int64(n) * 4
}
