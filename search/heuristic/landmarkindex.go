package heuristic

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// landmarkIndex fills in the tables of landmarks.
type landmarkIndex struct {
	*landmarks
	t      *grounder.Task
	k      *factLandmarks
	b      *Budget
	number []int32      // by fact: the landmark that it is, or -1
	parts  [2][][]int32 // by landmark: relaxed operators that achieve it the first time, at all
	proof  [][]bool     // by disjunctive landmark: the facts reached without it
	after  [][]int32    // by landmark: the disjunctive ones that its first achievers ask for
	seen   map[string]int32
}

// Bounds of disjunctive landmarks: their values, their number, and the work of finding them.
const (
	maxDisjuncts    = 12
	maxDisjunctions = 400
	maxDisjunctWork = 1 << 26
)

// index numbers the landmarks, facts ids, and lists what achieves them.
func (h *landmarks) index(t *grounder.Task, k *factLandmarks, ids []int32, b *Budget) error {
	x := &landmarkIndex{landmarks: h, t: t, k: k, b: b, number: make([]int32, k.facts), seen: map[string]int32{}}
	for f := range x.number {
		x.number[f] = -1
	}
	v := int32(0)
	for _, f := range ids {
		for f >= k.factBase[v+1] {
			v++
		}
		val := f - k.factBase[v]
		kind := uint8(0)
		if t.Variables[v].Layer >= 0 {
			if val == t.Variables[v].Default {
				continue // it always holds in the relaxation
			}
			kind |= landmarkDerived
		}
		if slices.Contains(t.Goal, grounder.Fact{Var: v, Val: val}) {
			kind |= landmarkGoal
		}
		x.number[f] = x.add(v, []int32{val}, kind)
	}
	h.facts = len(h.kind)
	if err := x.achievers(); err != nil {
		return err
	}
	if !h.blind {
		if err := x.disjunctions(); err != nil {
			return err
		}
		x.prove()
	}
	x.list()
	h.words = (len(h.kind) + 63) / 64
	h.past, h.state, h.cause = make([]uint64, h.words), make([]uint8, len(h.kind)), make([]int32, len(h.kind))
	return nil
}

// add numbers a landmark.
func (x *landmarkIndex) add(v int32, values []int32, kind uint8) int32 {
	x.variable, x.kind = append(x.variable, v), append(x.kind, kind)
	x.values.add(values)
	x.after = append(x.after, nil)
	for i := range x.parts {
		x.parts[i] = append(x.parts[i], nil)
	}
	return int32(len(x.kind) - 1)
}

// achievers finds the relaxed operators that achieve the landmarks that are facts.
func (x *landmarkIndex) achievers() error {
	for i := range x.k.parts {
		u := &x.k.parts[i]
		if !x.b.spend(operatorTicks + len(u.pre) + len(u.eff)) {
			return x.b.err
		}
		if !x.blind && slices.ContainsFunc(u.pre, func(p int32) bool { return !x.k.reached[p] }) {
			continue
		}
		for _, e := range u.eff {
			l := x.number[e]
			if l < 0 || contains(u.pre, e) {
				continue
			}
			x.parts[1][l] = append(x.parts[1][l], int32(i))
			if x.blind || !slices.ContainsFunc(u.pre, func(p int32) bool { return x.k.has(p, e) }) {
				x.parts[0][l] = append(x.parts[0][l], int32(i))
			}
		}
	}
	return nil
}

// disjunctions adds disjunctive landmarks, going backwards from all others and from themselves.
func (x *landmarkIndex) disjunctions() error {
	work := 0
	for l := 0; l < len(x.kind) && len(x.proof) < maxDisjunctions && work < maxDisjunctWork; l++ {
		first := x.parts[0][l]
		if len(first) < 2 {
			continue
		}
		for _, p := range x.k.parts[first[0]].pre {
			v := x.variableOf(p)
			if x.t.Variables[v].Layer >= 0 {
				continue
			}
			values := x.asked(first, v)
			work += 4 * len(first)
			if len(values) < 2 || slices.Contains(values, x.t.Init[v]) {
				continue
			}
			key := fmt.Sprint(v, values)
			d, ok := x.seen[key]
			if !ok {
				facts := make([]int32, len(values))
				for i, val := range values {
					facts[i] = x.k.factBase[v] + val
				}
				work += len(x.k.parts)
				reached := x.k.without(facts, x.b)
				if reached == nil {
					return x.b.err
				}
				// The goal is reached without where l holds initially.
				if d = -1; !reached[x.k.facts-1] {
					d = x.disjunction(v, values, facts, reached)
				}
				x.seen[key] = d
			}
			if d >= 0 {
				x.after[l] = append(x.after[l], d)
			}
		}
	}
	return nil
}

func (x *landmarkIndex) variableOf(f int32) int32 {
	i, ok := slices.BinarySearch(x.k.factBase, f)
	if !ok {
		i--
	}
	for x.k.factBase[i+1] == f { // variables without values
		i++
	}
	return int32(i)
}

// asked returns the values of v that parts ask for, sorted, or nil if one asks for none or
// there are too many.
func (x *landmarkIndex) asked(parts []int32, v int32) []int32 {
	lo, hi := x.k.factBase[v], x.k.factBase[v+1]
	var out []int32
	for _, o := range parts {
		pre := x.k.parts[o].pre
		i, _ := slices.BinarySearch(pre, lo)
		if i == len(pre) || pre[i] >= hi {
			return nil
		}
		if !slices.Contains(out, pre[i]-lo) {
			out = append(out, pre[i]-lo)
		}
		if len(out) > maxDisjuncts {
			return nil
		}
	}
	slices.Sort(out)
	return out
}

// disjunction adds the landmark that v has one of values, which are numbers of facts.
func (x *landmarkIndex) disjunction(v int32, values, facts []int32, reached []bool) int32 {
	d := x.add(v, values, 0)
	x.proof = append(x.proof, reached)
	for i := range x.k.parts {
		u := &x.k.parts[i]
		achieves := slices.ContainsFunc(facts, func(f int32) bool { return slices.Contains(u.eff, f) && !contains(u.pre, f) })
		if !achieves || slices.ContainsFunc(u.pre, func(p int32) bool { return !x.k.reached[p] || slices.Contains(facts, p) }) {
			continue
		}
		x.parts[1][d] = append(x.parts[1][d], int32(i))
		if !slices.ContainsFunc(u.pre, func(p int32) bool { return !reached[p] }) {
			x.parts[0][d] = append(x.parts[0][d], int32(i))
		}
	}
	return d
}

// prove fills in known: a fact proves that a landmark has held if it is not reached without.
func (x *landmarkIndex) prove() {
	words := (len(x.kind) + 63) / 64
	x.known = make([]uint64, x.k.facts*words)
	x.base = x.k.factBase
	for v := range x.t.Variables {
		x.size = append(x.size, x.base[v+1]-x.base[v])
		if x.t.Variables[v].Layer < 0 {
			x.vars = append(x.vars, int32(v))
			x.row = append(x.row, x.base[v]*int32(words))
		}
		for f := x.base[v]; f < x.base[v+1]; f++ {
			if x.dead && !x.k.reached[f] {
				x.unreached = append(x.unreached, grounder.Fact{Var: int32(v), Val: f - x.base[v]})
			}
			for l := range x.kind {
				if !x.k.reached[f] || !x.reachedWithout(f, l) {
					x.known[int(f)*words+l>>6] |= 1 << (l & 63)
				}
			}
		}
	}
}

// reachedWithout reports whether a fact is reached without landmark l.
func (x *landmarkIndex) reachedWithout(f int32, l int) bool {
	if l >= x.facts {
		return x.proof[l-x.facts][f]
	}
	return !x.k.has(f, x.k.factBase[x.variable[l]]+x.values.of(int32(l))[0])
}

// list fills in first, every, needs and order.
func (x *landmarkIndex) list() {
	for l := range x.kind {
		for i, list := range []*lists{&x.first, &x.every} {
			var ops []int32
			for _, p := range x.parts[i][l] {
				if o := x.k.parts[p].owner; o >= 0 {
					ops = append(ops, o)
				}
			}
			list.add(sortUnique(ops))
			needs := x.common(x.parts[i][l])
			if i == 0 {
				needs = append(needs, x.after[l]...)
			}
			x.needs[i].add(needs)
		}
		x.order = append(x.order, int32(l))
	}
	slices.SortStableFunc(x.order, func(i, j int32) int { return len(x.every.of(i)) - len(x.every.of(j)) })
}

// common lists the landmarks that are facts and conditions of all parts.
func (x *landmarkIndex) common(parts []int32) (out []int32) {
	for i, p := range parts {
		pre := x.k.parts[p].pre
		if i == 0 {
			for _, f := range pre {
				if x.number[f] >= 0 {
					out = append(out, x.number[f])
				}
			}
			continue
		}
		out = slices.DeleteFunc(out, func(m int32) bool {
			return !contains(pre, x.k.factBase[x.variable[m]]+x.values.of(m)[0])
		})
	}
	return out
}
