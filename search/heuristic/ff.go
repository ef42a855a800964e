package heuristic

import (
	"math"

	"github.com/planproof/planproof/grounder"
)

// FF is the FF heuristic (Hoffmann and Nebel, JAIR 14, 2001) with cheapest supporters by h-add (Keyder and Geffner,
// ECAI 2008): the cost of a relaxed plan, where each operator costs 1 more than in the task, so that short plans
// are found soon. It is not admissible, so it is not in the catalogue; DeadEnd is a proof. The operators of the
// relaxed plan that are applicable at once are preferred.
type FF struct {
	r     *relaxation
	users lists   // by proposition: the relaxed operators that need it
	cost  []int64 // of relaxed operators
	inf   int64

	h       []int64 // by proposition: h-add
	support []int32 // by proposition: the relaxed operator that achieves it, -1 for none
	left    []int32 // by relaxed operator: preconditions not reached yet
	sum     []int64 // the cost of those reached
	q       queue[int64]

	round  uint32
	chosen []uint32 // by relaxed operator: round in which it is in the relaxed plan
	helps  []uint32 // round in which it is preferred
	needed []uint32 // by proposition
	stack  []int32
	work   int64
}

// maxFFCost bounds the cost of an operator, so that sums of sums stay below 63 bits.
const maxFFCost = 1 << 20

// NewFF builds the heuristic for a task without numeric fluents. The budget may be nil. Errors are ErrTime, ErrMemory and that an
// operator has too many conditions.
func NewFF(t *grounder.Task, b *Budget) (*FF, error) {
	r, err := newRelaxation(t, b)
	if err != nil {
		return nil, err
	}
	f := &FF{
		r: r, users: r.pre.invert(r.props), inf: math.MaxInt64,
		h: make([]int64, r.props), support: make([]int32, r.props), needed: make([]uint32, r.props),
		cost: make([]int64, r.ops), left: make([]int32, r.ops), sum: make([]int64, r.ops),
		chosen: make([]uint32, r.ops), helps: make([]uint32, r.ops),
	}
	most := int64(0)
	for _, c := range r.cost {
		most = max(most, c)
	}
	shift := 0
	for most>>shift > maxFFCost {
		shift++
	}
	for o, c := range r.cost {
		f.cost[o] = c>>shift + 1
	}
	f.q.heap = most>>shift > maxBucketCost
	return f, nil
}

// Estimate implements Heuristic.
func (f *FF) Estimate(values []int32) int64 {
	f.explore(values)
	if f.h[f.r.goal] == f.inf {
		return DeadEnd
	}
	return f.extract()
}

// explore computes h-add until the goal is reached.
func (f *FF) explore(values []int32) {
	for p := range f.h {
		f.h[p], f.support[p] = f.inf, -1
	}
	for o := range f.left {
		f.left[o], f.sum[o] = f.r.pre.start[o+1]-f.r.pre.start[o], f.cost[o]
	}
	f.q.clear()
	for _, p := range f.r.always {
		f.reach(p, 0, -1)
	}
	for _, v := range f.r.stateVars {
		if p := f.r.factProp[f.r.factBase[v]+values[v]]; p >= 0 {
			f.reach(p, 0, -1)
		}
	}
	f.work += int64(len(f.h)+len(f.left)) / 4
	for f.q.n > 0 {
		p, d := f.q.pop()
		if f.h[p] < d {
			continue
		}
		if p == f.r.goal {
			return
		}
		users := f.users.of(p)
		f.work += int64(len(users)) + 1
		for _, o := range users {
			f.sum[o] = satAdd(f.sum[o], d)
			if f.left[o]--; f.left[o] > 0 {
				continue
			}
			eff := f.r.eff.of(o)
			f.work += int64(len(eff))
			for _, e := range eff {
				f.reach(e, f.sum[o], o)
			}
		}
	}
}

func (f *FF) reach(p int32, d int64, by int32) {
	if d < f.h[p] {
		f.h[p], f.support[p] = d, by
		f.q.push(p, d)
	}
}

// extract follows the supporters from the goal and adds up the costs of the operators, each once.
func (f *FF) extract() int64 {
	if f.round++; f.round == math.MaxUint32 {
		f.round = 1
		clear(f.chosen)
		clear(f.helps)
		clear(f.needed)
	}
	total := int64(0)
	f.stack = append(f.stack[:0], f.r.goal)
	for len(f.stack) > 0 {
		p := f.stack[len(f.stack)-1]
		f.stack = f.stack[:len(f.stack)-1]
		o := f.support[p]
		if o < 0 || f.chosen[o] == f.round {
			continue
		}
		f.chosen[o] = f.round
		f.work++
		now := true
		for _, q := range f.r.pre.of(o) {
			now = now && f.h[q] == 0
			if f.needed[q] != f.round {
				f.needed[q] = f.round
				f.stack = append(f.stack, q)
			}
		}
		if p != f.r.goal {
			total += f.cost[o]
		}
		if now {
			f.prefer(o)
		}
	}
	return total
}

// prefer marks a relaxed operator, and all parts of the same operator.
func (f *FF) prefer(o int32) {
	f.helps[o] = f.round
	if f.r.siblings != nil {
		for _, s := range f.r.siblings.of(o) {
			f.helps[s] = f.round
		}
	}
}

// Preferred reports whether op is in the relaxed plan of the state evaluated last, and applicable there.
func (f *FF) Preferred(op grounder.OperatorID) bool {
	o := f.r.repr[op]
	return o >= 0 && f.helps[o] == f.round
}

// Work implements Heuristic.
func (f *FF) Work() int64 { return f.work }

// Bytes implements Heuristic.
func (f *FF) Bytes() int64 {
	return f.r.bytes() + int64(len(f.h))*16 + int64(len(f.left))*28 + int64(len(f.users.start)+len(f.users.items))*4 + f.q.bytes()
}
