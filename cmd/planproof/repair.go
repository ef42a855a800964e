package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

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
func (r *repaired) addTo(row []byte) ([]byte, error) {
	if r == nil {
		return row, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	row = append(bytes.TrimSuffix(row, []byte("}")), `,"repair":`...)
	return append(append(row, bytes.TrimSpace(b.Bytes())...), '}'), nil
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
	n, c := &r.Nearest, &r.Completion
	switch {
	case n.Status == feedback.ProposalNone:
		fmt.Fprintln(e.out, "no valid plan exists")
		return
	case n.Status == feedback.ProposalLimit:
		fmt.Fprintf(e.out, "nearest valid plan: not found (%s came first)\n", n.Reason)
	case n.Proven:
		fmt.Fprintf(e.out, "nearest valid plan: %s, cost %s\n", plural(n.Edits, "edit"), n.Cost)
	default:
		fmt.Fprintf(e.out, "near valid plan: %s, cost %s; not proven to be the nearest (%s)\n", plural(n.Edits, "edit"), n.Cost, n.Reason)
	}
	printScript(e.out, n.Script)
	switch {
	case c.Status == feedback.ProposalLimit:
		fmt.Fprintf(e.out, "completion: not found (%s came first)\n", c.Reason)
		return
	case c.Proven:
		fmt.Fprintf(e.out, "cheapest completion of %s: cost %s\n", beginning(c.Kept), c.Cost)
	default:
		fmt.Fprintf(e.out, "completion of %s: cost %s; a longer beginning may have one (%s)\n", beginning(c.Kept), c.Cost, c.Reason)
	}
	for _, edit := range c.Script {
		if edit.Op == feedback.EditInsert {
			fmt.Fprintf(e.out, "  + %s\n", edit.Action)
		}
	}
}

func beginning(steps int) string {
	switch steps {
	case 0:
		return "the empty beginning"
	case 1:
		return "the first step"
	}
	return fmt.Sprintf("the first %d steps", steps)
}

func printScript(w io.Writer, script []feedback.Edit) {
	sign := map[feedback.EditOp]string{feedback.EditKeep: " ", feedback.EditInsert: "+", feedback.EditDelete: "-"}
	for _, edit := range script {
		fmt.Fprintf(w, "  %s %s\n", sign[edit.Op], edit.Action)
	}
}

// writeRepaired writes the nearest plan to --output. Where there is none the file is left
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
	return e.writeFile(path, func(w io.Writer) error {
		for _, step := range r.Nearest.Plan {
			if _, err := fmt.Fprintln(w, step); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "; cost = %s\n", r.Nearest.Cost)
		return err
	})
}
