package heuristic

// explorer computes h-max over a relaxation by a Dijkstra search over propositions
// (Bonet and Geffner, Artificial Intelligence 129, 2001). What is scanned for many
// operators at a time (left, sup) is an array each; what is needed once an operator is
// singled out is one record. C is int32 unless costs need more.
type explorer[C int32 | int64] struct {
	r    *relaxation
	inf  C
	h    []C      // by proposition
	left []uint16 // by operator: preconditions not reached yet
	sup  []int32  // by operator: the precondition reached last, of greatest h; -1 when unreached
	rec  []opRecord[C]
	lits []int32 // preconditions and effects, see opRecord

	unreached []C // what h, left and sup are reset to
	count     []uint16
	nobody    []int32
	q         queue[C]
	work      int64
}

// opRecord is an operator: lits[pre:eff] are its preconditions, lits[eff:end] its effects.
type opRecord[C int32 | int64] struct {
	cost    C // what is left of the operator's cost
	most    C // no effect costs more: the operator matters only if it gets cheaper than that
	supCost C // LM-cut: h of the supporter
	pre     int32
	eff     int32
	end     int32
	touch   uint32 // LM-cut: the round in which an effect is in the goal zone
}

func newExplorer[C int32 | int64](r *relaxation) explorer[C] {
	e := explorer[C]{
		r:         r,
		inf:       ^(C(1) << (8*sizeOf[C]() - 1)),
		h:         make([]C, r.props),
		unreached: make([]C, r.props),
		left:      make([]uint16, r.ops),
		count:     make([]uint16, r.ops),
		sup:       make([]int32, r.ops),
		nobody:    make([]int32, r.ops),
		rec:       make([]opRecord[C], r.ops),
	}
	for p := range e.unreached {
		e.unreached[p] = e.inf
	}
	var most int64
	for o := range e.rec {
		x := &e.rec[o]
		x.cost = C(r.cost[o])
		pre := r.pre.of(int32(o))
		x.pre = int32(len(e.lits))
		e.lits = append(e.lits, pre...)
		x.eff = int32(len(e.lits))
		e.lits = append(e.lits, r.eff.of(int32(o))...)
		x.end = int32(len(e.lits))
		e.count[o] = uint16(len(pre))
		e.nobody[o] = -1
		most = max(most, r.cost[o])
	}
	r.pre, r.eff = lists{}, lists{} // now in lits
	e.q.heap = most > maxBucketCost
	return e
}

func sizeOf[C int32 | int64]() int {
	var c C
	if _, ok := any(c).(int32); ok {
		return 4
	}
	return 8
}

// explore computes h from the state values. With stop it ends when the goal is
// reached, leaving later propositions undefined.
func (e *explorer[C]) explore(values []int32, stop bool) {
	copy(e.h, e.unreached)
	copy(e.left, e.count)
	copy(e.sup, e.nobody)
	e.q.clear()
	for _, p := range e.r.always {
		e.h[p] = 0
		e.q.push(p, 0)
	}
	for _, v := range e.r.stateVars {
		if p := e.r.factProp[e.r.factBase[v]+values[v]]; p >= 0 {
			e.h[p] = 0
			e.q.push(p, 0)
		}
	}
	start, items, lits := e.r.preOf.start, e.r.preOf.items, e.lits
	h, left, sup, rec := e.h, e.left, e.sup, e.rec
	work := int64(0)
	for e.q.n > 0 {
		p, d := e.q.pop()
		if h[p] < d {
			continue
		}
		if stop && p == e.r.goal {
			break
		}
		ops := items[start[p]:start[p+1]]
		work += int64(len(ops))
		for _, o := range ops {
			left[o]--
			if left[o] > 0 {
				continue
			}
			sup[o] = p
			x := &rec[o]
			d, most := d+x.cost, C(0)
			for _, f := range lits[x.eff:x.end] {
				c := h[f]
				if d < c {
					c = d
					h[f] = d
					e.q.push(f, d)
				}
				most = max(most, c)
			}
			x.most = most
		}
	}
	e.work += work + int64(len(e.r.stateVars))
}

func (e *explorer[C]) bytes() int64 {
	c := int64(sizeOf[C]())
	return 2*c*int64(len(e.h)) + (12+2*c+16)*int64(len(e.rec)) + 4*int64(len(e.lits)) + e.q.bytes()
}
