package grounder

import (
	"container/heap"
	"slices"
)

// removeIrrelevant keeps the variables that the goal depends on, through
// preconditions and conditions of whatever changes them, and orders variables by
// the causal graph (Helmert, The Fast Downward planning system, JAIR 26, 2006,
// section 5.2): a variable comes after those it depends on; cycles are cut where that
// affects the fewest operators.
func (g *grounder) removeIrrelevant() {
	s := &g.sas
	n := len(s.init)
	keep := g.relevant()
	cg := newCausalGraph(keep, s.ops.Len())
	cg.weigh(g)
	goal := make([]bool, cg.n)
	for _, f := range s.goal {
		if v := cg.node[f.Var]; v >= 0 {
			goal[v] = true
		}
	}
	r := &renaming{base: make([]int32, n+1)}
	sizes := make([]int32, n)
	for _, f := range s.rename.facts {
		if f.Var >= 0 {
			sizes[f.Var]++
		}
	}
	for v := range n {
		r.base[v+1] = r.base[v] + sizes[v]
	}
	r.facts = make([]Fact, r.base[n])
	for i := range r.facts {
		r.facts[i].Var = alwaysTrue // irrelevant: nothing that is kept reads it
	}
	init := make([]int32, 0, cg.n)
	for _, v := range cg.order(g, goal) {
		for k := range sizes[v] {
			r.facts[r.base[v]+k] = Fact{Var: int32(len(init)), Val: k}
		}
		init = append(init, s.init[v])
	}
	s.init = init
	g.renameOperators(r)
	g.renameAxioms(r)
	s.goal, _ = r.conjunction(s.goal)
	for i, f := range s.rename.facts {
		if f.Var >= 0 {
			s.rename.facts[i] = r.of(f)
		}
	}
}

// relevant marks the variables that the goal depends on.
func (g *grounder) relevant() []bool {
	s := &g.sas
	keep := make([]bool, len(s.init))
	if g.opt.KeepIrrelevant {
		for v := range keep {
			keep[v] = true
		}
		return keep
	}
	fluents := g.newFluentRelevance()
	start, changing := g.changingLists()
	first, sharing := g.operatorsOfLists()
	axioms := make([][]int32, len(s.init))
	for i, a := range s.axioms {
		axioms[a.Head.Var] = append(axioms[a.Head.Var], int32(i))
	}
	var queue []int32
	mark := func(facts []Fact) {
		for _, f := range facts {
			if !keep[f.Var] {
				keep[f.Var] = true
				queue = append(queue, f.Var)
			}
		}
	}
	mark(s.goal)
	apply := func(op int32) {
		mark(s.ops.Pre(int(op)))
		for _, c := range s.ops.CondCosts(int(op)) {
			mark(c.Cond)
		}
	}
	seen := make([]bool, len(s.ops.effects))
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		fluents.mark(v, func(op int32, c *fluentEffect) {
			apply(op)
			mark(c.facts)
		})
		for _, i := range axioms[v] {
			mark(s.axioms[i].Body)
		}
		for _, c := range changing[start[v]:start[v+1]] {
			g.tick()
			mark(s.ops.effects[c.list][c.effect].Cond)
			if !seen[c.list] {
				seen[c.list] = true
				for _, op := range sharing[first[c.list]:first[c.list+1]] {
					g.tick()
					apply(op)
				}
			}
		}
	}
	return keep
}

// listed is an effect in a list.
type listed struct{ list, effect int32 }

// changingLists lists the effects on each variable: those on v are
// list[start[v]:start[v+1]].
func (g *grounder) changingLists() (start []int32, list []listed) {
	s := &g.sas
	start = make([]int32, len(s.init)+1)
	for _, effects := range s.ops.effects {
		g.tick()
		for _, e := range effects {
			start[e.Var+1]++
		}
	}
	for v := range s.init {
		start[v+1] += start[v]
	}
	list = make([]listed, start[len(s.init)])
	fill := slices.Clone(start)
	for i, effects := range s.ops.effects {
		g.tick()
		for k, e := range effects {
			list[fill[e.Var]] = listed{int32(i), int32(k)}
			fill[e.Var]++
		}
	}
	return start, list
}

// operatorsOfLists lists the operators that share each list of effects: those of list l are
// ops[first[l]:first[l+1]].
func (g *grounder) operatorsOfLists() (first, ops []int32) {
	t := &g.sas.ops
	first = make([]int32, len(t.effects)+1)
	for i := range t.rows {
		g.tick()
		first[t.rows[i].list+1]++
	}
	for l := range t.effects {
		first[l+1] += first[l]
	}
	ops = make([]int32, len(t.rows))
	fill := slices.Clone(first)
	for i := range t.rows {
		g.tick()
		l := t.rows[i].list
		ops[fill[l]] = int32(i)
		fill[l]++
	}
	return first, ops
}

// causalGraph weighs the edges from the variables of conditions to those of
// effects by how often they occur. Its nodes are the variables that are kept.
type causalGraph struct {
	n     int
	vars  []int32         // by node
	node  []int32         // by variable, -1 if it is not kept
	dense []int32         // n*n, for small n
	edges map[int64]int32 // else
}

const maxDense = 2048

// newCausalGraph makes a graph without edges, for a number of operators.
func newCausalGraph(keep []bool, operators int) *causalGraph {
	c := &causalGraph{node: make([]int32, len(keep))}
	for v, kept := range keep {
		c.node[v] = -1
		if kept {
			c.node[v] = int32(c.n)
			c.vars = append(c.vars, int32(v))
			c.n++
		}
	}
	if c.n <= maxDense || c.n*c.n <= 2*operators {
		c.dense = make([]int32, c.n*c.n)
	} else {
		c.edges = make(map[int64]int32)
	}
	return c
}

// add adds an edge between variables that are both kept.
func (c *causalGraph) add(from, to int32) {
	if from, to = c.node[from], c.node[to]; from == to || from < 0 || to < 0 {
		return
	}
	if c.dense != nil {
		c.dense[int(from)*c.n+int(to)]++
	} else {
		c.edges[int64(from)<<32|int64(to)]++
	}
}

func (c *causalGraph) weigh(g *grounder) {
	for i := range g.sas.ops.Len() {
		pre := g.sas.ops.Pre(i)
		for _, e := range g.sas.ops.Effects(i) {
			if c.node[e.Var] < 0 {
				continue
			}
			for _, f := range pre {
				c.add(f.Var, e.Var)
			}
			for _, f := range e.Cond {
				c.add(f.Var, e.Var)
			}
		}
		g.tick()
	}
	for _, a := range g.sas.axioms {
		for _, f := range a.Body {
			c.add(f.Var, a.Head.Var)
		}
	}
}

type weightedEdge struct{ to, weight int32 }

func (c *causalGraph) successors() [][]weightedEdge {
	out := make([][]weightedEdge, c.n)
	if c.dense != nil {
		for v := range out {
			for w, k := range c.dense[v*c.n : v*c.n+c.n] {
				if k > 0 {
					out[v] = append(out[v], weightedEdge{int32(w), k})
				}
			}
		}
		return out
	}
	for e, k := range c.edges {
		out[e>>32] = append(out[e>>32], weightedEdge{int32(e), k})
	}
	for v := range out {
		slices.SortFunc(out[v], func(a, b weightedEdge) int { return int(a.to) - int(b.to) })
	}
	return out
}

// order lists the variables, sources of the causal graph first.
func (c *causalGraph) order(g *grounder, goal []bool) []int32 {
	succ := c.successors()
	comps := stronglyConnected(c.n, func(v int32, visit func(int32)) {
		g.work(len(succ[v]))
		for _, e := range succ[v] {
			visit(e.to)
		}
	})
	var out []int32
	for i := len(comps.list) - 1; i >= 0; i-- {
		comp := comps.list[i]
		slices.Sort(comp)
		if len(comp) == 1 {
			out = append(out, comp[0])
			continue
		}
		out = append(out, lightestFirst(g, comp, succ, comps.of, goal)...)
	}
	for i, v := range out {
		out[i] = c.vars[v]
	}
	return out
}

// lightestFirst orders one component: it repeatedly takes the variable with the least
// incoming weight from variables not yet placed. Goal variables weigh more.
func lightestFirst(g *grounder, comp []int32, succ [][]weightedEdge, of []int32, goal []bool) []int32 {
	const goalWeight = 100_000
	incoming := make(map[int32]int64, len(comp))
	inside := func(v, w int32) bool { return of[v] == of[w] }
	for _, v := range comp {
		g.work(len(succ[v]))
		for _, e := range succ[v] {
			if inside(v, e.to) {
				incoming[e.to] += int64(e.weight)
				if goal[e.to] {
					incoming[e.to] += goalWeight + int64(e.weight)
				}
			}
		}
	}
	h := &weightHeap{}
	for _, v := range comp {
		h.push(incoming[v], v)
	}
	placed := make(map[int32]bool, len(comp))
	out := make([]int32, 0, len(comp))
	for h.Len() > 0 {
		top := heap.Pop(h).(weightEntry)
		v := top.node
		if placed[v] || top.weight != incoming[v] {
			continue
		}
		placed[v] = true
		out = append(out, v)
		g.work(len(succ[v]))
		for _, e := range succ[v] {
			if !inside(v, e.to) || placed[e.to] {
				continue
			}
			incoming[e.to] -= int64(e.weight)
			if goal[e.to] {
				incoming[e.to] -= int64(e.weight)
			}
			h.push(incoming[e.to], e.to)
		}
	}
	return out
}

// weightHeap is a priority queue; equal weights come first in, first out.
type weightHeap struct {
	entries []weightEntry
	pushed  int
}

type weightEntry struct {
	weight int64
	seq    int
	node   int32
}

func (h *weightHeap) push(weight int64, node int32) {
	h.pushed++
	heap.Push(h, weightEntry{weight, h.pushed, node})
}

func (h *weightHeap) Len() int { return len(h.entries) }
func (h *weightHeap) Less(i, j int) bool {
	a, b := &h.entries[i], &h.entries[j]
	return a.weight < b.weight || a.weight == b.weight && a.seq < b.seq
}
func (h *weightHeap) Swap(i, j int) { h.entries[i], h.entries[j] = h.entries[j], h.entries[i] }
func (h *weightHeap) Push(x any)    { h.entries = append(h.entries, x.(weightEntry)) }
func (h *weightHeap) Pop() any {
	last := len(h.entries) - 1
	x := h.entries[last]
	h.entries = h.entries[:last]
	return x
}
