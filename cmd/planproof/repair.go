package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// repairRun repairs the plans of validate --repair; nil repairs none.
type repairRun struct {
	*feedback.Repairer
	limits search.Limits
	end    time.Time // zero: none
}

// repairer prepares --repair.
func (e env) repairer(p *pddl.Problem, files []string) (*repairRun, error) {
	if !e.Bool("repair") {
		if e.IsSet("output") {
			return nil, errors.New("--output needs --repair")
		}
		return nil, nil
	}
	if len(files) > 1 && e.IsSet("output") {
		return nil, errors.New("--output takes one plan")
	}
	lim, err := e.bridgeLimits()
	if err != nil {
		return nil, err
	}
	lim.Nodes = e.Int64("nodes")
	run := &repairRun{limits: lim}
	if lim.Wall > 0 {
		run.end = time.Now().Add(lim.Wall)
	}
	if run.Repairer, err = feedback.NewRepairer(e.Context.Context, p, lim); err != nil {
		return nil, e.bridgeError(err)
	}
	return run, nil
}

// repaired is what is proposed for one plan, or why nothing is.
type repaired struct {
	*feedback.Repair
	Error string `json:"error,omitempty"`
}

// propose repairs the plan of a source.
func (r *repairRun) propose(e env, src *pddl.Source) (*repaired, error) {
	if r == nil {
		return nil, nil
	}
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		return &repaired{Error: "the plan cannot be read"}, nil
	}
	lim := r.limits
	if !r.end.IsZero() {
		lim.Wall = max(time.Until(r.end), time.Nanosecond)
	}
	out, err := r.Repair(e.Context.Context, plan, lim)
	if errors.Is(err, feedback.ErrRepair) {
		return &repaired{Error: err.Error()}, nil
	}
	if out != nil && e.interrupted() {
		for _, p := range []*feedback.Proposal{&out.Nearest, &out.Completion} {
			if rest, ok := strings.CutPrefix(p.Reason, string(search.Timeout)); ok {
				p.Reason = statusInterrupted + rest
			}
		}
	}
	return &repaired{Repair: out}, err
}

// addTo puts the proposal into a verdict's JSON object.
func (r *repaired) addTo(row []byte) []byte {
	if r == nil {
		return row
	}
	row = append(bytes.TrimSuffix(row, []byte("}")), `,"repair":`...)
	return append(rowjson.Append(row, r), '}')
}

// print writes the proposal for people.
func (r *repaired) print(e env) {
	switch {
	case r == nil:
		return
	case r.Error != "":
		fmt.Fprintf(e.out, "not repaired: %s\n", r.Error)
		return
	}
	_ = r.WriteText(e.out) // run notes errors of writing
}

// writeRepaired writes the nearest plan to --output. Without one the file is left
// as it was.
func (e env) writeRepaired(r *repaired) error {
	path := e.String("output")
	if path == "" || r == nil {
		return nil
	}
	if r.Repair == nil || r.Nearest.Status != feedback.ProposalFound {
		fmt.Fprintf(e.err, "planproof: nothing was written to %s\n", path)
		return nil
	}
	return e.writeFile(path, r.Nearest.WritePlan)
}
