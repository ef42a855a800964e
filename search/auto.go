package search

import (
	"errors"

	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/state"
)

// auto alternates between A* with LM-cut and blind A*. Turns are measured in work units and
// grow with the work done, so which of the two answers, and with which plan, depends on
// the task only. A turn may end within the evaluation of a state, so that one that takes long
// (LM-cut on a chain of n steps makes n cuts of up to n operators) does not take the other's
// share. Memory goes to the guided search first: the blind one is dropped when it
// holds half of the limit (autoBlindBytes without a limit), or when the two together
// hold all of it. A search that meets a limit leaves the rest to the other.
type auto struct {
	guided, blind engine // nil when refused or dropped
	share         int64  // percentage of work for blind
	maxBytes      int64
	work          [2]int64 // of guided and blind
	turn          int64    // units left in the turn
	blindTurn     bool
	dropped       *Result
	end           *Result
}

const (
	// autoTurn is the least work of a turn.
	autoTurn = 1 << 18
	// autoBlindBytes bounds the blind search when no limit is given.
	autoBlindBytes = 2 << 30
)

// newAuto builds both searches. The error is that time came first.
func newAuto(s *state.System, lim Limits, share int64, clock *cpuclock.Clock) (*auto, error) {
	a := &auto{share: share, maxBytes: lim.Memory}
	blindLim := lim
	info := heuristic.Lookup("lmcut")
	if info.Check(s.Task) == nil {
		h, err := info.Build(s.Task, nil, lim.budget(clock))
		if errors.Is(err, heuristic.ErrTime) {
			return nil, err
		}
		if err == nil {
			a.guided = newAStar(s, "astar(lmcut())", h, lim)
			blindLim.Memory /= 2
			if lim.Memory == 0 {
				blindLim.Memory = autoBlindBytes
			}
		}
	}
	a.blind = newBlindSearch(s, "astar(blind())", heuristic.NewBlind(s.Task).Step(), blindLim)
	return a, nil
}

func (a *auto) run(units int64) bool {
	for until := a.done() + units; a.end == nil && a.done() < until; {
		if a.blind != nil && a.guided != nil && a.maxBytes > 0 && a.bytes() > a.maxBytes {
			a.blind = nil
		}
		e := a.next()
		before := e.done()
		ended := e.run(min(until-a.done(), a.turn))
		did := e.done() - before
		a.turn -= did
		if a.blindTurn {
			a.work[1] += did
		} else {
			a.work[0] += did
		}
		if ended {
			a.ended(e)
		}
	}
	return a.end != nil
}

// next returns the search whose turn it is.
func (a *auto) next() engine {
	switch {
	case a.guided == nil:
		a.blindTurn, a.turn = true, max(a.turn, autoTurn)
		return a.blind
	case a.blind == nil:
		a.blindTurn, a.turn = false, max(a.turn, autoTurn)
		return a.guided
	case a.turn <= 0:
		total := a.done()
		a.blindTurn = a.work[1]*100 <= total*a.share
		a.turn = max(autoTurn, total/16)
	}
	if a.blindTurn {
		return a.blind
	}
	return a.guided
}

// ended takes note of the end of one search: an answer ends both, a limit only that one.
func (a *auto) ended(e engine) {
	r := e.outcome()
	if r.Status == SolvedOptimally || r.Status == Unsolvable {
		a.end = r
		return
	}
	if e == a.guided {
		a.guided = nil
	} else {
		a.blind = nil
	}
	a.turn = 0
	if a.guided == nil && a.blind == nil {
		a.end = r
		if a.dropped != nil && a.dropped.Status == Unsupported {
			a.end = a.dropped
		}
		return
	}
	a.dropped = r
}

func (a *auto) close() {}

func (a *auto) done() int64 { return a.work[0] + a.work[1] }

func (a *auto) outcome() *Result { return a.end }

// progress reports the guided search while it runs.
func (a *auto) progress(r *Result) {
	if a.guided != nil {
		a.guided.progress(r)
	} else if a.blind != nil {
		a.blind.progress(r)
	}
}

func (a *auto) bytes() int64 {
	var b int64
	for _, e := range []engine{a.guided, a.blind} {
		if e != nil {
			b += e.bytes()
		}
	}
	return b
}
