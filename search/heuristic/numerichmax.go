package heuristic

import (
	"math"
	"math/bits"

	"github.com/planproof/planproof/grounder"
)

// numericHMax is h-max for numeric tasks. A bound is reached by repeating operators. Until a
// cost of t has been spent only operators that can be reached at a cost of t have
// contributed, so no spending raises the sum faster than the best of these, per unit of
// cost: the bound costs at least the t at which this rate, added up from 0 to t, makes up
// for the deficit. Rates follow from the order in which a Dijkstra search reaches operators.
// (With one operator this is its cost times the repetitions that Scala et al. count; for
// several it stays admissible, because the best rate is taken at each moment.)
type numericHMax struct {
	r       *numericRelaxation
	h       []int64
	missing []int32 // by operator: preconditions not reached
	need    []int32
	deficit []int64 // by bound
	rate    []rate  // by bound
	q       queue[int64]
	costs   []int64 // by owner
	work    int64
}

// rate is how a bound gets on: what has been made up for until cost at, and the best operator
// from then on, amount for cost. single is the cost of the cheapest way to apply any.
type rate struct {
	made, at, amount, cost, single int64
}

func newNumericHMax(t *grounder.Task, b *Budget) (*numericHMax, error) {
	r, err := newNumericRelaxation(t, b)
	if err != nil {
		return nil, err
	}
	m := &numericHMax{
		r: r, h: make([]int64, r.props), missing: make([]int32, len(r.ops)), need: make([]int32, len(r.ops)),
		deficit: make([]int64, len(r.bounds)), rate: make([]rate, len(r.bounds)), q: queue[int64]{heap: true}, costs: r.cost,
	}
	for o := range r.ops {
		m.need[o] = int32(len(r.ops[o].pre))
	}
	return m, nil
}

// start enters what holds in a state.
func (m *numericHMax) start(values []int32) {
	r := m.r
	for p := range m.h {
		m.h[p] = math.MaxInt64
	}
	copy(m.missing, m.need)
	m.q = queue[int64]{heap: true, items: m.q.items[:0]}
	for _, p := range r.always {
		m.reach(p, 0)
	}
	for _, v := range r.stateVar {
		m.reach(r.factBase[v]+values[v], 0)
	}
	r.deficits(values, m.deficit)
	for i := range r.bounds {
		m.rate[i] = rate{single: math.MaxInt64}
		if m.deficit[i] == 0 {
			m.reach(r.bounds[i].prop, 0)
		}
	}
	m.work += int64(r.props + len(r.ops)/4)
}

func (m *numericHMax) reach(p int32, d int64) {
	if d < m.h[p] {
		m.h[p] = d
		m.q.push(p, d)
	}
}

// Estimate implements Heuristic.
func (m *numericHMax) Estimate(values []int32) int64 {
	r := m.r
	m.start(values)
	for m.q.n > 0 {
		p, d := m.q.pop()
		if m.h[p] < d {
			continue
		}
		if p == r.goal {
			return min(d, DeadEnd-1)
		}
		for _, o := range r.uses.of(p) {
			m.work++
			if m.missing[o]--; m.missing[o] > 0 {
				continue
			}
			op := &r.ops[o]
			c := m.costs[op.owner]
			for _, e := range op.eff {
				m.reach(e, sum63(d, c))
			}
			for i := range op.help {
				m.contribute(&op.help[i], values, d, c)
			}
			m.work += int64(len(op.eff) + 4*len(op.help))
		}
	}
	return DeadEnd
}

// contribute takes note of an operator of cost c that can be applied from cost d on.
func (m *numericHMax) contribute(h *help, values []int32, d, c int64) {
	i := m.r.isBound[h.prop]
	deficit := m.deficit[i]
	if deficit == 0 || m.h[h.prop] <= d {
		return
	}
	n := m.r.amount(h, values, deficit)
	if n == 0 {
		return
	}
	x := &m.rate[i]
	x.single = min(x.single, sum63(d, c))
	if x.amount == 0 {
		x.at, x.amount, x.cost = d, n, c
	} else if faster(n, c, x.amount, x.cost) {
		x.made = sum63(x.made, muldiv(d-x.at, x.amount, x.cost, true)) // x.cost > 0, or the bound would be reached
		x.at, x.amount, x.cost = d, n, c
	}
	left := deficit - x.made
	if left <= 0 {
		m.reach(h.prop, max(x.single, d))
		return
	}
	m.reach(h.prop, max(x.single, sum63(x.at, muldiv(left, x.cost, x.amount, true))))
}

// faster reports whether n for c is a better rate than m for d.
func faster(n, c, m, d int64) bool {
	if c == 0 || d == 0 {
		return c == 0 && d > 0
	}
	// n/c > m/d, exactly: n*d > m*c
	h1, l1 := bits.Mul64(uint64(n), uint64(d))
	h2, l2 := bits.Mul64(uint64(m), uint64(c))
	return h1 > h2 || h1 == h2 && l1 > l2
}

// sum63 adds finite costs; the sum is finite.
func sum63(a, b int64) int64 {
	if s := a + b; s >= 0 && s < math.MaxInt64 {
		return s
	}
	return math.MaxInt64 - 1
}

// Work implements Heuristic.
func (m *numericHMax) Work() int64 { return m.work }

// Bytes implements Heuristic.
func (m *numericHMax) Bytes() int64 {
	return m.r.bytes() + 8*int64(len(m.h)+len(m.missing)) + 48*int64(len(m.deficit)) + m.q.bytes()
}
