package heuristic

import (
	"cmp"
	"slices"
)

// explorer computes h-max over a relaxation by a Dijkstra search over propositions
// (Bonet and Geffner, Artificial Intelligence 129, 2001).
//
// Instead of counting down the preconditions of every operator, each operator watches one
// of them and is looked at only when that one is settled. If another precondition costs
// more, the operator moves its watch there; otherwise it fires. Watches stay where they end
// up, so in the next state, which is much like the last, most operators already watch the
// precondition that comes last. The operators that watch a proposition form a doubly
// linked list through their records. h is unique, so the order of these lists, which
// depends on the states seen before, never shows in an estimate.
//
// C is int32 unless costs need more.
type explorer[C int32 | int64] struct {
	r    *relaxation
	inf  C
	h    []C     // by proposition
	head []int32 // by proposition: first operator that watches it, -1 for none
	rec  []opRecord[C]
	lits []int32 // preconditions and effects, see opRecord

	unreached []C // what h is reset to
	q         queue[C]
	work      int64
}

// opRecord is an operator: lits[pre:] starts with its preconditions, those with the fewest
// achievers last, and goes on with its effects. It is reached when the h of the watched
// proposition is finite. With 32-bit costs a record is 32 bytes, half a cache line.
type opRecord[C int32 | int64] struct {
	pre        int32
	npre, neff uint16
	watch      int32 // the proposition watched
	next, prev int32 // in the list of watch, -1 at its ends
	cost       C     // the part of the operator's cost not yet used up
	most       C     // no effect costs more: the operator matters only if it gets cheaper
	touch      uint32
}

// conditions and effects are the operator's stretches of lits.
func (x *opRecord[C]) conditions(lits []int32) []int32 { return lits[x.pre : x.pre+int32(x.npre)] }

func (x *opRecord[C]) effects(lits []int32) []int32 {
	first := x.pre + int32(x.npre)
	return lits[first : first+int32(x.neff)]
}

// size counts conditions and effects, the work of a visit.
func (x *opRecord[C]) size() int64 { return int64(x.npre) + int64(x.neff) }

func newExplorer[C int32 | int64](r *relaxation) explorer[C] {
	e := explorer[C]{
		r:         r,
		inf:       ^(C(1) << (8*sizeOf[C]() - 1)),
		h:         make([]C, r.props),
		unreached: make([]C, r.props),
		head:      make([]int32, r.props),
		rec:       make([]opRecord[C], r.ops),
	}
	for p := range e.unreached {
		e.unreached[p] = e.inf
		e.head[p] = -1
	}
	var most int64
	for o := len(e.rec) - 1; o >= 0; o-- {
		x := &e.rec[o]
		pre := r.pre.of(int32(o))
		slices.SortFunc(pre, func(p, q int32) int {
			return cmp.Or(len(r.ach.of(q))-len(r.ach.of(p)), int(p)-int(q))
		})
		x.cost = C(r.cost[o])
		x.pre = int32(len(e.lits))
		eff := r.eff.of(int32(o))
		e.lits = append(append(e.lits, pre...), eff...)
		x.npre, x.neff = uint16(len(pre)), uint16(len(eff))
		e.link(int32(o), x, pre[0])
		most = max(most, r.cost[o])
	}
	r.pre, r.eff = lists{}, lists{} // now in lits
	e.q.heap = most > maxBucketCost
	return e
}

// link makes operator o watch proposition p.
func (e *explorer[C]) link(o int32, x *opRecord[C], p int32) {
	first := e.head[p]
	x.watch, x.prev, x.next = p, -1, first
	if first >= 0 {
		e.rec[first].prev = o
	}
	e.head[p] = o
}

// unlink takes an operator off the list of the proposition it watches.
func (e *explorer[C]) unlink(x *opRecord[C]) {
	if x.prev >= 0 {
		e.rec[x.prev].next = x.next
	} else {
		e.head[x.watch] = x.next
	}
	if x.next >= 0 {
		e.rec[x.next].prev = x.prev
	}
}

func sizeOf[C int32 | int64]() int {
	var c C
	if _, ok := any(c).(int32); ok {
		return 4
	}
	return 8
}

// explore computes h from the state values. It ends early if the goal costs no more than
// enough, and leaves later propositions undefined.
func (e *explorer[C]) explore(values []int32, enough C) {
	copy(e.h, e.unreached)
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
	h, rec, lits := e.h, e.rec, e.lits
	work := int64(len(e.r.stateVars))
	for e.q.n > 0 {
		p, d := e.q.pop()
		if h[p] < d {
			continue
		}
		if p == e.r.goal && d <= enough {
			break
		}
	visit:
		for o := e.head[p]; o >= 0; {
			at := o
			x := &rec[at]
			o = x.next
			work += x.size()
			for _, q := range x.conditions(lits) {
				if h[q] > d {
					e.unlink(x)
					e.link(at, x, q)
					continue visit
				}
			}
			d, most := d+x.cost, C(0)
			for _, f := range x.effects(lits) {
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
	e.work += work
}

func (e *explorer[C]) bytes() int64 {
	c := int64(sizeOf[C]())
	return (2*c+4)*int64(len(e.h)) + (24+2*c)*int64(len(e.rec)) + 4*int64(len(e.lits)) + e.q.bytes()
}
