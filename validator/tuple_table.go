package validator

import "math/bits"

// table interns tuples of objects under a tag (a predicate, a function, an
// index): open addressing over tuples kept in one array. It serves relations too sparse
// for one bit per possible atom.
type table struct {
	slots []uint32 // entry+1; len is a power of two, or 0 before the first insert
	hash  []uint64 // of each entry
	tag   []int32
	start []uint32 // tuple of entry e is args[start[e]:start[e+1]]
	args  []int32
	id    []int32 // attached to each entry by the owner
}

// hashTuple hashes a tagged tuple.
func hashTuple(tag int32, args []int32) uint64 {
	h := uint64(tag) + 0x9e3779b97f4a7c15
	for _, a := range args {
		hi, lo := bits.Mul64(h^uint64(uint32(a))*0xa0761d6478bd642f, 0xe7037ed1a0b428db)
		h = hi ^ lo
	}
	return mix(h)
}

// len returns the number of entries.
func (t *table) len() int { return len(t.id) }

// tuple returns the objects of entry e.
func (t *table) tuple(e int32) []int32 { return t.args[t.start[e]:t.start[e+1]] }

// find returns the entry of a tuple, or -1. h is hashTuple(tag, args).
func (t *table) find(tag int32, args []int32, h uint64) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := int32(t.slots[i]) - 1
		if e < 0 {
			return -1
		}
		if t.hash[e] == h && t.tag[e] == tag && equalTuple(t.tuple(e), args) {
			return e
		}
	}
}

// insert adds a tuple that is not in the table and returns its entry.
func (t *table) insert(tag int32, args []int32, h uint64, id int32) int32 {
	if 2*(len(t.id)+1) > len(t.slots) {
		t.grow()
	}
	if len(t.start) == 0 {
		t.start = append(t.start, 0)
	}
	e := int32(len(t.id))
	t.hash = append(t.hash, h)
	t.tag = append(t.tag, tag)
	t.args = append(t.args, args...)
	t.start = append(t.start, uint32(len(t.args)))
	t.id = append(t.id, id)
	t.place(h, uint32(e)+1)
	return e
}

func (t *table) place(h uint64, v uint32) {
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = v
}

func (t *table) grow() {
	t.slots = make([]uint32, max(16, 2*len(t.slots)))
	for e, h := range t.hash {
		t.place(h, uint32(e)+1)
	}
}

// reset empties the table in time proportional to its entries and keeps its memory.
// Entries are removed in reverse order, which breaks no probe chain.
func (t *table) reset() {
	mask := uint64(len(t.slots) - 1)
	for e := len(t.id) - 1; e >= 0; e-- {
		i := t.hash[e] & mask
		for t.slots[i] != uint32(e)+1 {
			i = (i + 1) & mask
		}
		t.slots[i] = 0
	}
	t.hash, t.tag, t.args, t.id = t.hash[:0], t.tag[:0], t.args[:0], t.id[:0]
	if len(t.start) > 0 {
		t.start = t.start[:1]
	}
}

func equalTuple(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
