package prune

// operator is an operator over fact numbers, in one direction: backward, it leads to the states before it.
type operator struct {
	need []int32 // facts of the state that it leads from
	lose []int32 // variables whose values do not stay
	gain []int32 // facts of the state that it leads to, of the variables lost
	free []int32 // variables lost that get any value that fits gain and keep (backward only)
	keep []int32 // facts of need that stay (backward only)
	seen int     // pass in which it was looked at last
	used bool    // it has been applied
}

// exploration computes the pairs of facts that are reached together, by operators from a first set of pairs, with
// dead pairs left out: h² as reachability (Haslum and Geffner, AIPS 2000), a row of bits at a time.
type exploration struct {
	a       *analysis
	reached *pairs
	ops     []operator
	single  []uint64 // facts that are reached
	changed []int    // by fact: the pass in which its row changed last
	any     int      // the pass in which any row changed last
	row     []uint64
	fresh   []uint64
}

func (a *analysis) newExploration(ops []operator) *exploration {
	return &exploration{
		a: a, reached: newPairs(a.facts), ops: ops, changed: make([]int, a.facts),
		single: make([]uint64, a.dead.words), row: make([]uint64, a.dead.words),
		fresh: make([]uint64, a.dead.words),
	}
}

// begin enters all pairs of a set of facts that are not dead.
func (x *exploration) begin(set []uint64) {
	each(set, func(f int32) {
		row, dead := x.reached.row(f), x.a.dead.row(f)
		for w := range row {
			row[w] |= set[w] &^ dead[w]
		}
		x.changed[f] = 1
	})
	x.any = 1
	copy(x.single, set)
}

// run goes on to the fixed point. It reports false when the work is used up: what is reached is then not complete.
func (x *exploration) run() bool {
	for pass := 1; ; pass++ {
		before := x.any
		for o := range x.ops {
			op := &x.ops[o]
			due := len(op.need) == 0 && x.any >= op.seen
			for _, f := range op.need {
				due = due || x.changed[f] >= op.seen
			}
			if !due {
				continue
			}
			op.seen = pass
			if !x.a.spend(len(op.need) + len(op.gain) + 2) {
				return false
			}
			if x.applicable(op) {
				op.used = true
				x.apply(op, pass)
			}
		}
		if x.any == before && x.any != pass {
			return true
		}
	}
}

// applicable sets row to the facts that may hold together with all that op needs, and reports whether these may hold
// together.
func (x *exploration) applicable(op *operator) bool {
	copy(x.row, x.single)
	for _, f := range op.need {
		for w, b := range x.reached.row(f) {
			x.row[w] &= b
		}
	}
	for _, f := range op.need {
		if !holds(x.row, f) {
			return false
		}
	}
	return true
}

// apply enters the pairs of the states that op leads to.
func (x *exploration) apply(op *operator, pass int) {
	a := x.a
	for _, v := range op.lose {
		clearRange(x.row, a.base[v], a.base[v+1])
	}
	for _, v := range op.free {
		for f := a.base[v]; f < a.base[v+1]; f++ {
			if !a.dead.has(f, f) && !a.excluded(f, op.keep) {
				x.row[f/64] |= 1 << (f % 64)
			}
		}
	}
	for _, f := range op.gain {
		for w, d := range a.dead.row(f) {
			x.row[w] &^= d
		}
	}
	add(x.row, op.gain)
	for _, f := range op.gain {
		x.enter(f, pass)
	}
	for _, v := range op.free {
		for f := a.base[v]; f < a.base[v+1]; f++ {
			if holds(x.row, f) {
				a.spend(1)
				x.enter(f, pass)
			}
		}
	}
}

// enter adds the pairs of f with the facts of row.
func (x *exploration) enter(f int32, pass int) {
	row, dead := x.reached.row(f), x.a.dead.row(f)
	changed := false
	for w := range row {
		x.fresh[w] = x.row[w] &^ dead[w] &^ row[w]
		changed = changed || x.fresh[w] != 0
		row[w] |= x.fresh[w]
	}
	if !changed {
		return
	}
	x.any = pass
	x.changed[f] = pass
	x.single[f/64] |= 1 << (f % 64)
	each(x.fresh, func(g int32) {
		x.reached.row(g)[f/64] |= 1 << (f % 64)
		x.changed[g] = pass
	})
}
