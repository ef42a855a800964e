package grounder

import "slices"

// sweep looks at all operators and axioms, one after another, a few times. It reports true once nothing more can be
// reached: all that anything makes true has been, or the last time nothing was. For most tasks that is soon.
func (x *exploration) sweep() bool {
	axioms := x.g.sas.axioms
	all := x.count()
	for range x.g.limits.sweeps {
		before := len(x.queue)
		x.applyAll(all)
		for i := range axioms {
			x.g.tick()
			if x.holds(axioms[i].Body) {
				x.reach(axioms[i].Head)
			}
		}
		if n := len(x.queue); n == all || n == before {
			return true
		}
	}
	return false
}

// threads returns how many threads look at all operators; each has the facts and lists of effects to itself.
func (x *exploration) threads() int {
	return x.g.threads(x.g.sas.ops.Len(), max(x.g.limits.piece, len(x.reached), len(x.fired)))
}

// count returns how many facts there are that are reached or that anything makes true.
func (x *exploration) count() int {
	s := &x.g.sas
	parts := make([][]bool, x.threads())
	x.g.spread(s.ops.Len(), len(parts), func(own *grounder, i, from, to int) {
		made := make([]bool, len(x.reached))
		for ; from < to; from++ {
			own.tick()
			for _, f := range s.ops.own(from) {
				made[x.base[f.Var]+f.Val] = true
			}
		}
		parts[i] = made
	})
	made := parts[0]
	for _, list := range s.ops.effects {
		x.g.work(1 + len(list))
		for i := range list {
			made[x.base[list[i].Var]+list[i].Val] = true
		}
	}
	for i := range s.axioms {
		x.g.tick()
		made[x.base[s.axioms[i].Head.Var]+s.axioms[i].Head.Val] = true
	}
	n := 0
	for k, reached := range x.reached {
		if reached || slices.ContainsFunc(parts, func(made []bool) bool { return made[k] }) {
			n++
		}
	}
	return n
}

// applyAll applies all operators, one after another, unless all facts are reached before. Threads do so beside each
// other, each as if it were alone.
func (x *exploration) applyAll(all int) {
	parts := make([]*exploration, x.threads())
	x.g.spread(x.g.sas.ops.Len(), len(parts), func(own *grounder, i, from, to int) {
		part := x
		if len(parts) > 1 {
			part = &exploration{g: own, base: x.base, reached: slices.Clone(x.reached), queue: slices.Clone(x.queue), fired: slices.Clone(x.fired)}
		}
		for ; from < to && len(part.queue) < all; from++ {
			own.tick()
			part.apply(from)
		}
		parts[i] = part
	})
	for _, part := range parts {
		for _, k := range part.queue {
			x.reachNumber(k)
		}
		for l, fired := range part.fired {
			x.fired[l] = x.fired[l] || fired
		}
	}
}

// apply reaches what an operator makes true, as far as it can be applied.
func (x *exploration) apply(op int) {
	s := &x.g.sas
	if !x.holds(s.ops.Pre(op)) {
		return
	}
	for _, f := range s.ops.own(op) {
		x.reach(f)
	}
	list := s.ops.rows[op].list
	if list < 0 || x.fired[list] {
		return
	}
	x.fired[list] = true
	for i := range s.ops.effects[list] {
		e := &s.ops.effects[list][i]
		x.g.tick()
		if x.holds(e.Cond) {
			x.reach(Fact{Var: e.Var, Val: e.Val})
		} else {
			x.fired[list] = false
		}
	}
}

func (x *exploration) holds(facts []Fact) bool {
	for _, f := range facts {
		if !x.reached[x.base[f.Var]+f.Val] {
			return false
		}
	}
	return true
}
