package search

import (
	"math"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// entrant is a search that auto runs.
type entrant struct {
	search string // a search string
	// share is its part of the work that blind leaves, relative to those of the others; rich is that
	// in tasks with axioms or conditional effects. late and lateRich take their place after autoLateAt.
	share, rich, late, lateRich float64
	// after is the work of all before it begins: what it builds first would only delay
	// answers to small tasks.
	after int64
	// memory is the part of the limit that it may take, one half or less; 0 for all.
	memory int64
	// smaller is a search with less of the same heuristic. This one does not begin while that one fails.
	smaller string
	// setup is about the work of building the search.
	setup int64
	// stubborn has A* leave operators out; a search in progress does so from now on.
	stubborn bool
}

// opening lists the searches of auto for tasks that may be solved at once, in the order in which they begin, and
// portfolio those for the others. Blind A* comes last. LM-cut has most of the first tenths of a second, in which most
// of the tasks that it solves are solved. Then landmarks and small cost partitions begin, which take little to build,
// and after four seconds larger ones and h-max. A search has its share while no forecast changes it.
var (
	opening = []entrant{
		{search: lmcutSearchName, share: 90, rich: 90},
		{search: upperSearchName, share: 10, rich: 10, memory: 8},
	}
	portfolio = []entrant{
		{search: lmcutSearchName, share: 40, rich: 25, late: 12, lateRich: 10, stubborn: true},
		{search: symbolicSearchName, share: 45, rich: 65, late: 60, lateRich: 75, memory: 2},
		{search: upperSearchName, share: 5, rich: 5, late: 3, lateRich: 3, memory: 8},
		{search: "astar(landmarks(), stubborn=1)", share: 25, rich: 10, late: 15, lateRich: 10, after: 1 << 28},
		{search: scpSearchName, share: 20, late: 3, after: 1 << 28, setup: 1 << 27},
		{search: "astar(scp(work=100), stubborn=1)", late: 27, smaller: scpSearchName, after: autoLateAt, setup: 1 << 29},
		{search: "astar(hmax(), stubborn=1)", share: 10, late: 10, after: autoLateAt},
	}
)

// autoLateAt is the work after which the later shares hold.
const autoLateAt = 1 << 31

// racer is a search of auto: one in progress, or one that has not begun and has no engine yet.
type racer struct {
	engine
	entrant
	sys    *state.System
	work   int64
	course course
	weight float64 // multiplies the share by what the search is forecast to reach; 0 is 1
	// On threads: how long work took, which decides nothing but their timing.
	timed int64
	took  time.Duration
	// back are the original operators of those of the engine's task, nil if they are the same.
	back []grounder.OperatorID
	// symmetric are the symmetries of the engine's task, nil before they are looked for.
	symmetric *symmetries
}

// start builds the engine and returns the work. There is no engine where the task is not supported, or a limit came
// first.
func (r *racer) start(lim Limits, clock *cpuclock.Clock) (work int64) {
	if r.memory > 0 {
		lim.Memory = part(lim.Memory, r.memory, autoSymbolicBytes)
	}
	p, err := parseSearch(r.search)
	if err == nil {
		b := lim.budget(clock)
		if e, err := newEngineWithin(r.sys, p, lim, b, clock); err == nil {
			r.engine = e
			if r.symmetric != nil {
				r.symmetric.use(e)
			}
		}
		work = b.Done() * unitsPerTick
	}
	r.leaveOut()
	return work
}

// pace is the time that a unit of work takes, in nanoseconds.
func (r *racer) pace() float64 {
	if r.timed == 0 {
		return 3
	}
	return float64(r.took) / float64(r.timed)
}

// leaveOut has a search that has begun leave operators out.
func (r *racer) leaveOut() {
	if a, ok := r.engine.(*astar); ok && r.stubborn {
		a.useStubborn()
	}
}

// weighed is the share with its weight.
func (r *racer) weighed() float64 {
	if r.weight == 0 {
		return r.share
	}
	return r.share * r.weight
}

// waits reports whether the search does not begin yet.
func (r *racer) waits(total int64) bool {
	return r.after > total || r.share == 0 || r.engine == nil && r.fails()
}

// ready returns the searches that may have a turn: those that do not wait, and if all do, those that begin first.
func (a *auto) ready(total int64) (list []*racer) {
	first := int64(math.MaxInt64)
	for _, r := range a.racers {
		first = min(first, r.after)
		if !r.waits(total) {
			list = append(list, r)
		}
	}
	if list != nil {
		return list
	}
	for _, r := range a.racers {
		if r.after == first {
			r.share = max(r.share, r.late) // one that is for later only has no share yet
			list = append(list, r)
		}
	}
	return list
}

// fails reports whether the search is forecast to fail.
func (r *racer) fails() bool { return r.weight == 1.0/autoFails }

func (r *racer) done() int64 {
	if r.engine == nil {
		return 0
	}
	return r.engine.done()
}

func (r *racer) lower() int64 {
	if r.engine == nil {
		return 0
	}
	return r.engine.lower()
}

func (r *racer) bytes() int64 {
	if r.engine == nil {
		return 0
	}
	return r.engine.bytes()
}

func (r *racer) progress(res *Result) {
	if r.engine != nil {
		r.engine.progress(res)
	}
}

func (r *racer) close() {
	if r.engine != nil {
		r.engine.close()
	}
}

// original turns the plans of a result into those of the original task.
func (r *racer) original(res *Result) *Result {
	if r.back == nil {
		return res
	}
	res.Plan = r.plan(res.Plan)
	if res.Best != nil {
		res.Best = &KnownPlan{Operators: r.plan(res.Best.Operators), Cost: res.Best.Cost}
	}
	return res
}

func (r *racer) plan(ops []grounder.OperatorID) (out []grounder.OperatorID) {
	for _, o := range ops {
		out = append(out, r.back[o])
	}
	return out
}

// racers lists searches for a task that have not begun: without that for an upper bound if one is known.
func racers(s *state.System, entrants []entrant, blindShare int64, bounded bool, back []grounder.OperatorID) (list []*racer) {
	rich, shares, late := isRich(s), 0.0, 0.0
	for _, c := range entrants {
		p, err := parseSearch(c.search)
		if err != nil || s.Task.Numeric != nil && !p.search.Numeric || p.heuristic != nil && p.heuristic.Check(s.Task) != nil {
			continue // it does not support the task
		}
		if c.search == upperSearchName && bounded {
			continue
		}
		if rich {
			c.share, c.late = c.rich, c.lateRich
		}
		if c.share == 0 && c.late == 0 {
			continue
		}
		shares += c.share
		late += c.late
		list = append(list, &racer{entrant: c, sys: s, back: back})
	}
	for _, r := range list {
		r.share *= float64(100-blindShare) / shares
		r.late *= float64(100-blindShare) / late
	}
	blind := float64(blindShare)
	return append(list, &racer{entrant: entrant{search: blindSearchName, share: blind, late: blind}, sys: s, back: back})
}

// shift has the later shares hold once so much work is done. They count from the beginning, so that a search whose
// share falls waits until the others have caught up.
func (a *auto) shift(work int64) {
	if a.late || a.reduceAt >= 0 || work < autoLateAt {
		return
	}
	a.late = true
	for _, r := range a.racers {
		r.share = r.late
	}
}

// part is a part of a limit on memory, or what stands for that without one.
func part(limit, divisor, otherwise int64) int64 {
	if limit == 0 {
		return otherwise
	}
	return limit / divisor
}

// isRich reports whether a task has axioms or conditional effects.
func isRich(s *state.System) bool {
	for _, f := range heuristic.FeaturesOf(s.Task) {
		if f == heuristic.Axioms || f == heuristic.ConditionalEffects {
			return true
		}
	}
	return false
}
