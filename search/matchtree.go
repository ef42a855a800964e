package search

import (
	"math"
	"math/bits"

	"github.com/planproof/planproof/search/state"
)

// matchTree finds, among registered keys, those that match a partial state and have the
// least path cost. Keys are packed states (forward) or packed partial states (backward: the
// bits, then the mask). It is a decision tree:
//
//	inner node   tests one field of at most four bits; child by its value, and in a
//	             tree of partial states one child more for keys without that variable
//	leaf         a list of at most leafSize keys, threaded through next
//
// A key sits in the leaf that its own fields lead to, where it is compared in full; what
// lies between is not stored. When a leaf overflows, the field that is expected to save
// most is tested. Every node knows bounds of the costs below it, so that a query looks
// only at keys within a window of costs.
type matchTree struct {
	reg     *state.Registry
	words   int // of a packed state
	partial bool
	fields  []state.Field
	nodes   pages[matchNode]
	kids    pages[uint32] // node+1 by value, 0 for none
	next    pages[uint32] // by key: key+1 of the next in its leaf, lastKey, 0 when not in the tree
	// constrained[f] of total queries had a value for field f: what testing it first saves.
	constrained []int64
	total       int64
	// fewest bounds the bits of masks in the tree from below.
	fewest int
	stack  []uint32
	differ []uint64
	work   int64 // nodes and keys looked at
}

// matchNode is a leaf when field is -1. first is the first kid, or the leaf's first key + 1
// (lastKey when empty).
type matchNode struct {
	least, most int64 // bounds of the costs below
	field       int32
	first       uint32
	size        uint32 // keys of a leaf
}

const (
	leafSize = 8
	lastKey  = 1<<32 - 1
)

func newMatchTree(reg *state.Registry, packer *state.Packer, partial bool) *matchTree {
	t := &matchTree{reg: reg, words: packer.Words(), partial: partial, fields: packer.Fields(), differ: make([]uint64, 2*packer.Words()), fewest: math.MaxInt}
	t.constrained = make([]int64, len(t.fields))
	t.total = 2
	for f := range t.constrained {
		t.constrained[f] = 1
		if partial {
			t.constrained[f] = t.total // asked by states
		}
	}
	t.leaf()
	return t
}

// expect announces a query with a mask, so that build can choose its fields.
func (t *matchTree) expect(mask []uint64) {
	t.total++
	for f := range t.fields {
		if t.fields[f].Set(mask) {
			t.constrained[f]++
		}
	}
}

func (t *matchTree) bytes() int64 { return t.nodes.bytes() + t.kids.bytes() + t.next.bytes() }

func (t *matchTree) leaf() uint32 {
	n := t.nodes.grow(1)
	*t.nodes.at(n) = matchNode{least: math.MaxInt64, most: math.MinInt64, field: -1, first: lastKey}
	return n
}

// keyMask returns the mask of a key, nil when it is a full state.
func (t *matchTree) keyMask(rec []uint64) []uint64 {
	if !t.partial {
		return nil
	}
	return rec[t.words : 2*t.words]
}

// branch returns the index among the kids of a node that tests f where the key belongs.
func branch(f *state.Field, bits, mask []uint64) uint32 {
	if mask != nil && !f.Set(mask) {
		return 1 << f.Width
	}
	return uint32(f.Value(bits))
}

// has reports whether a key is in the tree.
func (t *matchTree) has(id state.StateID) bool {
	return int(id) < t.next.n && *t.next.at(uint32(id)) != 0
}

// insert adds a key, which must not be in the tree.
func (t *matchTree) insert(id state.StateID, cost int64) {
	for t.next.n <= int(id) {
		t.next.grow(1)
	}
	rec := t.reg.Record(id)
	mask := t.keyMask(rec)
	t.fewest = min(t.fewest, constrained(mask))
	at := uint32(0)
	for {
		n := t.nodes.at(at)
		n.least, n.most = min(n.least, cost), max(n.most, cost)
		if n.field < 0 {
			*t.next.at(uint32(id)) = n.first
			n.first = uint32(id) + 1
			n.size++
			if n.size > leafSize {
				t.split(at)
			}
			return
		}
		kid := t.kids.at(n.first + branch(&t.fields[n.field], rec, mask))
		if *kid == 0 {
			*kid = t.leaf() + 1
		}
		at = *kid - 1
	}
}

// lower notes that the cost of a key has fallen.
func (t *matchTree) lower(id state.StateID, cost int64) {
	rec := t.reg.Record(id)
	mask := t.keyMask(rec)
	for at := uint32(0); ; {
		n := t.nodes.at(at)
		n.least = min(n.least, cost)
		if n.field < 0 {
			return
		}
		at = *t.kids.at(n.first + branch(&t.fields[n.field], rec, mask)) - 1
	}
}

// split makes an inner node of an overflowing leaf. Its keys are pairwise different, so
// they differ in some field.
func (t *matchTree) split(at uint32) {
	n := t.nodes.at(at)
	best := t.bestField(n)
	f := &t.fields[best]
	count := 1 << f.Width
	if t.partial {
		count++
	}
	key := n.first
	n.field, n.first, n.size = int32(best), t.kids.grow(count), 0
	for key != lastKey {
		id := key - 1
		key = *t.next.at(id)
		rec := t.reg.Record(state.StateID(id))
		kid := t.kids.at(n.first + branch(f, rec, t.keyMask(rec)))
		if *kid == 0 {
			*kid = t.leaf() + 1
			leaf := t.nodes.at(*kid - 1)
			leaf.least, leaf.most = n.least, n.most
		}
		leaf := t.nodes.at(*kid - 1)
		*t.next.at(id) = leaf.first
		leaf.first = id + 1
		leaf.size++
	}
}

// bestField returns the field whose test leaves a query least to look at. With a value for
// the field a query goes into one child and to the keys without that variable; otherwise
// into all.
func (t *matchTree) bestField(n *matchNode) int {
	var keys [leafSize + 1][]uint64
	all := 0
	for key := n.first; key != lastKey; key = *t.next.at(key - 1) {
		keys[all] = t.reg.Record(state.StateID(key - 1))
		all++
	}
	// Fields in which no two keys differ cannot be tested.
	w := t.words
	if t.partial {
		w *= 2
	}
	differ := t.differ[:w]
	clear(differ)
	for _, k := range keys[1:all] {
		for i := range differ {
			differ[i] |= k[i] ^ keys[0][i]
		}
	}
	best, bestCost := -1, int64(math.MaxInt64)
	for i := range t.fields {
		f := &t.fields[i]
		if f.Value(differ) == 0 && !(t.partial && f.Set(differ[t.words:])) {
			continue
		}
		var size [17]int64
		for _, k := range keys[:all] {
			size[branch(f, k, t.keyMask(k))]++
		}
		squares := int64(0)
		for _, c := range size[:1<<f.Width] {
			squares += c * c
		}
		n, asked := int64(all), t.constrained[i]
		if c := asked*(squares+size[1<<f.Width]*n) + (t.total-asked+1)*n*n; c < bestCost {
			best, bestCost = i, c
		}
	}
	return best
}

// cost returns the path cost of a key.
func (t *matchTree) cost(rec []uint64) int64 {
	if t.partial {
		return int64(rec[2*t.words+nodeCost])
	}
	return int64(rec[t.words+nodeCost])
}

// pop takes the next node from the stack that has keys of costs from least to most; nil at the end.
func (t *matchTree) pop(least, most int64) *matchNode {
	for len(t.stack) > 0 {
		n := t.nodes.at(t.stack[len(t.stack)-1])
		t.stack = t.stack[:len(t.stack)-1]
		t.work++
		if n.least <= most && n.most >= least {
			return n
		}
	}
	return nil
}

// push puts a kid on the stack, if there is one.
func (t *matchTree) push(at uint32) {
	if kid := *t.kids.at(at); kid != 0 {
		t.stack = append(t.stack, kid-1)
	}
}

// cheapestMember returns, in a tree of full states, a cheapest state among those that the
// partial state (bits, mask) stands for and whose cost is at most the given one. Keys that cost less
// than least are known not to match and need not be looked at.
func (t *matchTree) cheapestMember(bits, mask []uint64, least, most int64) (state.StateID, int64, bool) {
	found := state.NoState
	t.stack = append(t.stack[:0], 0)
	for n := t.pop(least, most); n != nil; n = t.pop(least, most) {
		if n.field < 0 {
			for key := n.first; key != lastKey; key = *t.next.at(key - 1) {
				t.work++
				rec := t.reg.Record(state.StateID(key - 1))
				if c := t.cost(rec); c <= most && member(rec, bits, mask) {
					found, most = state.StateID(key-1), c-1
				}
			}
			continue
		}
		f := &t.fields[n.field]
		if f.Set(mask) {
			t.push(n.first + uint32(f.Value(bits)))
			continue
		}
		for i := uint32(0); i < 1<<f.Width; i++ {
			t.push(n.first + i)
		}
	}
	return found, most + 1, found != state.NoState
}

// cheapestGeneral returns, in a tree of partial states, a cheapest one, other than itself
// and of cost at most the given one, whose facts are all among those of (bits, mask): one
// that subsumes it, or that the state bits satisfies if mask has all variables. Keys that
// cost less than least are known not to match and need not be looked at.
func (t *matchTree) cheapestGeneral(itself state.StateID, bits, mask []uint64, least, most int64, anyone bool) (state.StateID, int64, bool) {
	found := state.NoState
	w := t.words
	t.stack = append(t.stack[:0], 0)
	for n := t.pop(least, most); n != nil; n = t.pop(least, most) {
		if n.field < 0 {
			for key := n.first; key != lastKey; key = *t.next.at(key - 1) {
				t.work++
				id := state.StateID(key - 1)
				rec := t.reg.Record(id)
				if c := t.cost(rec); c <= most && id != itself && subsumes(rec[:w], rec[w:2*w], bits, mask) {
					if anyone {
						return id, c, true
					}
					found, most = id, c-1
				}
			}
			continue
		}
		f := &t.fields[n.field]
		t.push(n.first + 1<<f.Width)
		if f.Set(mask) {
			t.push(n.first + uint32(f.Value(bits)))
		}
	}
	return found, most + 1, found != state.NoState
}

// constrained counts the bits of a mask.
func constrained(mask []uint64) int {
	n := 0
	for _, m := range mask {
		n += bits.OnesCount64(m)
	}
	return n
}

// member reports whether a packed state is one of those that (bits, mask) stands for.
func member(row, bits, mask []uint64) bool {
	for w, m := range mask {
		if (row[w]^bits[w])&m != 0 {
			return false
		}
	}
	return true
}

// subsumes reports whether all facts of (bits, mask) are among those of (bits2, mask2).
func subsumes(bits, mask, bits2, mask2 []uint64) bool {
	for w, m := range mask {
		if m&^mask2[w] != 0 || (bits[w]^bits2[w])&m != 0 {
			return false
		}
	}
	return true
}
