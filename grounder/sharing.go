package grounder

import (
	"slices"
)

// sharing finds equal lists of effects, so that operators share them: a satellite can turn to
// a star from anywhere. It looks among the lists of one action, and no longer where few
// are equal.
type sharing struct {
	table []int32 // open addressing: list + 1
	lists int
	asked int
	limit int // limits.sharing; 0 to share nothing
	off   bool
}

// newSharing finds lists among those to come.
func newSharing(limit int) sharing { return sharing{limit: limit, off: limit == 0} }

// find returns the list that equals effects, or -1, and then remembers that it comes next.
func (x *sharing) find(lists [][]Effect, effects []Effect) int32 {
	if x.off {
		return -1
	}
	x.asked++
	if 2*(x.lists+1) > len(x.table) && !x.grow(lists) {
		return -1
	}
	mask := uint64(len(x.table) - 1)
	k := hashEffects(effects) & mask
	for ; x.table[k] != 0; k = (k + 1) & mask {
		if l := x.table[k] - 1; slices.EqualFunc(lists[l], effects, equalEffects) {
			return l
		}
	}
	x.table[k] = int32(len(lists)) + 1
	x.lists++
	return -1
}

// grow doubles the table. It reports false if that is not worth it.
func (x *sharing) grow(lists [][]Effect) bool {
	if x.lists >= x.limit && x.asked < 2*x.lists {
		*x = sharing{off: true}
		return false
	}
	old := x.table
	x.table = make([]int32, max(16, 2*len(old)))
	mask := uint64(len(x.table) - 1)
	for _, l := range old {
		if l == 0 {
			continue
		}
		k := hashEffects(lists[l-1]) & mask
		for x.table[k] != 0 {
			k = (k + 1) & mask
		}
		x.table[k] = l
	}
	return true
}

// list files the effects and conditional costs, and returns their list. It returns ^n for n effects without
// conditions that no other operator is expected to have.
func (b *opBuilder) list() int32 {
	s := &b.g.sas
	var conds []CondCost
	for i := range b.conds {
		c := &b.conds[i]
		for _, cond := range b.assign.conditions(c.cond) { // alternatives differ in a variable, so only one counts
			conds = append(conds, CondCost{Cond: s.facts.copy(cond), Cost: s.costs.index(c.cost)})
		}
	}
	if len(conds) == 0 {
		if l := s.share.find(s.ops.effects, b.out); l >= 0 {
			return l
		}
		if s.share.off && !slices.ContainsFunc(b.out, func(e Effect) bool { return len(e.Cond) > 0 }) {
			return ^int32(len(b.out))
		}
	}
	effects := s.effs.alloc(len(b.out))
	for i, e := range b.out {
		effects[i] = Effect{Cond: s.facts.copy(e.Cond), Var: e.Var, Val: e.Val}
	}
	s.ops.addList(effects, s.conds.copy(conds))
	return int32(len(s.ops.effects) - 1)
}

func equalEffects(a, b Effect) bool {
	return a.Var == b.Var && a.Val == b.Val && slices.Equal(a.Cond, b.Cond)
}

func hashEffects(effects []Effect) uint64 {
	h := uint64(len(effects))
	mix := func(f Fact) {
		h = (h ^ uint64(uint32(f.Var))<<32 ^ uint64(uint32(f.Val))) * hashMultiplier
		h ^= h >> 29
	}
	for i := range effects {
		mix(Fact{Var: effects[i].Var, Val: effects[i].Val})
		for _, f := range effects[i].Cond {
			mix(f)
		}
	}
	return h
}
