package space

import (
	"cmp"

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

// compareCones orders cones by their best plans. No cone's path begins with another's, so the
// first step in which two differ decides their order.
func (p *Plans) compareCones(first, second any) int {
	a, b := first.(*cone), second.(*cone)
	switch {
	case a.f != b.f:
		return cmp64(a.f, b.f)
	case a.steps != b.steps:
		return cmp64(a.steps, b.steps)
	}
	x, y := a.node, b.node
	for x.depth > y.depth {
		x = x.up
	}
	for y.depth > x.depth {
		y = y.up
	}
	order := 0
	for ; x != y; x, y = x.up, y.up { // the last difference met is the first one
		order = cmp.Compare(p.rank[x.op], p.rank[y.op])
	}
	return order
}
