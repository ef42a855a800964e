package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// relations holds the sizes of the initial relations, from which the compiler estimates
// how many values each way to bind a variable yields.
type relations struct {
	start    []int32   // initial atoms of predicate p: atoms[start[p]:start[p+1]]
	atoms    []int32   // numbers in Init.Atoms
	distinct [][]int32 // objects per argument position, counted when first needed
	byKey    map[string]int32
	room     int // objects that further indexes may hold
}

// indexRoom bounds the objects in all indexes of a judge together.
const indexRoom = 1 << 26

func newRelations(j *Judge) *relations {
	r := &relations{start: make([]int32, len(j.preds)+1), distinct: make([][]int32, len(j.preds)), byKey: map[string]int32{}, room: indexRoom}
	for _, p := range j.prob.Init.Atoms.Pred {
		r.start[p+1]++
	}
	for i := range j.preds {
		r.start[i+1] += r.start[i]
	}
	r.atoms = make([]int32, len(j.prob.Init.Atoms.Pred))
	next := slices.Clone(r.start)
	for i, p := range j.prob.Init.Atoms.Pred {
		r.atoms[next[p]] = int32(i)
		next[p]++
	}
	return r
}

// size returns the number of initial atoms of p.
func (r *relations) size(p int32) int { return int(r.start[p+1] - r.start[p]) }

// values returns the number of different objects at position i of p initially.
func (r *relations) values(j *Judge, p int32, i int) int32 {
	if r.distinct[p] == nil {
		arity := j.preds[p].arity
		r.distinct[p] = make([]int32, arity)
		seen := make(map[pddl.ObjectID]struct{})
		for k := 0; k < arity; k++ {
			clear(seen)
			for _, a := range r.atoms[r.start[p]:r.start[p+1]] {
				_, args := j.prob.Init.Atoms.Atom(int(a))
				seen[args[k]] = struct{}{}
			}
			r.distinct[p][k] = int32(len(seen))
		}
	}
	return r.distinct[p][i]
}

// index lists the initial atoms of one predicate, grouped by the objects at the key
// positions. Atoms added by a plan are listed in the scratch. Atoms deleted since then
// stay listed, so users must test what they get.
type index struct {
	pred    int32
	key     []int32 // positions
	free    []int32 // the other positions
	buckets table   // key objects -> bucket
	start   []int32 // bucket b is objects[start[b]*len(free):start[b+1]*len(free)]
	objects []int32 // free objects
}

// indexOn returns the number of the index of p on the given positions, which it builds
// if needed, or -1 if the index would be too large.
func (c *compiler) indexOn(p int32, key []int32) int32 {
	name := make([]byte, 0, 8+4*len(key))
	for _, k := range append([]int32{p}, key...) {
		name = append(name, byte(k), byte(k>>8), byte(k>>16), byte(k>>24))
	}
	if i, ok := c.rel.byKey[string(name)]; ok {
		return i
	}
	x := index{pred: p, key: slices.Clone(key)}
	for i := 0; i < c.j.preds[p].arity; i++ {
		if !slices.Contains(key, int32(i)) {
			x.free = append(x.free, int32(i))
		}
	}
	need := c.rel.size(p) * (c.j.preds[p].arity + 2)
	if need > c.rel.room {
		return -1
	}
	c.rel.room -= need
	c.fill(&x)
	i := int32(len(c.j.indexes))
	c.j.indexes = append(c.j.indexes, x)
	c.rel.byKey[string(name)] = i
	if c.j.preds[p].fluent {
		c.j.preds[p].indexes = append(c.j.preds[p].indexes, i)
	}
	return i
}

// fill groups the initial atoms of x.
func (c *compiler) fill(x *index) {
	atoms := c.rel.atoms[c.rel.start[x.pred]:c.rel.start[x.pred+1]]
	bucket := make([]int32, len(atoms))
	var count []int32
	var buf []int32
	for i, a := range atoms {
		if c.Stop() {
			return
		}
		_, args := c.j.prob.Init.Atoms.Atom(int(a))
		buf = buf[:0]
		for _, k := range x.key {
			buf = append(buf, int32(args[k]))
		}
		h := hashTuple(0, buf)
		e := x.buckets.find(0, buf, h)
		if e < 0 {
			e = x.buckets.insert(0, buf, h, int32(len(count)))
			count = append(count, 0)
		}
		bucket[i] = x.buckets.id[e]
		count[bucket[i]]++
	}
	x.start = make([]int32, len(count)+1)
	for b, n := range count {
		x.start[b+1] = x.start[b] + n
	}
	w := len(x.free)
	x.objects = make([]int32, len(atoms)*w)
	next := slices.Clone(x.start)
	for i, a := range atoms {
		_, args := c.j.prob.Init.Atoms.Atom(int(a))
		at := int(next[bucket[i]]) * w
		next[bucket[i]]++
		for k, f := range x.free {
			x.objects[at+k] = int32(args[f])
		}
	}
}
