package grounder

import (
	"github.com/planproof/planproof/pddl"
)

// relation is a growing set of tuples of objects: the true atoms of a static
// predicate, the reachable atoms of a fluent one, or the domain of definition of a
// numeric function. Tuples are numbered in the order of insertion and never removed.
//
//	rows   a b | a c | b c | ...      flat, arity objects a tuple
//	table  open addressing, tuple number + 1, 0 = free; direct: a place for every possible tuple
//	index  for some columns: key -> first tuple, then a chain in tuple order
type relation struct {
	arity   int
	objects int // of the task, 0 if not known: the table is never direct then
	n       int
	rows    []pddl.ObjectID
	table   []int32
	direct  bool
	indexes []*index
	// done is the number of tuples that reachability has already propagated.
	done int
}

// index finds the tuples of a relation that agree with a key on some columns.
// One column: first and last are addressed by the object itself. Several: by
// the slot of an open addressing table.
type index struct {
	cols  []int32
	first []int32 // by bucket; -1 = none
	last  []int32
	next  []int32 // by tuple; -1 = end of its chain
	table []int32 // bucket + 1 (several columns only)
}

const hashMultiplier = 0x9E3779B97F4A7C15

func hashObjects(args []pddl.ObjectID) uint64 {
	h := uint64(len(args))
	for _, a := range args {
		h = (h ^ uint64(uint32(a))) * hashMultiplier
		h ^= h >> 29
	}
	return h
}

func (r *relation) row(i int32) []pddl.ObjectID {
	k := r.arity
	return r.rows[int(i)*k : int(i)*k+k : int(i)*k+k]
}

// full reports whether the relation holds all tuples that there are.
func (r *relation) full() bool {
	all := 1
	for range r.arity {
		if all *= r.objects; all == 0 || all > r.n {
			return false
		}
	}
	return all == r.n
}

func equalObjects(a, b []pddl.ObjectID) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// find returns the number of a tuple, or -1.
func (r *relation) find(args []pddl.ObjectID) int32 {
	if r.n == 0 {
		return -1
	}
	if r.direct {
		return r.table[r.place(args)] - 1
	}
	mask := uint64(len(r.table) - 1)
	for s := hashObjects(args) & mask; ; s = (s + 1) & mask {
		t := r.table[s]
		if t == 0 {
			return -1
		}
		if equalObjects(r.row(t-1), args) {
			return t - 1
		}
	}
}

// add inserts a tuple if it is missing and returns its number and whether it is new.
func (r *relation) add(args []pddl.ObjectID) (int32, bool) {
	if !r.direct && 2*(r.n+1) > len(r.table) {
		r.grow()
	}
	var s uint64
	if r.direct {
		if s = r.place(args); r.table[s] != 0 {
			return r.table[s] - 1, false
		}
	} else {
		mask := uint64(len(r.table) - 1)
		for s = hashObjects(args) & mask; r.table[s] != 0; s = (s + 1) & mask {
			if t := r.table[s] - 1; equalObjects(r.row(t), args) {
				return t, false
			}
		}
	}
	t := int32(r.n)
	r.n++
	r.rows = append(r.rows, args...)
	r.table[s] = t + 1
	for _, ix := range r.indexes {
		ix.insert(r, t)
	}
	return t, true
}

// place is where a direct table holds a tuple.
func (r *relation) place(args []pddl.ObjectID) (p uint64) {
	for _, a := range args {
		p = p*uint64(r.objects) + uint64(a)
	}
	return p
}

// grow makes a larger table: a direct one if that is not larger, for it needs neither hashes nor comparisons.
func (r *relation) grow() {
	size := max(8, 2*len(r.table))
	places := 1
	for range r.arity {
		if places *= r.objects; places > size {
			break
		}
	}
	if r.direct = places > 0 && places <= size; r.direct {
		r.table = make([]int32, places)
		for t := range int32(r.n) {
			r.table[r.place(r.row(t))] = t + 1
		}
		return
	}
	r.table = make([]int32, size)
	mask := uint64(len(r.table) - 1)
	for t := range int32(r.n) {
		s := hashObjects(r.row(t)) & mask
		for r.table[s] != 0 {
			s = (s + 1) & mask
		}
		r.table[s] = t + 1
	}
}

// on returns the index of r on the given columns and builds it if needed.
func (r *relation) on(cols []int32, objects int) *index {
next:
	for _, ix := range r.indexes {
		if len(ix.cols) == len(cols) {
			for i := range cols {
				if cols[i] != ix.cols[i] {
					continue next
				}
			}
			return ix
		}
	}
	ix := &index{cols: append([]int32(nil), cols...)}
	if len(cols) == 1 {
		ix.first, ix.last = make([]int32, objects), make([]int32, objects)
		for i := range ix.first {
			ix.first[i] = -1
		}
	}
	for t := range int32(r.n) {
		ix.insert(r, t)
	}
	r.indexes = append(r.indexes, ix)
	return ix
}

func (ix *index) insert(r *relation, t int32) {
	row := r.row(t)
	var b int32
	if len(ix.cols) == 1 {
		b = int32(row[ix.cols[0]])
	} else {
		b = ix.bucket(r, row)
	}
	ix.next = append(ix.next, -1)
	if ix.first[b] < 0 {
		ix.first[b] = t
	} else {
		ix.next[ix.last[b]] = t
	}
	ix.last[b] = t
}

func (ix *index) hashRow(row []pddl.ObjectID) uint64 {
	h := uint64(len(ix.cols))
	for _, c := range ix.cols {
		h = (h ^ uint64(uint32(row[c]))) * hashMultiplier
		h ^= h >> 29
	}
	return h
}

func (ix *index) sameKey(a, b []pddl.ObjectID) bool {
	for _, c := range ix.cols {
		if a[c] != b[c] {
			return false
		}
	}
	return true
}

// bucket returns the bucket of the key in row and makes one if needed.
func (ix *index) bucket(r *relation, row []pddl.ObjectID) int32 {
	if 2*(len(ix.first)+1) > len(ix.table) {
		ix.table = make([]int32, max(8, 2*len(ix.table)))
		mask := uint64(len(ix.table) - 1)
		for b, t := range ix.first {
			s := ix.hashRow(r.row(t)) & mask
			for ix.table[s] != 0 {
				s = (s + 1) & mask
			}
			ix.table[s] = int32(b) + 1
		}
	}
	mask := uint64(len(ix.table) - 1)
	s := ix.hashRow(row) & mask
	for ; ix.table[s] != 0; s = (s + 1) & mask {
		if b := ix.table[s] - 1; ix.sameKey(r.row(ix.first[b]), row) {
			return b
		}
	}
	b := int32(len(ix.first))
	ix.first, ix.last = append(ix.first, -1), append(ix.last, -1)
	ix.table[s] = b + 1
	return b
}

// lookup returns the first tuple of r that agrees with key, or -1. The key lists
// one object per column of the index.
func (ix *index) lookup(r *relation, key []pddl.ObjectID) int32 {
	if len(ix.cols) == 1 {
		return ix.first[key[0]]
	}
	if len(ix.table) == 0 {
		return -1
	}
	mask := uint64(len(ix.table) - 1)
	for s := hashObjects(key) & mask; ; s = (s + 1) & mask {
		b := ix.table[s] - 1
		if b < 0 {
			return -1
		}
		row := r.row(ix.first[b])
		same := true
		for i, c := range ix.cols {
			if row[c] != key[i] {
				same = false
				break
			}
		}
		if same {
			return ix.first[b]
		}
	}
}
