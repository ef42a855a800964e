package space

import (
	"errors"
	"fmt"
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// Unreachable is the distance of a state from which no goal, or which from no source, can
// be reached.
const Unreachable int64 = math.MaxInt64

// errBeyond says that a distance is no 63-bit number.
var errBeyond = errors.New("goal distances exceed 63 bits")

// Costs prices the transitions of a StateSpace.
type Costs struct {
	operator   []int64 // nil: 1 each
	transition bool    // by transition, as the task's conditional costs say
	max        int64
}

// Steps counts every transition 1.
func (s *StateSpace) Steps() *Costs { return &Costs{max: 1} }

// TaskCosts are the costs that the task states, in units of Task.CostUnit, conditional
// increases included.
func (s *StateSpace) TaskCosts() *Costs {
	c := &Costs{operator: make([]int64, s.sys.Task.Operators.Len()), transition: s.out.cost != nil}
	for o := range c.operator {
		c.operator[o] = s.sys.Task.Operators.Cost(o)
		c.max = max(c.max, c.operator[o])
	}
	for _, x := range s.out.cost {
		c.max = max(c.max, x)
	}
	return c
}

// OperatorCosts prices each operator, cost[o] >= 0 for operator o. Operators of one name
// must cost the same, since only one of them is kept where several are applicable. The
// slice must not be changed afterwards.
func (s *StateSpace) OperatorCosts(cost []int64) (*Costs, error) {
	if len(cost) != s.sys.Task.Operators.Len() {
		return nil, fmt.Errorf("%d costs for %d operators", len(cost), s.sys.Task.Operators.Len())
	}
	c := &Costs{operator: cost}
	shared := make([]int64, s.names)
	for i := range shared {
		shared[i] = -1
	}
	for o, x := range cost {
		name := &shared[s.nameOf[o]]
		switch {
		case x < 0:
			return nil, fmt.Errorf("%s has the negative cost %d", s.sys.Task.OperatorName(grounder.OperatorID(o)), x)
		case *name >= 0 && *name != x:
			return nil, fmt.Errorf("two operators are named %s, of costs %d and %d", s.sys.Task.OperatorName(grounder.OperatorID(o)), *name, x)
		}
		*name = x
		c.max = max(c.max, x)
	}
	return c, nil
}

// Order says what a distance minimises.
type Order int8

// Orders of Distances.To and From.
const (
	// ByCost minimises the cost; Distances.Steps is nil.
	ByCost Order = iota
	// ByCostThenSteps minimises the number of steps among the paths of least cost.
	ByCostThenSteps
	// ByStepsThenCost minimises the cost among the paths of fewest steps.
	ByStepsThenCost
)

// Distances computes exact distances in a StateSpace. It is one goroutine's working memory:
// after the first calls nothing is allocated. Cost and Steps hold the results, by state,
// until the next call. Unreachable means that there is no path.
type Distances struct {
	Cost, Steps []int64

	s       *StateSpace
	steps   []int64
	queue   []uint32
	buckets [][]uint32
	heap    distanceHeap
	far     []uint32 // states that a path beyond 63 bits leads to
}

// NewDistances returns working memory for distances in s.
func (s *StateSpace) NewDistances() *Distances {
	return &Distances{s: s, Cost: make([]int64, s.Len()), steps: make([]int64, s.Len())}
}

// To computes the distance from every state to the nearest of the goals. Cost takes a
// cheapest path by breadth-first search where all transitions cost 1, else by Dijkstra's
// algorithm. An error is a distance beyond 63 bits.
func (d *Distances) To(goals []state.StateID, c *Costs, o Order) error {
	return d.run(&d.s.in, goals, c, o)
}

// From computes the distance to every state from the nearest of the sources.
func (d *Distances) From(sources []state.StateID, c *Costs, o Order) error {
	return d.run(&d.s.out, sources, c, o)
}

func (d *Distances) run(t *Transitions, sources []state.StateID, c *Costs, o Order) error {
	d.Steps = nil
	switch {
	case o == ByStepsThenCost:
		d.Steps = d.steps
		d.breadthFirst(t, sources, d.Steps)
		return d.cheapestLayered(t, sources, c)
	case c.operator == nil:
		d.breadthFirst(t, sources, d.Cost)
		if o == ByCostThenSteps {
			copy(d.steps, d.Cost)
			d.Steps = d.steps
		}
		return nil
	}
	if err := d.cheapest(t, sources, c); err != nil || o == ByCost {
		return err
	}
	d.Steps = d.steps
	d.fewestTight(t, sources, c)
	return nil
}

// weight is the cost of transition k of t.
func (c *Costs) weight(t *Transitions, k uint32) int64 {
	switch {
	case c.transition:
		return t.cost[k]
	case c.operator == nil:
		return 1
	}
	return c.operator[t.Operator[k]]
}

func fill(xs []int64, x int64) {
	for i := range xs {
		xs[i] = x
	}
}

// start gives the sources distance 0, all other states none, and queues each source once.
func (d *Distances) start(dist []int64, sources []state.StateID) {
	fill(dist, Unreachable)
	d.queue = d.queue[:0]
	for _, s := range sources {
		if dist[s] != 0 {
			dist[s] = 0
			d.queue = append(d.queue, uint32(s))
		}
	}
}

// breadthFirst counts steps. It leaves the states reached in d.queue, by distance.
func (d *Distances) breadthFirst(t *Transitions, sources []state.StateID, dist []int64) {
	d.start(dist, sources)
	for i := 0; i < len(d.queue); i++ {
		s := d.queue[i]
		next := dist[s] + 1
		for _, u := range t.State[t.Start[s]:t.Start[s+1]] {
			if dist[u] == Unreachable {
				dist[u] = next
				d.queue = append(d.queue, uint32(u))
			}
		}
	}
}

// cheapestLayered computes the least cost of a path of fewest steps, in the order in which
// breadthFirst has met the states: all states one step nearer are done before.
func (d *Distances) cheapestLayered(t *Transitions, sources []state.StateID, c *Costs) error {
	fill(d.Cost, Unreachable)
	for _, s := range sources {
		d.Cost[s] = 0
	}
	d.far = d.far[:0]
	for _, s := range d.queue {
		if d.Cost[s] == Unreachable {
			return errBeyond // all shortest paths to it cost more than 63 bits hold
		}
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			u := t.State[k]
			if d.steps[u] != d.steps[s]+1 {
				continue
			}
			if w := c.weight(t, k); w < Unreachable-d.Cost[s] {
				d.Cost[u] = min(d.Cost[u], d.Cost[s]+w)
			}
		}
	}
	return nil
}

// fewestTight counts the steps of shortest paths among the cheapest ones: those along
// transitions whose cost is the difference of the distances.
func (d *Distances) fewestTight(t *Transitions, sources []state.StateID, c *Costs) {
	d.start(d.steps, sources)
	for i := 0; i < len(d.queue); i++ {
		s := d.queue[i]
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			u := t.State[k]
			if d.steps[u] == Unreachable && d.Cost[u]-d.Cost[s] == c.weight(t, k) {
				d.steps[u] = d.steps[s] + 1
				d.queue = append(d.queue, uint32(u))
			}
		}
	}
}

// maxBuckets is the largest transition cost for which Dijkstra's algorithm keeps one bucket
// per distance (Dial 1969) rather than a heap.
const maxBuckets = 256

// cheapest runs Dijkstra's algorithm.
func (d *Distances) cheapest(t *Transitions, sources []state.StateID, c *Costs) error {
	d.start(d.Cost, sources)
	if c.max < maxBuckets && c.max < Unreachable/int64(len(d.Cost)) {
		d.dial(t, c)
		return nil
	}
	d.far, d.heap = d.far[:0], d.heap[:0]
	for _, s := range d.queue {
		d.heap.push(0, s)
	}
	for len(d.heap) > 0 {
		g, s := d.heap.pop()
		if g != d.Cost[s] {
			continue
		}
		for k := t.Start[s]; k < t.Start[s+1]; k++ {
			u, w := t.State[k], c.weight(t, k)
			switch {
			case w >= Unreachable-g:
				d.far = append(d.far, uint32(u))
			case g+w < d.Cost[u]:
				d.Cost[u] = g + w
				d.heap.push(g+w, uint32(u))
			}
		}
	}
	for _, s := range d.far {
		if d.Cost[s] == Unreachable {
			return errBeyond
		}
	}
	return nil
}

// dial keeps the states of distance g in bucket g modulo the number of buckets: at any time
// the distances in the queue differ by at most the largest cost.
func (d *Distances) dial(t *Transitions, c *Costs) {
	size := int64(1)
	for size <= c.max {
		size *= 2
	}
	for int64(len(d.buckets)) < size {
		d.buckets = append(d.buckets, nil)
	}
	buckets, mask := d.buckets[:size], size-1
	buckets[0] = append(buckets[0], d.queue...)
	for g, left := int64(0), len(d.queue); left > 0; g++ {
		b := &buckets[g&mask]
		for i := 0; i < len(*b); i++ { // transitions of cost 0 make it grow
			s := (*b)[i]
			left--
			if d.Cost[s] != g {
				continue // reached at less cost meanwhile, and done
			}
			for k := t.Start[s]; k < t.Start[s+1]; k++ {
				u := t.State[k]
				if v := g + c.weight(t, k); v < d.Cost[u] {
					d.Cost[u] = v
					buckets[v&mask] = append(buckets[v&mask], uint32(u))
					left++
				}
			}
		}
		*b = (*b)[:0]
	}
}

// distanceHeap is a binary heap of states by distance.
type distanceHeap []heapEntry

type heapEntry struct {
	g  int64
	id uint32
}

func (h *distanceHeap) push(g int64, id uint32) {
	*h = append(*h, heapEntry{})
	a := *h
	i := len(a) - 1
	for i > 0 && a[(i-1)/2].g > g {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = heapEntry{g, id}
}

func (h *distanceHeap) pop() (int64, uint32) {
	a := *h
	top, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	for i, c := 0, 1; len(a) > 0; c = 2*i + 1 {
		if c+1 < len(a) && a[c+1].g < a[c].g {
			c++
		}
		if c >= len(a) || a[c].g >= last.g {
			a[i] = last
			break
		}
		a[i] = a[c]
		i = c
	}
	return top.g, top.id
}
