package pddl

// tupleSet is a set of indices into a table of tuples, found by the tuple's hash.
// The probe runs over one byte per slot (0 for an empty one, else eight bits of the
// hash), which stays in the cache when the table of a large initial state does not:
// a look-up that fails, the common case, seldom touches anything else.
//
//	tags   [ 0 | 7f | 0 | c1 | .. ]
//	index  [   |  0 |   |  1 | .. ]
type tupleSet struct {
	tags  []uint8
	index []uint32
	n     int
}

// room prepares for n tuples.
func (s *tupleSet) room(n int) {
	size := 16
	for size < n+n/2 {
		size *= 2
	}
	s.tags, s.index = make([]uint8, size), make([]uint32, size)
}

func tagOf(h uint64) uint8 { return uint8(h>>56) | 1 }

// touch loads the slot of h.
func (s *tupleSet) touch(h uint64) uint8 { return s.tags[h&uint64(len(s.tags)-1)] }

// find returns the index whose tuple has hash h and for which same holds.
func (s *tupleSet) find(h uint64, same func(uint32) bool) (uint32, bool) {
	mask := uint64(len(s.tags) - 1)
	tag := tagOf(h)
	for i := h & mask; ; i = (i + 1) & mask {
		t := s.tags[i]
		if t == 0 {
			return 0, false
		}
		if t == tag && same(s.index[i]) {
			return s.index[i], true
		}
	}
}

// add inserts an index that is not in the set; rehash returns the hash of an index when
// the table grows.
func (s *tupleSet) add(h uint64, index uint32, rehash func(uint32) uint64) {
	if s.n+1 > len(s.tags)*3/4 {
		tags, old := s.tags, s.index
		s.tags, s.index = make([]uint8, 2*len(tags)), make([]uint32, 2*len(tags))
		for i, t := range tags {
			if t != 0 {
				s.place(rehash(old[i]), old[i])
			}
		}
	}
	s.n++
	s.place(h, index)
}

func (s *tupleSet) place(h uint64, index uint32) {
	mask := uint64(len(s.tags) - 1)
	i := h & mask
	for s.tags[i] != 0 {
		i = (i + 1) & mask
	}
	s.tags[i], s.index[i] = tagOf(h), index
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
