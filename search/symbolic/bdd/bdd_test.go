package bdd

import (
	"testing"

	"pgregory.net/rapid"
)

// bits of the states in these tests: a set is a truth table of 2^bits entries.
const bits = 4

type table [1 << bits]bool

// relation is a truth table over pairs: from, to.
type relation [1 << bits][1 << bits]bool

func row(state int) []bool {
	b := make([]bool, bits)
	for i := range b {
		b[i] = state>>i&1 != 0
	}
	return b
}

func (m *Manager) ofTable(t table) Node {
	n := False
	for s, in := range t {
		if in {
			n = m.Or(n, m.State(row(s)))
		}
	}
	return n
}

func (m *Manager) toTable(n Node) (t table) {
	for s := range t {
		t[s] = m.Contains(n, row(s))
	}
	return t
}

// ofRelation makes the relation over the bits of mask; the others stay and are not tested
// by the successor.
func (m *Manager) ofRelation(r *relation, mask int) Node {
	n := False
	for from := range r {
		for to := range r {
			if !r[from][to] {
				continue
			}
			pair := True
			for i := bits - 1; i >= 0; i-- {
				if mask>>i&1 != 0 {
					pair = m.And(m.NextBit(i, to>>i&1 != 0), pair)
				}
				pair = m.And(m.Bit(i, from>>i&1 != 0), pair)
			}
			n = m.Or(n, pair)
		}
	}
	return n
}

func drawTable(t *rapid.T, label string) (out table) {
	x := rapid.Uint16().Draw(t, label)
	for i := range out {
		out[i] = x>>i&1 != 0
	}
	return out
}

// drawRelation draws a relation that changes only the bits of mask.
func drawRelation(t *rapid.T, mask int) *relation {
	r := &relation{}
	for range rapid.IntRange(0, 24).Draw(t, "pairs") {
		from := rapid.IntRange(0, 1<<bits-1).Draw(t, "from")
		to := rapid.IntRange(0, 1<<bits-1).Draw(t, "to")
		r[from][from&^mask|to&mask] = true
	}
	return r
}

// TestTruthTables: every operation agrees with truth tables, also after collections and
// growth, and equal sets are one node.
func TestTruthTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New(0)
		var kept []Node
		var want []table
		for range rapid.IntRange(1, 12).Draw(t, "operations") {
			a, b := drawTable(t, "a"), drawTable(t, "b")
			na, nb := m.ofTable(a), m.ofTable(b)
			check := func(name string, n Node, f func(x, y bool) bool) {
				var w table
				for i := range w {
					w[i] = f(a[i], b[i])
				}
				if m.toTable(n) != w {
					t.Fatalf("%s of %v and %v: %v", name, a, b, m.toTable(n))
				}
				if n != m.ofTable(w) {
					t.Fatalf("%s of %v and %v is another node than the same set", name, a, b)
				}
				kept, want = append(kept, n), append(want, w)
			}
			check("and", m.And(na, nb), func(x, y bool) bool { return x && y })
			check("or", m.Or(na, nb), func(x, y bool) bool { return x || y })
			check("diff", m.Diff(na, nb), func(x, y bool) bool { return x && !y })
			check("not", m.Not(na), func(x, _ bool) bool { return !x })
			if got := m.Disjoint(na, nb); got != (m.And(na, nb) == False) {
				t.Fatalf("disjoint %v and %v: %v", a, b, got)
			}
			mask := rapid.IntRange(0, 1<<bits-1).Draw(t, "mask")
			r := drawRelation(t, mask)
			rel, cube := m.ofRelation(r, mask), m.cubeOf(mask)
			var image, preimage table
			for from := range r {
				for to := range r {
					image[to] = image[to] || a[from] && r[from][to]
					preimage[from] = preimage[from] || a[to] && r[from][to]
				}
			}
			for range 2 { // the second time from the cache
				if got := m.toTable(m.Image(na, rel, cube)); got != image {
					t.Fatalf("image of %v by %v: %v, want %v", a, r, got, image)
				}
				if got := m.toTable(m.Preimage(na, rel, cube)); got != preimage {
					t.Fatalf("preimage of %v by %v: %v, want %v", a, r, got, preimage)
				}
			}
			if image != (table{}) {
				state := make([]bool, bits)
				if m.Pick(m.Image(na, rel, cube), state); !m.Contains(m.Image(na, rel, cube), state) {
					t.Fatalf("%v is not in the set that it is picked from", state)
				}
			}
			if rapid.Bool().Draw(t, "collect") {
				m.Collect(kept)
			}
			for i, n := range kept {
				if m.toTable(n) != want[i] {
					t.Fatalf("a set has changed: %v, was %v", m.toTable(n), want[i])
				}
			}
		}
	})
}

func (m *Manager) cubeOf(mask int) Node {
	var list []int
	for i := range bits {
		if mask>>i&1 != 0 {
			list = append(list, i)
		}
	}
	return m.Cube(list)
}

// parity is the set of states with an odd number of ones among n bits: 2n-1 nodes.
func parity(m *Manager, n int) Node {
	odd := False
	for i := n - 1; i >= 0; i-- {
		b := m.Bit(i, true)
		odd = m.Or(m.Diff(odd, b), m.Diff(b, odd))
	}
	return odd
}

// TestCollect: collections free what no root reaches, keep what one reaches, and the node
// table does not grow while they suffice.
func TestCollect(t *testing.T) {
	m := New(1 << 20)
	keep := parity(m, 200)
	size := m.Size(keep)
	if size != 399 {
		t.Fatalf("parity of 200 bits has %d nodes", size)
	}
	for i := range 40 {
		parity(m, 180+i%20)
		m.Collect([]Node{keep})
		if m.Used() != size+2 {
			t.Fatalf("%d nodes are left of %d", m.Used(), size)
		}
	}
	if got := parity(m, 200); got != keep {
		t.Errorf("the same set is another node: %d, was %d", got, keep)
	}
	if m.Bytes() > 1<<20 {
		t.Errorf("%d bytes held, over the limit", m.Bytes())
	}
}

// TestFull: an operation that does not fit panics with ErrFull, within the limit, and the
// diagrams that were there before are whole.
func TestFull(t *testing.T) {
	const limit = 1 << 19
	m := New(limit)
	keep := parity(m, 50)
	func() {
		defer func() {
			if r := recover(); r != ErrFull {
				t.Fatalf("ended with %v", r)
			}
		}()
		for n := 51; ; n++ {
			parity(m, n)
		}
	}()
	if m.Bytes() > limit {
		t.Errorf("%d bytes held, the limit is %d", m.Bytes(), limit)
	}
	m.Collect([]Node{keep})
	if got := parity(m, 50); got != keep {
		t.Errorf("the same set is another node")
	}
}

// TestTick: an operation ends where Tick panics, and gives the right result when it is done
// again.
func TestTick(t *testing.T) {
	m := New(0)
	calls := 0
	m.OnTick(16, func() {
		if calls++; calls%7 == 0 {
			panic("enough")
		}
	})
	var got Node
	for done := false; !done; {
		func() {
			defer func() { recover() }()
			got = parity(m, 60)
			done = true
		}()
	}
	m.OnTick(1<<62, nil)
	if again := parity(m, 60); got != again || m.Size(got) != 119 {
		t.Errorf("%d, %d, %d nodes", got, again, m.Size(got))
	}
	if calls < 7 {
		t.Errorf("%d calls of Tick", calls)
	}
}

func BenchmarkApply(b *testing.B) {
	m := New(0)
	for b.Loop() {
		parity(m, 400)
		m.Collect(nil)
	}
	b.ReportMetric(float64(m.Work())/b.Elapsed().Seconds(), "steps/s")
}
