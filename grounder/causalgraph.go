package grounder

import "slices"

// causalGraph weighs the edges from the variables of conditions to those of
// effects by how often they occur. Its nodes are the variables that are kept.
type causalGraph struct {
	n     int
	vars  []int32 // by node
	node  []int32 // by variable, -1 if it is not kept
	dense []int32 // n*n weights, if that is less than what to takes
	start []int   // else: the edges from node v lead to to[start[v]:start[v+1]], each as often as it occurs
	to    []int32
}

func newCausalGraph(g *grounder, keep []bool) *causalGraph {
	c := &causalGraph{node: make([]int32, len(keep))}
	for v, kept := range keep {
		c.node[v] = -1
		if kept {
			c.node[v] = int32(c.n)
			c.vars = append(c.vars, int32(v))
			c.n++
		}
	}
	if c.n > g.limits.dense {
		c.start = make([]int, c.n+1)
		c.each(g, func(from, _ int32) { c.start[from+1]++ })
		for v := range c.n {
			c.start[v+1] += c.start[v]
		}
	}
	if c.start == nil || c.n*c.n <= c.start[c.n] {
		c.dense = make([]int32, c.n*c.n)
		c.each(g, func(from, to int32) { c.dense[int(from)*c.n+int(to)]++ })
		return c
	}
	c.to = make([]int32, c.start[c.n])
	fill := slices.Clone(c.start)
	c.each(g, func(from, to int32) {
		c.to[fill[from]] = to
		fill[from]++
	})
	return c
}

// each visits every occurrence of an edge between different nodes.
func (c *causalGraph) each(g *grounder, visit func(from, to int32)) {
	edges := func(from []Fact, to int32) {
		for _, f := range from {
			if v := c.node[f.Var]; v >= 0 && v != to {
				visit(v, to)
			}
		}
	}
	ops := &g.sas.ops
	for i := range ops.Len() {
		g.tick()
		pre := ops.Pre(i)
		for _, f := range ops.own(i) {
			if v := c.node[f.Var]; v >= 0 {
				edges(pre, v)
			}
		}
		for _, e := range ops.listed(i) {
			if v := c.node[e.Var]; v >= 0 {
				edges(pre, v)
				edges(e.Cond, v)
			}
		}
	}
	for _, a := range g.sas.axioms {
		if v := c.node[a.Head.Var]; v >= 0 {
			edges(a.Body, v)
		}
	}
}

type weightedEdge struct{ to, weight int32 }

// successors lists the edges from each node, by the nodes that they lead to. Without dense weights it takes the
// occurrences with it.
func (c *causalGraph) successors(g *grounder) [][]weightedEdge {
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
	weight := make([]int32, c.n)
	for v := range out {
		var different []int32
		for _, w := range c.to[c.start[v]:c.start[v+1]] {
			if weight[w]++; weight[w] == 1 {
				different = append(different, w)
			}
		}
		slices.Sort(different)
		out[v] = make([]weightedEdge, len(different))
		for i, w := range different {
			out[v][i] = weightedEdge{w, weight[w]}
			weight[w] = 0
		}
		g.work(c.start[v+1] - c.start[v])
	}
	c.to = nil
	return out
}

// order lists the variables, sources of the causal graph first.
func (c *causalGraph) order(g *grounder, goal []bool) []int32 {
	succ := c.successors(g)
	comps := stronglyConnected(c.n, func(v int32, visit func(int32)) {
		g.work(len(succ[v]))
		for _, e := range succ[v] {
			visit(e.to)
		}
	})
	h := weightHeap{goal: goal, weight: make([]int64, c.n), pushed: make([]int, c.n), at: make([]int32, c.n)}
	out := make([]int32, 0, c.n)
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
