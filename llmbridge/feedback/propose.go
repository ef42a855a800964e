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
)

// Proposed is what is proposed in place of a plan, or why nothing is.
type Proposed struct {
	*Repair
	Error string `json:"error,omitempty"`
}

// Propose repairs the plan of a source. A plan that cannot be read or repaired is no error, but
// Proposed.Error. Where ctx was cancelled the reason is "interrupted".
func (r *Repairer) Propose(ctx context.Context, src *pddl.Source, lim search.Limits) (*Proposed, error) {
	plan, diags := pddl.ParsePlan(src)
	if diags.HasErrors() {
		return &Proposed{Error: "the plan cannot be read"}, nil
	}
	out, err := r.Repair(ctx, plan, lim)
	if errors.Is(err, ErrRepair) {
		return &Proposed{Error: err.Error()}, nil
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

// AddTo puts the proposal into the JSON object of a verdict, as "repair". A nil proposal adds
// nothing.
func (p *Proposed) AddTo(row []byte) []byte {
	if p == nil {
		return row
	}
	row = append(bytes.TrimSuffix(row, []byte("}")), `,"repair":`...)
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
	return p.Repair.WriteText(w)
}
