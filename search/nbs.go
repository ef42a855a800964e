package search

import (
	"math"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// bidirectional is front-to-end bidirectional heuristic search with a proof of optimality
// (NBS; Chen, Holte, Zilles and Sturtevant, IJCAI 2017), forward over states and backward over
// partial states by Regression.
//
// # Bounds
//
// Let c(s) be the cost of the cheapest path known to a state s of the forward tree, c(p) that
// of the cheapest way known from all states of a partial state p of the backward tree to the
// goal, h the estimates (of a state to the goal; of the initial state to any state of p) and e
// the cost of the cheapest operator. A pair of open nodes s and p is bounded by
//
//	lb(s, p) = max(c(s)+h(s), c(p)+h(p), c(s)+c(p)+e)
//
// Open nodes are waiting or ready; lb is a running lower bound of lb(s, p) over all pairs of
// open nodes, and of the values c+h of waiting nodes. best is the cost of the cheapest plan
// known: the least c(s)+c(p) over all s and p, neither of them waiting, such that s satisfies
// p. It is found when the later of the two becomes ready.
//
// The search ends when lb >= best, or when one side has no open node. Then best is optimal.
// Suppose otherwise: a plan exists that is cheaper than best (infinite if no plan is known).
// Let s0 ... sn be the states of a cheapest plan, C its cost, and call si
//
//	reached  if it is in the forward tree with c(si) the cost of the plan up to it,
//	covered  if it satisfies some p of the backward tree with c(p) at most what the
//	         plan costs from there.
//
// s0 is reached. When a reached si, i < n, is closed, s(i+1) is reached: it was generated from
// si at its final cost, and is left out only if its value shows that no plan through it is
// cheaper than best, which is false by assumption. So either all states are reached and
// closed, or some reached si is open, and those before it are closed. Likewise sn is covered,
// by the goal, or by one of the goals where it is a disjunction. When si is covered by a closed p, s(i-1) is covered: regression is exact (see
// Regression), so p was regressed to a q that s(i-1) satisfies, at no more than the plan's
// cost, unless s(i-1) satisfies p itself. If q is left out, it is because the backward tree
// holds a more general partial state at no more cost, which covers s(i-1) just as well. (That
// one may have been left out of expansion for a yet more general one, which comes to an end.)
// So either all states are covered by closed partial states, or some sj is covered by an open
// p, and those after it by closed ones.
//
// A state that is reached and covered gives a plan of cost at most C, which best would know
// of, unless the state or the partial state waits. If it waits, its value is at most C because
// h is admissible, so lb <= C < best. If a side has no open node, all states are reached and
// closed, also sn, which satisfies the goal, or all are covered by closed nodes, also s0; and
// the goal and s0 do not wait, because nothing is expanded before both are ready. Both
// contradict the assumption; so there are i < j with si and p open, and lb(si, p) <= C because
// h is admissible and at least one operator lies between si and sj. So neither side is
// exhausted, and lb <= C < best: the search has not ended.
//
// Zero costs, partial goals and inconsistent estimates need no special treatment: nodes
// reached at less cost are opened again.
//
// # Order
//
// As in the paper, each side keeps open nodes waiting by their value f until lb reaches it,
// and ready ones by path cost; lb rises only when no pair of ready nodes is below it. The
// paper expands both nodes of a pair of least bound, so that it expands at most twice as many
// nodes as any proof of optimality by the same bounds needs. Here a backward expansion can be
// worth a hundred forward ones or the reverse, so only the node of the side that has worked
// less so far is expanded. That makes the bound one on work, in the way of Bar-Yehuda and Even
// (1981) for vertex covers with weights: the pair's node left open has been paid for in part.
// Work is counted, not timed, so that the order depends on the task only.
//
// The forward heuristic is asked when a node is about to be expanded, as in astar.
type bidirectional struct {
	*state.System
	name    string
	x       *state.Scratch
	h       heuristic.Heuristic
	inherit heuristic.Inheriting // h, or nil
	back    heuristic.Backward
	reg     *Regression

	forward, backward *front
	cheapest          int64    // e
	allVariables      []uint64 // the mask of a full state

	lb       int64
	best     int64 // math.MaxInt64 and known false without a plan
	known    bool
	meet     state.StateID // the plan passes through meet, which satisfies meetBack
	meetBack state.StateID

	pred     predecessorList
	p        PartialState
	lim      Limits
	stats    Result
	overflow bool // a path was dropped because its cost exceeds 63 bits
	began    bool
	stop     func() bool // asked while a state is evaluated
	end      *Result
}

func newBidirectional(s *state.System, name string, h heuristic.Heuristic, back heuristic.Backward, reg *Regression, lim Limits, stop func() bool) *bidirectional {
	b := &bidirectional{
		System: s, name: name, x: s.NewScratch(), h: h, back: back, reg: reg,
		forward: newFront(s.Packer, false), backward: newFront(s.Packer, true),
		best: math.MaxInt64, lim: lim, p: make(PartialState, len(s.Task.Variables)),
		cheapest: math.MaxInt64, stop: stop,
	}
	b.inherit, _ = h.(heuristic.Inheriting)
	for i := range s.Task.Operators.Len() {
		b.cheapest = min(b.cheapest, s.Task.Operators.Cost(i))
	}
	b.allVariables = make([]uint64, s.Packer.Words())
	for _, f := range s.Packer.Fields() {
		b.allVariables[f.Word] |= (1<<f.Width - 1) << f.Shift
	}
	b.pred = predecessorList{b: b, q: make([]uint64, 2*s.Packer.Words())}
	b.pred.visit = b.pred.add
	return b
}

// begin enters the goal and the initial state and reports whether that ends the search.
func (b *bidirectional) begin() {
	b.began = true
	for _, goal := range b.reg.goals {
		if goal = slices.Clone(goal); !b.reg.Complete(goal) {
			continue
		}
		if h := b.back.Estimate(goal); h != heuristic.DeadEnd {
			key := b.pred.q
			b.Packer.PackPartial(key[:b.words()], key[b.words():], goal)
			b.reachBack(key, state.NoState, 0, 0, h)
		}
	}
	row := b.Initial()
	b.Packer.Unpack(b.x.Values, row)
	h, _ := heuristic.EstimateUntil(b.h, b.x.Values, b.stop)
	b.stats.Evaluated = 1
	b.stats.InitialH = h
	if h == heuristic.DeadEnd {
		b.stats.InitialH = -1
		b.stats.DeadEnds = 1
		return
	}
	copy(b.x.Next, row)
	b.reach(state.NoState, 0, 0, h)
	rec := b.forward.reg.Record(0)
	setEstimate(rec[b.words():], h, true)
}

func (b *bidirectional) close() {}

func (b *bidirectional) setBound(int64) {}

func (b *bidirectional) lower() int64 { return b.lb }

func (b *bidirectional) words() int { return b.Packer.Words() }

func (b *bidirectional) done() int64 { return b.forward.work + b.backward.work }

// run implements engine. Once stop is true it goes on with what bounds are proven by then:
// the caller ends it.
func (b *bidirectional) run(units int64) bool {
	if b.end != nil {
		return true
	}
	if !b.began {
		b.begin()
	}
	until := b.done() + units
	for b.done() < until {
		if !b.prepare() {
			return true
		}
		var ended bool
		if b.forward.work <= b.backward.work {
			ended = b.stepForward()
		} else {
			ended = b.stepBackward()
		}
		if ended {
			return true
		}
	}
	return false
}

// prepare raises lb until a pair of ready nodes is within it. It ends the search and
// reports false when no pair is below the cost of the best plan.
func (b *bidirectional) prepare() bool {
	f, r := b.forward, b.backward
	for {
		f.trim()
		r.trim()
		if f.empty() {
			b.makeAllReady(r)
		}
		if f.empty() || r.empty() || b.known && b.lb >= b.best {
			return !b.finished()
		}
		pair, ready := int64(math.MaxInt64), f.ready.Len() > 0 && r.ready.Len() > 0
		if ready {
			pair = plus(plus(f.ready.Least(), r.ready.Least()), b.cheapest)
		}
		moved := false
		for _, side := range []*front{f, r} {
			if side.waiting.Len() > 0 && (side.waiting.Least() < b.lb || side.waiting.Least() == b.lb && !(ready && pair <= b.lb)) {
				b.makeReady(side)
				moved = true
			}
		}
		if moved {
			continue
		}
		if ready && pair <= b.lb {
			return true
		}
		next := pair
		if f.waiting.Len() > 0 {
			next = min(next, f.waiting.Least())
		}
		if r.waiting.Len() > 0 {
			next = min(next, r.waiting.Least())
		}
		if invariants.Enabled {
			invariants.Check(next > b.lb, "the lower bound goes from %d to %d", b.lb, next)
			invariants.Check(!b.known || b.lb <= b.best, "a lower bound of %d above a plan of cost %d", b.lb, b.best)
		}
		b.lb = next
		b.stats.ExpandedUntilLastJump = b.stats.Expanded
	}
}

// stepForward expands the ready state of least path cost, unless its estimate, asked for only
// now, sends it back to wait. It reports whether a limit has ended the search.
func (b *bidirectional) stepForward() bool {
	f, w := b.forward, b.words()
	id, _, _ := f.ready.Pop()
	rec := f.reg.Record(id)
	node := rec[w:]
	b.Packer.Unpack(b.x.Values, rec)
	f.work += b.WorkPerState()
	fresh, ok := b.settle(id, node)
	if !ok {
		return false
	}
	if b.Axioms != nil {
		b.Axioms.Evaluate(b.x.Values, &b.x.Axioms)
	}
	ops := b.Applicable(b.x)
	if b.full(f, len(ops)) {
		return true
	}
	node[nodeLink] |= closedBit
	b.stats.Expanded++
	b.stats.Generated += int64(len(ops))
	f.work += (32 + 8*int64(w)) * int64(len(ops))
	parentG := int64(node[nodeCost])
	parentH, _ := estimate(node)
	for _, op := range ops {
		c, ok := b.Applier.Cost(b.x.Values, op)
		g := parentG + c
		if !ok || g < 0 {
			b.overflow = true
			continue
		}
		h := max(parentH-c, 0)
		if fresh && b.inherit != nil {
			h = max(h, b.inherit.Inherited(op))
		}
		b.Applier.Apply(b.x.Next, rec[:w], b.x.Values, op)
		b.reach(id, op, g, h)
	}
	return false
}

// settle asks the heuristic about a state, if it has not been asked, and reports whether the
// state's value is within lb.
func (b *bidirectional) settle(id state.StateID, node []uint64) (fresh, ok bool) {
	h, evaluated := estimate(node)
	g := int64(node[nodeCost])
	if !evaluated {
		before := b.h.Work()
		est, _ := heuristic.EstimateUntil(b.h, b.x.Values, b.stop)
		b.forward.work += b.h.Work() - before
		b.stats.Evaluated++
		if est == heuristic.DeadEnd {
			b.stats.DeadEnds++
			closeDeadEnd(node)
			return false, false
		}
		fresh = true
		h = max(h, est)
		setEstimate(node, h, true)
	}
	if v := plus(g, h); v > b.lb {
		if fresh {
			b.forward.waiting.Push(id, v, h)
		}
		return false, false // else another entry has the current value
	}
	return fresh, true
}

// reach enters the state in x.Next, reached at cost g with an estimate of at least h.
func (b *bidirectional) reach(parent state.StateID, op grounder.OperatorID, g, h int64) {
	f, w := b.forward, b.words()
	id, fresh := f.reg.Insert(b.x.Next, f.reg.Hash(b.x.Next))
	rec := f.reg.Record(id)
	node := rec[w:]
	if fresh {
		setEstimate(node, h, false)
	} else {
		if g >= int64(node[nodeCost]) {
			return
		}
		if node[nodeLink]&closedBit != 0 {
			b.stats.Reopened++
		}
		old, evaluated := estimate(node)
		h = max(h, old)
		setEstimate(node, h, evaluated)
	}
	node[nodeCost] = uint64(g)
	node[nodeLink] = link(parent, op)
	if v := plus(g, h); !b.known || v < b.best {
		f.waiting.Push(id, v, h)
	}
}

// stepBackward expands the ready partial state of least cost unless a more general one has
// taken its place. It reports whether a limit has ended the search.
func (b *bidirectional) stepBackward() bool {
	r, w := b.backward, b.words()
	id, g, _ := r.ready.Pop()
	rec := r.reg.Record(id)
	node := rec[2*w:]
	r.work += b.WorkPerState()
	if b.dominated(id, rec, g) {
		node[nodeLink] |= closedBit
		return false
	}
	b.Packer.UnpackPartial(b.p, rec[:w], rec[w:2*w])
	l := &b.pred
	l.begin(g)
	b.reg.Predecessors(b.p, l.visit)
	if b.full(r, len(l.ops)) {
		return true
	}
	node[nodeLink] |= closedBit
	b.stats.Expanded++
	b.stats.Backward++
	b.stats.Generated += l.all
	r.work += (64+8*int64(w))*l.all + (64+8*int64(w)+int64(len(b.p)))*int64(len(l.ops))
	for i, op := range l.ops {
		b.reachBack(l.keys[2*w*i:2*w*i+2*w], id, op, l.costs[i], l.estimates[i])
	}
	return false
}

// dominated reports whether another partial state that is more general costs no more.
func (b *bidirectional) dominated(id state.StateID, key []uint64, g int64) bool {
	w, t := b.words(), b.backward.tree
	if constrained(key[w:2*w]) <= t.fewest {
		return false // nothing in the tree is more general
	}
	before := t.work
	_, _, ok := t.cheapestGeneral(id, key[:w], key[w:2*w], math.MinInt64, g, true)
	b.backward.work += 8 * (t.work - before)
	return ok
}

// reachBack enters the partial state key, from which the goal is reached at cost g, with
// estimate h, unless a more general one costs no more.
func (b *bidirectional) reachBack(key []uint64, parent state.StateID, op grounder.OperatorID, g, h int64) {
	r, w := b.backward, b.words()
	id, old := r.reg.Find(key)
	if old && g >= int64(r.reg.Record(id)[2*w+nodeCost]) || b.dominated(id, key, g) {
		return
	}
	if !old {
		id, _ = r.reg.Insert(key, r.reg.Hash(key))
		b.stats.Evaluated++
	}
	node := r.reg.Record(id)[2*w:]
	if node[nodeLink]&closedBit != 0 {
		b.stats.Reopened++
	}
	setEstimate(node, h, true)
	node[nodeCost] = uint64(g)
	node[nodeLink] = link(parent, op)
	if v := plus(g, h); !b.known || v < b.best {
		r.waiting.Push(id, v, h)
	}
}
