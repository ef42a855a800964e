package heuristic

import (
	"math/big"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// PDB is the maximum over several orders of patterns of the sum of their pattern databases
// under saturated cost partitioning (Seipp, Keller and Helmert, "Saturated Cost Partitioning
// for Optimal Classical Planning", JAIR 67, 2020): in each order, every pattern's exact
// abstract distances are computed from what the patterns before it left of the operators'
// costs, and it takes no more of them than its distances need.
//
// The first order is greedy for the initial state: patterns by their distance there per
// unit of cost they use up. Further orders are greedy for states met on random walks and are
// kept if they raise the estimate of one of these. It is admissible and consistent, with
// axioms and conditional effects too, which projection relaxes.
type PDB struct {
	patterns []*projection
	orders   [][]PatternTable
	index    []int32 // by pattern: the abstract state looked at
	work     int64
	held     int64
	budget   *Budget // while it is built
}

// PatternTable is a pattern database: Values has the distance to the goal for every
// combination of values of the state variables Vars, the last variable fastest, DeadEnd
// where there is no path.
type PatternTable struct {
	Vars    []int32
	Values  []int64
	pattern int32
}

var pdbOptions = []Option{
	{Name: "states", Default: 20000, Min: 1, Max: 1 << 24, Synopsis: "abstract states of one pattern, at most"},
	{Name: "total", Default: 1000000, Min: 1, Max: 1 << 27, Synopsis: "abstract states of all patterns, at most"},
	{Name: "orders", Default: 4, Min: 1, Max: 100, Synopsis: "cost partitionings kept, at most"},
}

const (
	// pdbEdgesPerState bounds the transitions of all patterns by the number of their states.
	pdbEdgesPerState = 8
	pdbSamples       = 100
	pdbWalk          = 50
)

// NewPDB returns the heuristic for t with values for the options states, total and orders,
// or ErrTime or ErrMemory. The budget may be nil.
func NewPDB(t *grounder.Task, values map[string]int64, b *Budget) (*PDB, error) {
	if b == nil {
		b = &Budget{}
	}
	h := &PDB{budget: b}
	left, edges := values["total"], int(values["total"])*pdbEdgesPerState
	for _, vars := range choosePatterns(t, values["states"], b) {
		n := product(t, vars)
		if n > left {
			continue
		}
		p := newProjection(t, vars, edges, b)
		if b.err != nil {
			break
		}
		if p == nil {
			continue
		}
		left -= n
		edges -= len(p.edges)
		h.patterns = append(h.patterns, p)
	}
	h.index = make([]int32, len(h.patterns))
	h.choose(t, int(values["orders"]))
	if h.budget = nil; b.err != nil {
		return nil, b.err
	}
	return h, nil
}

// choose finds the orders. It ends early where the budget does.
func (h *PDB) choose(t *grounder.Task, orders int) {
	full := make([]int64, t.Operators.Len())
	for o := range full {
		full[o] = t.Operators.Cost(o)
	}
	q := &queue[int64]{}
	alone := make([][]int64, len(h.patterns))
	stolen := make([]*big.Int, len(h.patterns))
	b := h.budget
	for i, p := range h.patterns {
		if !b.hold(8 * int64(p.n)) {
			return
		}
		if alone[i] = p.distances(full, q, b); b.err != nil {
			return
		}
		stolen[i] = new(big.Int)
		for k, need := range p.saturate(alone[i]) {
			n := int64(len(p.ops.of(int32(k))))
			stolen[i].Add(stolen[i], new(big.Int).Mul(big.NewInt(need), big.NewInt(n)))
		}
	}
	samples := sampleStates(t, pdbSamples, pdbWalk, b)
	best := make([]int64, len(samples))
	for i := range best {
		best[i] = -1
	}
	for try := 0; try < min(2*orders, len(samples)) && len(h.orders) < orders; try++ {
		tables := h.partition(full, h.greedy(alone, stolen, samples[try]), q)
		if b.err != nil {
			return
		}
		better := false
		for i, values := range samples {
			b.spend(len(h.patterns))
			h.locate(values)
			if e := h.sum(tables); e > best[i] {
				best[i] = e
				better = true
			}
		}
		if better || try == 0 {
			h.orders = append(h.orders, tables)
			continue
		}
		for i := range tables {
			b.hold(-8 * int64(len(tables[i].Values)))
		}
	}
	for _, tables := range h.orders {
		for i := range tables {
			h.held += int64(len(tables[i].Values)) * 8
		}
	}
	for _, p := range h.patterns {
		p.abstractGraph = abstractGraph{} // only the index is needed now
	}
}

// greedy orders the patterns by their distance in a state per unit of cost they use up,
// decreasing; dead ends come first, and those of equal ratio keep their order.
func (h *PDB) greedy(alone [][]int64, stolen []*big.Int, values []int32) []int {
	order := make([]int, len(h.patterns))
	d := make([]*big.Int, len(order))
	for i, p := range h.patterns {
		order[i] = i
		d[i] = big.NewInt(alone[i][p.index(values)])
	}
	dead := big.NewInt(DeadEnd)
	rank := func(i int) int {
		switch {
		case d[i].Sign() == 0:
			return 2
		case d[i].Cmp(dead) < 0:
			return 1
		}
		return 0
	}
	var x, y big.Int
	slices.SortStableFunc(order, func(i, j int) int {
		if r := rank(i) - rank(j); r != 0 || rank(i) != 1 {
			return r
		}
		return y.Mul(d[j], stolen[i]).Cmp(x.Mul(d[i], stolen[j]))
	})
	return order
}

// partition computes the tables of one order, without those that are 0 everywhere.
func (h *PDB) partition(full []int64, order []int, q *queue[int64]) []PatternTable {
	left := append([]int64(nil), full...)
	var out []PatternTable
	for _, i := range order {
		p := h.patterns[i]
		if !h.budget.hold(8 * int64(p.n)) {
			return nil
		}
		d := p.distances(left, q, h.budget)
		if h.budget.err != nil {
			return nil
		}
		useful := false
		for _, x := range d {
			if x > 0 {
				useful = true
				break
			}
		}
		if !useful {
			h.budget.hold(-8 * int64(p.n))
			continue
		}
		for k, need := range p.saturate(d) {
			for _, o := range p.ops.of(int32(k)) {
				left[o] -= need
			}
		}
		out = append(out, PatternTable{Vars: p.vars, Values: d, pattern: int32(i)})
	}
	return out
}

// locate finds the abstract states of the state values.
func (h *PDB) locate(values []int32) {
	for i, p := range h.patterns {
		h.index[i] = p.index(values)
	}
}

// sum adds up the tables for the state located last.
func (h *PDB) sum(tables []PatternTable) int64 {
	s := int64(0)
	for i := range tables {
		d := tables[i].Values[h.index[tables[i].pattern]]
		if d == DeadEnd {
			return DeadEnd
		}
		s = satAdd(s, d)
	}
	return s
}

// satAdd adds two costs, staying below DeadEnd.
func satAdd(a, b int64) int64 { return min(a+min(b, DeadEnd-1-a), DeadEnd-1) }

// Estimate implements Heuristic.
func (h *PDB) Estimate(values []int32) int64 {
	h.locate(values)
	h.work += int64(len(h.patterns))
	best := int64(0)
	for _, tables := range h.orders {
		h.work += int64(len(tables))
		best = max(best, h.sum(tables))
	}
	return best
}

// Reaches returns the first order whose tables sum up to at least need in the state values,
// or -1.
func (h *PDB) Reaches(values []int32, need int64) int {
	h.locate(values)
	h.work += int64(len(h.patterns))
	for i, tables := range h.orders {
		h.work += int64(len(tables))
		if h.sum(tables) >= need {
			return i
		}
	}
	return -1
}

// Work implements Heuristic.
func (h *PDB) Work() int64 { return h.work }

// Bytes implements Heuristic.
func (h *PDB) Bytes() int64 { return h.held }

// Tables returns the tables by order: the estimate is the greatest sum over an order.
func (h *PDB) Tables() [][]PatternTable { return h.orders }

// sampleStates returns n states: the initial one, and ends of random walks from it of at
// most length steps, fewer where the budget ends. They are the same in every run.
func sampleStates(t *grounder.Task, n, length int, b *Budget) [][]int32 {
	gen := state.NewSuccessorGenerator(t)
	axioms := state.NewAxiomEvaluator(t)
	var scratch state.AxiomScratch
	var ops []grounder.OperatorID
	var stack []int32
	random := uint64(1)
	draw := func(k int) int { // splitmix64
		random += 0x9e3779b97f4a7c15
		x := random
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return int((x ^ x>>31) % uint64(k))
	}
	out := [][]int32{append([]int32(nil), t.Init...)}
	for len(out) < n && b.err == nil {
		values := append([]int32(nil), t.Init...)
		for range draw(length) + 1 {
			b.spend(len(values) + len(ops))
			if axioms != nil {
				axioms.Evaluate(values, &scratch)
			}
			if ops, stack = gen.Append(ops[:0], values, stack); len(ops) == 0 {
				break
			}
			op := t.Operators.At(int(ops[draw(len(ops))]))
			next := append([]int32(nil), values...)
			for i := range op.Effects {
				if e := &op.Effects[i]; holdsIn(e.Cond, values) {
					next[e.Var] = e.Val
				}
			}
			values = next
		}
		out = append(out, values)
	}
	return out
}
