package heuristic

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// costPartitions is the maximum over several orders of abstractions of the sum of their
// distances under saturated cost partitioning: in each order, every abstraction's distances
// are computed from what those before it left of the operators' costs, and it takes no more than
// they need (Seipp, Keller and Helmert, JAIR 67, 2020). The abstractions are projections
// (choosePatterns) and Cartesian abstractions of the goals and landmarks. Distances under
// full costs are among the tables where no order has them, so that the estimate is at least that of
// every part.
//
// Each order is greedy for one of some sampled states: abstractions by their distance there
// per unit of cost that they use up. It is kept if it raises the estimate of a sample
// (diversification; section 6 there). All is done within an amount of counted work, so it
// does not depend on the machine.
//
//	index    by abstraction: its state             | 17 | 3 | 0 | ...
//	orders   by order: entries first to next - 1   | 0 | 3 | 5 | ...
//	entries  abstraction and where its table is    | 4:0 | 0:120 | 2:144 | ...
//	tables   distances, one table after another    | 0 | 2 | 1 | inf | ...
//
// C is uint32 unless distances need int64.
type costPartitions[C uint32 | int64] struct {
	*abstractions
	tables []C
	work   int64
}

// tableEntry is one table of an order.
type tableEntry struct{ part, at int32 }

// abstractions are the parts of a cost partitioning and the orders built so far.
type abstractions struct {
	// The patterns: variables and multipliers from first[i] on belong to projection i.
	first     []int32
	vars      []int32
	mult      []int32
	cartesian []*cartesian
	// The landmarks that a fact proves to have held, for the regions of cartesian.
	ahead *landmarks
	index []int32 // by abstraction, projections first: the state looked at

	orders  []int32
	entries []tableEntry
	pieces  [][]int64 // by table, while they are built
	held    int64
}

// locate finds the abstract states of the state values.
func (a *abstractions) locate(values []int32) {
	n := len(a.first) - 1
	for i := range n {
		s := int32(0)
		for j := a.first[i]; j < a.first[i+1]; j++ {
			s += values[a.vars[j]] * a.mult[j]
		}
		a.index[i] = s
	}
	if a.ahead != nil {
		a.ahead.lookAhead(values)
	}
	for i, c := range a.cartesian {
		s := int32(0)
		if c.landmark >= 0 && a.ahead.state[c.landmark] == landmarkFirst || c.landmark < 0 && values[c.target.Var] != c.target.Val {
			s = c.locate(values)
		}
		a.index[n+i] = s
	}
}

// Estimate implements Heuristic.
func (h *costPartitions[C]) Estimate(values []int32) int64 {
	h.locate(values)
	best := int64(0)
	inf := infinite[C]()
	for o := range h.orders[:len(h.orders)-1] {
		sum := int64(0)
		for _, e := range h.entries[h.orders[o]:h.orders[o+1]] {
			d := h.tables[e.at+h.index[e.part]]
			if d == inf {
				h.work += int64(len(h.index))
				return DeadEnd
			}
			sum = satAdd(sum, int64(d))
		}
		best = max(best, sum)
	}
	h.work += int64(len(h.vars) + 8*len(h.cartesian) + len(h.entries))
	return best
}

// infinite stands for DeadEnd in tables of C.
func infinite[C uint32 | int64]() C {
	if sizeOfTable[C]() == 4 {
		x := uint64(math.MaxUint32)
		return C(x)
	}
	x := DeadEnd
	return C(x)
}

func sizeOfTable[C uint32 | int64]() int64 {
	var c C
	if _, ok := any(c).(uint32); ok {
		return 4
	}
	return 8
}

// Work implements Heuristic.
func (h *costPartitions[C]) Work() int64 { return h.work }

// Bytes implements Heuristic.
func (h *costPartitions[C]) Bytes() int64 { return h.held }

var scpOptions = []Option{
	{Name: "states", Default: 50000, Min: 1, Max: 1 << 24, Synopsis: "abstract states of one pattern, at most"},
	{Name: "total", Default: 1000000, Min: 0, Max: 1 << 27, Synopsis: "abstract states of all patterns, at most; 0: no patterns"},
	{Name: "cartesian", Default: 10000, Min: 0, Max: 1 << 24, Synopsis: "states of all Cartesian abstractions, at most; 0: none"},
	{Name: "orders", Default: 50, Min: 1, Max: 1000, Synopsis: "cost partitionings kept, at most"},
	{Name: "work", Default: 200, Min: 1, Max: 1 << 20, Synopsis: "million steps to build it, a sixtieth of a second each"},
	{Name: "perim", Default: 0, Min: 0, Max: 1, Synopsis: "1: distances beyond the sampled state's are paid for last"},
}

// scpWith returns the options of a variant, some with another default.
func scpWith(defaults map[string]int64) []Option {
	out := slices.Clone(scpOptions)
	for i := range out {
		if v, ok := defaults[out[i].Name]; ok {
			out[i].Default = v
		}
	}
	return out
}

// scpInfo is a catalogue entry: the heuristic with other defaults.
func scpInfo(name, synopsis string, defaults map[string]int64, refuses ...Feature) Info {
	options := scpWith(defaults)
	build := func(t *grounder.Task, values map[string]int64, b *Budget) (Heuristic, error) {
		return newCostPartitions(t, values, b)
	}
	return Info{
		Name: name, Synopsis: synopsis, Options: options, Refuses: refuses, NewWith: build,
		Properties: Properties{Admissible: true, Consistent: true, Safe: true},
		New: func(t *grounder.Task) (Heuristic, error) {
			values := map[string]int64{}
			for _, o := range options {
				values[o.Name] = o.Default
			}
			return build(t, values, nil)
		},
	}
}

const (
	scpSamples = 200
	scpWalk    = 100
	// scpFailures is how many orders in a row may raise no estimate.
	scpFailures = 20
	// scpTables bounds the tables of all orders, where there is no limit on memory.
	scpTables = 256 << 20
)

// newCostPartitions builds the heuristic. Errors are ErrTime and ErrMemory. The budget may be
// nil.
func newCostPartitions(t *grounder.Task, values map[string]int64, b *Budget) (Heuristic, error) {
	if b == nil {
		b = &Budget{}
	}
	p := &partitioner{abstractions: &abstractions{first: []int32{0}, orders: []int32{0}}, t: t, budget: b, begun: b.done, q: &queue[int64]{}}
	p.most = values["work"] * 1e6
	p.perim = values["perim"] == 1
	if p.tables = scpTables; b.Bytes > 0 {
		p.tables = min(p.tables, b.Bytes/4)
	}
	p.addPatterns(values["states"], values["total"])
	if err := p.addCartesian(values["cartesian"]); err != nil {
		return nil, err
	}
	p.index = make([]int32, len(p.graphs))
	p.diversify(int(values["orders"]))
	if b.err != nil {
		return nil, b.err
	}
	for _, d := range p.pieces {
		for _, x := range d {
			if x != DeadEnd && x >= math.MaxUint32 {
				return pack[int64](p), nil
			}
		}
	}
	return pack[uint32](p), nil
}

// pack copies the tables into one.
func pack[C uint32 | int64](p *partitioner) Heuristic {
	h := &costPartitions[C]{abstractions: p.abstractions}
	n := 0
	for i, d := range p.pieces {
		p.entries[i].at = int32(n)
		n += len(d)
	}
	h.tables = make([]C, 0, n)
	for _, d := range p.pieces {
		for _, x := range d {
			if x == DeadEnd {
				h.tables = append(h.tables, infinite[C]())
			} else {
				h.tables = append(h.tables, C(x))
			}
		}
	}
	h.held = int64(n)*sizeOfTable[C]() + int64(len(h.vars)+len(h.mult)+len(h.entries)*2)*4
	for _, c := range h.cartesian {
		h.held += int64(len(c.tree)) * 16
		c.abstractGraph = abstractGraph{}
	}
	p.budget.hold(h.held - p.budget.held)
	h.pieces = nil
	return h
}

// moreStolen compares d/stolen of two abstractions, the greater first.
func moreStolen(d1, stolen1, d2, stolen2 int64) int {
	h1, l1 := bits.Mul64(uint64(d1), uint64(stolen2))
	h2, l2 := bits.Mul64(uint64(d2), uint64(stolen1))
	return cmp.Or(cmp.Compare(h2, h1), cmp.Compare(l2, l1))
}
