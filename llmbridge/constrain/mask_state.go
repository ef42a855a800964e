package constrain

import "github.com/planproof/planproof/internal/world"

// Facts lists what holds in a state, derived atoms and numbers aside, sorted as texts tell
// states: "(clear b)", ... It is nil with the lifted engine, which keeps no states.
func (m *Masker) Facts(st *MaskState) []string {
	if m.sim == nil {
		return nil
	}
	m.worldOnce.Do(func() { m.world = world.FromTask(m.prob, m.sim.Task(), m.sim) })
	return m.world.Facts(st.state)
}

// Memory estimates the bytes that a masker keeps.
func (m *Masker) Memory() int64 {
	n := int64(1<<14) + 160*int64(len(m.steps))
	if m.sim != nil {
		t := m.sim.Task()
		n += 900*int64(len(t.Operators)) + 400*int64(len(t.Variables))
	}
	return n
}
