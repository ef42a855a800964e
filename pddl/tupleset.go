package pddl

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

// tupleSet is a set of indices into a table of tuples, found by the tuple's hash.
// A slot holds the upper half of the hash and the index plus one, so that most
// look-ups that fail touch the table of slots only.
type tupleSet struct {
	slots []uint64
	n     int
}

// room prepares for n tuples.
func (s *tupleSet) room(n int) {
	size := 16
	for size < n+n/2 {
		size *= 2
	}
	s.slots = make([]uint64, size)
}

// find returns the index whose tuple has hash h and for which same holds.
func (s *tupleSet) find(h uint64, same func(uint32) bool) (uint32, bool) {
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		v := s.slots[i]
		if v == 0 {
			return 0, false
		}
		if v>>32 == h>>32 && same(uint32(v)-1) {
			return uint32(v) - 1, true
		}
	}
}

// add puts in an index that is not there; rehash gives the hash of an index when
// the table grows.
func (s *tupleSet) add(h uint64, index uint32, rehash func(uint32) uint64) {
	if s.n+1 > len(s.slots)*3/4 {
		old := s.slots
		s.slots = make([]uint64, 2*len(old))
		for _, v := range old {
			if v != 0 {
				s.place(rehash(uint32(v)-1), v)
			}
		}
	}
	s.n++
	s.place(h, h&^(1<<32-1)|uint64(index+1))
}

func (s *tupleSet) place(h, v uint64) {
	mask := uint64(len(s.slots) - 1)
	i := h & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	s.slots[i] = v
}

// hashTuple mixes an id and its arguments.
func hashTuple(id uint32, args []ObjectID) uint64 {
	const m = 0x9e3779b97f4a7c15
	h := uint64(id)*m + 0x632be59bd9b4e019
	for _, a := range args {
		h ^= uint64(uint32(a))
		h *= m
		h ^= h >> 29
	}
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

func tupleKey(id uint32, args []ObjectID) []byte {
	b := make([]byte, 0, 4+4*len(args))
	put := func(v uint32) { b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }
	put(id)
	for _, a := range args {
		put(uint32(a))
	}
	return b
}
