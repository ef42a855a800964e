package boxnet

import "math"

// Speed of an arm's tip, in units per time.
const Speed = 0.5

// duration is the time of the step's longest move.
func (s Step) duration() (longest float64) {
	for i := range s {
		longest = max(longest, s[i].From.Distance(s[i].To)/Speed)
	}
	return longest
}

// Distance is the length of the straight way to q. It is for reports: no verdict reads it.
func (p Point) Distance(q Point) float64 {
	return math.Hypot(float64(q.X-p.X)/float64(One), float64(q.Y-p.Y)/float64(One))
}
