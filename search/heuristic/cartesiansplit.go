package heuristic

import (
	"slices"

	"github.com/planproof/planproof/grounder"
)

// split divides state s: the states whose value of variable v is in wanted, a set of facts of
// v that s has along with others, become a new state.
func (r *refinement) split(s, v int32, wanted []uint64) {
	t := int32(len(r.leaf))
	r.sets = append(r.sets, r.set(s)...)
	lo, hi := r.factBase[v], r.factBase[v+1]
	old := slices.Clone(r.set(s))
	node := r.leaf[s]
	yes := int32(len(r.c.tree))
	r.c.tree = append(r.c.tree, splitNode{variable: -1, yes: t})
	for f := lo; f < hi; f++ {
		bit := uint64(1) << (f & 63)
		if !hasBit(old, f) {
			continue
		}
		if !hasBit(wanted, f) {
			r.set(t)[f>>6] &^= bit
			continue
		}
		r.set(s)[f>>6] &^= bit
		no := int32(len(r.c.tree))
		r.c.tree = append(r.c.tree, splitNode{variable: -1, yes: s})
		r.c.tree[node] = splitNode{variable: v, value: f - lo, yes: yes, no: no}
		node = no
	}
	r.leaf[s] = node
	r.leaf = append(r.leaf, yes)
	r.bound, r.g = append(r.bound, r.bound[s]), append(r.g, 0)
	r.via, r.seen = append(r.via, abstractOf{}), append(r.seen, 0)
	in, out := r.in[s], r.out[s]
	r.in[s], r.out[s] = nil, nil
	r.in, r.out = append(r.in, nil), append(r.out, nil)
	r.edges -= len(in) + len(out)
	before := r.edges
	for _, x := range in {
		r.budget.spend(len(r.out[x.other]) / 4)
		r.out[x.other] = slices.DeleteFunc(r.out[x.other], func(y abstractOf) bool { return y == abstractOf{x.op, s} })
	}
	for _, x := range out {
		r.budget.spend(len(r.in[x.other]) / 4)
		r.in[x.other] = slices.DeleteFunc(r.in[x.other], func(y abstractOf) bool { return y == abstractOf{x.op, s} })
	}
	parts := [2]int32{s, t}
	for _, x := range in {
		for _, to := range parts {
			if r.arrives(x.other, x.op, v, to) {
				r.connect(x.other, x.op, to)
			}
		}
	}
	for _, x := range out {
		for _, from := range parts {
			if r.departs(from, x.op, v, x.other) {
				r.connect(from, x.op, x.other)
			}
		}
	}
	r.cross(old, v, parts)
	r.charge(v, len(in)+len(out)+r.edges-before)
}

// charge counts the work and memory of a split of variable v that touched n transitions.
func (r *refinement) charge(v int32, n int) {
	r.budget.spend(operatorTicks*2 + r.words + 8*n + 2*len(r.changes[v]))
	n64 := int64(r.words)*8 + 128 + 16*int64(n)
	r.held += n64
	r.budget.hold(n64)
}

// effect returns the value that op gives to v, its last, and precondition the value that it
// asks v for; -1 for none.
func (r *refinement) effect(op, v int32) int32 {
	val := int32(-1)
	for _, e := range r.t.Operators.Effects(int(op)) {
		if e.Var == v {
			val = e.Val
		}
	}
	return val
}

func (r *refinement) precondition(op, v int32) int32 {
	for _, f := range r.t.Operators.Pre(int(op)) {
		if f.Var == v {
			return f.Val
		}
	}
	return -1
}

// arrives reports whether the transition from u by op may end in part to of a state split at v.
func (r *refinement) arrives(u, op, v, to int32) bool {
	if e := r.effect(op, v); e >= 0 {
		return r.in1(to, grounder.Fact{Var: v, Val: e})
	}
	if p := r.precondition(op, v); p >= 0 {
		return r.in1(to, grounder.Fact{Var: v, Val: p})
	}
	return r.meets(u, to, v)
}

// departs reports whether the transition by op to w may begin in part from of a state split
// at v.
func (r *refinement) departs(from, op, v, w int32) bool {
	if p := r.precondition(op, v); p >= 0 {
		return r.in1(from, grounder.Fact{Var: v, Val: p})
	}
	return w == 0 || r.effect(op, v) >= 0 || r.meets(from, w, v)
}

// meets reports whether two states share a value of v.
func (r *refinement) meets(a, b, v int32) bool {
	x, y := r.set(a), r.set(b)
	for f := r.factBase[v]; f < r.factBase[v+1]; f++ {
		if hasBit(x, f) && hasBit(y, f) {
			return true
		}
	}
	return false
}

// cross connects the two parts of a state, whose facts were old, by the operators that led
// from it to itself and change v.
func (r *refinement) cross(old []uint64, v int32, parts [2]int32) {
next:
	for _, o := range r.changes[v] {
		if !r.allowed[o] {
			continue
		}
		op := r.t.Operators.At(int(o))
		for _, f := range op.Pre {
			if !hasBit(old, r.factBase[f.Var]+f.Val) {
				continue next
			}
		}
		for i := range op.Effects {
			if e := &op.Effects[i]; !hasBit(old, r.factBase[e.Var]+r.effect(o, e.Var)) {
				continue next
			}
		}
		to := parts[boolInt(r.in1(parts[1], grounder.Fact{Var: v, Val: r.effect(o, v)}))]
		for _, from := range parts {
			p := r.precondition(o, v)
			if from != to && (p < 0 || r.in1(from, grounder.Fact{Var: v, Val: p})) {
				r.connect(from, o, to)
			}
		}
	}
}
