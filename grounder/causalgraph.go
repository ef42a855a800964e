package grounder

import "slices"

// causalGraph weighs the edges from the variables of conditions to those of
// effects by how often they occur. Its nodes are the variables that were chosen.
type causalGraph struct {
	n     int     // variables
	dense []int32 // n*n weights, those of the edges to a variable together, if that is less than what from takes
	start []int   // else: the edges to v come from from[start[v]:start[v+1]], each as often as it occurs
	from  []int32
	vars  []int32 // by node
	node  []int32 // by variable, -1 for one that is no node
}

func newCausalGraph(g *grounder) *causalGraph {
	c := &causalGraph{n: len(g.sas.init)}
	if c.n <= g.limits.dense || !c.list(g) {
		c.weigh(g)
	}
	return c
}

// threads returns how many threads go through the operators; each has numbers of its own by variable, or more.
func (c *causalGraph) threads(g *grounder, numbers int) int {
	return g.threads(g.sas.ops.Len(), max(g.limits.piece, numbers))
}

// weigh makes c.dense.
func (c *causalGraph) weigh(g *grounder) {
	parts := make([][]int32, c.threads(g, c.n*c.n))
	g.spread(g.sas.ops.Len(), len(parts), func(own *grounder, i, from, to int) {
		weights := make([]int32, c.n*c.n)
		c.each(own, from, to, func(from, to int32) { weights[int(to)*c.n+int(from)]++ })
		parts[i] = weights
	})
	c.dense = parts[0]
	for _, weights := range parts[1:] {
		for i, w := range weights {
			c.dense[i] += w
		}
	}
}

// list makes c.from, as a counting sort, unless c.dense is smaller.
func (c *causalGraph) list(g *grounder) bool {
	next := make([][]int, c.threads(g, c.n)) // by thread and variable: edges, and later where the next of them goes
	g.spread(g.sas.ops.Len(), len(next), func(own *grounder, i, from, to int) {
		number := make([]int, c.n)
		c.each(own, from, to, func(_, to int32) { number[to]++ })
		next[i] = number
	})
	c.start = make([]int, c.n+1)
	total := 0
	for v := range c.n {
		c.start[v] = total
		total = stack(next, v, total)
	}
	if c.start[c.n] = total; c.n*c.n <= total {
		return false
	}
	c.from = make([]int32, total)
	g.spread(g.sas.ops.Len(), len(next), func(own *grounder, i, from, to int) {
		at := next[i]
		c.each(own, from, to, func(from, to int32) {
			c.from[at[to]] = from
			at[to]++
		})
	})
	return true
}

// stack replaces the numbers of entry v by where they begin, one after another from some place on, and returns where the last ends.
func stack[T int | int32](numbers [][]T, v int, at T) T {
	for _, number := range numbers {
		number[v], at = at, at+number[v]
	}
	return at
}

// each visits every occurrence of an edge between different variables in some operators, and with the last in the axioms.
func (c *causalGraph) each(g *grounder, first, end int, visit func(from, to int32)) {
	edges := func(from []Fact, to int32) {
		for _, f := range from {
			if f.Var != to {
				visit(f.Var, to)
			}
		}
	}
	ops := &g.sas.ops
	for i := first; i < end; i++ {
		g.tick()
		pre := ops.Pre(i)
		for _, f := range ops.own(i) {
			edges(pre, f.Var)
		}
		for _, e := range ops.listed(i) {
			edges(pre, e.Var)
			edges(e.Cond, e.Var)
		}
	}
	for i := 0; end == ops.Len() && i < len(g.sas.axioms); i++ {
		edges(g.sas.axioms[i].Body, g.sas.axioms[i].Head.Var)
	}
}

// sources visits the variables that edges to a variable come from, some of them several times.
func (c *causalGraph) sources(g *grounder, to int32, visit func(from int32)) {
	if c.dense != nil {
		g.work(c.n)
		for v, w := range c.dense[int(to)*c.n : int(to+1)*c.n] {
			if w > 0 {
				visit(int32(v))
			}
		}
		return
	}
	from := c.from[c.start[to]:c.start[to+1]]
	g.work(len(from))
	for _, v := range from {
		visit(v)
	}
}

// choose makes the nodes.
func (c *causalGraph) choose(keep []bool) {
	c.node = make([]int32, c.n)
	for v, kept := range keep {
		c.node[v] = -1
		if kept {
			c.node[v] = int32(len(c.vars))
			c.vars = append(c.vars, int32(v))
		}
	}
}

type weightedEdge struct{ to, weight int32 }

// successors lists the edges from each node, by the nodes that they lead to.
func (c *causalGraph) successors(g *grounder) [][]weightedEdge {
	nodes := len(c.vars)
	threads := g.threads(max(len(c.dense), len(c.from)), max(g.limits.piece, 16*nodes))
	next := make([][]int32, threads) // by thread and node: edges, and later where the next of them goes
	g.spread(nodes, threads, func(own *grounder, i, first, end int) {
		number := make([]int32, nodes)
		c.edges(own, first, end, func(from, _, _ int32) { number[from]++ })
		next[i] = number
	})
	out := make([][]weightedEdge, nodes)
	for v := range out {
		out[v] = make([]weightedEdge, stack(next, v, 0))
	}
	g.spread(nodes, threads, func(own *grounder, i, first, end int) {
		at := next[i]
		c.edges(own, first, end, func(from, to, weight int32) {
			out[from][at[from]] = weightedEdge{to, weight}
			at[from]++
		})
	})
	return out
}

// edges visits the edges to some nodes, by these.
func (c *causalGraph) edges(g *grounder, first, end int, visit func(from, to, weight int32)) {
	weight := make([]int32, c.n) // of the edges to a node, by variable
	var different []int32
	for to := first; to < end; to++ {
		v := c.vars[to]
		different = different[:0]
		c.sources(g, v, func(from int32) {
			if c.node[from] < 0 {
				return
			}
			if weight[from] == 0 {
				different = append(different, from)
			}
			weight[from]++
		})
		for _, from := range different {
			w := weight[from]
			if weight[from] = 0; c.dense != nil {
				w = c.dense[int(v)*c.n+int(from)]
			}
			visit(c.node[from], int32(to), w)
		}
	}
}

// order lists the variables, sources of the causal graph first.
func (c *causalGraph) order(g *grounder, goal []bool) []int32 {
	succ := c.successors(g)
	comps := stronglyConnected(g, succ, func(e weightedEdge) int32 { return e.to })
	h := weightHeap{goal: goal, weight: make([]int64, len(c.vars)), pushed: make([]int, len(c.vars)), at: make([]int32, len(c.vars))}
	out := make([]int32, 0, len(c.vars))
	for i := len(comps.list) - 1; i >= 0; i-- {
		comp := comps.list[i]
		slices.Sort(comp)
		if len(comp) == 1 {
			out = append(out, comp[0])
			continue
		}
		out = h.lightestFirst(g, out, comp, succ, comps.of)
	}
	for i, v := range out {
		out[i] = c.vars[v]
	}
	return out
}

// lightestFirst appends one component: it repeatedly takes the variable with the least
// incoming weight from variables not yet placed. Goal variables weigh more.
func (h *weightHeap) lightestFirst(g *grounder, out, comp []int32, succ [][]weightedEdge, of []int32) []int32 {
	const goalWeight = 100_000
	for _, v := range comp {
		g.work(len(succ[v]))
		for _, e := range succ[v] {
			if of[v] == of[e.to] {
				h.weight[e.to] += int64(e.weight)
				if h.goal[e.to] {
					h.weight[e.to] += goalWeight + int64(e.weight)
				}
			}
		}
	}
	for _, v := range comp {
		h.at[v] = int32(len(h.nodes))
		h.nodes = append(h.nodes, v)
		h.moved(v)
	}
	for len(h.nodes) > 0 {
		v := h.pop()
		out = append(out, v)
		g.work(len(succ[v]))
		for _, e := range succ[v] {
			if of[v] != of[e.to] || h.at[e.to] < 0 {
				continue
			}
			h.weight[e.to] -= int64(e.weight)
			if h.goal[e.to] {
				h.weight[e.to] -= int64(e.weight)
			}
			h.moved(e.to)
		}
	}
	return out
}

// weightHeap is a priority queue of nodes. Of equal weights, the node that has had its weight for longest comes first.
type weightHeap struct {
	goal   []bool // by node
	weight []int64
	pushed []int   // when the node got its weight
	at     []int32 // its place in nodes, -1 once it has left them
	nodes  []int32
	pushes int
}

// moved puts a node that is new, or has less weight than before, in its place.
func (h *weightHeap) moved(v int32) {
	h.pushes++
	h.pushed[v] = h.pushes
	i := h.at[v]
	for i > 0 && h.less(v, h.nodes[(i-1)/2]) {
		h.set(i, h.nodes[(i-1)/2])
		i = (i - 1) / 2
	}
	h.set(i, v)
}

func (h *weightHeap) pop() int32 {
	top, last := h.nodes[0], h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	if len(h.nodes) > 0 {
		h.set(0, last)
		h.sink(0)
	}
	h.at[top] = -1
	return top
}

func (h *weightHeap) sink(i int32) {
	v := h.nodes[i]
	for {
		k := 2*i + 1
		if int(k+1) < len(h.nodes) && h.less(h.nodes[k+1], h.nodes[k]) {
			k++
		}
		if int(k) >= len(h.nodes) || !h.less(h.nodes[k], v) {
			break
		}
		h.set(i, h.nodes[k])
		i = k
	}
	h.set(i, v)
}

func (h *weightHeap) set(i, v int32) { h.nodes[i], h.at[v] = v, i }

func (h *weightHeap) less(v, w int32) bool {
	return h.weight[v] < h.weight[w] || h.weight[v] == h.weight[w] && h.pushed[v] < h.pushed[w]
}
