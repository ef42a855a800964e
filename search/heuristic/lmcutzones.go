package heuristic

import (
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/invariants"
)

// Zone is a landmark of LM-cut, written as a set of facts. None of them holds, and one must
// come about for the goal: the operators that can bring about a fact of the zone when none
// holds are all in the cut, so some operator of the cut must be applied. Cost is what the cut
// adds to the estimate, DeadEnd when no operator is in it.
//
// A zone says more than the cut that it comes from: it bounds the cost of every state in
// which none of its facts holds, and to check it one needs to look only at the operators
// that achieve its facts.
type Zone struct {
	Cost  int64
	Facts []grounder.Fact // sorted by variable and value
}

// Zoned is a Heuristic whose estimates are sums of landmarks that it can name.
type Zoned interface {
	Heuristic
	// Zones appends to dst the landmarks that bound the state values. Of every operator the
	// costs of the zones whose cut it is in sum up to at most its cost, so the sum of
	// all is a bound, which it returns; a zone of cost DeadEnd stands alone. Once stop says so,
	// which is asked every few milliseconds of work, no more landmarks are looked for.
	Zones(dst []Zone, values []int32, stop func() bool) ([]Zone, int64)
}

// zoneRecorder collects zones while LM-cut estimates a state.
type zoneRecorder struct {
	zones []Zone
	fact  []int32 // proposition -> fact, -1 for the artificial ones
	in    []uint32
	inCut []uint32
	round uint32
	stack []int32
}

// Zones implements Zoned. Without conditional effects the bound is the estimate.
func (l *lmcut[C]) Zones(dst []Zone, values []int32, stop func() bool) ([]Zone, int64) {
	if l.recorder == nil {
		l.recorder = l.newRecorder()
	}
	l.recorder.zones = dst
	l.recording = true
	est, _ := EstimateUntil(l, values, stop)
	l.recording = false
	dst = l.recorder.zones
	l.recorder.zones = nil
	if est == DeadEnd {
		return dst, DeadEnd
	}
	return dst, l.r.unscale(int64(l.total))
}

func (l *lmcut[C]) newRecorder() *zoneRecorder {
	z := &zoneRecorder{fact: make([]int32, l.r.props), in: make([]uint32, l.r.props), inCut: make([]uint32, l.r.ops)}
	for p := range z.fact {
		z.fact[p] = -1
	}
	goal := len(l.r.factProp) - 1
	for f, p := range l.r.factProp[:goal] {
		if p >= 0 {
			z.fact[p] = int32(f)
		}
	}
	return z
}

// record adds the zone of the cut found last, each of whose operators pays cost; for a dead
// end there is no cut. It starts with the goal and walks back: an operator that achieves a
// proposition of the zone and is not in the cut has a precondition that the state does not
// reach without entering the goal zone; that one joins.
func (l *lmcut[C]) record(cost int64) {
	z := l.recorder
	z.round++
	if cost == DeadEnd {
		l.cut = l.cut[:0]
		l.nextRound() // nothing is in the goal zone
	}
	for _, o := range l.cut {
		z.inCut[o] = z.round
	}
	goal := l.h[l.r.goal]
	var facts []int32
	z.in[l.r.goal] = z.round
	z.stack = append(z.stack[:0], l.r.goal)
	for len(z.stack) > 0 {
		p := z.stack[len(z.stack)-1]
		z.stack = z.stack[:len(z.stack)-1]
		if f := z.fact[p]; f >= 0 {
			facts = append(facts, f)
		}
		ops := l.r.ach.of(p)
		l.work += int64(len(ops))
		for _, o := range ops {
			if z.inCut[o] == z.round {
				continue
			}
			q := l.outside(&l.rec[o], goal)
			if q < 0 {
				if invariants.Enabled {
					invariants.Check(false, "an operator enters a zone of LM-cut and is not in its cut")
				}
				return // a landmark less, never a wrong one
			}
			if z.in[q] != z.round {
				z.in[q] = z.round
				z.stack = append(z.stack, q)
			}
		}
	}
	slices.Sort(facts)
	zone := Zone{Cost: cost, Facts: make([]grounder.Fact, len(facts))}
	v := int32(0)
	for i, f := range facts {
		for f >= l.r.factBase[v+1] {
			v++
		}
		zone.Facts[i] = grounder.Fact{Var: v, Val: f - l.r.factBase[v]}
	}
	z.zones = append(z.zones, zone)
}

// outside returns a precondition of x that the state does not reach without entering the
// goal zone, one that is in the recorded zone already if it can, or -1.
func (l *lmcut[C]) outside(x *opRecord[C], goal C) int32 {
	pre := x.conditions(l.lits)
	for _, p := range pre {
		if l.recorder.in[p] == l.recorder.round {
			return p
		}
	}
	reached := l.h[x.watch] < l.inf
	for _, p := range pre {
		if !reached && l.h[p] == l.inf || reached && l.zone[p] == l.round {
			return p
		}
	}
	if _, c := l.support(x); reached && c >= goal {
		for _, p := range pre {
			if l.h[p] == c && !l.before(p, goal) {
				return p
			}
		}
	}
	return -1
}
