package search

import (
	"context"
	"math"
	"math/bits"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/state"
)

// TestCourse: a bound that rises by two whenever the work doubles is to do so later on; one that does not rise gains a
// quarter of the least cost; a course of less than two doublings tells nothing.
func TestCourse(t *testing.T) {
	var rising, flat, short, late course
	lower := func(work int64) int64 { return 2 * int64(bits.Len64(uint64(work))) }
	for w := int64(courseLeast); w <= courseLeast<<6; w += courseLeast {
		rising.note(w, lower(w))
		flat.note(w, 7)
	}
	w := int64(courseLeast) << 6
	if got, ok := rising.after(w, lower(w), 3*w, 1); !ok || math.Abs(got-float64(lower(w))-4) > 0.5 {
		t.Errorf("%v %v after two doublings more, want %d", got, ok, lower(w)+4)
	}
	if got, ok := flat.after(w, 7, 3*w, 10); !ok || got != 7+2*10/4.0 {
		t.Errorf("%v %v, want 12", got, ok)
	}
	if len(rising.points) > 40 {
		t.Errorf("%d points for six doublings", len(rising.points))
	}
	late.note(w, 0)
	late.note(w+courseLeast, 6)
	late.note(w+4*courseLeast, 8)
	if got, ok := late.after(w+4*courseLeast, 8, 4*courseLeast, 1); !ok || got != 9 {
		t.Errorf("%v %v: the time before the bound is above 0 counts", got, ok)
	}
	short.note(courseLeast, 1)
	if _, ok := short.after(3*courseLeast, 2, courseLeast, 1); ok {
		t.Error("a course of less than two doublings tells something")
	}
}

// rising is an engine whose bound rises by rise each time its work doubles. It ends after so much work.
type rising struct {
	work, ends int64
	base, rise float64
}

func (r *rising) done() int64      { return r.work }
func (r *rising) bytes() int64     { return 0 }
func (r *rising) setBound(int64)   {}
func (r *rising) close()           {}
func (r *rising) progress(*Result) {}
func (r *rising) outcome() *Result { return &Result{Status: SolvedOptimally} }
func (r *rising) lower() int64     { return int64(r.base + r.rise*math.Log2(float64(r.work+1))) }
func (r *rising) run(n int64) bool { r.work += n; return r.work >= r.ends }

// forecastAuto is a portfolio of engines in the shares given, on a task that has been reduced.
func forecastAuto(threads int, shares []float64, engines ...*rising) *auto {
	task := &grounder.Task{}
	a := &auto{sys: &state.System{Task: task}, reduceAt: -1, late: true, threads: threads}
	for i, e := range engines {
		a.racers = append(a.racers, &racer{engine: e, entrant: entrant{search: string(rune('a' + i)), share: shares[i]}})
	}
	return a
}

// TestForecast: a search whose bound rises fastest gets most of the work, although its share is small, and searches
// that cannot soon show what it has shown wait.
func TestForecast(t *testing.T) {
	const ends = 1 << 33
	for _, threads := range []int{1, 2} {
		leads := &rising{ends: ends, base: 20, rise: 1}
		falls := &rising{ends: math.MaxInt64, rise: 0.4}
		flat := &rising{ends: math.MaxInt64, base: 30}
		a := forecastAuto(threads, []float64{10, 60, 30}, leads, falls, flat)
		if !a.run(1 << 40) {
			t.Fatal("no end")
		}
		if least := int64(ends) * int64(threads); a.total > least*3/2+ends {
			t.Errorf("%d threads: %.1f times the work that the best search took", threads, float64(a.total)/ends)
		}
	}
}

// TestForecastWaits: forecasts say nothing early, nor about a search for an upper bound.
func TestForecastWaits(t *testing.T) {
	a := forecastAuto(1, []float64{10, 60, 30}, &rising{rise: 1}, &rising{base: 1}, &rising{base: 1})
	a.racers[2].search = upperSearchName
	for range 20 {
		for _, r := range a.racers {
			r.run(autoForecastAt / 20)
		}
		a.forecast(autoForecastAt - 1)
	}
	for _, r := range a.racers {
		if r.weighed() != r.share {
			t.Errorf("%s has %v of %v early", r.search, r.weighed(), r.share)
		}
	}
	a.forecast(autoForecastAt)
	if r := a.racers; r[0].weight != autoLeads || r[1].weight != 1.0/autoFails || r[2].weight != 1 {
		t.Errorf("weights %v, %v and %v", r[0].weight, r[1].weight, r[2].weight)
	}
}

// TestLargerWaits: a search with more of a heuristic does not begin while that with less fails.
func TestLargerWaits(t *testing.T) {
	a := forecastAuto(1, []float64{10, 60, 30}, &rising{base: 90, rise: 1}, &rising{rise: 0.1}, &rising{})
	a.racers[2].engine, a.racers[2].smaller = nil, "b"
	for range 20 {
		for _, r := range a.racers[:2] {
			r.run(autoForecastAt / 40)
		}
		a.forecast(autoForecastAt)
	}
	if !a.racers[1].fails() || !a.racers[2].waits(autoForecastAt) {
		t.Error("a larger heuristic begins where the smaller one fails")
	}
	a.racers[0].engine.(*rising).base = -90
	if a.forecast(autoForecastAt); a.racers[1].fails() || a.racers[2].waits(autoForecastAt) {
		t.Error("a larger heuristic waits although the smaller one does not fail")
	}
}

// TestAllWait: where all searches that are left are to begin later, those that begin first do so at once; where
// none can be built, a status says so.
func TestAllWait(t *testing.T) {
	for _, threads := range []int{1, 2} {
		s := state.NewSystem(bundledTask(t, "blocksworld:4-7", nil))
		a := newAuto(s, Limits{}, 15, cpuclock.Start(context.Background(), 0, 0))
		a.threads, a.reduceAt = threads, -1
		list := racers(s, portfolio, 15, true, nil)
		a.racers = nil
		for _, r := range list {
			if r.after >= autoLateAt {
				a.racers = append(a.racers, r)
			}
		}
		if len(a.racers) < 2 {
			t.Fatal("no searches begin late")
		}
		if !a.run(1<<40) || a.end.Status != SolvedOptimally {
			t.Errorf("%d threads: %+v", threads, a.end)
		}
		none := newAuto(s, Limits{Memory: 1}, 15, a.clock)
		none.threads, none.reduceAt = threads, -1
		none.racers = []*racer{{entrant: entrant{search: scpSearchName, share: 1}, sys: s}}
		if !none.run(1<<40) || none.end.Status != Memout {
			t.Errorf("%d threads, no memory: %+v", threads, none.end)
		}
	}
}
