package search

import (
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/prune"
	"github.com/planproof/planproof/search/state"
)

// auto alternates between the searches of a portfolio. Turns are measured in work units and
// grow with the work done, so which of them answers, and with which plan, depends on
// the task only. A turn may end within the evaluation of a state or an operation on diagrams,
// so that one that takes long (LM-cut on a chain of n steps makes n cuts of up to n operators)
// does not take the others' share. The best lower bound of all ends the symbolic search when it
// knows a plan of that cost.
//
// A task that is not solved by a few searches at once is reduced (package prune), and the whole portfolio begins
// with what is left.
//
// Half of the memory is symbolic's, which ends when it is not enough. The other half is for
// the searches with states; when that is not enough, blind A* is given up, then the others from the last on, then
// symbolic, so that the first search has in the end what it would have alone.
// A search that meets a limit leaves the rest to the others.
type auto struct {
	racers     []*racer // those that are left; blind last
	sys        *state.System
	limits     Limits
	blindShare int64
	threads    int // searches at a time; 0 is 1
	clock      *cpuclock.Clock
	reduceAt   int64 // work of all before the task is reduced; less than 0 once it is
	late       bool  // the shares are the later ones
	held       int64 // bytes of the reduced task
	leastCost  int64 // of an operator that costs anything
	current    *racer
	total      int64 // work of all, those given up included
	turn       int64 // units left in the turn
	dropped    *Result
	floor      int64      // the best lower bound of those that were given up
	best       *KnownPlan // of those; none is cheaper if its cost is a lower bound
	end        *Result
}

const (
	// autoTurn is the least work of a turn.
	autoTurn = 1 << 18
	// Bounds on blind and symbolic search when no limit is given.
	autoBlindBytes    = 2 << 30
	autoSymbolicBytes = 4 << 30
	// unitsPerTick are the units of work of a tick of a heuristic.Budget, so that both take about the same time.
	unitsPerTick = 8
	// autoReduceAt is the work after which a task is reduced, a twentieth of a second: smaller ones are solved by then.
	autoReduceAt = 1 << 25
	// autoReduceWork bounds the work of reducing, in words of 64 facts: a fifth of a second.
	autoReduceWork = 1 << 28
	unitsPerWord   = 1

	// autoReduceLeast is how much of 100 operators must be removed for searches in progress to begin again.
	autoReduceLeast = 5

	lmcutSearchName    = "astar(lmcut())"
	symbolicSearchName = "symbolic()"
	scpSearchName      = "astar(scp(work=20), stubborn=1)"
	blindSearchName    = "astar(blind())"
	upperSearchName    = "lazy()" // for an upper bound
)

func newAuto(s *state.System, lim Limits, blindShare int64, clock *cpuclock.Clock) *auto {
	return &auto{sys: s, limits: lim, blindShare: blindShare, clock: clock, reduceAt: autoReduceAt, racers: racers(s, opening, blindShare, false, nil)}
}

func (a *auto) run(units int64) bool {
	for until := a.done() + units; a.end == nil && a.done() < until; {
		if a.threads > 1 {
			a.round()
			continue
		}
		a.fit()
		if a.current == nil || a.turn <= 0 {
			a.next()
			if a.current == nil {
				continue
			}
		}
		r := a.current
		before := r.done()
		ended := r.run(min(until-a.done(), a.turn))
		did := r.done() - before
		a.turn -= did
		a.total += did
		r.work += did
		if ended {
			a.ended(r)
		}
		a.compare()
	}
	return a.end != nil
}

// next gives the turn to the search that has had the least of its share, blind A* first.
func (a *auto) next() {
	if a.reduceAt >= 0 && a.total >= a.reduceAt {
		a.reduce()
		if a.end != nil {
			return
		}
	}
	a.shift(a.total)
	a.forecast(a.total)
	var best *racer
	for _, r := range a.ready(a.total) {
		if best == nil || float64(r.work)/r.weighed() <= float64(best.work)/best.weighed() {
			best = r
		}
	}
	if best.engine == nil && !a.start(best) {
		return
	}
	a.current, a.turn = best, max(autoTurn, a.total/16)
}

// start builds a search.
func (a *auto) start(r *racer) bool {
	did := r.start(a.limitsOf(r), a.clock)
	a.total += did
	r.work += did
	if r.engine == nil {
		a.notBegun(r)
		return false
	}
	if a.best != nil {
		r.setBound(a.best.Cost)
	}
	return true
}

// limitsOf returns the limits of a search that begins.
func (a *auto) limitsOf(r *racer) Limits {
	lim := a.limits
	if lim.Memory > 0 {
		lim.Memory = max(lim.Memory-a.held, 1)
	}
	if r == a.blind() && len(a.racers) > 1 {
		lim.Memory = part(lim.Memory, 2, autoBlindBytes)
	}
	return lim
}

// reduce reduces the task, and goes on with the whole portfolio on what is left. Searches in progress begin again if
// the task has become much smaller or symmetries pay; else A* leaves operators out from now on.
func (a *auto) reduce() {
	a.reduceAt = -1
	r := &prune.Reduced{}
	task, sys := a.sys.Task, a.sys
	if a.limits.Memory == 0 || prune.Bytes(task) <= a.limits.Memory/8 {
		r = prune.Reduce(task, autoReduceWork, a.clock.Expired)
	}
	a.total += r.Work * unitsPerWord
	if r.Unsolvable {
		a.end = &Result{Status: Unsolvable}
		a.progress(a.end)
		return
	}
	if r.Task != nil {
		sys, a.held = state.NewSystem(r.Task), r.Task.Bytes()
	}
	found := &symmetries{}
	a.total += found.find(sys.Task, a.limits, a.clock)
	a.held += found.bytes()
	a.floor = a.lower()
	fewer := task.Operators.Len() - len(r.Operators)
	again := r.Task != nil && fewer*100 >= task.Operators.Len()*autoReduceLeast
	if !again {
		var work int64
		again, work = found.pay(sys, a.racers[0], r)
		a.total += work
	}
	list := racers(sys, portfolio, a.blindShare, a.best != nil, r.Operators)
	for i, fresh := range list {
		fresh.symmetric = found
		for _, old := range a.racers {
			switch {
			case old.search != fresh.search || old.engine == nil:
			case again:
				old.close()
				fresh.work = old.work
			default:
				old.share, old.late, old.stubborn, list[i] = fresh.share, fresh.late, fresh.stubborn, old
				old.leaveOut()
			}
		}
	}
	a.sys, a.current, a.racers = sys, nil, list
}

// symbolic returns the symbolic search that has begun, or nil.
func (a *auto) symbolic() (*racer, *symbolicEngine) {
	for _, r := range a.racers {
		if e, ok := r.engine.(*symbolicEngine); ok {
			return r, e
		}
	}
	return nil, nil
}

// blind returns the blind search, or nil if it was given up.
func (a *auto) blind() *racer {
	if len(a.racers) > 0 {
		if r := a.racers[len(a.racers)-1]; r.search == blindSearchName {
			return r
		}
	}
	return nil
}

// prover returns the search with the best lower bound.
func (a *auto) prover() *racer {
	best := a.racers[0]
	for _, r := range a.racers {
		if r.lower() > best.lower() {
			best = r
		}
	}
	return best
}

// compare ends the search when the best plan known is proven optimal. It ends the symbolic search when it knows a
// plan whose cost another search has shown to be the least.
func (a *auto) compare() {
	if a.end != nil {
		return
	}
	if a.best != nil && a.lower() >= a.best.Cost {
		a.end = &Result{Status: SolvedOptimally}
		a.prover().progress(a.end)
		a.end.Plan, a.end.Cost = a.best.Operators, a.best.Cost
		return
	}
	r, symbolic := a.symbolic()
	if r == nil {
		return
	}
	cost, known := symbolic.Upper()
	if lower := a.lower(); known && lower >= cost {
		symbolic.SetLower(lower)
		a.current, a.turn = r, max(a.turn, autoTurn) // it reads the plan off
	}
}

// fit gives searches up where they hold more memory than is theirs.
func (a *auto) fit() {
	if a.limits.Memory == 0 {
		return
	}
	states, limit := int64(0), a.limits.Memory-a.held
	symbolic, _ := a.symbolic()
	for _, r := range a.racers {
		if r != symbolic {
			states += r.bytes()
		} else {
			limit /= 2
		}
	}
	if states <= limit || len(a.racers) == 1 {
		return
	}
	gone := symbolic
	for _, r := range a.racers[1:] {
		if r != symbolic && r.engine != nil {
			gone = r
		}
	}
	if gone != nil {
		a.remove(gone)
	}
}

// remove gives a search up.
func (a *auto) remove(gone *racer) {
	a.floor = max(a.floor, gone.lower())
	gone.close()
	for i, r := range a.racers {
		if r == gone {
			a.racers = append(a.racers[:i:i], a.racers[i+1:]...)
			break
		}
	}
	a.current = nil
}

// ended takes note of the end of one search: an answer ends all, a limit only that one.
func (a *auto) ended(r *racer) {
	res := r.original(r.outcome())
	if res.Status == SolvedOptimally || res.Status == Unsolvable {
		a.end = res
		return
	}
	if res.Status == Solved {
		res.Best = &KnownPlan{Operators: res.Plan, Cost: res.Cost}
	}
	if res.Best != nil && (a.best == nil || res.Best.Cost < a.best.Cost) {
		a.best = res.Best
		for _, r := range a.racers {
			if r.engine != nil {
				r.setBound(a.best.Cost)
			}
		}
	}
	if a.best != nil && r.lower() >= a.best.Cost {
		return // compare ends the search
	}
	a.remove(r)
	if res.Status != Solved && (a.dropped == nil || res.Status == Unsupported) {
		a.dropped = res
	}
	a.finish(res)
}

// notBegun takes note of a search that could not be built within the limits.
func (a *auto) notBegun(r *racer) {
	a.remove(r)
	res := &Result{Status: Memout}
	if a.clock.Expired() {
		res.Status = Timeout
	}
	a.finish(res)
}

// finish ends auto() where no search is left. res is how the last one ended.
func (a *auto) finish(res *Result) {
	if len(a.racers) > 0 {
		return
	}
	a.end = res
	if a.dropped != nil && (a.dropped.Status == Unsupported || res.Status == Solved) {
		a.end = a.dropped
	}
	a.end.Lower, a.end.Best = a.floor, a.best
}

func (a *auto) close() {
	for _, r := range a.racers {
		r.close()
	}
}

func (a *auto) done() int64 { return a.total }

func (a *auto) setBound(int64) {}

func (a *auto) outcome() *Result { return a.end }

// lower is the best lower bound of all searches.
func (a *auto) lower() int64 {
	lower := a.floor
	for _, r := range a.racers {
		lower = max(lower, r.lower())
	}
	return lower
}

// progress reports the first search that is left, and the best bounds of all.
func (a *auto) progress(r *Result) {
	a.racers[0].progress(r)
	r.Lower = a.lower()
}

// settle implements settler.
func (a *auto) settle(r *Result) {
	if racer, symbolic := a.symbolic(); symbolic != nil {
		symbolic.settle(r)
		racer.original(r)
	}
	if r.Best == nil || a.best != nil && a.best.Cost < r.Best.Cost {
		r.Best = a.best
	}
}

func (a *auto) bytes() int64 {
	b := a.held
	for _, r := range a.racers {
		b += r.bytes()
	}
	return b
}
