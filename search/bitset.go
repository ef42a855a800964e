package search

import "math/bits"

// bitset is a set of states.
type bitset []uint64

func (b *bitset) grow(n int) {
	for len(*b)*64 < n {
		*b = append(*b, 0)
	}
}

func (b bitset) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

func (b bitset) count() int64 {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}

// each calls f with the members in order.
func (b bitset) each(f func(uint32)) {
	for i, w := range b {
		for ; w != 0; w &= w - 1 {
			f(uint32(i<<6 + bits.TrailingZeros64(w)))
		}
	}
}
