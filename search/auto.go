package search

import (
	"errors"

	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// entrant is a search that auto runs.
type entrant struct {
	search string // a search string
	// share is its part of the work that blind leaves, relative to those of the others; rich is that
	// in tasks with axioms or conditional effects.
	share, rich int64
	// after is the work of all before it begins: what it builds first would only delay
	// answers to small tasks.
	after int64
	// memory is the part of the limit that it may take, one half or less; 0 for all.
	memory int64
}

// portfolio lists the searches of auto in the order in which they begin. Blind A* comes last.
var portfolio = []entrant{
	{search: "astar(lmcut())", share: 45, rich: 25},
	{search: "symbolic()", share: 50, rich: 70, after: 1 << 25, memory: 2},
	{search: "greedy(lmcut())", share: 5, rich: 5, memory: 8}, // for an upper bound
}

// racer is a search in progress.
type racer struct {
	engine
	share float64 // of all work
	after int64
	work  int64
}

// auto alternates between the searches of a portfolio. Turns are measured in work units and
// grow with the work done, so which of them answers, and with which plan, depends on
// the task only. A turn may end within the evaluation of a state or an operation on diagrams,
// so that one that takes long (LM-cut on a chain of n steps makes n cuts of up to n operators)
// does not take the others' share. The best lower bound of all ends the symbolic search when it
// knows a plan of that cost.
//
// Half of the memory is symbolic's, which ends when it is not enough. The other half is for
// the searches with states, the first of the portfolio before the others; when that is not enough, blind A*
// is given up, then symbolic, so that the first search has in the end what it would have alone.
// A search that meets a limit leaves the rest to the others.
type auto struct {
	racers   []*racer // those that are left; blind last
	symbolic *symbolicEngine
	blind    *racer
	maxBytes int64
	current  *racer
	total    int64 // work of all, those given up included
	turn     int64 // units left in the turn
	dropped  *Result
	floor    int64      // the best lower bound of those that were given up
	best     *KnownPlan // of those; none is cheaper if its cost is a lower bound
	end      *Result
}

const (
	// autoTurn is the least work of a turn.
	autoTurn = 1 << 18
	// Bounds on blind and symbolic search when no limit is given.
	autoBlindBytes    = 2 << 30
	autoSymbolicBytes = 4 << 30
)

// newAuto builds the searches. The error is that time came first.
func newAuto(s *state.System, lim Limits, blindShare int64, clock *cpuclock.Clock) (*auto, error) {
	a := &auto{maxBytes: lim.Memory}
	rich, shares := isRich(s), int64(0)
	for _, c := range portfolio {
		p, err := parseSearch(c.search)
		if err != nil {
			return nil, err
		}
		own := lim
		if c.memory > 0 {
			own.Memory = part(lim.Memory, c.memory, autoSymbolicBytes)
		}
		e, err := newEngineOf(s, p, own, clock)
		switch {
		case errors.Is(err, heuristic.ErrTime):
			a.close()
			return nil, err
		case err != nil:
			continue // it does not support the task, or does not fit into memory
		}
		if e, ok := e.(*symbolicEngine); ok {
			a.symbolic = e
		}
		share := c.share
		if rich {
			share = c.rich
		}
		shares += share
		a.racers = append(a.racers, &racer{engine: e, share: float64(share), after: c.after})
	}
	for _, r := range a.racers {
		r.share *= float64(100-blindShare) / float64(shares)
	}
	own := lim
	if own.Memory = part(lim.Memory, 2, autoBlindBytes); len(a.racers) == 0 {
		own.Memory = lim.Memory
	}
	a.blind = &racer{
		engine: newBlindSearch(s, "astar(blind())", heuristic.NewBlind(s.Task).Step(), own),
		share:  float64(blindShare),
	}
	a.racers = append(a.racers, a.blind)
	return a, nil
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

func (a *auto) run(units int64) bool {
	for until := a.done() + units; a.end == nil && a.done() < until; {
		a.fit()
		if a.current == nil || a.turn <= 0 {
			a.next()
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
	var best *racer
	for _, r := range a.racers {
		if r.after > a.total && len(a.racers) > 1 {
			continue
		}
		if best == nil || float64(r.work)/r.share <= float64(best.work)/best.share {
			best = r
		}
	}
	a.current, a.turn = best, max(autoTurn, a.total/16)
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

// compare ends the search when the best plan known is proven optimal. It ends the symbolic search when it knows a plan whose cost another search has shown to be
// the least.
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
	if a.symbolic == nil {
		return
	}
	cost, known := a.symbolic.Upper()
	if lower := a.lower(); known && lower >= cost {
		a.symbolic.SetLower(lower)
		a.current, a.turn = a.racerOf(a.symbolic), max(a.turn, autoTurn) // it reads the plan off
	}
}

// fit gives searches up where they hold more memory than is theirs.
func (a *auto) fit() {
	if a.maxBytes == 0 {
		return
	}
	states, limit := int64(0), a.maxBytes
	for _, r := range a.racers {
		if r.engine != a.symbolic {
			states += r.bytes()
		} else {
			limit /= 2
		}
	}
	if states <= limit || len(a.racers) == 1 {
		return
	}
	if a.blind != nil {
		a.remove(a.blind)
	} else if a.symbolic != nil {
		a.remove(a.racerOf(a.symbolic))
	}
}

func (a *auto) racerOf(e *symbolicEngine) *racer {
	for _, r := range a.racers {
		if r.engine == e {
			return r
		}
	}
	return nil
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
	if gone.engine == a.symbolic {
		a.symbolic = nil
	}
	if gone == a.blind {
		a.blind = nil
	}
	a.current = nil
}

// ended takes note of the end of one search: an answer ends all, a limit only that one.
func (a *auto) ended(r *racer) {
	res := r.outcome()
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
			r.setBound(a.best.Cost)
		}
	}
	if a.best != nil && r.lower() >= a.best.Cost {
		return // compare ends the search
	}
	a.remove(r)
	if res.Status != Solved && (a.dropped == nil || res.Status == Unsupported) {
		a.dropped = res
	}
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
	if a.symbolic != nil {
		a.symbolic.settle(r)
	}
	if r.Best == nil || a.best != nil && a.best.Cost < r.Best.Cost {
		r.Best = a.best
	}
}

func (a *auto) bytes() (b int64) {
	for _, r := range a.racers {
		b += r.bytes()
	}
	return b
}
