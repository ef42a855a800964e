package pddl

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// symtab numbers names from 0 in the order of their insertion. Keys are lower
// case. It is an open-addressing table whose entries hold the names of up to
// sixteen bytes themselves, so that a look-up while reading a large initial state
// touches one entry and neither the list of names nor their bytes.
type symtab struct {
	entries []symEntry
	keys    []string
}

// symEntry is one slot. For a name of up to sixteen bytes, its length and two words
// that cover its bytes identify it; for a longer one first is its xxhash and the
// bytes are compared as well.
type symEntry struct {
	first, last uint64
	size        uint32
	next        uint32 // id plus one; 0 in an empty slot
}

// words returns the two words of key's entry. Those of a key of less than sixteen bytes
// overlap.
func words(key string) (first, last uint64) {
	n := len(key)
	b := unsafe.Slice(unsafe.StringData(key), n)
	switch {
	case n > 16:
		return xxhash.Sum64String(key), 0
	case n >= 8:
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		return uint64(b[0])<<16 | uint64(b[n/2])<<8 | uint64(b[n-1]), 0
	}
	return 0, 0
}

// mix is the hash of an entry.
func mix(first, last uint64, n int) uint64 {
	h := first*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(last*0xc2b2ae3d27d4eb4f, 31) ^ uint64(n)
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// lookup returns the id of key.
func (t *symtab) lookup(key string) (int32, bool) {
	if len(t.entries) == 0 {
		return -1, false
	}
	first, last := words(key)
	mask := uint64(len(t.entries) - 1)
	for i := mix(first, last, len(key)) & mask; ; i = (i + 1) & mask {
		e := &t.entries[i]
		if e.next == 0 {
			return -1, false
		}
		if e.first == first && e.last == last && int(e.size) == len(key) {
			id := e.next - 1
			if len(key) <= 16 || t.keys[id] == key {
				return int32(id), true
			}
		}
	}
}

// lookupFold is lookup for a name in any spelling.
func (t *symtab) lookupFold(name string) (int32, bool) { return t.lookup(fold(name)) }

// insert adds key, or returns the id it already has and false.
func (t *symtab) insert(key string) (int32, bool) {
	if id, ok := t.lookup(key); ok {
		return id, false
	}
	if len(t.keys)+1 > len(t.entries)*5/8 {
		t.grow(max(16, 2*len(t.entries)))
	}
	t.keys = append(t.keys, key)
	t.place(len(t.keys) - 1)
	return int32(len(t.keys) - 1), true
}

func (t *symtab) place(id int) {
	key := t.keys[id]
	first, last := words(key)
	mask := uint64(len(t.entries) - 1)
	i := mix(first, last, len(key)) & mask
	for t.entries[i].next != 0 {
		i = (i + 1) & mask
	}
	t.entries[i] = symEntry{first, last, uint32(len(key)), uint32(id + 1)}
}

func (t *symtab) grow(n int) {
	t.entries = make([]symEntry, n)
	for id := range t.keys {
		t.place(id)
	}
}

// fold returns name in lower case, the form of every key; only ASCII letters have
// two cases in PDDL.
func fold(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			b := []byte(name)
			for ; i < len(b); i++ {
				if c := b[i]; c >= 'A' && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return name
}
