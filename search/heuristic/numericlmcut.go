package heuristic

import (
	"math"

	"github.com/planproof/planproof/grounder"
)

// numericLMCut is LM-cut for numeric tasks (Kuroiwa, Shleyfman, Piacentini, Castro and Beck,
// "The LM-Cut Heuristic Family for Optimal Numeric Planning with Simple Conditions", JAIR
// 75, 2022). An operator that contributes n to a bound with deficit d must be applied m =
// max(1, d/n) times to reach it alone, so its edge in the justification graph costs m
// times as much. Before the first proposition of the goal zone is reached, only operators
// of the cut have contributed to any: so 1/m, summed over the applications of operators in
// the cut, is at least 1, and a cost c for the cut takes c/m off each (m the least of an
// operator's edges into the zone). All that is needed for this is that the zone is what
// leads to the goal for free; labels only steer the choice of supporters.
//
// Costs are scaled by a power of two; what is taken off is rounded up and what is added
// down, so that no operator pays more than its cost, and the sum is rounded up at the end
// because costs of plans are integers. Parts of an operator share its cost, as in lmcut. The
// estimate is the larger of the sum and h-max.
type numericLMCut struct {
	numericHMax
	first  int64   // h-max of the state
	base   []int64 // by owner: scaled cost
	left   []int64 // by owner: what is left of it
	up     uint    // costs are scaled by 2^up ...
	down   uint    // ... or by 2^-down
	total  int64   // scaled
	values []int32

	support []int32 // by operator: its most expensive precondition; -1 if not reached
	zone    []bool  // by proposition
	passed  []bool  // by proposition: reached without entering the zone
	stack   []int32
	cut     []int32 // owners
	edge    []cutEdge
}

// maxWeight bounds weights, so that the sum of two is one of 63 bits.
const maxWeight = 1 << 60

// cutEdge is the lightest edge of an owner into the zone. deficit/amount is the number of
// applications that it takes.
type cutEdge struct {
	in              bool
	weight          int64
	amount, deficit int64
}

func newNumericLMCut(t *grounder.Task, b *Budget) (*numericLMCut, error) {
	m, err := newNumericHMax(t, b)
	if err != nil {
		return nil, err
	}
	l := &numericLMCut{
		numericHMax: *m, base: append([]int64(nil), m.r.cost...), left: make([]int64, len(m.r.cost)), edge: make([]cutEdge, len(m.r.cost)),
		support: make([]int32, len(m.r.ops)), zone: make([]bool, m.r.props), passed: make([]bool, m.r.props),
	}
	l.scale()
	return l, nil
}

// scale makes costs as fine as their sum allows.
func (l *numericLMCut) scale() {
	sum := int64(0)
	for _, c := range l.base {
		sum = sum63(sum, c)
	}
	for l.up < 16 && sum < 1<<45 {
		l.up++
		sum <<= 1
	}
	for ; sum >= 1<<60; sum >>= 1 {
		l.down++
	}
	if l.down > 0 {
		l.down += 30 // the sum may be saturated, of fewer than 2^31 costs
	}
	for i := range l.base {
		l.base[i] = l.base[i] << l.up >> l.down
	}
}

// unscale turns a scaled sum into a cost: up to the next integer, which costs are, unless
// they were rounded down.
func (l *numericLMCut) unscale(s int64) int64 {
	if l.down > 0 {
		if s > (DeadEnd-1)>>l.down {
			return DeadEnd - 1
		}
		return s << l.down
	}
	return (s + 1<<l.up - 1) >> l.up
}

// Estimate implements Heuristic.
func (l *numericLMCut) Estimate(values []int32) int64 {
	est, _ := l.Begin(values, math.MaxInt64)
	return est
}

// Begin implements Resumable.
func (l *numericLMCut) Begin(values []int32, until int64) (int64, bool) {
	l.total = 0
	copy(l.left, l.base)
	l.values = append(l.values[:0], values...)
	l.first = l.numericHMax.Estimate(values)
	return l.Continue(until)
}

// Continue implements Resumable. A piece is one cut.
func (l *numericLMCut) Continue(until int64) (int64, bool) {
	if l.first == DeadEnd {
		return DeadEnd, true
	}
	for {
		l.label()
		if l.h[l.r.goal] == 0 || l.total >= maxWeight {
			return l.bound(), true
		}
		if l.h[l.r.goal] == math.MaxInt64 {
			return DeadEnd, true
		}
		l.markZone()
		l.findCut()
		l.pay()
		if l.work >= until {
			return l.bound(), false
		}
	}
}

func (l *numericLMCut) bound() int64 { return max(l.first, l.unscale(l.total)) }

// label computes the distances of the justification graph and the supporters.
func (l *numericLMCut) label() {
	r := l.r
	l.start(l.values)
	for o := range l.support {
		l.support[o] = -1
	}
	for l.q.n > 0 {
		p, d := l.q.pop()
		if l.h[p] < d {
			continue
		}
		for _, o := range r.uses.of(p) {
			l.work++
			if l.missing[o]--; l.missing[o] > 0 {
				continue
			}
			l.support[o] = p
			op := &r.ops[o]
			c := l.left[op.owner]
			for _, e := range op.eff {
				l.reach(e, sum63(d, c))
			}
			for i := range op.help {
				if e, ok := l.edgeOf(&op.help[i], c); ok {
					l.reach(op.help[i].prop, sum63(d, e.weight))
				}
			}
			l.work += int64(len(op.eff) + 2*len(op.help))
		}
	}
}

// edgeOf is the edge from an operator with cost c left to a bound. It reports false if there
// is none: the bound holds, or the operator does not help.
func (l *numericLMCut) edgeOf(x *help, c int64) (cutEdge, bool) {
	deficit := l.deficit[l.r.isBound[x.prop]]
	if deficit == 0 {
		return cutEdge{}, false
	}
	n := l.r.amount(x, l.values, deficit)
	if n == 0 {
		return cutEdge{}, false
	}
	return cutEdge{in: true, weight: min(muldiv(c, deficit, n, false), maxWeight), amount: n, deficit: deficit}, true
}

// markZone marks the propositions from which the goal is reached for free.
func (l *numericLMCut) markZone() {
	r := l.r
	clear(l.zone)
	l.zone[r.goal] = true
	l.stack = append(l.stack[:0], r.goal)
	for len(l.stack) > 0 {
		p := l.stack[len(l.stack)-1]
		l.stack = l.stack[:len(l.stack)-1]
		for _, o := range r.ach.of(p) {
			l.work++
			s := l.support[o]
			if s < 0 || l.zone[s] || l.left[r.ops[o].owner] > 0 || !l.helps(o, p) {
				continue
			}
			l.zone[s] = true
			l.stack = append(l.stack, s)
		}
	}
}

// helps reports whether operator o has an edge to p in this state.
func (l *numericLMCut) helps(o, p int32) bool {
	if l.r.isBound[p] < 0 {
		return true
	}
	for i := range l.r.ops[o].help {
		if x := &l.r.ops[o].help[i]; x.prop == p {
			_, ok := l.edgeOf(x, 0)
			return ok
		}
	}
	return false
}

// findCut collects the owners of edges into the zone from what is reached without it.
func (l *numericLMCut) findCut() {
	r := l.r
	clear(l.passed)
	l.cut, l.stack = l.cut[:0], l.stack[:0]
	for p, d := range l.h {
		if d == 0 { // what holds in the state, and what follows for free
			l.passed[p] = true
			l.stack = append(l.stack, int32(p))
		}
	}
	for len(l.stack) > 0 {
		p := l.stack[len(l.stack)-1]
		l.stack = l.stack[:len(l.stack)-1]
		for _, o := range r.uses.of(p) {
			l.work++
			if l.support[o] != p {
				continue
			}
			op := &r.ops[o]
			for _, e := range op.eff {
				l.enter(op.owner, e, cutEdge{in: true, weight: l.left[op.owner], amount: 1, deficit: 1})
			}
			for i := range op.help {
				if e, ok := l.edgeOf(&op.help[i], l.left[op.owner]); ok {
					l.enter(op.owner, op.help[i].prop, e)
				}
			}
		}
	}
}

// enter follows an edge to p, which is in the cut if p is in the zone.
func (l *numericLMCut) enter(owner, p int32, e cutEdge) {
	if !l.zone[p] {
		if !l.passed[p] {
			l.passed[p] = true
			l.stack = append(l.stack, p)
		}
		return
	}
	old := &l.edge[owner]
	if !old.in {
		l.cut = append(l.cut, owner)
	}
	if !old.in || e.weight < old.weight || e.weight == old.weight && fewer(&e, old) {
		*old = e
	}
}

// fewer reports whether edge a takes fewer applications than b.
func fewer(a, b *cutEdge) bool { return faster(a.amount, a.deficit, b.amount, b.deficit) }

// pay adds the least weight in the cut to the estimate and takes it off.
func (l *numericLMCut) pay() {
	least := int64(math.MaxInt64)
	for _, o := range l.cut {
		least = min(least, l.edge[o].weight)
	}
	for _, o := range l.cut {
		e := &l.edge[o]
		l.left[o] -= min(l.left[o], muldiv(least, e.amount, e.deficit, true))
		*e = cutEdge{}
	}
	l.total += least
}

// Inherited implements Inheriting: an application of op makes up for what op has paid.
func (l *numericLMCut) Inherited(op grounder.OperatorID) int64 {
	return l.unscale(max(0, l.total-(l.base[op]-l.left[op])))
}

// Bytes implements Heuristic.
func (l *numericLMCut) Bytes() int64 {
	return l.numericHMax.Bytes() + 8*int64(len(l.base))*7 + 4*int64(len(l.support)) + 2*int64(len(l.zone))
}
