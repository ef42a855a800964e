package heuristic

import "github.com/planproof/planproof/grounder"

// hmax is the h-max heuristic: the cost of reaching the goal when the cost of a set of
// facts is that of its most expensive member. It is admissible and consistent, with axioms
// (cost 0, see relaxation), conditional effects (every part of an operator at full cost)
// and conditional costs (left out).
type hmax[C int32 | int64] struct {
	explorer[C]
}

// NewHMax returns h-max for t.
func NewHMax(t *grounder.Task) (Heuristic, error) { return newHMaxWithin(t, nil) }

func newHMaxWithin(t *grounder.Task, b *Budget) (Heuristic, error) {
	if t.Numeric != nil {
		return newNumericHMax(t, b)
	}
	r, err := newRelaxation(t, b)
	if err != nil {
		return nil, err
	}
	if r.sum < 1<<30 {
		return &hmax[int32]{newExplorer[int32](r)}, nil
	}
	return &hmax[int64]{newExplorer[int64](r)}, nil
}

// Estimate implements Heuristic.
func (m *hmax[C]) Estimate(values []int32) int64 {
	m.explore(values, m.inf)
	if m.h[m.r.goal] == m.inf {
		return DeadEnd
	}
	return m.r.unscale(int64(m.h[m.r.goal]))
}

// Work implements Heuristic.
func (m *hmax[C]) Work() int64 { return m.work }

// Bytes implements Heuristic.
func (m *hmax[C]) Bytes() int64 { return m.bytes() + m.r.bytes() }
