package state

import (
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/planproof/planproof/internal/hugepages"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/internal/prefetch"
)

// StateID names a state of a Registry: its position in order of registration.
type StateID uint32

// NoState is the parent of an initial state.
const NoState StateID = 1<<32 - 1

// MaxStates bounds a registry: ids are 32 bits and the table stores id+1.
const MaxStates = 1<<32 - 2

// Registry stores distinct packed states, each with some extra words for the search
// that owns it. Records live in chunks that never move; the table holds, per slot, the
// upper 32 bits of the state's hash and its id plus one, so that growing the table
// and most unequal comparisons never touch a record.
type Registry struct {
	words  int // of a packed state
	stride int // words + extra
	shift  uint
	chunks [][]uint64
	spare  [][]uint64 // allocated, not yet cut into chunks
	held   int        // words allocated for chunks
	n      int

	table []uint64
	mask  uint64
	limit int // grow when n reaches it
}

// chunkWords is the size of a chunk, 32 KiB: small enough that a task of ten states
// costs little, large enough that the list of chunks is short. Chunks are cut from slabs,
// which grow with the registry to maxSlabWords, 16 MiB, so that huge pages can back them.
const (
	chunkWords   = 1 << 12
	maxSlabWords = 1 << 21
)

// NewRegistry returns an empty registry of states of the given number of words, with
// extra words of per-state data.
func NewRegistry(words, extra int) *Registry {
	r := &Registry{words: words, stride: words + extra}
	for r.stride<<(r.shift+1) <= chunkWords {
		r.shift++
	}
	r.resize(1 << 10)
	return r
}

// Len returns the number of states.
func (r *Registry) Len() int { return r.n }

// Bytes returns the memory held: chunks and table.
func (r *Registry) Bytes() int64 {
	return int64(r.held)*8 + int64(len(r.table))*8
}

// Growing reports whether memory must be allocated before k more states are in.
func (r *Registry) Growing(k int) bool { return r.n+k > min(r.limit, r.room()) }

// room is the number of states that the slabs hold.
func (r *Registry) room() int {
	chunks := len(r.chunks)
	for _, s := range r.spare {
		chunks += len(s) / (r.stride << r.shift)
	}
	return chunks << r.shift
}

// GrowBytes bounds the memory that adding k more states takes.
func (r *Registry) GrowBytes(k int) int64 {
	b := int64(0)
	if r.n+k > r.room() {
		b = int64(max(r.slabWords(), r.stride*k)) * 8
	}
	for limit, size := r.limit, len(r.table); r.n+k > limit; limit, size = limit*2, size*2 {
		b += int64(size) * 16
	}
	return b
}

// Record returns the record of a state: its packed words, then the extra words. The
// packed words must not be changed.
func (r *Registry) Record(id StateID) []uint64 {
	i := int(id) & (1<<r.shift - 1) * r.stride
	return r.chunks[id>>r.shift][i : i+r.stride : i+r.stride]
}

// Row returns the packed words of a state, to be read only.
func (r *Registry) Row(id StateID) []uint64 { return r.Record(id)[:r.words] }

// Hash returns the hash under which a packed state is stored.
func (r *Registry) Hash(row []uint64) uint64 { return HashRow(row[:r.words]) }

// HashRow is the Hash of a registry whose states have the length of row.
func HashRow(row []uint64) uint64 {
	return xxhash.Sum64(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(row))), len(row)*8))
}

// Insert finds or adds a packed state (the first words of row) whose Hash is given. It
// returns the state's id and whether it is new; the extra words of a new record are zero.
// It must not be called when Len is MaxStates.
func (r *Registry) Insert(row []uint64, hash uint64) (StateID, bool) {
	if r.n == r.limit {
		r.resize(len(r.table) * 2)
	}
	tag := hash &^ (1<<32 - 1)
	i := hash >> 32 & r.mask
	for {
		e := r.table[i]
		if e == 0 {
			break
		}
		if e&^(1<<32-1) == tag && r.equal(StateID(uint32(e)-1), row) {
			return StateID(uint32(e) - 1), false
		}
		i = (i + 1) & r.mask
	}
	id := r.n
	if invariants.Enabled {
		invariants.Check(hash == r.Hash(row), "a state is inserted under another state's hash")
		invariants.Check(id < MaxStates, "too many states")
	}
	if id>>r.shift == len(r.chunks) {
		r.addChunk()
	}
	r.n++
	copy(r.Record(StateID(id)), row[:r.words])
	r.table[i] = tag | uint64(id+1)
	return StateID(id), true
}

// slabWords is the size of the next slab: an eighth of what is there, in whole chunks.
func (r *Registry) slabWords() int {
	chunk := r.stride << r.shift
	return max(min(r.held/8, maxSlabWords)/chunk, 1) * chunk
}

func (r *Registry) addChunk() {
	chunk := r.stride << r.shift
	if len(r.spare) == 0 {
		slab := make([]uint64, r.slabWords())
		hugepages.Advise(slab)
		r.keep(slab)
	}
	last := &r.spare[len(r.spare)-1]
	r.chunks = append(r.chunks, (*last)[:chunk:chunk])
	if *last = (*last)[chunk:]; len(*last) < chunk {
		r.spare = r.spare[:len(r.spare)-1]
	}
}

// keep takes memory, all zero, for chunks.
func (r *Registry) keep(slab []uint64) {
	if len(slab) >= r.stride<<r.shift {
		r.held += len(slab)
		r.spare = append(r.spare, slab)
	}
}

// Find looks a packed state up. It is safe for concurrent use as long as nobody inserts.
func (r *Registry) Find(row []uint64) (StateID, bool) { return r.FindHashed(row, r.Hash(row)) }

// FindHashed is Find for a state whose Hash is given.
func (r *Registry) FindHashed(row []uint64, hash uint64) (StateID, bool) {
	tag := hash &^ (1<<32 - 1)
	for i := hash >> 32 & r.mask; ; i = (i + 1) & r.mask {
		e := r.table[i]
		if e == 0 {
			return NoState, false
		}
		if e&^(1<<32-1) == tag && r.equal(StateID(uint32(e)-1), row) {
			return StateID(uint32(e) - 1), true
		}
	}
}

// Prefetch brings the table slot of a hash into the cache. A caller with several states at hand prefetches all, meets
// all (Meet) and inserts all, so that their cache misses overlap.
func (r *Registry) Prefetch(hash uint64) { prefetch.Line(unsafe.Pointer(&r.table[hash>>32&r.mask])) }

// Meet brings the record of the state that has the hash into the cache, if one has.
func (r *Registry) Meet(hash uint64) {
	tag := hash &^ (1<<32 - 1)
	for i := hash >> 32 & r.mask; r.table[i] != 0; i = (i + 1) & r.mask {
		if e := r.table[i]; e&^(1<<32-1) == tag {
			id := uint32(e) - 1
			prefetch.Line(unsafe.Pointer(&r.chunks[id>>r.shift][int(id)&(1<<r.shift-1)*r.stride]))
			return
		}
	}
}

func (r *Registry) equal(id StateID, row []uint64) bool {
	have := r.Record(id)
	for i, x := range row[:r.words] {
		if have[i] != x {
			return false
		}
	}
	return true
}

// resize rebuilds the table with size slots (a power of two). The old table becomes chunks: as garbage it would stand
// beside the new one until the next collection.
func (r *Registry) resize(size int) {
	old := r.table
	r.table = make([]uint64, size)
	hugepages.Advise(r.table)
	r.mask = uint64(size - 1)
	r.limit = min(size/4*3, MaxStates)
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := e >> 32 & r.mask
		for r.table[i] != 0 {
			i = (i + 1) & r.mask
		}
		r.table[i] = e
	}
	clear(old)
	r.keep(old)
}

// Widen gives each record extra more words, which are zero. Records move: slices of them that callers hold do not.
func (r *Registry) Widen(extra int) {
	wider := NewRegistry(r.words, r.stride-r.words+extra)
	for id := range r.n {
		if id>>wider.shift == len(wider.chunks) {
			wider.addChunk()
		}
		copy(wider.Record(StateID(id)), r.Record(StateID(id)))
	}
	r.stride, r.shift, r.held = wider.stride, wider.shift, wider.held
	r.chunks, r.spare = wider.chunks, wider.spare
}

// WidenBytes bounds the memory that Widen takes, the old records included until they are collected.
func (r *Registry) WidenBytes(extra int) int64 {
	size := int64(r.n+chunkWords) * int64(r.stride+extra) * 8
	return size + size/8
}
