package rows

import (
	"encoding/json"
	"fmt"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// StatusMask is the status of the answer to a mask question whose prefix can be executed.
const StatusMask Status = "mask"

// MaskQuestion asks which steps can come after a prefix.
type MaskQuestion struct {
	Task  taskref.Ref
	Steps []string // in PDDL
}

// MaskAnswer is the answer to a MaskQuestion. Status is StatusMask, StatusInvalid for a
// prefix that cannot be executed, StatusTaskError, or StatusTimeout when a limit came
// first; Error says more for all but the first.
type MaskAnswer struct {
	ID     json.RawMessage `json:"id"`
	Status Status          `json:"status"`
	// Executed counts the steps of the prefix before the one that cannot be executed.
	Executed int `json:"executed"`
	// Goal reports whether the prefix is a valid plan, and Actions lists the steps that can
	// come next; both are null without StatusMask.
	Goal    *bool    `json:"goal"`
	Actions []string `json:"actions"`
	Error   string   `json:"error,omitempty"`
}

// maskQuestion reads the member "mask": a list of steps, or a plan as text.
func (w *wireRow) maskQuestion(base Item) (*MaskQuestion, error) {
	q := &MaskQuestion{Task: base.Task}
	if rowjson.Unmarshal(w.Mask, &q.Steps, false) == nil {
		return q, nil
	}
	var text string
	if err := rowjson.Unmarshal(w.Mask, &text, false); err != nil {
		return nil, fmt.Errorf("%w: mask is neither a list of steps nor the text of a plan: %s", ErrRow, rowjson.Fault(err))
	}
	plan, diags := pddl.ParsePlan(pddl.NewSource("mask", text))
	if err := diags.FirstError(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRow, err)
	}
	for i := range plan.Steps {
		q.Steps = append(q.Steps, plan.Steps[i].String())
	}
	return q, nil
}
