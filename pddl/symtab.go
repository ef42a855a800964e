package pddl

import (
	"strings"

	"github.com/cespare/xxhash/v2"
)

// symtab numbers names from 0 in the order of their insertion. Keys are lower
// case. It is an open-addressing table over one slice of 64-bit slots (the upper
// half of the hash, and the id plus one), so that a look-up while reading a large
// initial state touches one cache line of the table and the key's bytes.
type symtab struct {
	slots []uint64
	keys  []string
}

func (t *symtab) len() int { return len(t.keys) }

// lookup returns the id of key.
func (t *symtab) lookup(key string) (int32, bool) {
	if len(t.slots) == 0 {
		return -1, false
	}
	h := xxhash.Sum64String(key)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return -1, false
		}
		if s>>32 == h>>32 {
			if id := uint32(s) - 1; t.keys[id] == key {
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
	if 2*(len(t.keys)+1) > len(t.slots) {
		t.grow(max(16, 2*len(t.slots)))
	}
	t.keys = append(t.keys, key)
	t.place(xxhash.Sum64String(key), uint32(len(t.keys)))
	return int32(len(t.keys) - 1), true
}

func (t *symtab) place(h uint64, v uint32) {
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = h&^(1<<32-1) | uint64(v)
}

func (t *symtab) grow(n int) {
	t.slots = make([]uint64, n)
	for i, k := range t.keys {
		t.place(xxhash.Sum64String(k), uint32(i+1))
	}
}

// fold returns name in lower case, the form of every key; only ASCII letters have
// two cases in PDDL.
func fold(name string) string {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			return strings.ToLower(name)
		}
	}
	return name
}

// editDistance is the number of single-character insertions, deletions,
// replacements and swaps of neighbours that turn a into b, or limit+1 if it is more
// than limit.
func editDistance(a, b string, limit int) int {
	if abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
			best = min(best, d)
		}
		if best > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(prev[len(b)], limit+1)
}

// maxHintCandidates bounds the names compared for one hint.
const maxHintCandidates = 20000

// nearest returns the known name closest to name, if it is close enough to be a
// likely misspelling: at most a third of the letters differ.
func nearest(name string, known []string) string {
	name = fold(name)
	if len(name) > 100 || len(known) > maxHintCandidates {
		return ""
	}
	limit := max(1, min(3, len(name)/3))
	best := ""
	for _, k := range known {
		if d := editDistance(name, fold(k), limit); d <= limit && k != "" && d < len(name) {
			best, limit = k, d-1
			if limit < 0 {
				break
			}
		}
	}
	return best
}
