package heuristic

import "math"

// abstractGraph is the transition system of an abstraction.
type abstractGraph struct {
	n int32 // states
	// Operators that do the same are one class: ops lists the members of all classes.
	ops lists
	// loops says of a class whether one of its transitions may lead from a state to itself.
	loops []bool
	// The other transitions, backwards: those into state s are edges[start[s]:start[s+1]].
	start []int32
	edges []abstractEdge
	goals []int32
}

type abstractEdge struct{ from, class int32 }

const (
	// noCost is what operators cost that are on no plan: no cost is too high for them.
	noCost = -1
	// noNeed is what they need in an abstraction that shows it.
	noNeed = math.MinInt64
)

// distances computes the distance of every abstract state to the goal when operators cost
// what cost says, DeadEnd where there is no path without operators of noCost. They stay below
// DeadEnd. The result means nothing once the budget has ended.
func (p *abstractGraph) distances(cost []int64, q *queue[int64], b *Budget) []int64 {
	class := make([]int64, len(p.ops.start)-1)
	large := false
	for k := range class {
		class[k] = noCost
		for _, o := range p.ops.of(int32(k)) {
			if c := min(cost[o], DeadEnd-1); c != noCost && (class[k] == noCost || c < class[k]) {
				class[k] = c
			}
		}
		large = large || class[k] > maxBucketCost
	}
	d := make([]int64, p.n)
	for s := range d {
		d[s] = DeadEnd
	}
	q.clear()
	if large && !q.heap {
		*q = queue[int64]{heap: true}
	}
	for _, s := range p.goals {
		d[s] = 0
		q.push(s, 0)
	}
	for q.n > 0 {
		s, at := q.pop()
		if d[s] < at {
			continue
		}
		if !b.spend(int(p.start[s+1] - p.start[s])) {
			return d
		}
		for _, e := range p.edges[p.start[s]:p.start[s+1]] {
			if class[e.class] == noCost {
				continue
			}
			if x := satAdd(at, class[e.class]); x < d[e.from] {
				d[e.from] = x
				q.push(e.from, x)
			}
		}
	}
	return d
}

// saturate returns, by class, the least cost under which d is still consistent: the most by
// which one of its transitions lowers d.
func (p *abstractGraph) saturate(d []int64) []int64 {
	need := make([]int64, len(p.ops.start)-1)
	for s := range p.n {
		if d[s] == DeadEnd {
			continue
		}
		for _, e := range p.edges[p.start[s]:p.start[s+1]] {
			need[e.class] = max(need[e.class], d[e.from]-d[s])
		}
	}
	return need
}

// saturateFully is saturate without the bound 0 for operators that never leave a state as it
// is: what they lower no distance by is more than they need, and others get it
// (general cost functions; Seipp, Keller and Helmert, JAIR 67, 2020, section 2). An operator
// without a transition between states with a path to the goal is on no plan; its need is
// noNeed. It overwrites need, by class.
func (p *abstractGraph) saturateFully(d, need []int64) {
	for k := range need {
		need[k] = noNeed
		if p.loops[k] {
			need[k] = 0
		}
	}
	for s := range p.n {
		if d[s] == DeadEnd {
			continue
		}
		for _, e := range p.edges[p.start[s]:p.start[s+1]] {
			if d[e.from] != DeadEnd {
				need[e.class] = max(need[e.class], d[e.from]-d[s])
			}
		}
	}
}
