package heuristic

import (
	"math"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// landmarks counts the landmarks that are still to come, each at a share of the costs of the
// operators that achieve it (Karpas and Domshlak, "Cost-Optimal Planning with Landmarks",
// IJCAI 2009). The landmarks are the facts that every relaxed plan makes true (factLandmarks,
// which also says how the facts of a state show those to come), and disjunctive landmarks: sets of
// values of one variable such that every first achiever of another landmark has one as a condition
// (found backwards as by Richter, Helmert and Westphal, AAAI 2008). Besides these, a landmark that
// does not hold must come again if it is a goal, or if all achievers of one to come have it as
// a condition (Büchner et al., "Landmark Progression in Heuristic Search", ICAPS 2023, derive
// the same from the path; here no record of paths is needed, and the estimate is a function of
// the state).
//
// Of a landmark that is to come for the first time only those operators count that can be
// applied before it. Costs are shared out in one of two ways: greedily, each landmark in
// turn, those with the fewest achievers first, taking what its cheapest achiever has left from
// all of them (a saturated cost partitioning), or evenly, each operator's cost among the
// landmarks that it may serve.
type landmarks struct {
	vars  []int32  // state variables, whose facts prove that a landmark has held
	row   []int32  // by such a variable, where the row of its value 0 is in known
	base  []int32  // by variable, the number of its value 0
	size  []int32  // by variable
	known []uint64 // by fact, words each: the landmarks that it proves to have held
	words int
	dead  bool // the goal is out of reach
	blind bool // known is empty: the task is too large

	// A landmark is that its variable has one of its values. The first facts of them have one.
	variable []int32
	values   lists
	facts    int
	kind     []uint8 // by landmark, of the flags below

	first lists    // by landmark: operators that achieve it the first time
	every lists    // by landmark: all operators that achieve it
	needs [2]lists // by landmark: landmarks that all of first, all of every, ask for
	order []int32  // in which greedy sharing takes landmarks

	uniform bool
	scale   int64   // of shares, where uniform
	costs   []int64 // by operator
	left    []int64 // by operator, between estimates as costs
	sharing []int64 // by operator: the landmarks that it may serve, 0 between estimates
	touched []int32
	state   []uint8 // by landmark
	ahead   []int32 // landmarks to come
	cause   []int32 // by landmark that comes again: the one that asks for it, -1 for the goal
	past    []uint64
	work    int64

	unreached []grounder.Fact // if dead
	recording bool            // of shares, for Zones
	shares    []landmarkShare
}

// Flags of a landmark.
const (
	landmarkGoal    = 1 << iota // it must hold in the end
	landmarkDerived             // axioms achieve it, at no cost
)

// What is known of a landmark in a state.
const (
	landmarkPast  = iota
	landmarkFirst // it has never held, and must
	landmarkAgain // it does not hold, and must
)

var landmarkOptions = []Option{
	{Name: "uniform", Default: 0, Min: 0, Max: 1, Synopsis: "1: each operator's cost is divided evenly; 0: greedily"},
}

// newLandmarks builds the heuristic within a budget, which may be nil. A task too large for
// factLandmarks has its goals as its only landmarks.
func newLandmarks(t *grounder.Task, values map[string]int64, b *Budget) (*landmarks, error) {
	k, err := newFactLandmarks(t, b)
	if err != nil {
		return nil, err
	}
	h := &landmarks{uniform: values["uniform"] == 1, blind: k == nil, costs: make([]int64, t.Operators.Len())}
	most := int64(1)
	for o := range h.costs {
		h.costs[o] = t.Operators.Cost(o)
		most = max(most, h.costs[o])
	}
	h.left, h.sharing = slices.Clone(h.costs), make([]int64, len(h.costs))
	var ids []int32 // fact numbers of the landmarks
	if h.blind {
		if k, err = noFactLandmarks(t, b); err != nil {
			return nil, err
		}
		for _, f := range t.Goal {
			ids = append(ids, k.factBase[f.Var]+f.Val)
		}
	} else {
		h.dead = !k.reached[k.facts-1]
		ids = k.ofGoal()
	}
	if err := h.index(t, k, ids, b); err != nil {
		return nil, err
	}
	if h.scale = 1; most < math.MaxInt64/shareScale/int64(len(h.kind)+1) {
		h.scale = shareScale
	}
	b.hold(-int64(len(k.bits)) * 8)
	if !b.hold(h.Bytes()) {
		return nil, b.err
	}
	return h, nil
}

// shareScale is the denominator of shares of costs: up to sixteen of them are exact.
const shareScale = 720720

// Estimate implements Heuristic.
func (h *landmarks) Estimate(values []int32) int64 {
	if h.dead {
		return DeadEnd
	}
	h.lookAhead(values)
	for _, l := range h.ahead {
		if h.kind[l]&landmarkDerived == 0 && len(h.achieving(l)) == 0 {
			return DeadEnd
		}
	}
	if h.uniform {
		return h.shareEvenly()
	}
	return h.shareGreedily()
}

// holds reports whether a landmark holds in the state values.
func (h *landmarks) holds(l int32, values []int32) bool {
	return h.is(l, values[h.variable[l]])
}

// is reports whether a value of its variable makes a landmark hold.
func (h *landmarks) is(l, value int32) bool { return slices.Contains(h.values.of(l), value) }

// lookAhead finds the landmarks to come.
func (h *landmarks) lookAhead(values []int32) {
	clear(h.past)
	w := int32(h.words)
	for i, v := range h.vars {
		at := h.row[i] + values[v]*w
		for j, x := range h.known[at : at+w] {
			h.past[j] |= x
		}
	}
	h.ahead = h.ahead[:0]
	for l := range h.kind {
		h.state[l] = landmarkPast
		switch {
		case !h.blind && !hasBit(h.past, int32(l)):
			h.state[l] = landmarkFirst
		case h.kind[l] == landmarkGoal && !h.holds(int32(l), values):
			h.state[l], h.cause[l] = landmarkAgain, -1
		default:
			continue
		}
		h.ahead = append(h.ahead, int32(l))
	}
	h.work += int64(len(h.vars))*int64(w) + int64(len(h.kind))
	for i := 0; i < len(h.ahead); i++ {
		l := h.ahead[i]
		needs := h.needs[h.state[l]-landmarkFirst].of(l)
		h.work += int64(len(needs))
		for _, m := range needs {
			if h.state[m] == landmarkPast && h.kind[m]&landmarkDerived == 0 && !h.holds(m, values) {
				h.state[m], h.cause[m] = landmarkAgain, l
				h.ahead = append(h.ahead, m)
			}
		}
	}
}

// proves reports whether the value of a state variable proves that a landmark has held.
func (h *landmarks) proves(variable, value, l int32) bool {
	i, ok := slices.BinarySearch(h.vars, variable)
	return ok && h.known[int(h.row[i]+value*int32(h.words))+int(l>>6)]>>(l&63)&1 != 0
}

// achieving lists the operators for landmark l, which is ahead: one of them must come.
func (h *landmarks) achieving(l int32) []int32 {
	if h.state[l] == landmarkFirst {
		return h.first.of(l)
	}
	return h.every.of(l)
}

func (h *landmarks) shareGreedily() int64 {
	sum := int64(0)
	left := h.left
	for _, l := range h.order {
		if h.state[l] == landmarkPast || h.kind[l]&landmarkDerived != 0 {
			continue
		}
		ops := h.achieving(l)
		h.work += int64(len(ops))
		least := DeadEnd
		for _, o := range ops {
			least = min(least, left[o])
		}
		if least == 0 {
			continue
		}
		sum = satAdd(sum, least)
		if h.recording {
			h.shares = append(h.shares, landmarkShare{l, least})
		}
		for _, o := range ops {
			if left[o] == h.costs[o] {
				h.touched = append(h.touched, o)
			}
			left[o] -= least
		}
	}
	for _, o := range h.touched {
		left[o] = h.costs[o]
	}
	h.touched = h.touched[:0]
	return sum
}

func (h *landmarks) shareEvenly() int64 {
	for _, l := range h.ahead {
		ops := h.achieving(l)
		h.work += 2 * int64(len(ops))
		for _, o := range ops {
			h.sharing[o]++
		}
	}
	sum := int64(0)
	for _, l := range h.ahead {
		if h.kind[l]&landmarkDerived != 0 {
			continue
		}
		least := DeadEnd
		for _, o := range h.achieving(l) {
			least = min(least, h.costs[o]*h.scale/h.sharing[o])
		}
		sum = satAdd(sum, least)
	}
	for _, l := range h.ahead {
		for _, o := range h.achieving(l) {
			h.sharing[o] = 0
		}
	}
	return sum/h.scale + int64(boolInt(sum%h.scale > 0)) // costs are integers
}

// Work implements Heuristic.
func (h *landmarks) Work() int64 { return h.work }

// Bytes implements Heuristic.
func (h *landmarks) Bytes() int64 {
	n := int64(len(h.known)+len(h.past)+len(h.costs)*3) * 8
	for _, l := range []*lists{&h.first, &h.every, &h.needs[0], &h.needs[1]} {
		n += int64(len(l.start)+len(l.items)) * 4
	}
	return n + int64(len(h.costs))*4 + int64(len(h.kind))*28
}
