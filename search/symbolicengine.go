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
	name string
}

func newSymbolic(s *state.System, name string, backward bool, lim Limits) *symbolicEngine {
	return &symbolicEngine{symbolic.New(s, symbolic.Options{Memory: lim.Memory, Layers: lim.Nodes, Backward: backward}), name}
}

func (e *symbolicEngine) run(units int64) bool { return e.Run(units) }

func (e *symbolicEngine) done() int64 { return e.Work() }

func (e *symbolicEngine) bytes() int64 { return e.Bytes() }

func (e *symbolicEngine) close() { e.Close() }

func (e *symbolicEngine) progress(r *Result) {
	forward, backward := e.Layers()
	r.Search = e.name
	r.Expanded, r.Backward = forward+backward, backward
	r.ExpandedUntilLastJump = r.Expanded
	r.States = e.Nodes()
}

func (e *symbolicEngine) outcome() *Result {
	r := &Result{}
	e.progress(r)
	switch e.Outcome() {
	case symbolic.Solved:
		r.Status, r.Plan, r.Cost = SolvedOptimally, e.Plan, e.Cost
	case symbolic.Exhausted:
		r.Status = Unsolvable
	case symbolic.Full:
		r.Status = Memout
	case symbolic.LayersOut:
		r.Status = Nodeout
	case symbolic.Overflowed:
		r.Status, r.Reason = Unsupported, "path costs exceed 63 bits"
	default:
		r.Status, r.Reason = Unsupported, e.Reason
		r.Refusal = errors.New(e.Reason)
	}
	return r
}
