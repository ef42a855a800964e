package space

import (
	"slices"

	"github.com/emirpasic/gods/queues/priorityqueue"

	"github.com/planproof/planproof/search/state"
)

// loopless finds the best way to the goal that keeps away from visited states: A* with the
// exact distances of the whole space, which are bounds in the space without these states.
type loopless struct {
	*Plans
	start *pathNode
	nodes map[state.StateID]*looplessNode
	open  *priorityqueue.Queue // of *looplessEntry, the best plans first
}

// looplessNode is a state reached, at least cost and steps; before are the states before it
// on such paths.
type looplessNode struct {
	cost, depth int64
	before      []state.StateID
	marked      bool // lies on a best way to the goal
}

type looplessEntry struct {
	f, steps, depth int64
	cost            int64
	id              state.StateID
}

// find returns the best way, the first by text among equals, or nil without a way.
func (d *loopless) find() ([]move, error) {
	held := d.bytes
	defer func() { d.bytes = held }()
	d.nodes = map[state.StateID]*looplessNode{d.start.state: {cost: d.start.cost, depth: d.start.depth}}
	d.open = priorityqueue.NewWith(compareLoopless)
	d.open.Enqueue(&looplessEntry{cost: d.start.cost, depth: d.start.depth, id: d.start.state})
	var ends []state.StateID
	var best *looplessEntry
	for i := 0; !d.open.Empty(); i++ {
		first, _ := d.open.Dequeue()
		e := first.(*looplessEntry)
		if len(ends) > 0 && (e.f > best.f || e.steps > best.steps) {
			break
		}
		n := d.nodes[e.id]
		if e.cost != n.cost || e.depth != n.depth {
			continue // reached at less meanwhile
		}
		if d.tab.steps[e.id] == 0 {
			ends, best = append(ends, e.id), e
			continue
		}
		if err := d.limits(i); err != nil {
			return nil, err
		}
		if err := d.from(e.id, e.cost, e.depth, false); err != nil {
			return nil, err
		}
		for _, m := range d.moves {
			d.reach(e, m)
		}
	}
	if len(ends) == 0 {
		return nil, nil
	}
	for len(ends) > 0 {
		n := d.nodes[ends[len(ends)-1]]
		ends = ends[:len(ends)-1]
		if !n.marked {
			n.marked = true
			ends = append(ends, n.before...)
		}
	}
	return d.way()
}

// reach takes note of a path by way of e and m.
func (d *loopless) reach(e *looplessEntry, m move) {
	cost, depth := e.cost+m.cost, e.depth+1
	n := d.nodes[m.to]
	switch {
	case n == nil:
		n = &looplessNode{}
		d.nodes[m.to] = n
		d.bytes += searchBytes
	case cost > n.cost || cost == n.cost && depth > n.depth:
		return
	case cost == n.cost && depth == n.depth:
		n.before = append(n.before, e.id)
		return
	}
	*n = looplessNode{cost: cost, depth: depth, before: append(n.before[:0], e.id)}
	d.open.Enqueue(&looplessEntry{m.f, m.steps, depth, cost, m.to})
}

// way follows the marked states, by the move that is first by text.
func (d *loopless) way() ([]move, error) {
	rest := []move{}
	id := d.start.state
	for n := d.nodes[id]; d.tab.steps[id] != 0; n = d.nodes[id] {
		if err := d.from(id, n.cost, n.depth, false); err != nil {
			return nil, err
		}
		moves := slices.DeleteFunc(d.moves, func(m move) bool {
			to := d.nodes[m.to]
			return to == nil || !to.marked || to.cost != n.cost+m.cost || to.depth != n.depth+1
		})
		m := slices.MinFunc(moves, func(a, b move) int { return cmp64(int64(d.rank[a.op]), int64(d.rank[b.op])) })
		rest = append(rest, m)
		id = m.to
	}
	return rest, nil
}

// compareLoopless orders entries by the best plan that each may lead to.
func compareLoopless(first, second any) int {
	a, b := first.(*looplessEntry), second.(*looplessEntry)
	if a.f != b.f {
		return cmp64(a.f, b.f)
	}
	return cmp64(a.steps, b.steps)
}
