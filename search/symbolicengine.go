package search

import (
	"errors"

	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/search/symbolic"
)

// symbolicEngine is the search of package symbolic as an engine. Its statistics are those of sets of
// states: layers expanded, and nodes of decision diagrams.
type symbolicEngine struct {
	*symbolic.Search
	name    string
	bounded bool // another search knows a plan
}

func newSymbolic(s *state.System, name string, backward bool, lim Limits) *symbolicEngine {
	return &symbolicEngine{symbolic.New(s, symbolic.Options{Memory: lim.Memory, Layers: lim.Nodes, Backward: backward}), name, false}
}

func (e *symbolicEngine) run(units int64) bool { return e.Run(units) }

func (e *symbolicEngine) done() int64 { return e.Work() }

func (e *symbolicEngine) bytes() int64 { return e.Bytes() }

func (e *symbolicEngine) close() { e.Close() }

func (e *symbolicEngine) lower() int64 { return e.Lower() }

func (e *symbolicEngine) setBound(cost int64) { e.SetBound(cost); e.bounded = true }

// settleSlices bounds what reading a plan off may take after the end of time, in slices.
const settleSlices = 16

// settle implements settler.
func (e *symbolicEngine) settle(r *Result) {
	if _, known := e.Upper(); !known || e.Outcome() != symbolic.Running {
		return
	}
	e.Settle()
	for range settleSlices {
		if e.Run(slice) {
			break
		}
	}
	if e.Outcome() == symbolic.Solved {
		e.known(r)
	}
}

// known fills in the plan that the search has read off, if it has.
func (e *symbolicEngine) known(r *Result) {
	if e.Plan != nil {
		r.Best = &KnownPlan{Operators: e.Plan, Cost: e.Cost}
	}
}

func (e *symbolicEngine) progress(r *Result) {
	forward, backward := e.Layers()
	r.Search = e.name
	r.Expanded, r.Backward = forward+backward, backward
	r.ExpandedUntilLastJump = r.Expanded
	r.States = e.Nodes()
	r.Lower = e.Lower()
}

func (e *symbolicEngine) outcome() *Result {
	r := &Result{}
	e.progress(r)
	switch e.Outcome() {
	case symbolic.Solved:
		r.Status, r.Plan, r.Cost = SolvedOptimally, e.Plan, e.Cost
	case symbolic.Exhausted:
		r.Status = Unsolvable
		if e.bounded {
			r.Status, r.Reason = Unsupported, noCheaper
		}
	case symbolic.Full:
		r.Status = Memout
		e.known(r)
	case symbolic.LayersOut:
		r.Status = Nodeout
		e.known(r)
	case symbolic.Overflowed:
		r.Status, r.Reason = Unsupported, "path costs exceed 63 bits"
	default:
		r.Status, r.Reason = Unsupported, e.Reason
		r.Refusal = errors.New(e.Reason)
	}
	return r
}
