package bdd

// Bit returns the states in which a bit is 1, or 0.
func (m *Manager) Bit(bit int, value bool) Node { return m.test(uint32(2*bit), value) }

// NextBit returns the relation in whose successors a bit is 1, or 0.
func (m *Manager) NextBit(bit int, value bool) Node { return m.test(uint32(2*bit+1), value) }

func (m *Manager) test(level uint32, value bool) Node {
	if value {
		return m.mk(level, False, True)
	}
	return m.mk(level, True, False)
}

// Stay returns the relation that leaves a bit as it is.
func (m *Manager) Stay(bit int) Node {
	return m.mk(uint32(2*bit), m.NextBit(bit, false), m.NextBit(bit, true))
}

// Cube returns the set of bits, which must be in ascending order, as the relations of Image
// and Preimage need it.
func (m *Manager) Cube(bits []int) Node {
	c := True
	for i := len(bits) - 1; i >= 0; i-- {
		c = m.mk(uint32(2*bits[i]), False, c)
	}
	return c
}

// State returns the set of one state. Bits are in ascending order of level.
func (m *Manager) State(bits []bool) Node {
	n := True
	for i := len(bits) - 1; i >= 0; i-- {
		if level := uint32(2 * i); bits[i] {
			n = m.mk(level, False, n)
		} else {
			n = m.mk(level, n, False)
		}
	}
	return n
}

// Contains reports whether a state is in a set.
func (m *Manager) Contains(set Node, bits []bool) bool {
	for set > True {
		if n := &m.nodes[set]; bits[n.level/2] {
			set = n.hi
		} else {
			set = n.lo
		}
	}
	return set == True
}

// Pick writes into bits the least state of a set that is not empty.
func (m *Manager) Pick(set Node, bits []bool) {
	clear(bits)
	for set > True {
		n := &m.nodes[set]
		if bits[n.level/2] = n.lo == False; bits[n.level/2] {
			set = n.hi
		} else {
			set = n.lo
		}
	}
}
