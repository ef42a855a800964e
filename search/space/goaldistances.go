package space

import (
	"errors"
	"math"

	"github.com/planproof/planproof/search"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// measure says what a distance counts.
type measure int8

const (
	bySteps measure = iota
	byCost
	// byTightSteps counts the steps of cheapest plans: transitions count whose cost is the
	// difference of the distances in cost.
	byTightSteps
)

// backward computes the distances.
func (e *exhauster) backward() error {
	uniform := len(e.costs.value) <= 1
	if e.inverse != nil {
		e.inverse.compile(e.sys.Packer)
	}
	need := int64(e.reg.Len()) * 6 // distances, open list, settled states
	if !uniform {
		need += int64(e.reg.Len()) * 4
	}
	if e.lim.Memory > 0 && e.reg.Bytes()+int64(cap(e.goals))*8+need > e.lim.Memory {
		return &search.LimitError{Status: search.Memout, States: int64(e.reg.Len())}
	}
	lists, err := e.collect(uniform)
	if err != nil {
		return err
	}
	return e.measure(lists, uniform)
}

// measure fills in the table's distances.
func (e *exhauster) measure(lists *lists, uniform bool) (err error) {
	if e.tab.steps, err = distances[uint32](e, lists, bySteps); err != nil {
		return err
	}
	if uniform {
		return e.scale()
	}
	e.tidy()
	if e.tab.cost32, err = distances[uint32](e, lists, byCost); err == nil {
		return nil
	}
	if !errors.Is(err, errTooFar) {
		return err
	}
	e.tab.cost32 = nil
	if e.tab.cost64, err = distances[uint64](e, lists, byCost); errors.Is(err, errTooFar) {
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

// lists has the transitions into each state where operators cannot be inverted:
// from[start[t]:start[t+1]] are the states before t. Where costs differ, class8 or, with
// more than 256 of them, class32 has the cost class of each transition.
type lists struct {
	start   []uint32
	from    []uint32
	class8  []uint8
	class32 []uint32
	costs   []int64 // by class
}

func (g *lists) cost(k uint32) int64 {
	switch {
	case g.class8 != nil:
		return g.costs[g.class8[k]]
	case g.class32 != nil:
		return g.costs[g.class32[k]]
	}
	return g.costs[0]
}

// collect makes the lists. It returns nil where inverse operators do without, or the
// memory limit does not allow them.
func (e *exhauster) collect(uniform bool) (*lists, error) {
	n := e.reg.Len()
	need := e.arcs*4 + int64(n)*12 // lists, distances and the queue
	if !uniform {
		need += e.arcs + int64(n)*8
	}
	if len(e.costs.value) > 1<<8 {
		need += e.arcs * 3
	}
	if e.inverse != nil || e.arcs > math.MaxUint32 || e.lim.Memory > 0 && e.reg.Bytes()+e.held()+need > e.lim.Memory {
		e.into = nil
		return nil, nil
	}
	g := &lists{start: append(e.into, 0), from: make([]uint32, e.arcs), costs: e.costs.value}
	e.into = nil
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

// find fills in the batch, as undoer.find does.
func (g *lists) find(p *arrivals) {
	p.clear()
	for _, t := range p.ids {
		for k := g.start[t]; k < g.start[t+1]; k++ {
			p.from = append(p.from, g.from[k])
			p.cost = append(p.cost, g.cost(k))
		}
		p.end = append(p.end, int32(len(p.from)))
	}
}

// errTooFar says that a distance does not fit the type.
var errTooFar = errors.New("distance too large")

// distances returns every state's distance to the goal, the type's maximum for dead ends.
func distances[D uint32 | uint64](e *exhauster, g *lists, m measure) ([]D, error) {
	inf := ^D(0)
	dist := make([]D, e.reg.Len())
	for i := range dist {
		dist[i] = inf
	}
	w := &dijkstra[D]{e: e, dist: dist, measure: m, far: min(uint64(inf), math.MaxInt64), done: make(state.Bitset, len(e.goals))}
	w.most = max(len(dist)/8, e.open)
	w.open = state.NewOpenList()
	e.goals.Each(func(s uint32) {
		dist[s] = 0
		w.push(s, 0)
	})
	switch {
	case e.inverse != nil:
		return dist, w.run(func() func(*arrivals) { return e.inverse.newUndoer(e.Simulator, e.reg).find })
	case g != nil:
		return dist, w.run(func() func(*arrivals) { return g.find })
	}
	return dist, sweep(e, dist, m, w.far)
}

// sweep fills in distances by relaxing all states until nothing changes, alternately down
// and up the order of registration.
func sweep[D uint32 | uint64](e *exhauster, dist []D, m measure, far uint64) error {
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
				if d == ^D(0) || m == byTightSteps && e.tab.costOf(state.StateID(id))-e.tab.costOf(next) != c {
					return
				}
				if m != byCost {
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
