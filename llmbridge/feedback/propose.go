package feedback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator/retime"
)

// Proposed is what is proposed in place of a plan, or why nothing is.
type Proposed struct {
	*Repair
	// Timed is for plans with times: see package retime.
	Timed *retime.Repair `json:"-"`
	Error string         `json:"error,omitempty"`
}

// Propose repairs the plan of a source. A plan that cannot be read or repaired is no error, but
// Proposed.Error. Where ctx was cancelled the reason is "interrupted".
func (r *Repairer) Propose(ctx context.Context, src *pddl.Source, lim search.Limits) (*Proposed, error) {
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		return &Proposed{Error: "the plan cannot be read"}, nil
	}
	if r.task == nil {
		return r.retime(ctx, plan, lim)
	}
	out, err := r.Repair(ctx, plan, lim)
	if errors.Is(err, ErrRepair) {
		return r.retime(ctx, plan, lim)
	}
	if out != nil && errors.Is(ctx.Err(), context.Canceled) {
		for _, p := range []*Proposal{&out.Nearest, &out.Completion} {
			if rest, ok := strings.CutPrefix(p.Reason, string(search.Timeout)); ok {
				p.Reason = "interrupted" + rest
			}
		}
	}
	return &Proposed{Repair: out}, err
}

// nodesPerCandidate is how many nodes of the limits a candidate of package retime counts for.
const nodesPerCandidate = 50

// retime repairs a plan with times.
func (r *Repairer) retime(ctx context.Context, plan *pddl.Plan, lim search.Limits) (*Proposed, error) {
	if lim.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lim.Wall)
		defer cancel()
	}
	o := retime.Options{Epsilon: r.Epsilon, Tolerance: r.Tolerance, Context: ctx}
	if lim.Nodes > 0 {
		o.Candidates = max(1, lim.Nodes/nodesPerCandidate)
	}
	out, err := retime.Propose(r.judge, plan, o)
	if errors.Is(err, retime.ErrTimes) {
		return &Proposed{Error: err.Error()}, nil
	}
	return &Proposed{Timed: out}, err
}

// AddTo puts the proposal into the JSON object of a verdict, as "repair". A nil proposal adds
// nothing.
func (p *Proposed) AddTo(row []byte) []byte {
	if p == nil {
		return row
	}
	row = append(bytes.TrimSuffix(row, []byte("}")), `,"repair":`...)
	if p.Timed != nil {
		return append(rowjson.Append(row, p.Timed), '}')
	}
	return append(rowjson.Append(row, p), '}')
}

// WriteText writes the proposal for people; a nil one writes nothing.
func (p *Proposed) WriteText(w io.Writer) error {
	switch {
	case p == nil:
		return nil
	case p.Error != "":
		_, err := fmt.Fprintf(w, "not repaired: %s\n", p.Error)
		return err
	}
	if p.Timed != nil {
		return p.Timed.WriteText(w)
	}
	return p.Repair.WriteText(w)
}

// Plan returns what writes the nearest plan that is proposed, or nil.
func (p *Proposed) Plan() func(io.Writer) error {
	switch {
	case p.Timed != nil && p.Timed.Best() != nil:
		return p.Timed.Best().WritePlan
	case p.Repair != nil && p.Nearest.Status == ProposalFound:
		return p.Nearest.writePlan
	}
	return nil
}
