package symbolic

import (
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/symbolic/bdd"
)

// relation is the union of some operators of one cost.
type relation struct {
	node bdd.Node
	cube bdd.Node
	bits []int // that may change, ascending
	// large relations are not merged with others.
	large bool
}

// costClass holds the relations of one cost.
type costClass struct {
	cost      uint64
	relations []relation
}

// Bounds of relations: nodes of one that is made by merging two, and cases of an operator whose cost
// depends on the state.
const (
	maxRelationNodes = 100000
	maxCostCases     = 1 << 10
)

// costCase is the part of the states in which an operator has a cost.
type costCase struct {
	cost  int64
	guard bdd.Node
}

// costCases splits the states by the cost that an operator has in them. It reports false if
// there are too many cases. Costs beyond 63 bits are reported by overflow and left out.
func (e *encoding) costCases(op grounder.Operator) (cases []costCase, overflow, ok bool) {
	cases = []costCase{{op.Cost, bdd.True}}
	for _, c := range op.CondCosts {
		cond := e.all(c.Cond)
		var next []costCase
		add := func(cost int64, guard bdd.Node) {
			if guard == bdd.False {
				return
			}
			if cost < 0 {
				overflow = true
				return
			}
			for i := range next {
				if next[i].cost == cost {
					next[i].guard = e.m.Or(next[i].guard, guard)
					return
				}
			}
			next = append(next, costCase{cost, guard})
		}
		for _, k := range cases {
			add(k.cost, e.m.Diff(k.guard, cond))
			add(k.cost+c.Cost, e.m.And(k.guard, cond))
		}
		if cases = next; len(cases) > maxCostCases {
			return nil, overflow, false
		}
	}
	return cases, overflow, true
}

// operator returns the relation of an operator, without its cost.
func (e *encoding) operator(op grounder.Operator) relation {
	var vars []int32
	for _, f := range op.Effects {
		if !slices.Contains(vars, f.Var) {
			vars = append(vars, f.Var)
		}
	}
	slices.SortFunc(vars, func(a, b int32) int { return e.position[b] - e.position[a] })
	r := relation{node: bdd.True}
	for _, v := range vars { // from below
		r.node = e.m.And(e.effect(op, v), r.node)
		r.bits = append(e.bitsOf(v), r.bits...)
	}
	r.node = e.m.And(e.all(op.Pre), r.node)
	r.cube = e.m.Cube(r.bits)
	return r
}

// effect returns the relation of op on variable v: of the effects that fire the last one wins,
// and if none fires v stays.
func (e *encoding) effect(op grounder.Operator, v int32) bdd.Node {
	left, out := bdd.True, bdd.False
	for i := len(op.Effects) - 1; i >= 0 && left != bdd.False; i-- {
		f := &op.Effects[i]
		if f.Var != v {
			continue
		}
		cond := e.all(f.Cond)
		set := e.next(grounder.Fact{Var: v, Val: f.Val})
		out = e.m.Or(out, e.m.And(e.m.And(left, cond), set))
		left = e.m.Diff(left, cond)
	}
	if left != bdd.False {
		out = e.m.Or(out, e.m.And(left, e.stay(e.bitsOf(v))))
	}
	return out
}

// union returns the relation of both.
func (e *encoding) union(a, b relation) relation {
	out := relation{bits: append(slices.Clone(a.bits), b.bits...)}
	slices.Sort(out.bits)
	out.bits = slices.Compact(out.bits)
	extend := func(r relation) bdd.Node {
		var missing []int
		for _, bit := range out.bits {
			if _, ok := slices.BinarySearch(r.bits, bit); !ok {
				missing = append(missing, bit)
			}
		}
		return e.m.And(r.node, e.stay(missing))
	}
	out.node = e.m.Or(extend(a), extend(b))
	out.cube = e.m.Cube(out.bits)
	return out
}
