package heuristic

import (
	"math/bits"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// factLandmarks holds, for every fact, the facts that every relaxed way from the initial state
// to it makes true, itself included: its causal landmarks under delete relaxation, all of them
// (Zhu and Givan, "Landmark Extraction via Planning Graph Propagation", ICAPS 2003 doctoral
// consortium; Keyder, Richter and Helmert, "Sound and Complete Landmarks for And/Or Graphs",
// ECAI 2010). Facts are numbered as in relaxation; the last number is the goal's.
//
// Let l be a landmark of the goal, and s a reachable state without a fact that has l as its
// landmark. Then every plan from s makes l true after s: otherwise all facts of s, and then
// the goal, would be reached from the initial state without l. So one look at the facts of s
// shows which landmarks are still to come, whatever path led to s.
type factLandmarks struct {
	factBase []int32
	facts    int
	words    int      // per fact
	bits     []uint64 // by fact, words each
	reached  []bool   // by fact, under delete relaxation
	parts    []unary  // the relaxed operators
	users    lists    // by fact: the parts that have it as a condition
	start    []int32  // the facts that hold initially
}

// Bounds of factLandmarks: the bits held, and the words touched while they are computed.
const (
	maxLandmarkBits = 1 << 28
	maxLandmarkWork = 1 << 29
)

// newFactLandmarks computes the landmarks of all facts of t. It returns nil without an error
// if t is too large for that. The error is that the budget does not suffice.
func newFactLandmarks(t *grounder.Task, b *Budget) (*factLandmarks, error) {
	k, err := noFactLandmarks(t, b)
	if err != nil {
		return nil, err
	}
	k.words = (k.facts + 63) / 64
	if k.facts*k.words*64 > maxLandmarkBits {
		return nil, nil
	}
	if !b.hold(int64(k.facts) * int64(k.words) * 8) {
		return nil, b.err
	}
	k.bits = make([]uint64, k.facts*k.words)
	k.reached = make([]bool, k.facts)
	done := k.propagate(b)
	if b != nil && b.err != nil {
		return nil, b.err
	}
	if !done {
		b.hold(-int64(len(k.bits)) * 8)
		return nil, nil
	}
	return k, nil
}

// noFactLandmarks only lists the relaxed operators.
func noFactLandmarks(t *grounder.Task, b *Budget) (*factLandmarks, error) {
	r := &relaxation{factBase: make([]int32, len(t.Variables)+1)}
	for v := range t.Variables {
		r.factBase[v+1] = r.factBase[v] + int32(t.Variables[v].Size())
	}
	parts, err := r.collect(t, b)
	if err != nil {
		return nil, err
	}
	k := &factLandmarks{factBase: r.factBase, facts: int(r.factBase[len(t.Variables)]) + 1, parts: parts}
	var pre lists
	for i := range parts {
		pre.add(parts[i].pre)
	}
	k.users = pre.invert(k.facts)
	for v := range t.Variables {
		x := t.Init[v]
		if t.Variables[v].Layer >= 0 {
			x = t.Variables[v].Default // it always holds in the relaxation
		}
		k.start = append(k.start, k.factBase[v]+x)
	}
	return k, nil
}

// of returns the landmarks of a fact, a row of bits.
func (k *factLandmarks) of(f int32) []uint64 {
	return k.bits[int(f)*k.words : (int(f)+1)*k.words]
}

// has reports whether l is a landmark of f.
func (k *factLandmarks) has(f, l int32) bool { return hasBit(k.of(f), l) }

func hasBit(row []uint64, i int32) bool { return row[i>>6]>>(i&63)&1 != 0 }

// propagate computes the greatest fixpoint: the landmarks of a fact are itself and what all its
// achievers share, those of an achiever all of its conditions'. It reports false if that
// takes more than maxLandmarkWork, or the budget ends.
func (k *factLandmarks) propagate(b *Budget) bool {
	missing := make([]int32, len(k.parts))
	queue := make([]int32, 0, len(k.parts))
	queued := make([]bool, len(k.parts))
	push := func(f int32, isNew bool) {
		for _, o := range k.users.of(f) {
			if isNew {
				missing[o]--
			}
			if missing[o] == 0 && !queued[o] {
				queued[o] = true
				queue = append(queue, o)
			}
		}
	}
	for i := range k.parts {
		if missing[i] = int32(len(k.parts[i].pre)); missing[i] == 0 {
			queued[i] = true
			queue = append(queue, int32(i))
		}
	}
	for _, f := range k.start {
		k.reached[f] = true
		k.of(f)[f>>6] |= 1 << (f & 63)
		push(f, true)
	}
	union := make([]uint64, k.words)
	work := 0
	for at := 0; at < len(queue); at++ {
		o := queue[at]
		queued[o] = false
		u := &k.parts[o]
		did := k.words * (len(u.pre) + len(u.eff) + 1)
		if work += did; work > maxLandmarkWork || !b.spend(did) {
			return false
		}
		k.conditions(u, union)
		for _, e := range u.eff {
			row := k.of(e)
			switch {
			case !k.reached[e]:
				k.reached[e] = true
				copy(row, union)
				row[e>>6] |= 1 << (e & 63)
				push(e, true)
			case k.meet(row, union, e):
				push(e, false)
			}
		}
		if at >= 1<<16 && at*2 > len(queue) {
			queue = append(queue[:0], queue[at+1:]...)
			at = -1
		}
	}
	return true
}

// conditions sets union to the landmarks of an operator.
func (k *factLandmarks) conditions(u *unary, union []uint64) {
	clear(union)
	for _, p := range u.pre {
		for w, x := range k.of(p) {
			union[w] |= x
		}
	}
}

// meet takes out of row, the landmarks of e, what is not in union, and reports a change.
func (k *factLandmarks) meet(row, union []uint64, e int32) bool {
	changed := false
	for w, x := range row {
		y := x & union[w]
		if int(e>>6) == w {
			y |= 1 << (e & 63)
		}
		changed = changed || y != x
		row[w] = y
	}
	return changed
}

// ofGoal lists the landmarks of the goal, without the goal's own number; none if the goal is
// out of reach.
func (k *factLandmarks) ofGoal() []int32 {
	goal := int32(k.facts - 1)
	var out []int32
	for w, x := range k.of(goal) {
		for ; x != 0; x &= x - 1 {
			if f := int32(w<<6 + bits.TrailingZeros64(x)); f != goal {
				out = append(out, f)
			}
		}
	}
	return out
}

// without computes which facts are reached when none of some facts ever holds. It returns nil
// when the budget ends.
func (k *factLandmarks) without(facts []int32, b *Budget) []bool {
	in := make([]bool, k.facts)
	missing := make([]int32, len(k.parts))
	var stack []int32
	enter := func(f int32) {
		if !in[f] && !slices.Contains(facts, f) {
			in[f] = true
			stack = append(stack, f)
		}
	}
	for i := range k.parts {
		if missing[i] = int32(len(k.parts[i].pre)); missing[i] == 0 {
			for _, e := range k.parts[i].eff {
				enter(e)
			}
		}
	}
	for _, f := range k.start {
		enter(f)
	}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !b.spend(len(k.users.of(f))) {
			return nil
		}
		for _, o := range k.users.of(f) {
			if missing[o]--; missing[o] == 0 {
				for _, e := range k.parts[o].eff {
					enter(e)
				}
			}
		}
	}
	return in
}
