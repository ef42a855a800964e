package prompt

import (
	"fmt"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
)

// Record is a prompt with what is known about its answer: a row of a data set.
type Record struct {
	ID        string    `json:"id"`
	Kind      Kind      `json:"kind"`
	Style     Style     `json:"style"`
	Templates string    `json:"templates,omitempty"`
	Shots     int       `json:"shots"`
	Reasoning Reasoning `json:"reasoning"`
	Seed      uint64    `json:"seed"`
	// Reader reads the plan of an answer (Options.Answer); "" if the prompt asks for no plan.
	Reader extract.Kind `json:"reader,omitempty"`

	Prompt Prompt `json:"prompt"`
	// Full is the prompt before masking, and Masked the spans of Full that Prompt leaves out. Both
	// are absent if nothing was masked.
	Full   *Prompt `json:"full,omitempty"`
	Masked []Span  `json:"masked,omitempty"`
	Mask   *Mask   `json:"mask,omitempty"`

	// Domain and Problem are the task on which answers are judged. It differs from the original task
	// if the kind changes the goal or the initial state, or if it was renamed (see Names).
	Domain  string `json:"domain_text"`
	Problem string `json:"problem_text"`
	Budget  string `json:"budget,omitempty"` // exact
	// Forbidden are the actions that the task forbids (domains.Forbidden), with its own names.
	Forbidden []string  `json:"forbidden,omitempty"`
	Names     *Renaming `json:"renaming,omitempty"`

	// Gold is a right answer. It does not occur in Prompt, except in kinds that show the query's own
	// task by design (reuse, goal reformulation).
	Gold *Gold `json:"gold,omitempty"`
}

// ReadRecord reads a record as planproof prompt --json prints it. The error wraps ErrOption for
// a record without a kind or a task.
func ReadRecord(text []byte) (*Record, error) {
	rec := new(Record)
	if err := rowjson.Unmarshal(text, rec, false); err != nil {
		return nil, err
	}
	if rec.Domain == "" || rec.Problem == "" || rec.Kind == "" {
		return nil, fmt.Errorf("%w: a record has a kind, a domain_text and a problem_text", ErrOption)
	}
	return rec, nil
}

// Gold is a right answer to a prompt.
type Gold struct {
	// Text is the answer as the prompt asks for it.
	Text string `json:"text"`
	// Plan is a valid plan and Cost its cost; Optimal: no plan is cheaper.
	Plan    []string `json:"plan,omitempty"`
	Cost    string   `json:"cost,omitempty"`
	Optimal bool     `json:"optimal,omitempty"`
	// State is the state after the actions, of kind execution.
	State []string `json:"state,omitempty"`
	// Verdict is the verdict on Candidate, of kind verification.
	Verdict *extract.PlanVerdict `json:"verdict,omitempty"`
	// Candidate is the plan to verify or execute.
	Candidate []string `json:"candidate,omitempty"`
	// Unsolvable: there is no plan, as a search has proven.
	Unsolvable bool `json:"unsolvable,omitempty"`
}
