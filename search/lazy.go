package search

import (
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// lazyGreedy is greedy best-first search with the FF heuristic that asks for an estimate when a state is popped, so that
// states wait with their parents' (Richter and Helmert, ICAPS 2009). Successors by preferred operators wait in a
// second list as well. Both lists are asked in turn, the second one first for some time whenever an estimate is the
// least so far.
type lazyGreedy struct {
	*nodes
	h         *heuristic.FF
	preferred *state.OpenList
	began     bool
	least     int64 // estimate so far
	turns     [2]int64
	other     int64
}

// lazyBoost is how many states the second list is ahead after progress.
const lazyBoost = 1000

func newLazyGreedy(s *state.System, name string, h *heuristic.FF, lim Limits) *lazyGreedy {
	l := &lazyGreedy{nodes: newNodes(s, name, 2, lim), h: h, preferred: state.NewOpenList(), least: heuristic.DeadEnd}
	l.extra = func() int64 { return l.h.Bytes() + l.preferred.Bytes() }
	return l
}

// setBound implements engine. States are not reopened, so a bound would prove nothing.
func (l *lazyGreedy) setBound(int64) {}

func (l *lazyGreedy) done() int64 { return l.h.Work() + l.other }

func (l *lazyGreedy) begin() {
	l.began = true
	row := l.Initial()
	id, _ := l.reg.Insert(row, l.reg.Hash(row))
	l.reg.Record(id)[l.words+nodeLink] = link(state.NoState, 0)
	l.open.Push(id, 0, 0)
}

// pop takes a state off the list whose turn it is. It reports false where both are empty.
func (l *lazyGreedy) pop() (state.StateID, bool) {
	lists := [2]*state.OpenList{l.open, l.preferred}
	i := 0
	if l.open.Len() == 0 || l.preferred.Len() > 0 && l.turns[1] <= l.turns[0] {
		i = 1
	}
	if lists[i].Len() == 0 {
		return 0, false
	}
	l.turns[i]++
	l.other += 8
	id, _, _ := lists[i].Pop()
	return id, true
}

func (l *lazyGreedy) run(units int64) bool {
	if l.end != nil {
		return true
	}
	if !l.began {
		l.begin()
	}
	perState, perNext := l.WorkPerState(), 32+4*int64(l.words)
	for until := l.done() + units; l.done() < until; {
		id, ok := l.pop()
		if !ok {
			return l.exhausted()
		}
		rec := l.reg.Record(id)
		node := rec[l.words:]
		if node[nodeLink]&closedBit != 0 {
			continue
		}
		l.Unpack(rec, l.x)
		if l.IsGoal(rec, l.x) {
			l.solved(id)
			if l.end.Status == SolvedOptimally {
				l.end.Status = Solved
			}
			return true
		}
		l.other += perState
		node[nodeLink] |= closedBit
		h := l.h.Estimate(l.x.Values)
		if l.stats.Evaluated++; l.stats.Evaluated == 1 {
			if l.stats.InitialH = h; h == heuristic.DeadEnd {
				l.stats.InitialH = -1
			}
		}
		if h == heuristic.DeadEnd {
			l.stats.DeadEnds++
			continue
		}
		if h < l.least {
			l.least = h
			l.turns[1] -= lazyBoost
		}
		ops := l.Applicable(l.x)
		if l.full(len(ops)) {
			return true
		}
		l.stats.Expanded++
		l.expand(id, rec, h)
		l.other += perNext * int64(len(ops))
	}
	return false
}

// expand enters the successors of the state in x, which has estimate h.
func (l *lazyGreedy) expand(id state.StateID, rec []uint64, h int64) {
	w := l.words
	parentG := int64(rec[w+nodeCost])
	l.generate(rec)
	l.stats.Generated += int64(len(l.x.Ops))
	for i, op := range l.x.Ops {
		c, ok := l.Applier.Cost(l.x.Values, op)
		g := parentG + c
		if !ok || g < 0 {
			l.drop(plus(parentG, c))
			continue
		}
		l.reach(id, i, g, h)
	}
}

// reach enters successor i, reached at cost g from a state with estimate h.
func (l *lazyGreedy) reach(parent state.StateID, i int, g, h int64) {
	op := l.x.Ops[i]
	next, isNew := l.insert(i)
	node := l.reg.Record(next)[l.words:]
	if !isNew && node[nodeLink]&closedBit != 0 {
		return
	}
	if isNew || g < int64(node[nodeCost]) {
		node[nodeCost] = uint64(g)
		node[nodeLink] = link(parent, op)
	}
	if isNew {
		l.open.Push(next, h, 0)
	}
	if l.h.Preferred(op) {
		l.preferred.Push(next, h, 0)
	}
}
