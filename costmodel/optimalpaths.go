package costmodel

import (
	"errors"

	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// optimal is the graph of a space's optimal transitions for some costs: those that lead
// nearer to the goal by as much as they cost. All paths along them are the beginnings of
// optimal plans, and there are no other optimal plans.
type optimal struct {
	dist []int64 // from every state to the nearest goal
	by   []int64 // cost by action type; nil: 1 each
}

// has reports whether a transition between two states belongs to the graph. The first state
// is one from which the goal can be reached.
func (g *optimal) has(from, to state.StateID, kind int32) bool {
	w := int64(1)
	if g.by != nil {
		w = g.by[kind]
	}
	return g.dist[to] != space.Unreachable && g.dist[from]-g.dist[to] == w
}

// begin starts a walk: no state has been met.
func (a *analyst) begin() {
	a.epoch++
	if a.epoch == 0 { // wrapped around
		clear(a.mark)
		a.epoch = 1
	}
}

// meet marks a state, and reports whether this walk had not met it.
func (a *analyst) meet(s state.StateID) bool {
	fresh := a.mark[s] != a.epoch
	a.mark[s] = a.epoch
	return fresh
}

// leastCost is the least cost of a shortest plan. On shortest plans every state has its own
// layer, so that one value a state is enough.
func (a *analyst) leastCost(initial state.StateID) (int64, error) {
	g := optimal{dist: a.steps.Cost}
	out := a.space.Out()
	a.begin()
	a.meet(initial)
	a.value[initial] = 0
	a.order = append(a.order[:0], initial)
	best := space.Unreachable
	for i := 0; i < len(a.order); i++ {
		s := a.order[i]
		if g.dist[s] == 0 {
			best = min(best, a.value[s])
			continue
		}
		next, ops := out.Of(s)
		for k, u := range next {
			kind := a.space.schema[ops[k]]
			if !g.has(s, u, kind) {
				continue
			}
			if a.meet(u) {
				a.value[u] = space.Unreachable
				a.order = append(a.order, u)
			}
			if w := a.prices.by[kind]; w < space.Unreachable-a.value[s] {
				a.value[u] = min(a.value[u], a.value[s]+w)
			}
		}
	}
	if best == space.Unreachable {
		return 0, errors.New("the costs of shortest plans exceed 63 bits")
	}
	return best, nil
}

// differ reports whether some optimal plan of one graph and some of the other have
// different sequences of action types. As long as all have one type next, there is one
// sequence up to there, and all states that it can lead to are kept; the first plan ends
// after as many steps as its distance says, and then all plans must end.
func (a *analyst) differ(initial state.StateID, shortest, cheapest optimal) bool {
	x, y := []state.StateID{initial}, []state.StateID{initial}
	for left := shortest.dist[initial]; left > 0; left-- {
		kind := int32(-1)
		var one bool
		if x, one = a.advance(x, shortest, &kind); !one {
			return true
		}
		if y, one = a.advance(y, cheapest, &kind); !one {
			return true
		}
	}
	kind := int32(-1)
	further, one := a.advance(y, cheapest, &kind)
	return !one || len(further) > 0
}

// advance follows all transitions of g from the given states. It gives up, with false, at a
// type other than the one met before.
func (a *analyst) advance(from []state.StateID, g optimal, kind *int32) ([]state.StateID, bool) {
	out := a.space.Out()
	a.begin()
	var reached []state.StateID
	for _, s := range from {
		next, ops := out.Of(s)
		for k, u := range next {
			t := a.space.schema[ops[k]]
			switch {
			case !g.has(s, u, t):
				continue
			case *kind < 0:
				*kind = t
			case *kind != t:
				return nil, false
			}
			if a.meet(u) {
				reached = append(reached, u)
			}
		}
	}
	return reached, true
}

// chosen finds the plans that the tie-breaks choose among the optimal plans of fewest steps,
// and leaves their action types.
func (a *analyst) chosen(initial state.StateID, g optimal, types *[len(tieBreaks)][]int32) {
	a.layers(initial, g)
	depth := len(a.start) - 1
	// From here on the value of a state is its layer, or -1 if no goal of the last layer
	// can be reached from it along the layers.
	out := a.space.Out()
	for layer := depth; layer >= 0; layer-- {
		end := len(a.order)
		if layer < depth {
			end = a.start[layer+1]
		}
		for _, s := range a.order[a.start[layer]:end] {
			useful := layer == depth && a.isGoal[s]
			if layer < depth {
				next, ops := out.Of(s)
				for k, u := range next {
					useful = useful || a.within(s, u, a.space.schema[ops[k]], int64(layer), g)
				}
			}
			if !useful {
				a.value[s] = -1
			}
		}
	}
	for i := range types {
		types[i] = a.first(initial, g, depth, tieBreaks[i] == LastDeclared, types[i][:0])
	}
}

// within reports whether a transition leads from a layer to a useful state of the next.
func (a *analyst) within(from, to state.StateID, kind int32, layer int64, g optimal) bool {
	return a.mark[to] == a.epoch && a.value[to] == layer+1 && g.has(from, to, kind)
}

// layers walks g breadth first up to the first layer that holds a goal, and leaves it in
// a.order and a.start; the value of a state met is its layer.
func (a *analyst) layers(initial state.StateID, g optimal) {
	out := a.space.Out()
	a.begin()
	a.meet(initial)
	a.value[initial] = 0
	a.order, a.start = append(a.order[:0], initial), append(a.start[:0], 0)
	for {
		from, end, found := a.start[len(a.start)-1], len(a.order), false
		for _, s := range a.order[from:end] {
			found = found || a.isGoal[s]
		}
		if found {
			return
		}
		layer := int64(len(a.start))
		a.start = append(a.start, end)
		for i := from; i < end; i++ {
			s := a.order[i]
			next, ops := out.Of(s)
			for k, u := range next {
				if g.has(s, u, a.space.schema[ops[k]]) && a.meet(u) {
					a.value[u] = layer
					a.order = append(a.order, u)
				}
			}
		}
	}
}

// first lists the types of the first path through the layers, in the order of types or in
// the opposite one.
func (a *analyst) first(initial state.StateID, g optimal, depth int, reverse bool, types []int32) []int32 {
	out := a.space.Out()
	a.now = append(a.now[:0], initial)
	for layer := range depth {
		best := int32(-1)
		for _, s := range a.now {
			next, ops := out.Of(s)
			for k, u := range next {
				kind := a.space.schema[ops[k]]
				if (best < 0 || kind != best && kind < best != reverse) && a.within(s, u, kind, int64(layer), g) {
					best = kind
				}
			}
		}
		types = append(types, best)
		a.next = a.next[:0]
		for _, s := range a.now {
			next, ops := out.Of(s)
			for k, u := range next {
				if kind := a.space.schema[ops[k]]; kind == best && a.within(s, u, kind, int64(layer), g) {
					a.value[u] = -2 - int64(layer) // taken: within no longer finds it
					a.next = append(a.next, u)
				}
			}
		}
		for _, u := range a.next {
			a.value[u] = int64(layer) + 1
		}
		a.now, a.next = a.next, a.now
	}
	return types
}
