package search

import (
	"math"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/search/symmetry"
)

// engine is a search that can be run in slices. Its behaviour is a function of the task
// alone: how the slices are cut does not change what it expands, in which order.
type engine interface {
	// run goes on until done has risen by the given number of work units or a little more,
	// and reports whether the search has ended.
	run(units int64) bool
	// done is the work done so far.
	done() int64
	// outcome is the status after run has reported the end: SolvedOptimally, Unsolvable,
	// Memout, Nodeout or Unsupported.
	outcome() *Result
	// progress fills in the statistics so far.
	progress(*Result)
	// bytes is the memory held.
	bytes() int64
	// lower is a cost that no plan is below.
	lower() int64

	// setBound tells the engine that a plan of the given cost is known. It may then end with
	// Unsupported and that cost as its lower bound.
	setBound(cost int64)
	// close frees what the collector cannot. Nothing is called afterwards.
	close()
}

// settler is an engine that may know a plan before it has an answer.
type settler interface {
	// settle ends the search and fills in the best plan known, if there is one.
	settle(*Result)
}

// nodes is what the searches have in common: states, open list, limits, statistics.
type nodes struct {
	*state.System
	x     *state.Scratch
	reg   *state.Registry
	open  *state.OpenList
	words int
	next  successors
	nodeLayout

	maxBytes int64 // 0 for no limit
	maxNodes int64
	name     string
	extra    func() int64 // memory held besides registry and open list
	orbit    *orbits      // replaces states by symmetric ones, or nil

	bound    int64 // nodes of this value are of no use: a plan of that cost is known
	stats    Result
	lastF    int64
	overflow bool  // a path was dropped because its cost or a fluent exceeds 63 bits
	dropped  int64 // no dropped path is cheaper
	end      *Result
}

func newNodes(s *state.System, name string, extraWords int, lim Limits) *nodes {
	return &nodes{
		System: s, name: name, x: s.NewScratch(),
		reg:        state.NewRegistry(s.Packer.Words(), extraWords),
		open:       state.NewOpenList(),
		words:      s.Packer.Words(),
		nodeLayout: wide,
		maxBytes:   lim.Memory, maxNodes: lim.Nodes,
		lastF: math.MinInt64, dropped: math.MaxInt64, bound: math.MaxInt64,
	}
}

func (n *nodes) bytes() int64 {
	b := n.reg.Bytes() + n.open.Bytes()
	if n.extra != nil {
		b += n.extra()
	}
	return b
}

func (n *nodes) outcome() *Result { return n.end }

func (n *nodes) close() {}

func (n *nodes) lower() int64 { return max(min(n.lastF, n.dropped), 0) }

func (n *nodes) progress(r *Result) {
	r.Search = n.name
	r.InitialH = n.stats.InitialH
	r.Expanded, r.ExpandedUntilLastJump = n.stats.Expanded, n.stats.ExpandedUntilLastJump
	r.Evaluated, r.Generated = n.stats.Evaluated, n.stats.Generated
	r.Reopened, r.DeadEnds = n.stats.Reopened, n.stats.DeadEnds
	r.States = int64(n.reg.Len())
	r.Lower = n.lower()
}

// finish ends the search.
func (n *nodes) finish(r Result) bool {
	n.progress(&r)
	n.end = &r
	return true
}

// drop takes note of a path of cost g that is not followed.
func (n *nodes) drop(g int64) { n.overflow, n.dropped = true, min(n.dropped, g) }

// setBound tells the search that there is a plan of the given cost.
func (n *nodes) setBound(cost int64) { n.bound = min(n.bound, cost) }

// useSymmetries has the search replace states by symmetric ones from now on.
func (n *nodes) useSymmetries(g *symmetry.Group) {
	n.orbit = newOrbits(n.System, g)
	if option := "symmetry=1)"; !strings.Contains(n.name, option) {
		n.name = strings.TrimSuffix(n.name, ")") + ", " + option
	}
}

// useful reports whether a node of value v may lead to a plan cheaper than the one known.
func (n *nodes) useful(v int64) bool { return v < n.bound || n.bound == math.MaxInt64 }

// exhausted ends a search whose open list is empty: no plan is below the bound.
func (n *nodes) exhausted() bool {
	switch {
	case n.dropped < math.MaxInt64:
		return n.finish(Result{Status: Unsupported, Reason: "values of fluents exceed 63 bits"})
	case n.overflow:
		return n.finish(Result{Status: Unsupported, Reason: "path costs exceed 63 bits"})
	}
	if n.bound < math.MaxInt64 {
		n.lastF = n.bound
		return n.finish(Result{Status: Unsupported, Reason: noCheaper})
	}
	return n.finish(Result{Status: Unsolvable})
}

// noCheaper is why a search ends that knows only the cost of a cheapest plan.
const noCheaper = "no plan is cheaper than the one that another search knows"

// solved ends a search that has reached the goal in state id.
func (n *nodes) solved(id state.StateID) bool {
	r := Result{Status: SolvedOptimally, Cost: n.cost(n.reg.Record(id)[n.words:])}
	if n.dropped < r.Cost { // a plan through it might be cheaper
		return n.exhausted()
	}
	rows := [][]uint64{n.reg.Row(id)}
	for {
		parent, op := n.from(n.reg.Record(id)[n.words:])
		if parent == state.NoState {
			break
		}
		r.Plan = append(r.Plan, op)
		rows = append(rows, n.reg.Row(parent))
		id = parent
	}
	slices.Reverse(r.Plan)
	if n.orbit != nil {
		slices.Reverse(rows)
		r.Plan = n.orbit.plan(rows, r.Plan)
	}
	return n.finish(r)
}

// full reports, before an expansion that may add k states, whether a limit is reached,
// and ends the search if so.
func (n *nodes) full(k int) bool {
	if n.maxNodes > 0 && n.stats.Expanded >= n.maxNodes {
		return n.finish(Result{Status: Nodeout})
	}
	if n.reg.Len()+k > state.MaxStates {
		return n.finish(Result{Status: Memout})
	}
	if n.maxBytes > 0 && n.stats.Expanded&255 == 0 || n.reg.Growing(k) {
		if n.maxBytes > 0 && n.bytes()+n.reg.GrowBytes(k) > n.maxBytes {
			return n.finish(Result{Status: Memout})
		}
	}
	return false
}

// closeDeadEnd closes a node from which no goal can be reached. Nothing improves upon its cost, so it is never opened
// again.
func closeDeadEnd(node []uint64) {
	node[nodeLink] |= closedBit
	node[nodeCost] = 0
}

// jump records that nodes of value f are expanded from now on.
func (n *nodes) jump(f int64) {
	if invariants.Enabled {
		invariants.Check(f >= n.lastF, "a node of value %d is expanded after one of %d", f, n.lastF)
	}
	if f > n.lastF {
		n.lastF = f
		n.stats.ExpandedUntilLastJump = n.stats.Expanded
	}
}

// plus adds two non-negative costs, saturating.
func plus(a, b int64) int64 {
	if s := a + b; s >= 0 {
		return s
	}
	return math.MaxInt64
}
