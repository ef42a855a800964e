package state

import "math/bits"

// Bitset is a set of states.
type Bitset []uint64

// Grow makes room for the states below n.
func (b *Bitset) Grow(n int) {
	for len(*b)*64 < n {
		*b = append(*b, 0)
	}
}

// Set adds state i.
func (b Bitset) Set(i uint32) { b[i>>6] |= 1 << (i & 63) }

// Has reports whether state i is a member.
func (b Bitset) Has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// Count returns the number of members.
func (b Bitset) Count() int64 {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}

// Each calls f with the members in order.
func (b Bitset) Each(f func(uint32)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(uint32(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}
