package heuristic

import (
	"math"

	"github.com/planproof/planproof/grounder"
)

// Backward estimates partial states in searches that run backwards from the goal: the cost
// of the cheapest way from the initial state to a state that agrees with the partial state.
type Backward interface {
	// Estimate returns a lower bound for a partial state, one value per variable, negative
	// when unconstrained, or DeadEnd when no reachable state agrees with it.
	Estimate(partial []int32) int64
	// Bytes returns the memory held.
	Bytes() int64
}

// Excluding is a Backward that knows pairs of facts that exclude each other.
type Excluding interface {
	Backward
	// EachExclusive calls visit with the ordered pairs of facts of different variables that
	// are proven to hold together in no reachable state.
	EachExclusive(visit func(a, b grounder.Fact))
}

// backwardBlind is the cost of the cheapest operator, 0 where the initial state agrees.
type backwardBlind struct {
	init []int32
	step int64
}

// NewBackwardBlind returns the counterpart of Blind.
func NewBackwardBlind(t *grounder.Task) Backward {
	return &backwardBlind{init: t.Init, step: NewBlind(t).Step()}
}

// Estimate implements Backward.
func (b *backwardBlind) Estimate(partial []int32) int64 {
	for v, x := range partial {
		if x >= 0 && b.init[v] != x {
			return b.step
		}
	}
	return 0
}

// Bytes implements Backward.
func (b *backwardBlind) Bytes() int64 { return 0 }

// factCosts is h-max from the initial state: the cost of the most expensive fact of the partial
// state, computed once for all facts. It is consistent: a fact of p that regression by o
// does not find in the predecessor q is achieved by o from preconditions in q.
type factCosts struct {
	factBase []int32
	cost     []int64
}

// NewFactCosts returns h-max from the initial state of a task without axioms. The error is
// that the budget, which may be nil, does not suffice.
func NewFactCosts(t *grounder.Task, b *Budget) (Backward, error) {
	r := &relaxation{factBase: make([]int32, len(t.Variables)+1)}
	for v := range t.Variables {
		r.factBase[v+1] = r.factBase[v] + int32(t.Variables[v].Size())
	}
	f := &factCosts{factBase: r.factBase, cost: make([]int64, r.factBase[len(t.Variables)])}
	for i := range f.cost {
		f.cost[i] = DeadEnd
	}
	for v, x := range t.Init {
		f.cost[r.factBase[v]+x] = 0
	}
	var us []unary
	for o := range t.Operators.Len() {
		us = append(us, r.split(t.Operators.At(o), int32(o))...)
	}
	for changed := true; changed; {
		changed = false
		for i := range us {
			c := int64(0)
			if !b.spend(len(us[i].pre) + len(us[i].eff)) {
				return nil, b.err
			}
			for _, p := range us[i].pre {
				c = max(c, f.cost[p])
			}
			if c == DeadEnd {
				continue
			}
			if c += us[i].cost; c < 0 || c == DeadEnd {
				c = math.MaxInt64 - 1
			}
			for _, e := range us[i].eff {
				if c < f.cost[e] {
					f.cost[e], changed = c, true
				}
			}
		}
	}
	return f, nil
}

// Estimate implements Backward.
func (f *factCosts) Estimate(partial []int32) int64 {
	h := int64(0)
	for v, x := range partial {
		if x >= 0 {
			h = max(h, f.cost[f.factBase[v]+x])
		}
	}
	return h
}

// Bytes implements Backward.
func (f *factCosts) Bytes() int64 { return int64(len(f.cost)) * 8 }
