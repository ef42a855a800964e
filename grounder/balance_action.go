package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// balLit is a literal whose terms are slots (>= 0) or constants (^index).
type balLit struct {
	pred int32 // -1: equality
	neg  bool
	args []int32
}

// balEffect is an effect as proofs see it. known is false if its condition has parts
// that are not literals.
type balEffect struct {
	balLit
	vars  []int32
	cond  []balLit
	known bool
}

type balAction struct {
	slots  int
	types  []pddl.TypeID // by slot
	params []int32
	pre    []balLit
	adds   []balEffect
	dels   []balEffect
}

func (b *balancer) term(t pddl.Term) int32 {
	if t.IsVar() {
		return int32(t.Slot())
	}
	c, ok := b.constants[t.Object()]
	if !ok {
		c = int32(len(b.constants))
		b.constants[t.Object()] = c
		b.objects = append(b.objects, t.Object())
	}
	return ^c
}

func (b *balancer) terms(ts []pddl.Term) []int32 {
	out := make([]int32, len(ts))
	for i, t := range ts {
		out[i] = b.term(t)
	}
	return out
}

func (b *balancer) literals(c *conj) (out []balLit, known bool) {
	known = len(c.univ) == 0
	for _, l := range c.lits {
		switch l.kind {
		case litAtom:
			out = append(out, balLit{l.pred, l.neg, b.terms(l.args)})
		case litEqual:
			out = append(out, balLit{-1, l.neg, b.terms(l.args)})
		default:
			known = false
		}
	}
	return out, known
}

func (b *balancer) addAction(a *action) {
	ba := balAction{slots: len(a.types), types: a.types, params: a.params}
	ba.pre, _ = b.literals(&a.pre)
	for _, p := range b.neverEqual(a) {
		ba.pre = append(ba.pre, balLit{-1, true, []int32{p.a, p.b}})
	}
	id := int32(len(b.actions))
	for i := range a.effects {
		e := &a.effects[i]
		be := balEffect{balLit: balLit{e.pred, e.neg, b.terms(e.args)}, vars: e.vars}
		be.cond, be.known = b.literals(&e.cond)
		if e.neg {
			ba.dels = append(ba.dels, be)
			continue
		}
		ba.adds = append(ba.adds, be)
		if t := b.threats[e.pred]; len(t) == 0 || t[len(t)-1] != id {
			b.threats[e.pred] = append(t, id)
		}
	}
	b.sortEffects(ba.adds)
	b.sortEffects(ba.dels)
	b.actions = append(b.actions, ba)
	b.checked = append(b.checked, 0)
}

// sortEffects orders effects by their contents.
func (b *balancer) sortEffects(effects []balEffect) {
	if len(effects) < 2 {
		return
	}
	type keyed struct {
		key    []int32
		effect balEffect
	}
	list := make([]keyed, len(effects))
	for i, e := range effects {
		list[i] = keyed{b.effectKey(&e), e}
	}
	slices.SortStableFunc(list, func(x, y keyed) int { return slices.Compare(x.key, y.key) })
	for i := range list {
		effects[i] = list[i].effect
	}
}

// effectKey encodes an effect by numbers that do not depend on its position.
func (b *balancer) effectKey(e *balEffect) []int32 {
	var key []int32
	literal := func(l *balLit) {
		key = append(key, l.pred, int32(len(l.args)))
		if l.neg {
			key = append(key, 1)
		}
		for _, t := range l.args {
			switch k := slices.Index(e.vars, t); {
			case t < 0:
				key = append(key, -1-int32(b.objects[^t]))
			case k >= 0:
				key = append(key, int32(k))
			default:
				key = append(key, int32(len(e.vars))+t)
			}
		}
	}
	literal(&e.balLit)
	for i := range e.cond {
		literal(&e.cond[i])
	}
	return append(key, int32(len(e.vars)))
}

// maxPairWork bounds the comparisons of neverEqual for one action.
const maxPairWork = 50_000_000

// neverEqual returns the pairs of parameters that differ in every instance, or none if
// finding out takes too long.
func (b *balancer) neverEqual(a *action) []pair {
	k := len(a.params)
	var open []pair // positions
	for i := range k {
		for j := range i {
			open = append(open, pair{int32(j), int32(i)})
		}
	}
	work := 0
	for t := 0; t < a.count && len(open) > 0; t++ {
		if work += len(open); work > maxPairWork {
			return nil
		}
		b.g.work(len(open))
		row := a.tuples.at(t)
		open = slices.DeleteFunc(open, func(p pair) bool { return row[p.a] == row[p.b] })
	}
	for i, p := range open {
		open[i] = pair{a.params[p.a], a.params[p.b]}
	}
	return open
}
