package symbolic

import (
	"cmp"
	"math"
	"slices"

	"github.com/planproof/planproof/search/symbolic/bdd"
)

// layer holds the states at one cost that a side has gone on from: steps[0] were reached by operators
// that cost something (or are where the side began), steps[k] from steps[k-1] by operators of cost 0.
type layer struct {
	cost  uint64
	steps []bdd.Node
	all   bdd.Node
}

// bucket holds states that have been reached at one cost.
type bucket struct {
	cost   uint64
	states bdd.Node
}

// side is one direction of the search. The layer in progress is the last one while busy.
type side struct {
	open   []bucket // ascending by cost
	layers []layer  // ascending by cost
	closed bdd.Node // the union of the layers

	busy            bool
	class, relation int      // the next product: classes[class].relations[relation]
	frontier        bdd.Node // of the closure under operators of cost 0, False when it is done
	grown           bdd.Node // what the closure's present step has reached

	promise  int64    // expected work of the layer in progress, 0 before it begins
	spent    int64    // on it
	work     [2]int64 // on the two layers before, the last one first
	sizes    [2]int   // of the layer in progress, or the last one, and that before, in nodes
	failed   bool     // the last product did not fit into memory
	blocked  bool     // this side does not go on
	finished int64    // layers
}

// least returns the least cost that the side has not finished, or infinite.
func (d *side) least() uint64 {
	switch {
	case d.busy:
		return d.layers[len(d.layers)-1].cost
	case len(d.open) > 0:
		return d.open[0].cost
	}
	return infinite
}

// meeting is a plan: the state is reached by the two sides at these costs.
type meeting struct {
	state             []bool // nil for none
	forward, backward uint64
	cost              uint64 // infinite for none
}

// advance makes one step of a side, which may panic: then nothing has changed.
func (s *Search) advance(d *side) {
	switch {
	case !d.busy:
		s.begin(d)
	case d.frontier != bdd.False:
		s.closeUnderZero(d)
	default:
		s.expand(d)
	}
}

// begin makes a layer of the least open bucket.
func (s *Search) begin(d *side) {
	b := d.open[0]
	set, closed, size := s.simplest(d, b.states)
	d.open = d.open[1:]
	if closed == d.closed {
		return
	}
	d.promise = d.expect(size)
	d.closed, d.busy, d.sizes = closed, true, [2]int{size, d.sizes[0]}
	d.layers = append(d.layers, layer{b.cost, []bdd.Node{set}, set})
	d.class, d.relation, d.frontier, d.grown = 0, 0, bdd.False, bdd.False
	if len(s.classes) > 0 && s.classes[0].cost == 0 {
		d.class, d.frontier = 1, set
	}
}

// expect returns the work that a layer of so many nodes promises. Two layers count, because sizes alternate where
// every other step is of the same kind: to move and to stop, to take up and to put down.
func (d *side) expect(size int) int64 {
	growth := float64(size) / float64(max(d.sizes[0], d.sizes[1], 1))
	return int64(float64(max(d.work[0], d.work[1])) * min(max(growth, 0.5), 4))
}

// simplest returns the union of what a side has gone on from and a set that it has reached, and a set to go on from:
// all that is new in reached, and as much of the rest of the union as makes the diagram small.
func (s *Search) simplest(d *side, reached bdd.Node) (set, closed bdd.Node, size int) {
	reached = s.filter(d, reached)
	closed = s.m.Or(d.closed, reached)
	if closed == d.closed {
		return bdd.False, closed, 0
	}
	set = s.m.Diff(reached, d.closed)
	size = s.m.Size(set)
	for _, other := range []bdd.Node{reached, closed} {
		if n := s.m.Size(other); n < size {
			set, size = other, n
		}
	}
	return set, closed, size
}

// move returns the states one relation away from a set.
func (s *Search) move(d *side, set bdd.Node, r *relation) bdd.Node {
	if d == s.forward {
		return s.m.Image(set, r.node, r.cube)
	}
	return s.m.Preimage(set, r.node, r.cube)
}

// closeUnderZero makes one product of the closure of the layer under operators of cost 0.
func (s *Search) closeUnderZero(d *side) {
	zero, l := s.classes[0].relations, &d.layers[len(d.layers)-1]
	grown := s.m.Or(d.grown, s.move(d, d.frontier, &zero[d.relation]))
	if d.relation+1 < len(zero) {
		d.grown = grown
		d.relation++
		return
	}
	grown, closed, _ := s.simplest(d, grown)
	all := s.m.Or(l.all, grown)
	best := s.meet(d, grown, l.cost)
	d.closed, d.frontier, d.grown, d.relation = closed, grown, bdd.False, 0
	if grown != bdd.False {
		l.steps = append(l.steps, grown)
		l.all = all
	}
	s.best = best
}

// expand makes one product of the layer with a relation.
func (s *Search) expand(d *side) {
	l := d.layers[len(d.layers)-1]
	if d.class == len(s.classes) {
		d.busy = false
		d.finished++
		d.work, d.promise, d.spent = [2]int64{d.spent, d.work[0]}, 0, 0
		return
	}
	c := &s.classes[d.class]
	cost := l.cost + c.cost
	if cost > math.MaxInt64 {
		s.overflow = true
	}
	if cost <= math.MaxInt64 && cost < s.limit() {
		set := s.move(d, l.all, &c.relations[d.relation])
		best := s.meet(d, set, cost)
		if set != bdd.False && plus(cost, s.other(d).least()) < min(s.limit(), best.cost) {
			s.reach(d, cost, set)
		}
		s.best = best
	} else {
		d.relation = len(c.relations) - 1
	}
	if d.relation++; d.relation == len(c.relations) {
		d.class, d.relation = d.class+1, 0
	}
}

// reach enters a set into the open bucket of its cost.
func (s *Search) reach(d *side, cost uint64, set bdd.Node) {
	i, found := slices.BinarySearchFunc(d.open, cost, func(b bucket, c uint64) int { return cmp.Compare(b.cost, c) })
	if !found {
		d.open = slices.Insert(d.open, i, bucket{cost, set})
		return
	}
	d.open[i].states = s.m.Or(d.open[i].states, set)
}

// meet returns the best plan known when side d has reached a set.
func (s *Search) meet(d *side, set bdd.Node, cost uint64) meeting {
	best, o := s.best, s.other(d)
	try := func(states bdd.Node, there uint64) bool {
		total := plus(cost, there)
		if total >= min(best.cost, s.bound) || total > math.MaxInt64 {
			s.overflow = s.overflow || total > math.MaxInt64
			return true
		}
		if s.m.Disjoint(set, states) {
			return false
		}
		best = meeting{state: make([]bool, s.e.total), cost: total, forward: cost, backward: there}
		if d == s.backward {
			best.forward, best.backward = there, cost
		}
		s.m.Pick(s.m.And(set, states), best.state)
		return true
	}
	if !s.m.Disjoint(set, o.closed) {
		for i := range o.layers {
			if try(o.layers[i].all, o.layers[i].cost) {
				break
			}
		}
	}
	for i := range o.open {
		if try(o.open[i].states, o.open[i].cost) {
			break
		}
	}
	return best
}

func (s *Search) other(d *side) *side {
	if d == s.forward {
		return s.backward
	}
	return s.forward
}

// infinite is more than any cost of 63 bits.
const infinite = math.MaxUint64

// plus adds costs; the sum is at most infinite.
func plus(a, b uint64) uint64 {
	if c := a + b; c >= a {
		return c
	}
	return infinite
}
