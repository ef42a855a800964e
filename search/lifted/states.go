package lifted

import (
	"bytes"
	"encoding/binary"

	"github.com/planproof/planproof/internal/hugepages"
	"github.com/planproof/planproof/search/state"
)

// states keeps distinct packed states with what the search knows of each. A packed state has its length in front. Neither states nor records
// ever move, so memory grows by pieces.
type states struct {
	slabs   [][]byte
	used    int // of the last slab
	records [][]record
	n       int
	table   []uint64 // open addressing: the upper half of the hash, and the state's number, 1 higher
	held    int64    // bytes of slabs and records
}

type record struct {
	slab, offset uint32
	cost         int64 // of the best path known
	parent       state.StateID
	closed       bool
}

const (
	recordShift = 10
	recordBytes = 24
	firstSlab   = 1 << 12
	largestSlab = 1 << 20
)

func newStates() *states { return &states{table: make([]uint64, 1024)} }

func (s *states) record(id state.StateID) *record {
	return &s.records[id>>recordShift][id&(1<<recordShift-1)]
}

// packed returns a state as it was inserted.
func (s *states) packed(id state.StateID) []byte {
	r := s.record(id)
	data := s.slabs[r.slab][r.offset:]
	n, k := binary.Uvarint(data)
	return data[k : k+int(n)]
}

// slot is where a state with this hash is, or would be.
func (s *states) slot(hash uint64, data []byte) *uint64 {
	mask := uint64(len(s.table) - 1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		e := s.table[i]
		if e == 0 || e>>32 == hash>>32 && bytes.Equal(s.packed(state.StateID(e-1)), data) {
			return &s.table[i]
		}
	}
}

// insert finds or adds a state, and reports whether it is new.
func (s *states) insert(hash uint64, data []byte) (state.StateID, bool) {
	slot := s.slot(hash, data)
	if *slot != 0 {
		return state.StateID(*slot - 1), false
	}
	id := state.StateID(s.n)
	*slot = hash>>32<<32 | uint64(id+1)
	if s.n++; s.n > len(s.table)/4*3 {
		s.grow()
	}
	if int(id>>recordShift) == len(s.records) {
		s.records = append(s.records, make([]record, 1<<recordShift))
		s.held += recordBytes << recordShift
	}
	if need := binary.MaxVarintLen32 + len(data); len(s.slabs) == 0 || s.used+need > len(s.slabs[len(s.slabs)-1]) {
		s.slabs = append(s.slabs, make([]byte, max(s.slabSize(), need)))
		s.held += int64(len(s.slabs[len(s.slabs)-1]))
		s.used = 0
	}
	last := len(s.slabs) - 1
	r := s.record(id)
	r.slab, r.offset = uint32(last), uint32(s.used)
	s.used += binary.PutUvarint(s.slabs[last][s.used:], uint64(len(data)))
	s.used += copy(s.slabs[last][s.used:], data)
	return id, true
}

// slabSize is the size of the next slab: an eighth of what is held.
func (s *states) slabSize() int { return int(min(max(s.held/8, firstSlab), largestSlab)) }

func (s *states) grow() {
	old := s.table
	s.table = make([]uint64, 2*len(old))
	hugepages.Advise(s.table)
	mask := uint64(len(s.table) - 1)
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := e >> 32 & mask
		for ; s.table[i] != 0; i = (i + 1) & mask {
		}
		s.table[i] = e
	}
}

// growBytes bounds the memory that adding a state of n bytes takes, with the old table while the new one is filled.
func (s *states) growBytes(n int) (b int64) {
	if s.n+1 > len(s.table)/4*3 {
		b += int64(len(s.table)) * 16
	}
	if s.n>>recordShift == len(s.records) {
		b += recordBytes << recordShift
	}
	if need := binary.MaxVarintLen32 + n; len(s.slabs) == 0 || s.used+need > len(s.slabs[len(s.slabs)-1]) {
		b += int64(max(s.slabSize(), need))
	}
	return b
}

func (s *states) bytes() int64 { return s.held + int64(len(s.table))*8 }
