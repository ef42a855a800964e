package boxnet

import "math"

// Speed of an arm's tip, in units per time.
const Speed = 0.5

// duration is the time of the longest of the motions of a step.
func (in *Instance) duration(motions []Motion) (longest float64) {
	for i := range motions {
		longest = max(longest, in.Length(&motions[i])/Speed)
	}
	return longest
}

// Length is the length of the way of a motion. It is for reports: no verdict reads it.
func (in *Instance) Length(m *Motion) float64 {
	switch {
	case m.From == m.To:
		return 0
	case in.Swings():
		return m.way().length()
	}
	return m.From.Distance(m.To)
}

// Distance is the length of the straight way to q. It is for reports: no verdict reads it.
func (p Point) Distance(q Point) float64 {
	return math.Hypot(float64(q.X-p.X)/float64(One), float64(q.Y-p.Y)/float64(One))
}
