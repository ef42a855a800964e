package eval

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/model"
)

// AskReport is the outcome of [Ask] about one task, in the form of planproof ask --json. Cost,
// Steps and Plan are those of a correct answer.
type AskReport struct {
	Status Status           `json:"status"`
	Method string           `json:"method"`
	Model  string           `json:"model"`
	Cost   string           `json:"cost,omitempty"`
	Steps  int              `json:"steps"`
	Plan   []string         `json:"plan,omitempty"`
	Budget costmodel.Budget `json:"budget"`
	Rounds []Round          `json:"rounds"`
	Usage  *model.Usage     `json:"usage"`
	Error  string           `json:"error,omitempty"` // why there is no answer to grade
}

// NewAskReport reports what [Ask] has returned.
func NewAskReport(method string, budget costmodel.Budget, row *Row, rounds []Round) *AskReport {
	r := &AskReport{Status: row.Status, Method: method, Model: row.Model, Budget: budget, Rounds: rounds, Usage: row.Usage}
	if !row.Status.Graded() {
		r.Error = row.Message
	}
	if row.Correct {
		r.Cost, r.Steps, r.Plan = row.Cost, row.Steps, rounds[len(rounds)-1].Plan
	}
	return r
}

// WritePlan writes the plan and its cost.
func (r *AskReport) WritePlan(w io.Writer) error {
	for _, step := range r.Plan {
		fmt.Fprintln(w, step)
	}
	_, err := fmt.Fprintf(w, "; cost = %s\n", r.Cost)
	return err
}

// WriteText says what became of each answer, and of all together.
func (r *AskReport) WriteText(w io.Writer) error {
	for i := range r.Rounds {
		fmt.Fprintf(w, "answer %d: %s", i+1, r.Rounds[i].Status)
		if r.Rounds[i].Message != "" {
			fmt.Fprintf(w, ": %s", r.Rounds[i].Message)
		}
		fmt.Fprintln(w)
	}
	var err error
	switch {
	case r.Cost != "":
		_, err = fmt.Fprintf(w, "valid: cost %s in %s, by %s\n", r.Cost, spell.Plural(r.Steps, "step"), r.Model)
	case !r.Status.Graded():
		_, err = fmt.Fprintf(w, "planproof: %s gave no answer: %s: %s\n", r.Model, r.Status, r.Error)
	default:
		_, err = fmt.Fprintf(w, "no valid plan after %s\n", spell.Plural(len(r.Rounds), "answer"))
	}
	return err
}
