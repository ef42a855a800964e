package treesearch

import (
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// node is a node of a tree; its state is the record of equal number in the registry.
type node struct {
	parent state.StateID
	op     grounder.OperatorID // from the parent; backward: to the parent
	g      int64               // cost of the path from the root
	bound  int64               // admissible, on the rest of the way
	conf   float64             // R_conf as the evaluator gives it
	path   float64             // the sum of R_conf from the root on
	order  int32               // number of the expansion, 0 before
	open   bool                // a leaf that may be chosen
	leaf   bool                // not expanded, or expanded in vain (U = 0)
	// The nearest leaf of the opposite tree, of the first seen entries of its leaves.
	near    float64
	nearest int32 // -1: none
	seen    int32
}

// f bounds the cost of plans through the node.
func (n *node) f() int64 { return plus(n.g, n.bound) }

// tree is one search tree: every state at most once, with the cheapest path known.
type tree struct {
	space *Space
	dir   Direction
	reg   *state.Registry
	nodes []node
	open  []state.StateID // in no particular order
	// leaves has every node once for each time that it became a leaf, in that order: a node
	// that was expanded is a leaf again when a cheaper path to it is found.
	leaves []state.StateID
	// candidates are the places in open among which choose chooses.
	candidates []int
	// masks has, in the backward tree, the bits that a partial state constrains.
	masks []uint64
	sets  []uint64 // atom sets, if distances are wanted
	words int      // of a set, 0: no distances

	values []int32
	path   []grounder.OperatorID
}

func newTree(s *Space, dir Direction, distances bool) *tree {
	t := &tree{space: s, dir: dir, reg: state.NewRegistry(s.packer.Words(), 0), values: make([]int32, len(s.task.Variables))}
	if distances {
		t.words = s.setWords()
	}
	return t
}

// addRoot adds the root, which has no reward.
func (t *tree) addRoot(values []int32, bound int64) {
	row := make([]uint64, t.space.packer.Words())
	t.space.pack(row, values)
	t.insert(row, values)
	t.nodes[0] = node{parent: state.NoState, op: -1, bound: bound, nearest: -1}
	t.push(0)
}

// insert registers a state that is not in the tree.
func (t *tree) insert(row []uint64, values []int32) state.StateID {
	id, _ := t.reg.Insert(row, t.reg.Hash(row))
	t.nodes = append(t.nodes, node{nearest: -1})
	if t.dir == Backward {
		t.masks = append(t.masks, make([]uint64, len(row))...)
		t.space.mask(t.masks[len(t.masks)-len(row):], values)
	}
	if t.words > 0 {
		t.sets = append(t.sets, make([]uint64, t.words)...)
		t.space.atomSet(t.sets[len(t.sets)-t.words:], values)
	}
	return id
}

func (t *tree) set(id state.StateID) []uint64 {
	return t.sets[int(id)*t.words : (int(id)+1)*t.words]
}

// push makes a node an open leaf.
func (t *tree) push(id state.StateID) {
	n := &t.nodes[id]
	if !n.leaf {
		n.leaf = true
		t.leaves = append(t.leaves, id)
	}
	if !n.open {
		n.open = true
		t.open = append(t.open, id)
	}
}

// remove takes the leaf at place i off the open leaves.
func (t *tree) remove(i int) {
	t.nodes[t.open[i]].open = false
	t.open[i] = t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
}

// prune takes all open leaves off through which no plan costs at most limit.
func (t *tree) prune(limit int64) {
	for i := len(t.open) - 1; i >= 0; i-- {
		if t.nodes[t.open[i]].f() > limit {
			t.remove(i)
		}
	}
}

// state returns the unpacked state of a node; it is overwritten by the next call.
func (t *tree) state(id state.StateID) []int32 {
	t.space.unpack(t.values, t.reg.Row(id), t.dir)
	return t.values
}

// pathTo returns the operators from the root to a node, the root's end first. It is
// overwritten by the next call.
func (t *tree) pathTo(id state.StateID) []grounder.OperatorID {
	t.path = t.path[:0]
	for ; t.nodes[id].parent != state.NoState; id = t.nodes[id].parent {
		t.path = append(t.path, t.nodes[id].op)
	}
	slices.Reverse(t.path)
	return t.path
}

// leftOut says that something was left out because of the budget, or because its cost is
// beyond 63 bits.
type leftOut struct{ overBudget, overflow bool }

// note notes that a path of cost spent, estimated to need bound more, was left out. What is beyond 63
// bits is beyond any budget, but without a budget it may yet lead to the goal. A dead end
// is no matter of either.
func (l *leftOut) note(spent, bound, budget int64) {
	if bound == heuristic.DeadEnd {
		return
	}
	f := plus(spent, bound)
	l.overBudget = l.overBudget || f > budget
	l.overflow = l.overflow || f == Unlimited && budget == Unlimited
}

// expansion is what one expansion does to a tree.
type expansion struct {
	generated, merged, pruned int
	leftOut
	kept   []kept
	states []int32 // of kept, one after the other
}

// kept is a successor that is new, or reached more cheaply than before.
type kept struct {
	id   state.StateID
	step Step
}

// expand generates the successors of a node. Those that are new or improve on the equal
// node are entered into the tree, not yet open; limit bounds spent cost plus bound.
func (t *tree) expand(id state.StateID, g Guide, limit, budget int64) *expansion {
	x := &expansion{}
	s, base := t.space, t.nodes[id].g
	nv := len(s.task.Variables)
	visit := func(op grounder.OperatorID, cost int64, row []uint64, next []int32) {
		x.generated++
		spent := plus(base, cost)
		if cost < 0 || spent == Unlimited {
			x.note(Unlimited, 0, budget)
			return
		}
		old, known := t.reg.Find(row)
		if known && t.nodes[old].g <= spent {
			x.merged++
			return
		}
		var bound int64
		if known {
			bound = t.nodes[old].bound
		} else if spent <= limit {
			bound = g.bound(t.dir, next)
		}
		if f := plus(spent, bound); f == Unlimited || f > limit {
			x.pruned++
			x.note(spent, bound, budget)
			return
		}
		if !known {
			old = t.insert(row, next)
		}
		n := &t.nodes[old]
		n.parent, n.op, n.g, n.bound = id, op, spent, bound
		step := Step{Op: op, Cost: cost, Bound: bound}
		if at := slices.IndexFunc(x.kept, func(k kept) bool { return k.id == old }); at >= 0 {
			x.kept[at].step = step // a cheaper operator to the same state
			return
		}
		x.kept = append(x.kept, kept{old, step})
		x.states = append(x.states, next...)
	}
	values := append([]int32(nil), t.state(id)...)
	if t.dir == Forward {
		s.successors(values, t.reg.Row(id), visit)
	} else {
		s.predecessors(values, visit)
	}
	for i := range x.kept {
		x.kept[i].step.Next = x.states[i*nv : (i+1)*nv]
	}
	return x
}

// query asks about what an expansion has kept.
func (t *tree) query(id state.StateID, x *expansion, budget int64, opposite bool) Query {
	q := Query{
		Direction: t.dir, State: slices.Clone(t.state(id)), Path: slices.Clone(t.pathTo(id)),
		Spent: t.nodes[id].g, Budget: budget, Opposite: opposite, Steps: make([]Step, len(x.kept)),
	}
	for i := range x.kept {
		q.Steps[i] = x.kept[i].step
	}
	return q
}

// satisfies reports whether the packed state row is one of the backward node's.
func (t *tree) satisfies(row []uint64, id state.StateID) bool {
	want := t.reg.Row(id)
	mask := t.masks[int(id)*len(row):]
	for w, x := range row {
		if (x^want[w])&mask[w] != 0 {
			return false
		}
	}
	return true
}
