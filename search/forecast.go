package search

import (
	"math"

	"github.com/planproof/planproof/grounder"
)

// course is how the lower bound of a search has risen with its work since the bound was first above 0: symbolic search
// prepares long before. Each step of a bound takes some factor more work than the last one, so the bound rises by
// about the same amount each time that the work doubles.
type course struct {
	from   int64 // done when the bound was last 0
	points []coursePoint
}

type coursePoint struct{ work, lower int64 }

const (
	// courseSpan is over which factor of work the rise is measured.
	courseSpan = 4
	// courseLeast is the least work of a point. First estimates say more about the heuristic than about the rise.
	courseLeast = 1 << 22
	// courseRest divides the least cost of a step: so much a bound is taken to rise at least as the work doubles.
	courseRest = 4

	// autoForecastAt is the work from which on forecasts weigh shares, half a second.
	autoForecastAt = 1 << 28
	// autoLeads multiplies the share of the search whose bound is to be the highest. autoFalls divides that of a search
	// that is not to reach, with as much work as all have done so far, what another one has shown already, and
	// autoFails that of one for which four times as much would not do.
	autoLeads, autoFalls, autoFails = 3, 4, 16

	// autoContest is the work of symbolic search in which its orders of variables compete. Until then it advances all of
	// them, so its bound says little.
	autoContest = 1 << 29
)

// note takes note of the bound after some work.
func (c *course) note(done, lower int64) {
	if lower == 0 && len(c.points) == 0 {
		c.from = done
	}
	n, work := len(c.points), done-c.from
	if work >= courseLeast && (n == 0 || work/8 >= c.points[n-1].work/7) {
		c.points = append(c.points, coursePoint{work, lower})
	}
}

// after returns what the bound is to be after more work, and false where the course is too short to tell. least is the
// least cost of a step.
func (c *course) after(done, lower, more, least int64) (float64, bool) {
	i, work := len(c.points)-1, done-c.from
	for i >= 0 && c.points[i].work > work/courseSpan {
		i--
	}
	if i < 0 {
		return 0, false
	}
	before := c.points[i]
	rise := float64(lower-before.lower) / math.Log2(float64(work)/float64(before.work))
	rise = max(rise, float64(least)/courseRest)
	return float64(lower) + rise*math.Log2(1+float64(more)/float64(work)), true
}

// forecast weighs the shares of the searches by what their bounds are to be. work is that of all so far.
func (a *auto) forecast(work int64) {
	for _, r := range a.racers {
		r.course.note(r.done(), r.lower())
	}
	if a.reduceAt >= 0 || work < autoForecastAt {
		return
	}
	if a.leastCost == 0 {
		a.leastCost = leastCost(a.sys.Task)
	}
	var leader *racer
	reached := float64(a.lower())
	highest := reached
	for _, r := range a.racers {
		r.weight = 1
		for _, s := range a.racers {
			if r.engine == nil && s.search == r.smaller {
				r.weight = min(s.weight, 1)
			}
		}
		if r.engine == nil || r.search == upperSearchName {
			continue
		}
		soon, known := r.course.after(r.done(), r.lower(), work, a.leastCost)
		late, _ := r.course.after(r.done(), r.lower(), 4*work, a.leastCost)
		switch {
		case !known, r.search == symbolicSearchName && r.done() < autoContest:
		case late < reached:
			r.weight = 1.0 / autoFails
		case soon < reached:
			r.weight = 1.0 / autoFalls
		case soon > highest:
			leader, highest = r, soon
		}
	}
	if leader != nil {
		leader.weight = autoLeads
	}
}

// leastCost returns the least cost of an operator that costs anything, and 1 where none does.
func leastCost(t *grounder.Task) int64 {
	least := int64(math.MaxInt64)
	for o := range t.Operators.Len() {
		if c := t.Operators.Cost(o); c > 0 {
			least = min(least, c)
		}
	}
	if least == math.MaxInt64 {
		return 1
	}
	return least
}
