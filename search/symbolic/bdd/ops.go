package bdd

// Operations in the cache: the upper three bits of the third operand.
const (
	opAnd Node = iota << 29
	opOr
	opDiff
	opDisjoint
	opImage
	opPreimage
	opMask Node = 7 << 29
)

// count counts a step.
func (m *Manager) count() {
	if m.work++; m.work >= m.tick {
		m.tick = m.work + m.every
		m.ticker()
	}
}

// split returns the successors of n at level: twice n itself if it does not test it.
func (m *Manager) split(n Node, level uint32) (lo, hi Node) {
	if x := &m.nodes[n]; x.level == level {
		return x.lo, x.hi
	}
	return n, n
}

// And returns the intersection of two sets.
func (m *Manager) And(a, b Node) Node { return m.apply(opAnd, a, b) }

// Or returns the union of two sets.
func (m *Manager) Or(a, b Node) Node { return m.apply(opOr, a, b) }

// Diff returns the elements of a that are not in b.
func (m *Manager) Diff(a, b Node) Node { return m.apply(opDiff, a, b) }

// Not returns the complement of a.
func (m *Manager) Not(a Node) Node { return m.apply(opDiff, True, a) }

// settled returns the result of an operation that needs no recursion.
func settled(op, a, b Node) (result Node, ok bool) {
	switch op {
	case opAnd:
		switch {
		case a == b || b == True:
			return a, true
		case a == True:
			return b, true
		case a == False || b == False:
			return False, true
		}
	case opOr:
		switch {
		case a == b || b == False:
			return a, true
		case a == False:
			return b, true
		case a == True || b == True:
			return True, true
		}
	case opDiff:
		switch {
		case a == b || a == False || b == True:
			return False, true
		case b == False:
			return a, true
		}
	}
	return 0, false
}

func (m *Manager) apply(op, a, b Node) Node {
	if r, ok := settled(op, a, b); ok {
		return r
	}
	if a > b && op != opDiff {
		a, b = b, a
	}
	e := m.slot(a, b, op)
	if e.a == a && e.b == b && e.c == op {
		return e.result
	}
	m.count()
	level := min(m.nodes[a].level, m.nodes[b].level)
	a0, a1 := m.split(a, level)
	b0, b1 := m.split(b, level)
	r := m.apply(op, a0, b0)
	r = m.mk(level, r, m.apply(op, a1, b1))
	*m.slot(a, b, op) = entry{a, b, op, r}
	return r
}

// Disjoint reports whether two sets have no element in common. It makes no nodes.
func (m *Manager) Disjoint(a, b Node) bool {
	switch {
	case a == False || b == False:
		return true
	case a == b || a == True || b == True:
		return false
	}
	if a > b {
		a, b = b, a
	}
	e := m.slot(a, b, opDisjoint)
	if e.a == a && e.b == b && e.c == opDisjoint {
		return e.result == True
	}
	m.count()
	level := min(m.nodes[a].level, m.nodes[b].level)
	a0, a1 := m.split(a, level)
	b0, b1 := m.split(b, level)
	r, result := m.Disjoint(a0, b0) && m.Disjoint(a1, b1), False
	if r {
		result = True
	}
	*m.slot(a, b, opDisjoint) = entry{a, b, opDisjoint, result}
	return r
}

// Image returns the successors of the states of s by relation t, which changes no other
// bits than those of cube.
func (m *Manager) Image(s, t, cube Node) Node { return m.move(opImage, s, t, cube) }

// Preimage returns the states that have a successor in s by relation t.
func (m *Manager) Preimage(s, t, cube Node) Node { return m.move(opPreimage, s, t, cube) }

func (m *Manager) move(op, s, t, cube Node) Node {
	if s == False || t == False {
		return False
	}
	level := min(m.nodes[s].level, m.nodes[t].level&^1)
	for m.nodes[cube].level < level {
		cube = m.nodes[cube].hi // all that s and t say about this bit is said below
	}
	if cube == True {
		return m.apply(opAnd, s, t)
	}
	e := m.slot(s, t, op|cube)
	if e.a == s && e.b == t && e.c == op|cube {
		return e.result
	}
	m.count()
	var r Node
	s0, s1 := m.split(s, level)
	t0, t1 := m.split(t, level)
	if m.nodes[cube].level != level {
		r = m.move(op, s0, t0, cube)
		r = m.mk(level, r, m.move(op, s1, t1, cube))
	} else {
		t00, t01 := m.split(t0, level+1)
		t10, t11 := m.split(t1, level+1)
		if op == opPreimage {
			t01, t10 = t10, t01
		}
		r = m.change(op, level, s0, s1, [2][2]Node{{t00, t01}, {t10, t11}}, m.nodes[cube].hi)
	}
	*m.slot(s, t, op|cube) = entry{s, t, op | cube, r}
	return r
}

// change does move at a bit that changes: t[from][to] is the rest of the relation.
func (m *Manager) change(op Node, level uint32, s0, s1 Node, t [2][2]Node, cube Node) Node {
	if t[0] == t[1] { // it does not matter where from
		s := m.apply(opOr, s0, s1)
		lo := m.move(op, s, t[0][0], cube)
		return m.mk(level, lo, m.move(op, s, t[0][1], cube))
	}
	lo := m.apply(opOr, m.move(op, s0, t[0][0], cube), m.move(op, s1, t[1][0], cube))
	hi := lo
	if t[0][0] != t[0][1] || t[1][0] != t[1][1] {
		hi = m.apply(opOr, m.move(op, s0, t[0][1], cube), m.move(op, s1, t[1][1], cube))
	}
	return m.mk(level, lo, hi)
}
