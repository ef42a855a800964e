package heuristic

import (
	"cmp"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// partitioner builds costPartitions.
type partitioner struct {
	*abstractions
	t      *grounder.Task
	budget *Budget
	graphs []*abstractGraph // by abstraction
	begun  int64            // work counted when it began
	most   int64            // work to be done
	tables int64            // bytes of tables, at most
	perim  bool
	q      *queue[int64]
	alone  [][]int64 // by abstraction: distances under full costs
	stolen []int64   // by abstraction: the costs that these use up
	kept   []bool    // by abstraction: some order has the table alone
	order  []int32
	need   []int64
	left   []int64
}

// until is the work at which a part of the building ends, the first percent of all.
func (p *partitioner) until(percent int64) int64 { return p.begun + p.most/100*percent }

// addPatterns adds projections within a total of abstract states.
func (p *partitioner) addPatterns(states, total int64) {
	if total == 0 {
		return
	}
	edges := int(total) * pdbEdgesPerState
	for _, vars := range choosePatterns(p.t, min(states, total), p.budget) {
		n := product(p.t, vars)
		if n > total {
			continue
		}
		if p.budget.done > p.until(30) {
			break
		}
		x := newProjection(p.t, vars, edges, p.budget)
		if p.budget.err != nil {
			return
		}
		if x == nil {
			continue
		}
		total -= n
		edges -= len(x.edges)
		p.graphs = append(p.graphs, &x.abstractGraph)
		p.vars, p.mult = append(p.vars, x.vars...), append(p.mult, x.mult...)
		p.first = append(p.first, int32(len(p.vars)))
	}
}

// addCartesian adds Cartesian abstractions of the goals, then of the landmarks, within a total
// of abstract states. Tasks with axioms or conditional effects have none.
func (p *partitioner) addCartesian(total int64) error {
	for _, f := range FeaturesOf(p.t) {
		if f == Axioms || f == ConditionalEffects || f == ConditionalCosts {
			return nil
		}
	}
	if total == 0 || p.budget.err != nil {
		return p.budget.err
	}
	task := newCartesianTask(p.t, p.budget)
	subtasks, err := p.subtasks(task)
	if err != nil {
		return err
	}
	edges := int(total) * 100
	for i, x := range subtasks {
		rest := len(subtasks) - i
		until := p.budget.done + (p.until(60)-p.budget.done)/int64(rest)
		c := task.newCartesian(x.target, x.landmark, x.region(task), max(int(total)/rest, 2), edges/rest, until)
		if p.budget.err != nil {
			return p.budget.err
		}
		if c == nil {
			continue
		}
		total -= int64(c.n)
		edges -= len(c.edges)
		p.cartesian = append(p.cartesian, c)
		p.graphs = append(p.graphs, &c.abstractGraph)
		if total < 2 || edges <= 0 || p.budget.done > p.until(60) {
			break
		}
	}
	return nil
}

// subtask is what a Cartesian abstraction is about.
type subtask struct {
	target   grounder.Fact
	landmark int32
	known    *landmarks
}

// subtasks lists the goals that do not hold, then the landmarks to come. The landmarks are those that
// the initial state needs, without the goals.
func (p *partitioner) subtasks(k *cartesianTask) ([]subtask, error) {
	var out []subtask
	for _, f := range p.t.Goal {
		if p.t.Init[f.Var] != f.Val {
			out = append(out, subtask{target: f, landmark: -1})
		}
	}
	h, err := newLandmarks(p.t, map[string]int64{}, p.budget)
	if err != nil || h.blind || h.dead {
		return out, err
	}
	p.ahead = h
	h.lookAhead(p.t.Init)
	for l := range h.facts {
		if h.state[l] == landmarkFirst && h.kind[l]&landmarkGoal == 0 {
			target := grounder.Fact{Var: h.variable[l], Val: h.values.of(int32(l))[0]}
			out = append(out, subtask{target, int32(l), h})
		}
	}
	return out, nil
}

// region returns the facts of a subtask's region.
func (x *subtask) region(k *cartesianTask) []uint64 {
	out := make([]uint64, k.words)
	for v := range k.t.Variables {
		for f := k.factBase[v]; f < k.factBase[v+1]; f++ {
			in := int32(v) != x.target.Var || f-k.factBase[v] != x.target.Val
			if x.landmark >= 0 {
				in = !x.known.proves(int32(v), f-k.factBase[v], x.landmark)
			}
			if in {
				out[f>>6] |= 1 << (f & 63)
			}
		}
	}
	return out
}

// diversify builds the orders.
func (p *partitioner) diversify(orders int) {
	full := make([]int64, p.t.Operators.Len())
	for o := range full {
		full[o] = p.t.Operators.Cost(o)
	}
	p.left = make([]int64, len(full))
	if !p.distances(full) {
		return
	}
	samples := sampleStates(p.t, scpSamples, scpWalk, p.budget)
	index := make([][]int32, len(samples))
	best := make([]int64, len(samples))
	for i, values := range samples {
		p.budget.spend(len(p.vars) + 16*len(p.cartesian))
		p.locate(values)
		index[i], best[i] = slices.Clone(p.index), -1
	}
	p.kept = make([]bool, len(p.graphs))
	failures := 0
	for i := 0; i < len(samples) && len(p.orders) <= orders && failures < scpFailures; i++ {
		if i > 0 && (p.budget.done > p.until(100) || p.held > p.tables) {
			break
		}
		first := len(p.pieces)
		if !p.partition(full, index[i]) {
			return
		}
		better := false
		for j := range index {
			p.budget.spend(len(p.pieces) - first)
			if e := p.sum(first, index[j]); e > best[j] {
				best[j], better = e, true
			}
		}
		if better {
			failures = 0
			p.orders = append(p.orders, int32(len(p.pieces)))
			continue
		}
		failures++
		for _, d := range p.pieces[first:] {
			p.release(d)
		}
		p.pieces, p.entries = p.pieces[:first], p.entries[:first]
	}
	p.addAlone()
}

// distances computes alone and stolen.
func (p *partitioner) distances(full []int64) bool {
	for _, g := range p.graphs {
		if !p.budget.hold(8 * int64(g.n)) {
			return false
		}
		d := g.distances(full, p.q, p.budget)
		if p.budget.err != nil {
			return false
		}
		p.alone = append(p.alone, d)
		stolen := int64(1)
		for k, need := range g.saturate(d) {
			for range g.ops.of(int32(k)) {
				stolen = satAdd(stolen, need)
			}
		}
		p.stolen = append(p.stolen, stolen)
	}
	return true
}

// greedy orders the abstractions for a state given by its abstract states: dead ends first,
// then by distance per cost used up; those of distance 0 last.
func (p *partitioner) greedy(index []int32) []int32 {
	p.order = p.order[:0]
	for i := range p.graphs {
		p.order = append(p.order, int32(i))
	}
	slices.SortStableFunc(p.order, func(i, j int32) int {
		di, dj := p.alone[i][index[i]], p.alone[j][index[j]]
		if a, b := di == DeadEnd, dj == DeadEnd; a || b {
			return boolInt(b) - boolInt(a)
		}
		return moreStolen(di, p.stolen[i], dj, p.stolen[j])
	})
	p.budget.spend(32 * len(p.order))
	return p.order
}

// partition appends the tables of the order that is greedy for a state, without those that are
// 0 everywhere. It reports false when the budget ends.
func (p *partitioner) partition(full []int64, index []int32) bool {
	copy(p.left, full)
	order := p.greedy(index)
	where := make([]int32, len(p.graphs)) // by abstraction: its piece, plus 1
	for round := 0; round < 1+boolInt(p.perim); round++ {
		for _, i := range order {
			g := p.graphs[i]
			if !p.budget.hold(8 * int64(g.n)) {
				return false
			}
			d := g.distances(p.left, p.q, p.budget)
			if p.budget.err != nil {
				return false
			}
			if p.perim && round == 0 {
				cut(d, d[index[i]])
			}
			p.pay(g, d)
			switch {
			case slices.Max(d) == 0:
				p.budget.hold(-8 * int64(g.n))
			case where[i] > 0: // the second of two parts
				sum := p.pieces[where[i]-1]
				for s := range d {
					if d[s] == DeadEnd || sum[s] == DeadEnd {
						sum[s] = DeadEnd
					} else {
						sum[s] = satAdd(sum[s], d[s])
					}
				}
				p.budget.hold(-8 * int64(g.n))
			default:
				p.pieces, p.entries = append(p.pieces, d), append(p.entries, tableEntry{part: i})
				p.held += 8 * int64(g.n)
				where[i] = int32(len(p.pieces))
			}
		}
	}
	return true
}

// cut lowers distances to at most top, except those of dead ends.
func cut(d []int64, top int64) {
	for s, x := range d {
		if x != DeadEnd {
			d[s] = min(x, top)
		}
	}
}

// pay takes from what is left of the operators' costs what the distances d need.
func (p *partitioner) pay(g *abstractGraph, d []int64) {
	p.need = append(p.need[:0], make([]int64, len(g.loops))...)
	g.saturateFully(d, p.need)
	p.budget.spend(len(g.edges) + int(g.n))
	for k, need := range p.need {
		for _, o := range g.ops.of(int32(k)) {
			switch {
			case p.left[o] == noCost || need == noNeed:
				p.left[o] = noCost
			case need >= 0:
				p.left[o] -= need
			default:
				p.left[o] = satAdd(p.left[o], -need)
			}
		}
	}
}

// sum adds up the tables from first on for a state.
func (p *partitioner) sum(first int, index []int32) int64 {
	s := int64(0)
	for i, d := range p.pieces[first:] {
		x := d[index[p.entries[first+i].part]]
		if x == DeadEnd {
			return DeadEnd
		}
		s = satAdd(s, x)
	}
	return s
}

// addAlone appends, as orders of one, the distances under full costs that no order's table
// for the same abstraction reaches everywhere.
func (p *partitioner) addAlone() {
	for i, d := range p.pieces {
		part := p.entries[i].part
		full := p.alone[part]
		p.kept[part] = p.kept[part] || slices.CompareFunc(d, full, func(x, y int64) int { return min(0, cmp.Compare(x, y)) }) == 0
	}
	for i, d := range p.alone {
		if p.kept[i] || slices.Max(d) == 0 {
			p.budget.hold(-8 * int64(len(d)))
			continue
		}
		p.pieces, p.entries = append(p.pieces, d), append(p.entries, tableEntry{part: int32(i)})
		p.orders = append(p.orders, int32(len(p.pieces)))
	}
}

func (p *partitioner) release(d []int64) {
	p.held -= 8 * int64(len(d))
	p.budget.hold(-8 * int64(len(d)))
}
