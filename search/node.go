package search

import (
	"math"
	"math/bits"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// The extra words of a search node, behind the packed state.
const (
	nodeCost = 0 // g, the cost of the best path known
	nodeLink = 1 // closed:1 operator:31 parent:32
	nodeEst  = 2 // estimate:63 evaluated:1 (heuristic searches only)

	closedBit = 1 << 63
)

func link(parent state.StateID, op grounder.OperatorID) uint64 {
	return uint64(uint32(op))<<32 | uint64(parent)
}

// nodeLayout says where a node keeps its cost and its link. In the wide layout each is a word. In a narrow one both are
// in one word, the cost above the operator: closed:1 cost operator parent:32.
type nodeLayout struct {
	link   int // word of the link
	narrow bool
	at     uint   // bit of the cost in a narrow word
	most   int64  // no cost above it fits
	ops    uint64 // mask of the operator
}

var wide = nodeLayout{link: nodeLink, most: math.MaxInt64, ops: 1<<31 - 1}

// narrowLayout is the narrow layout for so many operators.
func narrowLayout(operators int) nodeLayout {
	width := bits.Len(uint(operators))
	return nodeLayout{narrow: true, at: uint(32 + width), most: 1<<max(31-width, 0) - 1, ops: 1<<width - 1}
}

// words is the number of words that a node takes.
func (l *nodeLayout) words() int { return l.link + 1 }

// cost is g of a node.
func (l *nodeLayout) cost(node []uint64) int64 {
	if l.narrow {
		return int64(node[0] &^ closedBit >> l.at)
	}
	return int64(node[nodeCost])
}

// from is the parent of a node and the operator that leads from it to the node.
func (l *nodeLayout) from(node []uint64) (state.StateID, grounder.OperatorID) {
	word := node[l.link] &^ closedBit
	return state.StateID(uint32(word)), grounder.OperatorID(word >> 32 & l.ops)
}

// set enters a path to a node, which is open then. The cost must be at most l.most.
func (l *nodeLayout) set(node []uint64, g int64, parent state.StateID, op grounder.OperatorID) {
	if l.narrow {
		node[0] = uint64(g)<<l.at | link(parent, op)
		return
	}
	node[nodeCost] = uint64(g)
	node[nodeLink] = link(parent, op)
}

// widen moves the cost of a node of the narrow layout, with a free word behind it, into a word of its own.
func (l *nodeLayout) widen(node []uint64) {
	word := node[0]
	node[nodeCost] = uint64(l.cost(node))
	node[nodeLink] = word & (closedBit | l.ops<<32 | 0xffff_ffff)
}
