package space

import (
	"errors"
	"math/bits"

	"github.com/planproof/planproof/search/state"
)

// The file format of a Table, docs/STATESPACE.md. All integers are little-endian, every
// part begins at a multiple of 8 bytes and is filled up with zeros.
//
//	bytes        content
//	8            "PPTABLE2"
//	32           TaskHash of the task
//	8            words per packed state, w
//	8            number of states, n
//	8 8 8        edges, goal states, dead ends
//	8            cost of every transition (used with kind 0)
//	8            kind: 0 costs are steps times that, 4 or 8 bytes per cost
//	8            slots of the index, m > n
//	8            entries of PerDepth, d
//	8            length of OptimalPlans, l
//	8d           PerDepth
//	l            OptimalPlans, text
//	8m           index: open addressing, below
//	8wn          packed states, breadth first, the initial state first
//	4n           steps, 2^32-1 for dead ends
//	4n or 8n     costs (kind 4 or 8)
//	8 each       xxhash64 of each MiB of all of the above
//	8            xxhash64 of these sums
//
// A state of xxhash64 h lies at or behind slot h*m/2^64 of the index, before the next
// empty slot, the last slot followed by the first one. A slot is 0 when empty, else the lower
// half of h in its upper half and the state's number plus one in its lower half.
//
// The layout of packed states is a function of the task, which TaskHash pins down.
const (
	tableMagic  = "PPTABLE2"
	tableFixed  = 120 // bytes before PerDepth
	tableBlock  = 1 << 20
	tableFamily = "PPTABLE"
)

// ErrOtherTask is returned by LoadTable for the table of another task.
var ErrOtherTask = errors.New("the table belongs to another task")

var (
	errDamaged      = errors.New("not a table, or a damaged one")
	errOtherVersion = errors.New("a table of another version of the format; make it again")
)

func aligned(n int64) int64 { return (n + 7) &^ 7 }

// tableIndex finds states by hash in the form that the file holds.
type tableIndex []uint64

// slot returns where the search for a hash begins.
func (x tableIndex) slot(hash uint64) uint64 {
	hi, _ := bits.Mul64(hash, uint64(len(x)))
	return hi
}

// newTableIndex indexes all states, at a load of four fifths.
func newTableIndex(s stateStore) tableIndex {
	n := s.Len()
	x := make(tableIndex, n+n/4+1)
	for id := range n {
		h := state.HashRow(s.Row(state.StateID(id)))
		i := x.slot(h)
		for x[i] != 0 {
			if i++; i == uint64(len(x)) {
				i = 0
			}
		}
		x[i] = h<<32 | uint64(id+1)
	}
	return x
}

// fileStates are the states of a table file in memory.
type fileStates struct {
	words int
	rows  []uint64
	index tableIndex
	held  int64 // bytes on the heap
}

func (f *fileStates) Len() int     { return len(f.rows) / f.words }
func (f *fileStates) Bytes() int64 { return f.held }

func (f *fileStates) Row(id state.StateID) []uint64 {
	i := int(id) * f.words
	return f.rows[i : i+f.words : i+f.words]
}

// Find looks a state up. Whatever the index holds, it ends, and ids are in range.
func (f *fileStates) Find(row []uint64) (state.StateID, bool) {
	h := state.HashRow(row)
	i := f.index.slot(h)
	for range f.index {
		e := f.index[i]
		if e == 0 {
			break
		}
		if id := uint32(e) - 1; uint32(h) == uint32(e>>32) && int(id) < f.Len() && sameRow(f.Row(state.StateID(id)), row) {
			return state.StateID(id), true
		}
		if i++; i == uint64(len(f.index)) {
			i = 0
		}
	}
	return state.NoState, false
}

func sameRow(a, b []uint64) bool {
	for i, x := range a {
		if b[i] != x {
			return false
		}
	}
	return true
}
