package oracle

import (
	"errors"

	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/search/space"
)

// splitSteps tells a shaped score step by step: the difference of potentials of each step
// that was executed, then the rest, which is the base's part (after noise, if any) and
// is earned at the end of the response. Their sum is the score, but for rounding.
//
// A step that fails and those after it move nothing and have no entry. Nothing is
// discounted: with a discount below 1 in the sum of returns, policies might change.
func (d *distanceTable) splitSteps(spec *reward.Spec, e *reward.Evidence, reward, shaping float64) (rewards []float64, lines []int, err error) {
	n := min(e.Verdict.Executed, len(e.Extraction.Plan))
	rewards, lines = make([]float64, 0, n+1), make([]int, 0, n)
	weight := spec.StepWeight()
	state := d.table.Initial()
	initial := d.table.InitialDistance().Steps
	from := initial
	for i, step := range e.Extraction.Plan[:n] {
		next, _, err := d.table.Apply(state, step)
		switch {
		case errors.Is(err, space.ErrUnknownAction), errors.Is(err, space.ErrInapplicable): // see progress
		case err != nil:
			return nil, nil, err
		default:
			state = next
		}
		to, err := d.bounded(state)
		if err != nil {
			return nil, nil, err
		}
		r := 0.0
		if initial > 0 {
			r = float64(weight * (float64(from-to) / float64(initial)))
		}
		rewards, from = append(rewards, r), to
		line := 0
		if i < len(e.Extraction.Lines) {
			line = e.Extraction.Lines[i]
		}
		lines = append(lines, line)
	}
	return append(rewards, reward-shaping), lines, nil
}

// bounded is Progress.distance of a state.
func (d *distanceTable) bounded(s space.State) (int64, error) {
	at, ok := d.table.Distance(s)
	if !ok {
		return 0, errors.New("an applicable plan leads out of the reachable state space")
	}
	p := reward.Progress{Initial: d.table.InitialDistance().Steps, Reached: at.Steps}
	if at.DeadEnd {
		p.Reached = -1
	}
	return p.Distance(), nil
}
