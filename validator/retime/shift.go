package retime

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/emirpasic/gods/queues/priorityqueue"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// node is a set of constraints with the times that change least under them.
type node struct {
	list   []difference
	times  []int64
	change int64
	order  int // in which nodes were made
}

// compareNodes orders nodes by how much they change, then as they were made.
func compareNodes(first, second any) int {
	a, b := first.(*node), second.(*node)
	return cmp.Or(cmp.Compare(a.change, b.change), cmp.Compare(a.order, b.order))
}

// Bounds of the search: children of one node, and nodes that are kept.
const (
	maxChildren = 400
	maxNodes    = 1 << 16
)

// shift fills in the proposal that moves steps: first with the given durations, apart from those
// that are outside their bounds; if no timing is valid then, with all durations free.
func (p *proposer) shift(plan *pddl.Plan, out *Proposal) error {
	s, err := newSchedule(p.judge, plan, &p.opt)
	if err != nil {
		return err
	}
	for _, s.elastic = range []bool{false, true} {
		b := &brancher{proposer: p, schedule: s, open: priorityqueue.NewWith(compareNodes), seen: map[string]bool{}}
		b.clocked()
		best, reason := b.run()
		out.Judged, out.Grid = p.judged, s.grid.unit.String()
		switch {
		case reason != "":
			out.Status, out.Reason = Limit, reason
			return nil
		case best == nil:
			out.Status, out.Proven, out.Reason = None, b.inexact == "", b.inexact
			continue
		}
		best = b.fewest(best)
		out.Change = s.grid.time(best.change).String()
		repaired := s.at(best.times)
		out.Changes, out.Proven, out.Reason = changed(timed(p.judge, plan), repaired), b.inexact == "", b.inexact
		return p.accept(out, repaired)
	}
	return nil
}

// brancher is a branch and bound over the times of a schedule.
type brancher struct {
	*proposer
	*schedule
	open    *priorityqueue.Queue // of *node
	seen    map[string]bool
	made    int
	inexact string // why the first valid times need not be the least change; "" if they are
}

// clocked notes if more than order matters.
func (b *brancher) clocked() {
	if why := b.proposer.judge.Clocked(); why != "" {
		b.inexact = "validity depends on more than the order of happenings: " + why
	}
}

// run returns the first valid node, nil if there is none, or the limit that was reached.
func (b *brancher) run() (*node, string) {
	b.add(nil, nil)
	for !b.open.Empty() {
		if why := b.spent(); why != "" {
			return nil, why
		}
		first, _ := b.open.Dequeue()
		n := first.(*node)
		plan := b.at(n.times)
		b.judged++
		c := b.proposer.judge.Cause(plan, b.scratch)
		switch {
		case c.Valid:
			return n, ""
		case c.Kind == validator.FailTimeout:
			return nil, "the judge's limits"
		}
		b.branch(n, &c)
	}
	return nil, ""
}

// fewest returns a valid node with the same change in which as few steps as possible move: each in
// turn, those that move least first, stays if it can.
func (b *brancher) fewest(n *node) *node {
	moved := func(n *node, i int) int64 {
		off := n.times[b.start[i]] - b.given[b.start[i]]
		return max(off, -off)
	}
	var steps []int
	for i := range b.start {
		if moved(n, i) > 0 {
			steps = append(steps, i)
		}
	}
	slices.SortStableFunc(steps, func(i, k int) int { return cmp.Compare(moved(n, i), moved(n, k)) })
	for _, i := range steps {
		x, at := b.start[i], b.given[b.start[i]]
		list := append(slices.Clone(n.list), difference{0, x, at}, difference{x, 0, -at})
		times, change, ok := b.solve(list)
		if !ok || change > n.change {
			continue
		}
		b.judged++
		if b.proposer.judge.Judge(b.at(times), b.scratch).Valid {
			n = &node{list: list, times: times, change: change}
		}
	}
	return n
}

// add adds a node with further constraints, unless no times satisfy them.
func (b *brancher) add(parent *node, more []difference) {
	var list []difference
	if parent != nil {
		for _, d := range more {
			if parent.times[d.to]-parent.times[d.from] >= d.least && len(more) == 1 {
				return // it would change nothing
			}
		}
		list = append(slices.Clone(parent.list), more...)
		slices.SortFunc(list, func(x, y difference) int {
			switch {
			case x.from != y.from:
				return int(x.from - y.from)
			case x.to != y.to:
				return int(x.to - y.to)
			}
			return int(max(-1, min(1, x.least-y.least)))
		})
		list = slices.Compact(list)
	}
	key := fmt.Sprint(list)
	if b.seen[key] {
		return
	}
	b.seen[key] = true
	if b.open.Size() >= maxNodes {
		b.inexact = fmt.Sprintf("more than %d cases were open", maxNodes)
		return
	}
	times, change, ok := b.solve(list)
	if !ok {
		return
	}
	b.made++
	b.open.Enqueue(&node{list, times, change, b.made})
}

// branch adds a child for each way in which valid times can differ from those of a node.
func (b *brancher) branch(n *node, c *validator.Cause) {
	switch {
	case c.Kind == validator.FailMutex:
		b.add(n, []difference{b.apart(c.Other, c.At, b.gap)})
		b.add(n, []difference{b.apart(c.At, c.Other, b.gap)})
		b.unfired(n, c)
	case c.Bound:
		b.bound(n, c)
	case c.Kind == validator.FailUnknownAction, c.Kind == validator.FailUnknownObject, c.Kind == validator.FailArity, c.Kind == validator.FailType, c.Kind == validator.FailSyntax:
		return // no timing mends that
	default:
		b.reorder(n, c)
	}
}

// unfired adds the other orders of what the effects depend on by which two moments interfere:
// effects that do not fire change nothing.
func (b *brancher) unfired(n *node, c *validator.Cause) {
	for _, m := range []validator.Moment{c.At, c.Other} {
		x := *c
		x.At = m
		if x.Reads = b.reads[slices.Index(b.moments, m)]; len(x.Reads) > 0 {
			b.reorder(n, &x)
		}
	}
}

// bound adds the nearest durations that satisfy a bound.
func (b *brancher) bound(n *node, c *validator.Cause) {
	if !c.Static {
		b.inexact = "a bound on a duration depends on what steps change"
	}
	v, tolerance := c.Value, b.opt.Tolerance
	low, ok := b.grid.ceil(v.Sub(tolerance))
	high, fits := b.grid.floor(v.Add(tolerance))
	if !ok || !fits {
		return
	}
	below, _ := b.grid.ceil(v.Add(tolerance)) // the last that is less than the bound is one before
	above, _ := b.grid.floor(v.Sub(tolerance))
	if low > high { // between two points of the grid: rounded
		half, _ := b.grid.floor(v.Add(b.grid.unit.Mul(pddl.Fraction(1, 2))))
		low, high = half, half
	}
	start, end := b.start[c.At.Of], b.end[c.At.Of]
	least, most := difference{start, end, low}, difference{end, start, -high}
	switch c.Compare {
	case pddl.CompareEqual:
		b.add(n, []difference{least, most})
	case pddl.CompareGreaterEqual:
		low, _ := b.grid.ceil(v.Sub(tolerance))
		b.add(n, []difference{{start, end, low}})
	case pddl.CompareGreater:
		b.add(n, []difference{{start, end, above + 1}})
	case pddl.CompareLessEqual:
		high, _ := b.grid.floor(v.Add(tolerance))
		b.add(n, []difference{{end, start, -high}})
	case pddl.CompareLess:
		b.add(n, []difference{{end, start, -(below - 1)}})
	}
}

// reorder adds the other orders of what the failing condition depends on: the truth of a
// condition is a function of the order in which its atoms and values are written.
func (b *brancher) reorder(n *node, c *validator.Cause) {
	children := 0
	child := func(x, y validator.Moment) {
		if children++; children > maxChildren {
			b.inexact = fmt.Sprintf("a failure depends on more than %d orders", maxChildren)
			return
		}
		b.flip(n, x, y)
	}
	set := b.writersOf(c.Reads)
	if c.HasAt {
		ends := []validator.Moment{c.At}
		if c.Over {
			ends = []validator.Moment{{Of: c.At.Of, Part: validator.PartStart}, {Of: c.At.Of, Part: validator.PartEnd}}
		}
		for _, k := range set {
			for _, e := range ends {
				child(b.moments[k], e)
			}
		}
		if c.Over && b.inexact != "" {
			b.drift(n, c)
		}
	}
	for _, t := range c.Times {
		b.deadline(n, t, set)
	}
	for i, k := range set {
		for _, l := range set[:i] {
			if b.interact(k, l) {
				child(b.moments[k], b.moments[l])
			}
		}
	}
}

// drift adds durations that end before a continuous change breaks a condition.
func (b *brancher) drift(n *node, c *validator.Cause) {
	if when, ok := b.grid.floor(c.When); ok {
		b.add(n, []difference{{b.end[c.At.Of], 0, -when}})
	}
}

// deadline adds the moments of a set on the other side of a time.
func (b *brancher) deadline(n *node, t pddl.Number, set []int) {
	at, ok := b.grid.floor(t)
	if !ok {
		return
	}
	for _, k := range set {
		x, offset := b.schedule.place(b.moments[k])
		if b.timeOf(n, b.moments[k]) > at {
			b.add(n, []difference{{x, 0, offset - at}})
		} else {
			b.add(n, []difference{{0, x, at - offset}})
		}
	}
}

// writersOf lists the moments that may change what is read, or what these depend on.
func (b *brancher) writersOf(reads []validator.Touch) (out []int) {
	in := make([]bool, len(b.moments))
	for more := true; more; {
		more = false
		for k := range b.moments {
			if !in[k] && meet(b.writes[k], reads) {
				in[k], more = true, true
				reads = append(reads[:len(reads):len(reads)], b.reads[k]...)
			}
		}
	}
	for k := range in {
		if in[k] {
			out = append(out, k)
		}
	}
	return out
}

// interact reports whether the order of two moments may matter.
func (b *brancher) interact(k, l int) bool {
	return meet(b.writes[k], b.writes[l]) || meet(b.writes[k], b.reads[l]) || meet(b.reads[k], b.writes[l])
}

func meet(a, b []validator.Touch) bool {
	return slices.ContainsFunc(a, func(x validator.Touch) bool { return slices.ContainsFunc(b, x.Meets) })
}

// flip adds the other orders of two moments; moments of one step keep theirs.
func (b *brancher) flip(n *node, x, y validator.Moment) {
	literal := func(m validator.Moment) bool { return m.Part == validator.PartLiterals }
	if literal(x) && literal(y) || literal(x) == literal(y) && x.Of == y.Of {
		return
	}
	if b.timeOf(n, x) < b.timeOf(n, y) {
		x, y = y, x
	}
	if b.timeOf(n, x) == b.timeOf(n, y) {
		b.add(n, []difference{b.apart(x, y, 1)})
		b.add(n, []difference{b.apart(y, x, 1)})
		return
	}
	b.add(n, []difference{b.apart(x, y, 0)})
}

func (b *brancher) timeOf(n *node, m validator.Moment) int64 {
	k, offset := b.place(m)
	return n.times[k] + offset
}
