package heuristic

import (
	"math"
	"slices"
)

// A cut is stored in words of 16 bits: the number of its operators, what it has paid, and they. Numbers take two words,
// the lower half first; costs of 64 bits take four. Operators take one unless there are too many.
//
// States near each other have many cuts in common that none inherited: of trucks, one in two hundred is new. Their words
// are stored once. Each cut has a number of its own all the same, since weights count them all. Once it has moved
// to another generation, the place of its words is replaced by its number there, less moved.
const moved = math.MinInt32

func put32(to []uint16, x uint32) { to[0], to[1] = uint16(x), uint16(x>>16) }

func get32(from []uint16) uint32 { return uint32(from[0]) | uint32(from[1])<<16 }

// headWords is the number of words before the operators of a cut.
func headWords[C int32 | int64]() int { return 2 + sizeOf[C]()/2 }

// length is the number of words of a cut of n operators.
func (k *keptCuts[C]) length(n int) int {
	if k.wide {
		n *= 2
	}
	return headWords[C]() + n
}

// store stores a cut in the younger generation, and returns its number.
func (k *keptCuts[C]) store(ops []int32, cost C) int32 {
	n := k.length(len(ops))
	k.spare = slices.Grow(k.spare[:0], n)[:n]
	put32(k.spare, uint32(len(ops)))
	put32(k.spare[2:], uint32(cost))
	if sizeOf[C]() == 8 {
		put32(k.spare[4:], uint32(int64(cost)>>32))
	}
	to := k.spare[headWords[C]():]
	for i, o := range ops {
		if k.wide {
			put32(to[2*i:], uint32(o))
		} else {
			to[i] = uint16(o)
		}
	}
	return k.share(k.spare, len(ops))
}

// recentCuts is how many words of cuts are found again, a power of two.
const recentCuts = 1 << 13

// share adds a cut of n operators to the younger generation, and returns its number. Its words are only added unless a
// cut like it is there. Of cuts with one hash, only the last is found; a table of all would take more than it saves.
func (k *keptCuts[C]) share(words []uint16, n int) int32 {
	if k.recent == nil {
		k.recent = make([]int32, recentCuts)
	}
	hash := uint32(0)
	for _, w := range words {
		hash = (hash ^ uint32(w)) * 0x9e3779b1
		hash ^= hash >> 15
	}
	place := &k.recent[hash%recentCuts]
	if *place == 0 || !startsWith(k.now.words.at(*place-1), words) {
		at, to := k.now.words.add(len(words))
		copy(to, words)
		*place = at + 1
	}
	cut, to := k.now.found.add(1)
	to[0] = *place - 1
	k.now.weight += 4 + 4*int64(n)
	return cut
}

// startsWith reports whether a list starts with another. The first words of a cut are the number of those that follow.
func startsWith(list, with []uint16) bool {
	return len(list) >= len(with) && slices.Equal(list[:len(with)], with)
}

// turn makes the younger generation the older one, which is dropped.
func (k *keptCuts[C]) turn() {
	k.now, k.old = k.old, k.now
	k.now.clear()
	clear(k.recent)
}

// words are those of a cut of the younger generation, and what is behind them.
func (k *keptCuts[C]) words(cut int32) []uint16 { return k.now.words.at(k.now.found.at(cut)[0]) }

// cost is what a cut of the younger generation has paid.
func (k *keptCuts[C]) cost(cut int32) C { return k.costIn(k.words(cut)) }

func (*keptCuts[C]) costIn(from []uint16) C {
	cost := int64(int32(get32(from[2:])))
	if sizeOf[C]() == 8 {
		cost = int64(get32(from[2:])) | int64(get32(from[4:]))<<32
	}
	return C(cost)
}

// operators are those of a cut of the younger generation, until the next call.
func (k *keptCuts[C]) operators(cut int32) []int32 { return k.operatorsIn(k.words(cut)) }

func (k *keptCuts[C]) operatorsIn(from []uint16) []int32 {
	n := int(get32(from))
	from = from[headWords[C]():]
	if n > len(k.ops) {
		k.ops = make([]int32, 2*n)
	}
	ops := k.ops[:n]
	if k.wide {
		for i := range ops {
			ops[i] = int32(get32(from[2*i:]))
		}
		return ops
	}
	for i, o := range from[:n] {
		ops[i] = int32(o)
	}
	return ops
}

// move moves a cut of the older generation to the younger.
func (k *keptCuts[C]) move(cut int32) int32 {
	at := &k.old.found.at(cut)[0]
	if *at < 0 {
		return *at - moved
	}
	words := k.old.words.at(*at)
	n := int(get32(words))
	to := k.share(words[:k.length(n)], n)
	*at = to + moved
	return to
}
