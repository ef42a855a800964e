package search

import (
	"math/bits"

	"github.com/planproof/planproof/grounder"
)

// mutexes knows which pairs of facts cannot hold together in a reachable state: those of one
// mutex group of the task. Facts are numbered; row f is the set of facts that exclude f,
// those of its own variable left out.
type mutexes struct {
	factBase []int32
	words    int      // of a row
	rows     []uint64 // nil without mutexes
	excluded []uint64 // scratch
}

// maxMutexFacts bounds the facts of a task for which pairs are tabulated, in 32 MiB.
const maxMutexFacts = 1 << 14

func newMutexes(t *grounder.Task, factBase []int32) *mutexes {
	m := &mutexes{factBase: factBase}
	facts := int(factBase[len(factBase)-1])
	if facts > maxMutexFacts {
		return m
	}
	m.words = (facts + 63) / 64
	m.excluded = make([]uint64, m.words)
	for _, g := range t.Mutexes {
		for _, a := range g {
			for _, b := range g {
				if a.Var != b.Var {
					m.add(factBase[a.Var]+a.Val, factBase[b.Var]+b.Val)
				}
			}
		}
	}
	return m
}

// add notes that fact f excludes fact g. The relation must be made symmetric.
func (m *mutexes) add(f, g int32) {
	if m.rows == nil {
		m.rows = make([]uint64, int(m.factBase[len(m.factBase)-1])*m.words)
	}
	m.rows[int(f)*m.words+int(g)/64] |= 1 << (g % 64)
}

// complete adds to p the facts that it implies: where facts of p exclude all values of a
// variable but one, every reachable state that p stands for has that one. It reports false
// when the mutexes show that p stands for no reachable state. A larger p implies more, so
// completed partial states subsume each other as before.
func (m *mutexes) complete(p PartialState) bool {
	if m.rows == nil {
		return true
	}
	clear(m.excluded)
	for v, x := range p {
		if x == Unconstrained {
			continue
		}
		f := m.factBase[v] + x
		if m.excluded[f/64]>>(f%64)&1 != 0 {
			return false
		}
		m.assume(f)
	}
	for grown := true; grown; {
		grown = false
		for v, x := range p {
			if x != Unconstrained {
				continue
			}
			left, n := m.left(v)
			if n == 0 {
				return false
			}
			if n == 1 {
				p[v], grown = left, true
				m.assume(m.factBase[v] + left)
			}
		}
	}
	return true
}

// assume excludes what fact f excludes.
func (m *mutexes) assume(f int32) {
	for w, x := range m.rows[int(f)*m.words : int(f+1)*m.words] {
		m.excluded[w] |= x
	}
}

// left counts the values of variable v that are not excluded, up to two, and returns the
// first.
func (m *mutexes) left(v int) (value int32, n int) {
	first, end := m.factBase[v], m.factBase[v+1]
	for f := first; f < end; {
		w := f / 64
		free := ^m.excluded[w] >> (f % 64)
		if free == 0 {
			f = (w + 1) * 64
			continue
		}
		if f += int32(bits.TrailingZeros64(free)); f >= end {
			break
		}
		if n++; n == 2 {
			break
		}
		value = f - first
		f++
	}
	return value, n
}

// bytes is the memory held.
func (m *mutexes) bytes() int64 { return int64(len(m.rows)+len(m.excluded)) * 8 }
