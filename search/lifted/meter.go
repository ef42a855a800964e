package lifted

// meter counts work and looks at the clock now and then.
type meter struct {
	ticks  int         // until the next look
	look   func() bool // reports whether work must end
	halted bool        // ... which it did
}

// lookEvery is the work between two looks at the clock, below a millisecond.
const lookEvery = 1 << 12

// tick counts work. It reports whether work must end.
func (m *meter) tick(n int) bool {
	if m.ticks -= n; m.ticks < 0 {
		m.ticks = lookEvery
		m.halted = m.halted || m.look()
	}
	return m.halted
}
