package treesearch

import (
	"math"
	"math/rand/v2"
	"slices"
)

// plainRAP replays Monte-Carlo tree search. Nodes are paths, so no two are merged.
type plainRAP struct {
	*replay
	m     *RAP
	rng   *rand.Rand
	nodes int
	goal  *plainNode
}

func (r *replay) monteCarlo(m *RAP, seed uint64) {
	root := r.root(Forward).nodes[0]
	x := &plainRAP{replay: r, m: m, rng: rand.New(rand.NewPCG(seed, 0)), nodes: 1}
	for x.goal == nil && !root.done && r.atMost() {
		r.rounds++
		x.iterate(root)
	}
}

// iterate selects by UCT, simulates by confidence, and backs the mean rewards up.
func (x *plainRAP) iterate(root *plainNode) {
	n := root
	for n.expanded && len(n.children) > 0 {
		n = x.uct(n)
	}
	for x.goal == nil && n.depth < x.m.Depth && x.atMost() {
		if !n.expanded {
			x.expand(n)
		}
		next := x.likeliest(n)
		if next == nil {
			break
		}
		n = next
	}
	n.done = n.done || n.depth >= x.m.Depth
	rewards := []float64{} // of the steps of the path, from its end
	if n == x.goal {
		rewards = append(rewards, 1)
	} else if n.expanded && len(n.children) == 0 {
		rewards = append(rewards, 0)
	}
	for ; n != nil; n = n.parent {
		rewards = append(rewards, n.reward)
		sum := 0.0
		for _, w := range rewards {
			sum += w
		}
		mean := sum / float64(len(rewards))
		if n.visits == 0 || mean > n.q {
			n.q = mean
		}
		n.visits++
		if n.expanded && !slices.ContainsFunc(n.children, func(c *plainNode) bool { return !c.done }) {
			n.done = true
		}
	}
}

func (x *plainRAP) uct(n *plainNode) (best *plainNode) {
	value := func(c *plainNode) float64 {
		q, visits := c.q, c.visits
		if visits == 0 {
			q, visits = c.reward, 1
		}
		return q + x.m.Exploration*math.Sqrt(math.Log(float64(n.visits+1))/float64(visits))
	}
	for _, c := range n.children {
		if !c.done && (best == nil || value(c) > value(best)) {
			best = c
		}
	}
	return best
}

// likeliest draws one of the most confident children as the method does, with the same seed.
func (x *plainRAP) likeliest(n *plainNode) (best *plainNode) {
	equal := 0
	for _, c := range n.children {
		switch {
		case c.done || best != nil && c.reward < best.reward:
		case best == nil || c.reward > best.reward:
			best, equal = c, 1
		default:
			if equal++; x.rng.IntN(equal) == 0 {
				best = c
			}
		}
	}
	return best
}

func (x *plainRAP) expand(n *plainNode) {
	x.t.Helper()
	n.expanded = true
	cs := x.children(Forward, n.values)
	most := math.Inf(-1)
	for _, c := range cs {
		back := false // into a state of the same path
		for a := n; a != nil; a = a.parent {
			back = back || slices.Equal(a.values, c.values)
		}
		if back || n.g+c.cost > x.budget {
			continue
		}
		action, good := x.o.of(n.values, c.op)
		k := &plainNode{values: c.values, parent: n, op: c.op, id: x.nodes, g: n.g + c.cost, depth: n.depth + 1, conf: action + good}
		x.nodes++
		most = max(most, k.conf)
		n.children = append(n.children, k)
	}
	for _, k := range n.children {
		k.reward = 1
		if k.conf < most {
			k.reward = math.Exp(k.conf - most)
		}
		if x.space.isGoal(k.values) && (x.goal == nil || k.g < x.goal.g) {
			x.goal = k
		}
	}
	if x.goal != nil {
		x.found(x.goal.plan())
	}
	x.expect(Forward, n, n.g, n.parent, n.reward, 0, 0, len(cs), len(n.children))
}
