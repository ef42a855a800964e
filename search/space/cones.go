package space

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// pathNode is the end of a path from the initial state; paths share their beginnings.
type pathNode struct {
	up    *pathNode
	op    grounder.OperatorID
	state state.StateID
	depth int64
	cost  int64
}

// cone is the set of plans that begin with the path to node. f and steps are those of the
// best of them, or bounds if loops are not admitted; rest is the way to the goal where that
// is known. The cone is number sibling of those that leave the path at node.up by another
// step than except.
type cone struct {
	f, steps int64
	node     *pathNode
	rest     []move
	except   grounder.OperatorID
	sibling  int32
}

// coneHeap is ordered by the best plans of the cones. No cone's path begins with
// another's, so the first step in which two differ decides their order.
type coneHeap struct {
	cones []*cone
	rank  []int32
}

// Len implements heap.Interface.
func (h *coneHeap) Len() int { return len(h.cones) }

// Swap implements heap.Interface.
func (h *coneHeap) Swap(i, j int) { h.cones[i], h.cones[j] = h.cones[j], h.cones[i] }

// Push implements heap.Interface.
func (h *coneHeap) Push(x any) { h.cones = append(h.cones, x.(*cone)) }

// Pop implements heap.Interface.
func (h *coneHeap) Pop() any {
	last := len(h.cones) - 1
	c := h.cones[last]
	h.cones[last] = nil
	h.cones = h.cones[:last]
	return c
}

// Less implements heap.Interface.
func (h *coneHeap) Less(i, j int) bool {
	a, b := h.cones[i], h.cones[j]
	switch {
	case a.f != b.f:
		return a.f < b.f
	case a.steps != b.steps:
		return a.steps < b.steps
	}
	x, y := a.node, b.node
	for x.depth > y.depth {
		x = x.up
	}
	for y.depth > x.depth {
		y = y.up
	}
	less := false
	for ; x != y; x, y = x.up, y.up { // the last difference met is the first one
		less = h.rank[x.op] < h.rank[y.op]
	}
	return less
}
