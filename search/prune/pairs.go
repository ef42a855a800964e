package prune

import "math/bits"

// pairs is a symmetric relation over facts: row f is the set of facts that are related to f.
type pairs struct {
	words int
	rows  []uint64
}

func newPairs(facts int) *pairs {
	words := (facts + 63) / 64
	return &pairs{words: words, rows: make([]uint64, facts*words)}
}

func (p *pairs) row(f int32) []uint64 { return p.rows[int(f)*p.words : int(f+1)*p.words] }

func (p *pairs) has(f, g int32) bool { return holds(p.row(f), g) }

func (p *pairs) add(f, g int32) {
	p.row(f)[g/64] |= 1 << (g % 64)
	p.row(g)[f/64] |= 1 << (f % 64)
}

// holds reports whether fact f is in a set.
func holds(set []uint64, f int32) bool { return set[f/64]>>(f%64)&1 != 0 }

// add puts facts into a set.
func add(set []uint64, facts []int32) {
	for _, f := range facts {
		set[f/64] |= 1 << (f % 64)
	}
}

// each calls visit for the facts of a set in ascending order.
func each(set []uint64, visit func(f int32)) {
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			visit(int32(w*64 + bits.TrailingZeros64(x)))
		}
	}
}

// clearRange removes the facts from first to end - 1.
func clearRange(set []uint64, first, end int32) {
	for f := first; f < end; {
		if f%64 == 0 && f+64 <= end {
			set[f/64] = 0
			f += 64
			continue
		}
		set[f/64] &^= 1 << (f % 64)
		f++
	}
}

// anyIn returns the first fact from first to end - 1 in a set, and how many there are, up to two.
func anyIn(set []uint64, first, end int32) (fact int32, n int) {
	for f := first; f < end; {
		rest := set[f/64] >> (f % 64)
		if rest == 0 {
			f += 64 - f%64
			continue
		}
		if f += int32(bits.TrailingZeros64(rest)); f >= end {
			break
		}
		if n++; n == 2 {
			break
		}
		fact = f
		f++
	}
	return fact, n
}
