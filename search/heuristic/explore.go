package heuristic

// explorer computes h-max over a relaxation by a Dijkstra search over propositions
// (Bonet and Geffner, Artificial Intelligence 129, 2001). Operators are struct-of-arrays
// where lists are scanned (left, sup) and one record where an operator fires. C is int32
// unless costs need more.
type explorer[C int32 | int64] struct {
	r    *relaxation
	inf  C
	h    []C      // by proposition
	left []uint16 // preconditions not yet reached, by operator
	sup  []int32  // precondition reached last: the supporter; valid when left is 0
	rec  []opRecord[C]

	unreached []C // all inf, to reset h
	count     []uint16
	q         queue[C]
	work      int64
}

type opRecord[C int32 | int64] struct {
	cost    C // what is left of the operator's cost
	supCost C // h of the supporter
	eff     int32
	effEnd  int32
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
		rec:       make([]opRecord[C], r.ops),
	}
	for p := range e.unreached {
		e.unreached[p] = e.inf
	}
	var most int64
	for o := range e.rec {
		e.count[o] = uint16(r.pre.start[o+1] - r.pre.start[o])
		e.rec[o] = opRecord[C]{cost: C(r.cost[o]), eff: r.eff.start[o], effEnd: r.eff.start[o+1]}
		most = max(most, r.cost[o])
	}
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
	start, items, eff := e.r.preOf.start, e.r.preOf.items, e.r.eff.items
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
			x.supCost = d
			d := d + x.cost
			for _, f := range eff[x.eff:x.effEnd] {
				if d < h[f] {
					h[f] = d
					e.q.push(f, d)
				}
			}
		}
	}
	e.work += work + int64(len(e.r.stateVars))
}

func (e *explorer[C]) bytes() int64 {
	c := int64(sizeOf[C]())
	return 2*c*int64(len(e.h)) + (8+4+2*c+8)*int64(len(e.rec)) + e.q.bytes()
}
