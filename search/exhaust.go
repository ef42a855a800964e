package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"planproof/grounder"
	"planproof/search/state"
)

// LimitError says that Exhaust was stopped by a limit.
type LimitError struct {
	Status Status // Timeout, Memout or Nodeout
	States int64  // reached so far
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s after %d states", e.Status, e.States)
}

// ErrNoStateSpace is returned by Exhaust for tasks that grounding has already shown
// unsolvable and left out: such a ground task has lost its state space.
var ErrNoStateSpace = errors.New("grounding has shown the goal unreachable; the ground task has no state space to enumerate")

// Exhaust enumerates all reachable states of t and computes the exact distance of each to
// the goal, in cost and in steps. Limits.Nodes bounds the number of states. Errors are a
// *LimitError, ErrNoStateSpace, and costs beyond 63 bits.
//
// States are registered breadth first. A second pass over them collects the transitions
// backwards, 4 bytes each (5 where costs differ), from which a breadth-first search and,
// where costs differ, Dijkstra's algorithm run from the goal states. If the memory limit
// does not allow that, sweeps over the states that generate their successors anew take
// its place: the same result for much more time.
func Exhaust(ctx context.Context, t *grounder.Task, lim Limits) (*Table, error) {
	if t.Unsolvable && t.Trivial {
		return nil, ErrNoStateSpace
	}
	sim, err := NewSimulator(t)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	e := newExhauster(ctx, sim, lim)
	if err := e.forward(); err != nil {
		return nil, err
	}
	if err := e.backward(); err != nil {
		return nil, err
	}
	return e.tab, e.tab.summarise()
}

type exhauster struct {
	*Simulator
	clock *clock
	lim   Limits
	x     *scratch
	spent int   // words of states made since the last look at the limits
	kept  int64 // bytes held beside the registry, transitions apart
	seen  []int64
	round int64
	reg   *state.Registry
	tab   *Table

	goals []uint32
	into  []uint32 // by state: transitions into it, self-loops left out
	arcs  int64
	costs costClasses
}

func newExhauster(ctx context.Context, sim *Simulator, lim Limits) *exhauster {
	e := &exhauster{
		Simulator: sim, clock: newClock(ctx, lim), lim: lim, x: sim.newScratch(),
		seen: make([]int64, sim.names),
		reg:  state.NewRegistry(sim.packer.Words(), 0),
		tab:  &Table{Simulator: sim},
	}
	e.tab.reg = e.reg
	return e
}

// costClasses numbers the distinct costs of transitions.
type costClasses struct {
	value []int64
	index map[int64]uint32
}

func (c *costClasses) of(cost int64) uint32 {
	if len(c.value) > 0 && c.value[0] == cost {
		return 0
	}
	k, ok := c.index[cost]
	if !ok {
		if c.index == nil {
			c.index = map[int64]uint32{}
		}
		k = uint32(len(c.value))
		c.index[cost] = k
		c.value = append(c.value, cost)
	}
	return k
}

// successors calls visit for every transition out of state id.
func (e *exhauster) successors(id state.StateID, visit func(row []uint64, op grounder.OperatorID, cost int64)) error {
	row := e.reg.Row(id)
	e.unpack(row, e.x)
	for _, op := range e.transitions(e.x, e.seen, &e.round) {
		c, ok := e.apply.Cost(e.x.values, op)
		if !ok {
			return fmt.Errorf("the cost of %s exceeds 63 bits", e.task.OperatorName(op))
		}
		e.apply.Apply(e.x.next, row, e.x.values, op)
		visit(e.x.next, op, c)
		if e.spent += len(row); e.spent >= wordsBetweenLooks {
			if err := e.look(); err != nil {
				return err
			}
		}
	}
	return nil
}

// wordsBetweenLooks bounds the states made between two looks at the limits: a single
// state may have a million successors of 100 KB each.
const wordsBetweenLooks = 1 << 21

// look checks time and memory in the middle of an expansion.
func (e *exhauster) look() error {
	e.spent = 0
	n := int64(e.reg.Len())
	switch {
	case e.clock.expired():
		return &LimitError{Timeout, n}
	case e.lim.Memory > 0 && e.reg.Bytes()+e.kept+int64(cap(e.into))*4 > e.lim.Memory:
		return &LimitError{Memout, n}
	}
	return nil
}

// check looks at the clock now and then.
func (e *exhauster) check(id int) error {
	if id&1023 == 0 && e.clock.expired() {
		return &LimitError{Timeout, int64(e.reg.Len())}
	}
	return nil
}

// forward registers all reachable states, breadth first.
func (e *exhauster) forward() error {
	row := e.initial()
	e.reg.Insert(row, e.reg.Hash(row))
	e.into = append(e.into, 0)
	layer := 1 // first id of the next layer
	for id := 0; id < e.reg.Len(); id++ {
		if id == layer || id == 0 {
			e.tab.PerDepth = append(e.tab.PerDepth, int64(e.reg.Len()-id))
			layer = e.reg.Len()
		}
		if err := e.limits(id); err != nil {
			return err
		}
		err := e.successors(state.StateID(id), func(row []uint64, _ grounder.OperatorID, c int64) {
			next, isNew := e.reg.Insert(row, e.reg.Hash(row))
			if isNew {
				e.into = append(e.into, 0)
			}
			e.tab.Edges++
			if int(next) != id {
				e.into[next]++
				e.arcs++
				e.costs.of(c)
			}
		})
		if err != nil {
			return err
		}
		if e.isGoal(e.reg.Row(state.StateID(id)), e.x) {
			e.goals = append(e.goals, uint32(id))
		}
	}
	e.tab.States = int64(e.reg.Len())
	e.tab.GoalStates = int64(len(e.goals))
	return nil
}

func (e *exhauster) limits(id int) error {
	n := e.reg.Len()
	switch {
	case e.lim.Nodes > 0 && int64(n) > e.lim.Nodes:
		return &LimitError{Nodeout, int64(n)}
	case n+len(e.task.Operators) > state.MaxStates:
		return &LimitError{Memout, int64(n)}
	case e.lim.Memory > 0 && (id&255 == 0 || e.reg.Growing(len(e.task.Operators))):
		if e.reg.Bytes()+e.reg.GrowBytes(256)+e.kept+int64(cap(e.into))*4 > e.lim.Memory {
			return &LimitError{Memout, int64(n)}
		}
	}
	return e.check(id)
}

// backward computes the distances.
func (e *exhauster) backward() error {
	n := e.reg.Len()
	uniform := len(e.costs.value) <= 1
	held := e.reg.Bytes() + int64(cap(e.into))*4
	need := e.arcs*4 + int64(n)*12 // lists, distances and the queue
	if !uniform {
		need += e.arcs + int64(n)*16
	}
	if len(e.costs.value) > 1<<8 {
		need += e.arcs * 3
	}
	var g *inverse
	if e.arcs <= math.MaxUint32 && (e.lim.Memory == 0 || held+need <= e.lim.Memory) {
		var err error
		if g, err = e.invert(uniform); err != nil {
			return err
		}
	}
	e.into = nil
	steps, err := distances[uint32](e, g, true)
	if err != nil {
		return err
	}
	e.tab.steps = steps
	if uniform {
		return e.scale()
	}
	if e.tab.cost32, err = distances[uint32](e, g, false); err == nil {
		return nil
	}
	if !errors.Is(err, errTooFar) {
		return err
	}
	e.tab.cost32 = nil
	if e.tab.cost64, err = distances[uint64](e, g, false); errors.Is(err, errTooFar) {
		return errBeyond
	}
	return err
}

// scale sets the cost of all transitions where they are equal.
func (e *exhauster) scale() error {
	if len(e.costs.value) == 0 {
		return nil
	}
	e.tab.unit = e.costs.value[0]
	for _, d := range e.tab.steps {
		if d != math.MaxUint32 && d > 0 && e.tab.unit > math.MaxInt64/int64(d) {
			return errBeyond
		}
	}
	return nil
}

// inverse lists the transitions into each state: from[start[t]:start[t+1]] are the states
// before t. Where costs differ, class8 or, with more than 256 of them, class32 has the cost
// class of each transition.
type inverse struct {
	start   []uint32
	from    []uint32
	class8  []uint8
	class32 []uint32
}

func (g *inverse) class(k uint32) uint32 {
	if g.class8 != nil {
		return uint32(g.class8[k])
	}
	return g.class32[k]
}

func (e *exhauster) invert(uniform bool) (*inverse, error) {
	n := e.reg.Len()
	g := &inverse{start: append(e.into, 0), from: make([]uint32, e.arcs)}
	end := uint32(0)
	for i, k := range g.start {
		end += k
		g.start[i] = end // the end of list i, which fills from there down to its start
	}
	switch {
	case uniform:
	case len(e.costs.value) <= 1<<8:
		g.class8 = make([]uint8, e.arcs)
	default:
		g.class32 = make([]uint32, e.arcs)
	}
	for id := 0; id < n; id++ {
		if err := e.check(id); err != nil {
			return nil, err
		}
		err := e.successors(state.StateID(id), func(row []uint64, _ grounder.OperatorID, c int64) {
			next, _ := e.reg.Find(row)
			if int(next) == id {
				return
			}
			g.start[next]--
			at := g.start[next]
			g.from[at] = uint32(id)
			switch k := e.costs.of(c); {
			case g.class8 != nil:
				g.class8[at] = uint8(k)
			case g.class32 != nil:
				g.class32[at] = k
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// errTooFar says that a distance does not fit the type.
var errTooFar = errors.New("distance too large")

// distances returns every state's distance to the goal, the type's maximum for dead ends.
// With unit each transition counts 1.
func distances[D uint32 | uint64](e *exhauster, g *inverse, unit bool) ([]D, error) {
	inf := ^D(0)
	dist := make([]D, e.reg.Len())
	for i := range dist {
		dist[i] = inf
	}
	for _, s := range e.goals {
		dist[s] = 0
	}
	far := uint64(inf)
	if far > math.MaxInt64 {
		far = math.MaxInt64
	}
	switch {
	case g == nil:
		return dist, sweep(e, dist, unit, far)
	case unit:
		return dist, breadthFirst(e, g, dist)
	}
	return dist, dijkstra(e, g, dist, far)
}

// breadthFirst fills in unit distances layer by layer.
func breadthFirst[D uint32 | uint64](e *exhauster, g *inverse, dist []D) error {
	queue := append([]uint32(nil), e.goals...)
	var next []uint32
	for d := D(1); len(queue) > 0; d++ {
		for i, t := range queue {
			if err := e.check(i); err != nil {
				return err
			}
			for _, s := range g.from[g.start[t]:g.start[t+1]] {
				if dist[s] > d {
					dist[s] = d
					next = append(next, s)
				}
			}
		}
		queue, next = next, queue[:0]
	}
	return nil
}

// dijkstra fills in cost distances below far.
func dijkstra[D uint32 | uint64](e *exhauster, g *inverse, dist []D, far uint64) error {
	open := newOpenList()
	for _, s := range e.goals {
		open.Push(state.StateID(s), 0, 0)
	}
	for i := 0; open.Len() > 0; i++ {
		if err := e.check(i); err != nil {
			return err
		}
		t, d, _ := open.Pop()
		if uint64(dist[t]) < uint64(d) {
			continue
		}
		for k := g.start[t]; k < g.start[t+1]; k++ {
			v := uint64(d) + uint64(e.costs.value[g.class(k)])
			if v >= far {
				return errTooFar
			}
			if s := g.from[k]; v < uint64(dist[s]) {
				dist[s] = D(v)
				open.Push(state.StateID(s), int64(v), 0)
			}
		}
	}
	return nil
}

// sweep fills in distances by relaxing every state in turn until nothing changes, down
// and up the order of registration by turns.
func sweep[D uint32 | uint64](e *exhauster, dist []D, unit bool, far uint64) error {
	n := len(dist)
	for down, changed := true, true; changed; down = !down {
		changed = false
		for i := 0; i < n; i++ {
			if err := e.check(i); err != nil {
				return err
			}
			id := i
			if down {
				id = n - 1 - i
			}
			best, tooFar := uint64(dist[id]), false
			err := e.successors(state.StateID(id), func(row []uint64, _ grounder.OperatorID, c int64) {
				next, _ := e.reg.Find(row)
				d := dist[next]
				if d == ^D(0) {
					return
				}
				if unit {
					c = 1
				}
				v := uint64(d) + uint64(c)
				tooFar = tooFar || v >= far && best == uint64(^D(0))
				best = min(best, v)
			})
			if err != nil {
				return err
			}
			if best < far && best < uint64(dist[id]) {
				dist[id], changed = D(best), true
			} else if tooFar {
				return errTooFar
			}
		}
	}
	return nil
}
