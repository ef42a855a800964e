package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// sasTask is the ground task under construction, in the numbering of
// g.vars. Operator.Cost and CondCost.Cost are indices into costs until finish.
type sasTask struct {
	init  []int32
	goal  []Fact
	ops   Operators
	count int
	share sharing
	facts arena[Fact] // of conditions
	effs  arena[Effect]
	conds arena[CondCost]
	costs costTable
	nums  [][]fluentEffect // by operator; nil if no fluent is tracked
	// axioms in facts; layer by variable, -1 for state variables.
	axioms []Axiom
	layer  []int32
	rename *renaming // from the facts of g.vars to those of init
}

// groundEffect is an effect of one instance before its translation.
type groundEffect struct {
	atom int32
	neg  bool
	cond []glit
}

// opBuilder holds the scratch space of one operator after another.
type opBuilder struct {
	g      *grounder
	assign assignment
	a      *action
	env    []pddl.ObjectID
	tuple  []pddl.ObjectID
	pre    []glit
	effs   []groundEffect
	lits   arenaReset[glit]
	cost   pddl.Number
	conds  []condCost
	nums   []changeOf
	steps  int // spent on the current delete effect
	adds   []factEffect
	dels   []factEffect
	out    []Effect
	dedup  map[string]bool

	emitOperator func() // b.operator, made once
}

type condCost struct {
	cond []glit
	cost pddl.Number
}

// factEffect is an effect on a fact with its condition, as literals and as
// alternatives of facts beyond the precondition.
type factEffect struct {
	Fact
	lits []glit
	alts [][]Fact
}

// instance builds the operators of one instance of b.a.
func (b *opBuilder) instance() {
	g, a := b.g, b.a
	bind(b.env, a.params, b.tuple)
	b.lits.buf = b.lits.buf[:0]
	b.conds = b.conds[:0]
	var ok bool
	if b.pre, ok = g.conjunction(b.pre[:0], &a.pre, b.env); !ok || !b.price() {
		return
	}
	b.effs = b.effs[:0]
	for i := range a.effects {
		e := &a.effects[i]
		if e.join == nil {
			b.groundEffect(e, b.env)
			continue
		}
		copy(e.join.env, b.env)
		e.join.each(func() bool { b.groundEffect(e, e.join.env); return false })
	}
	b.assign.begin()
	if !b.assign.positives(b.pre) || !b.assign.consistent(b.pre) {
		return
	}
	mark := len(b.assign.trail)
	b.assign.alternatives(b.pre, b.emitOperator)
	b.assign.undo(mark)
}

func (b *opBuilder) groundEffect(e *effect, env []pddl.ObjectID) {
	g := b.g
	g.tick()
	atom := g.lookup(e.pred, e.args, env)
	if atom < 0 {
		return // unreachable: deleting it does nothing, adding it cannot happen
	}
	from := len(b.lits.buf)
	lits, ok := g.conjunction(b.lits.buf, &e.cond, env)
	b.lits.buf = lits
	if !ok {
		b.lits.buf = lits[:from]
		return
	}
	b.effs = append(b.effs, groundEffect{atom, e.neg, lits[from:len(lits):len(lits)]})
}

// operator emits the operator for the precondition in b.assign.
func (b *opBuilder) operator() {
	as := &b.assign
	b.adds, b.dels = b.adds[:0], b.dels[:0]
	for i := range b.effs {
		e := &b.effs[i]
		f := b.g.vars.fact[e.atom]
		alts := as.conditions(e.cond)
		if len(alts) == 0 {
			continue
		}
		if e.neg {
			b.dels = append(b.dels, factEffect{f, e.cond, alts})
		} else {
			b.adds = append(b.adds, factEffect{f, e.cond, alts})
		}
	}
	b.out = b.out[:0]
	for i := range b.dels {
		b.deleteEffect(&b.dels[i])
	}
	for i := range b.adds {
		for _, cond := range b.adds[i].alts {
			b.emitEffect(b.adds[i].Fact, cond)
		}
	}
	b.tidyEffects()
	if len(b.out)+len(b.nums) == 0 && !b.g.opt.KeepIrrelevant {
		return
	}
	b.emit()
}

// emitEffect appends an effect unless it changes nothing.
func (b *opBuilder) emitEffect(f Fact, cond []Fact) {
	if v, ok := b.assign.get(f.Var); ok && v == f.Val {
		return
	}
	if slices.Contains(cond, f) {
		return
	}
	b.out = append(b.out, Effect{Cond: cond, Var: f.Var, Val: f.Val})
}

// deleteEffect emits "the variable becomes none of those" for the states in which the
// deleted atom is true and no add effect on the variable fires.
func (b *opBuilder) deleteEffect(d *factEffect) {
	as := &b.assign
	if v, ok := as.get(d.Var); ok && v != d.Val {
		return
	}
	for i := range b.adds {
		if b.adds[i].Var == d.Var && len(b.adds[i].alts[0]) == 0 {
			return // it always fires
		}
	}
	none := Fact{Var: d.Var, Val: b.g.vars.size(d.Var) - 1}
	for _, cond := range d.alts {
		mark := len(as.trail)
		if as.setAll(cond) && as.set(Fact{Var: d.Var, Val: d.Val}) {
			n := len(b.out)
			b.steps = 0
			if !b.guard(none, mark, 0, n) {
				b.out = b.out[:n]
				if as.set(Fact{Var: b.anyAdd(d.Var), Val: 1}) {
					b.out = append(b.out, Effect{Cond: as.since(mark), Var: none.Var, Val: none.Val})
				}
			}
		}
		as.undo(mark)
	}
}

// anyAdd returns the variable of a derived atom that holds when some add effect on the
// variable v fires.
func (b *opBuilder) anyAdd(v int32) int32 {
	g := b.g
	a := g.newAtom()
	b.assign.grow()
	for i := range b.adds {
		if b.adds[i].Var == v {
			g.axioms.add(a, b.adds[i].lits)
		}
	}
	return g.vars.fact[a].Var
}

// guard falsifies the add effects on the variable, from index i on, in all possible ways
// and emits the delete under each. It reports false if there are too many ways.
func (b *opBuilder) guard(none Fact, mark, i, first int) bool {
	if b.steps++; b.steps > b.g.limits.guardSteps {
		return false
	}
	as := &b.assign
	for ; i < len(b.adds); i++ {
		if b.adds[i].Var == none.Var {
			break
		}
	}
	if i == len(b.adds) {
		if len(b.out)-first >= b.g.limits.guards {
			return false
		}
		b.out = append(b.out, Effect{Cond: as.since(mark), Var: none.Var, Val: none.Val})
		return true
	}
	return b.falsify(none, mark, i, 0, first)
}

func (b *opBuilder) falsify(none Fact, mark, i, alt, first int) bool {
	as := &b.assign
	if alt == len(b.adds[i].alts) {
		return b.guard(none, mark, i+1, first)
	}
	cond := b.adds[i].alts[alt]
	for _, f := range cond {
		if v, ok := as.get(f.Var); ok && v != f.Val || !ok && as.excluded(f) {
			return b.falsify(none, mark, i, alt+1, first) // cannot fire
		}
	}
	for _, f := range cond {
		if _, ok := as.get(f.Var); ok {
			continue
		}
		for v := range b.g.vars.size(f.Var) {
			if v == f.Val {
				continue
			}
			inner := len(as.trail)
			ok := !as.set(Fact{Var: f.Var, Val: v}) || b.falsify(none, mark, i, alt+1, first)
			as.undo(inner)
			if !ok {
				return false
			}
		}
	}
	return true
}

// tidyEffects sorts effects, drops repeated ones and simplifies conditions on binary
// variables: an effect that sets a binary variable need not require the other value,
// unless another effect may set that.
func (b *opBuilder) tidyEffects() {
	for i := range b.out {
		e := &b.out[i]
		if b.g.vars.size(e.Var) != 2 || !slices.Contains(e.Cond, Fact{Var: e.Var, Val: 1 - e.Val}) {
			continue
		}
		// If another effect sets the other value, this condition may be what keeps the two
		// from firing together.
		if slices.ContainsFunc(b.out, func(o Effect) bool { return o.Var == e.Var && o.Val != e.Val }) {
			continue
		}
		cond := make([]Fact, 0, len(e.Cond))
		for _, f := range e.Cond {
			if f.Var != e.Var {
				cond = append(cond, f)
			}
		}
		e.Cond = cond
	}
	slices.SortStableFunc(b.out, func(x, y Effect) int {
		if x.Var != y.Var {
			return int(x.Var) - int(y.Var)
		}
		if x.Val != y.Val {
			return int(x.Val) - int(y.Val)
		}
		if len(x.Cond) != len(y.Cond) {
			return len(x.Cond) - len(y.Cond)
		}
		return slices.CompareFunc(x.Cond, y.Cond, compareFacts)
	})
	kept := b.out[:0]
	for _, e := range b.out {
		if n := len(kept); n > 0 && kept[n-1].Var == e.Var && kept[n-1].Val == e.Val &&
			(len(kept[n-1].Cond) == 0 || slices.Equal(kept[n-1].Cond, e.Cond)) {
			continue
		}
		kept = append(kept, e)
	}
	b.out = kept
}

// emit copies the operator into the arenas.
func (b *opBuilder) emit() {
	g := b.g
	s := &g.sas
	pre := b.assign.since(0)
	if b.dedup != nil {
		k := b.key(pre)
		if b.dedup[k] {
			return
		}
		b.dedup[k] = true
	}
	s.ops.emit(&Operator{Schema: b.a.schema, Args: b.tuple[:b.a.src.NumParams], Pre: pre, Effects: b.out, Cost: s.costs.index(b.cost)}, b.list())
	b.emitChanges()
	g.checkSize(&s.count)
}

// key identifies an operator among those of one action.
func (b *opBuilder) key(pre []Fact) string {
	var k []byte
	put := func(x int32) { k = append(k, byte(x), byte(x>>8), byte(x>>16), byte(x>>24)) }
	facts := func(fs []Fact) {
		put(int32(len(fs)))
		for _, f := range fs {
			put(f.Var)
			put(f.Val)
		}
	}
	for _, o := range b.tuple[:b.a.src.NumParams] {
		put(int32(o))
	}
	facts(pre)
	for _, e := range b.out {
		put(e.Var)
		put(e.Val)
		facts(e.Cond)
	}
	put(int32(b.g.sas.costs.index(b.cost)))
	for _, c := range b.conds {
		put(int32(b.g.sas.costs.index(c.cost)))
		for _, l := range c.cond {
			put(int32(l))
		}
		put(-1)
	}
	return string(b.changesKey(k))
}
