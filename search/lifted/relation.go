package lifted

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// relation holds the rows of a static predicate, with an index for each set of columns that is looked up.
type relation struct {
	arity    int
	rows     []pddl.ObjectID // row after row
	n        int
	distinct []int // objects by column
	indexes  []*index
}

func (r *relation) row(i uint32) []pddl.ObjectID {
	return r.rows[int(i)*r.arity : (int(i)+1)*r.arity]
}

// index finds the rows that have given objects in some columns: rows with the same ones lie together in order.
type index struct {
	rel   *relation
	cols  []int
	order []uint32
	slots []bucket // open addressing
}

type bucket struct{ from, to uint32 } // of order; empty if to is 0

// index returns the index of some columns, ascending. Where m ends the work, the index has no row.
func (r *relation) index(cols []int, m *meter) *index {
	for _, x := range r.indexes {
		if slices.Equal(x.cols, cols) {
			return x
		}
	}
	x := &index{rel: r, cols: slices.Clone(cols)}
	size := 16
	for size < 2*r.n {
		size *= 2
	}
	x.slots, x.order = make([]bucket, size), make([]uint32, r.n)
	key := make([]pddl.ObjectID, len(cols))
	// from is the first row of a bucket while rows are counted, and to their number.
	slot := func(i uint32) *bucket {
		for k, c := range cols {
			key[k] = r.row(i)[c]
		}
		return x.slot(key, func(b *bucket) uint32 { return b.from })
	}
	for i := range uint32(r.n) {
		if m.tick(1) {
			return &index{rel: r, cols: x.cols, slots: make([]bucket, 1)}
		}
		b := slot(i)
		if b.to == 0 {
			b.from = i
		}
		b.to++
	}
	home := make([]uint32, r.n) // where the next row of a bucket goes, by its first row
	at := uint32(0)
	for i := range x.slots {
		if b := &x.slots[i]; b.to > 0 {
			home[b.from] = at
			at += b.to
		}
	}
	for i := range uint32(r.n) {
		if m.tick(1) {
			return &index{rel: r, cols: x.cols, slots: make([]bucket, 1)}
		}
		b := slot(i)
		x.order[home[b.from]] = i
		home[b.from]++
	}
	for i := range x.slots {
		if b := &x.slots[i]; b.to > 0 {
			end := home[b.from]
			*b = bucket{end - b.to, end}
		}
	}
	r.indexes = append(r.indexes, x)
	return x
}

// slot returns the bucket of a key, which may be empty; first names a row of a bucket.
func (x *index) slot(key []pddl.ObjectID, first func(*bucket) uint32) *bucket {
	mask := uint64(len(x.slots) - 1)
probe:
	for i := hashAtom(0, key) & mask; ; i = (i + 1) & mask {
		b := &x.slots[i]
		if b.to == 0 {
			return b
		}
		row := x.rel.row(first(b))
		for k, c := range x.cols {
			if row[c] != key[k] {
				continue probe
			}
		}
		return b
	}
}

// find returns the rows that have the objects of key in the columns of the index.
func (x *index) find(key []pddl.ObjectID) []uint32 {
	b := x.slot(key, func(b *bucket) uint32 { return x.order[b.from] })
	return x.order[b.from:b.to]
}

func (r *relation) bytes() int64 {
	b := int64(cap(r.rows)) * 4
	for _, x := range r.indexes {
		b += int64(len(x.order))*4 + int64(len(x.slots))*8
	}
	return b
}

// countDistinct counts the objects in each column, as long as m lets it.
func (r *relation) countDistinct(objects int, m *meter) {
	r.distinct = make([]int, r.arity)
	for c := range r.arity {
		seen := make([]bool, objects)
		for i := range uint32(r.n) {
			if m.tick(1) {
				return
			}
			if o := r.row(i)[c]; !seen[o] {
				seen[o] = true
				r.distinct[c]++
			}
		}
	}
}

// hashAtom mixes a predicate and objects.
func hashAtom(pred int32, args []pddl.ObjectID) uint64 {
	h := uint64(pred)*0x9e3779b97f4a7c15 + 0x1b873593
	for _, o := range args {
		h = mix(h ^ uint64(o))
	}
	return mix(h)
}

// mix spreads every bit of x over all (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
