package search

import (
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// front is one side of a bidirectional search. A record of its registry is the key (a
// packed state, or the bits and the mask of a partial state) and the words of a search node.
type front struct {
	reg            *state.Registry
	tree           *matchTree
	waiting, ready *state.OpenList // by value f, and by path cost
	key            int             // words of the key
	work           int64
}

func newFront(p *state.Packer, partial bool) *front {
	f := &front{key: p.Words(), waiting: state.NewOpenList(), ready: state.NewOpenList()}
	if partial {
		f.key *= 2
	}
	f.reg = state.NewRegistry(f.key, 3)
	f.tree = newMatchTree(f.reg, p, partial)
	return f
}

func (f *front) bytes() int64 {
	return f.reg.Bytes() + f.tree.bytes() + f.waiting.Bytes() + f.ready.Bytes()
}

// enter adds a node to the tree, or lowers the path cost of one that is in it.
func (f *front) enter(id state.StateID, g int64) {
	if f.tree.has(id) {
		f.tree.lower(id, g)
	} else {
		f.tree.insert(id, g)
	}
	f.work += 64
}

// trim takes entries off the tops of the lists whose node was closed or has other values now.
func (f *front) trim() {
	for f.ready.Len() > 0 {
		node := f.reg.Record(f.ready.Top())[f.key:]
		if node[nodeLink]&closedBit == 0 && int64(node[nodeCost]) == f.ready.Least() {
			break
		}
		f.ready.Pop()
	}
	for f.waiting.Len() > 0 && !f.current(f.waiting.Top(), f.waiting.Least()) {
		f.waiting.Pop()
	}
}

// current reports whether an entry of value v of the list of waiting nodes is up to date.
func (f *front) current(id state.StateID, v int64) bool {
	node := f.reg.Record(id)[f.key:]
	h, _ := estimate(node)
	return node[nodeLink]&closedBit == 0 && plus(int64(node[nodeCost]), h) == v
}

func (f *front) empty() bool { return f.waiting.Len() == 0 && f.ready.Len() == 0 }

// predecessorList collects the predecessors of a partial state that are new or cheaper than
// before, packed, with their costs and estimates, so that it is known how many there are before
// the first is entered.
type predecessorList struct {
	b         *bidirectional
	visit     func(grounder.OperatorID, PartialState, int64)
	g         int64 // of the partial state
	all       int64 // predecessors, old ones included
	ops       []grounder.OperatorID
	costs     []int64
	estimates []int64
	keys      []uint64
	q         []uint64
}

func (l *predecessorList) begin(g int64) {
	l.g, l.all = g, 0
	l.ops, l.costs, l.estimates, l.keys = l.ops[:0], l.costs[:0], l.estimates[:0], l.keys[:0]
}

func (l *predecessorList) add(op grounder.OperatorID, q PartialState, cost int64) {
	l.all++
	b, w := l.b, l.b.words()
	c := l.g + cost
	if cost < 0 || c < 0 {
		b.overflow = true
		return
	}
	b.Packer.PackPartial(l.q[:w], l.q[w:], q)
	var h int64
	if id, old := b.backward.reg.Find(l.q); old {
		node := b.backward.reg.Record(id)[2*w:]
		if c >= int64(node[nodeCost]) {
			return
		}
		h, _ = estimate(node)
	} else if h = b.back.Estimate(q); h == heuristic.DeadEnd {
		b.stats.DeadEnds++
		return
	}
	l.ops, l.costs, l.estimates = append(l.ops, op), append(l.costs, c), append(l.estimates, h)
	l.keys = append(l.keys, l.q...)
}

func (l *predecessorList) bytes() int64 {
	return int64(cap(l.ops))*4 + int64(cap(l.costs)+cap(l.estimates)+cap(l.keys))*8
}

// makeReady takes the first waiting node of a front, makes it ready and looks for plans through it.
func (b *bidirectional) makeReady(f *front) {
	id, v, h := f.waiting.Pop()
	f.work += 8
	if !f.current(id, v) {
		return
	}
	rec := f.reg.Record(id)
	g := int64(rec[f.key+nodeCost])
	f.enter(id, g)
	if f == b.forward {
		b.meetForward(id, rec, g)
	} else {
		b.forward.tree.expect(rec[b.words():f.key])
		b.meetBackward(id, rec, g)
	}
	f.ready.Push(id, g, h)
}

// makeAllReady does so with all. No state is left to expand then. One goal is ready before the
// first state is expanded; where axioms make it several, others may still wait, and hold in states
// that are closed.
func (b *bidirectional) makeAllReady(f *front) {
	for f.waiting.Len() > 0 {
		b.makeReady(f)
	}
}

// meetForward looks for the cheapest partial state that a state just reached at cost g satisfies.
// No plan costs less than lb, which bounds the costs that can match from below.
func (b *bidirectional) meetForward(id state.StateID, row []uint64, g int64) {
	t := b.backward.tree
	before := t.work
	back, c, ok := t.cheapestGeneral(state.NoState, row[:b.words()], b.allVariables, b.lb-g, b.worth(g), false)
	b.forward.work += 8 * (t.work - before)
	if ok {
		b.found(id, back, g, c)
	}
}

// meetBackward looks for the cheapest state that satisfies a partial state just reached at cost g.
func (b *bidirectional) meetBackward(back state.StateID, key []uint64, g int64) {
	w, t := b.words(), b.forward.tree
	before := t.work
	id, c, ok := t.cheapestMember(key[:w], key[w:2*w], b.lb-g, b.worth(g))
	b.backward.work += 8 * (t.work - before)
	if ok {
		b.found(id, back, c, g)
	}
}

// worth is the most that the other half of a plan may cost to be better than the best
// plan known, if one half costs g.
func (b *bidirectional) worth(g int64) int64 {
	if !b.known {
		return math.MaxInt64
	}
	return b.best - g - 1
}

// found records a plan through state id, which satisfies the partial state back.
func (b *bidirectional) found(id, back state.StateID, g, c int64) {
	if g+c < 0 {
		b.overflow = true
		return
	}
	if invariants.Enabled {
		invariants.Check(g+c >= b.lb, "a plan of cost %d below the lower bound %d", g+c, b.lb)
		invariants.Check(!b.known || g+c < b.best, "a plan of cost %d is no better than %d", g+c, b.best)
	}
	b.known, b.best, b.meet, b.meetBack = true, g+c, id, back
}

// finished ends the search: no open node could lead to a better plan.
func (b *bidirectional) finished() bool {
	switch {
	case b.known:
		return b.finish(Result{Status: SolvedOptimally, Cost: b.best, Plan: b.plan()})
	case b.overflow:
		return b.finish(Result{Status: Unsupported, Reason: "path costs exceed 63 bits"})
	}
	return b.finish(Result{Status: Unsolvable})
}

// plan follows the links from the meeting point to both ends.
func (b *bidirectional) plan() []grounder.OperatorID {
	var plan []grounder.OperatorID
	for id := b.meet; ; {
		l := b.forward.reg.Record(id)[b.forward.key+nodeLink] &^ closedBit
		if id = state.StateID(uint32(l)); id == state.NoState {
			break
		}
		plan = append(plan, grounder.OperatorID(l>>32))
	}
	for i, j := 0, len(plan)-1; i < j; i, j = i+1, j-1 {
		plan[i], plan[j] = plan[j], plan[i]
	}
	for id := b.meetBack; ; {
		l := b.backward.reg.Record(id)[b.backward.key+nodeLink] &^ closedBit
		if id = state.StateID(uint32(l)); id == state.NoState {
			return plan
		}
		plan = append(plan, grounder.OperatorID(l>>32))
	}
}

// full reports, before an expansion that may add k nodes to a front, whether a limit is
// reached, and ends the search if so.
func (b *bidirectional) full(f *front, k int) bool {
	if b.lim.Nodes > 0 && b.stats.Expanded >= b.lim.Nodes {
		return b.finish(Result{Status: Nodeout})
	}
	if f.reg.Len()+k > state.MaxStates {
		return b.finish(Result{Status: Memout})
	}
	if m := b.lim.Memory; m > 0 && (b.stats.Expanded&255 == 0 || f.reg.Growing(k)) && b.bytes()+f.reg.GrowBytes(k) > m {
		return b.finish(Result{Status: Memout})
	}
	return false
}

func (b *bidirectional) bytes() int64 {
	return b.forward.bytes() + b.backward.bytes() + b.pred.bytes() + b.h.Bytes() + b.back.Bytes() + b.reg.mutexes.bytes()
}

func (b *bidirectional) outcome() *Result { return b.end }

func (b *bidirectional) progress(r *Result) {
	r.Lower = b.lb
	r.Search = b.name
	r.InitialH = b.stats.InitialH
	r.Expanded, r.ExpandedUntilLastJump, r.Backward = b.stats.Expanded, b.stats.ExpandedUntilLastJump, b.stats.Backward
	r.Evaluated, r.Generated = b.stats.Evaluated, b.stats.Generated
	r.Reopened, r.DeadEnds = b.stats.Reopened, b.stats.DeadEnds
	r.States = int64(b.forward.reg.Len() + b.backward.reg.Len())
}

// finish ends the search.
func (b *bidirectional) finish(r Result) bool {
	b.progress(&r)
	b.end = &r
	return true
}
