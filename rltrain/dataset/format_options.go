package dataset

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/search"
)

// TrainerOptions say how the formats for trainers write rows. The zero value is fine.
type TrainerOptions struct {
	// Text writes prompts and answers as texts, for base models and models trained from
	// scratch, where a format allows it; otherwise they are chats.
	Text bool `json:"text,omitempty"`
	// Inline puts the texts of the task beside its hash where a reward is computed from the
	// row alone, so that the oracle need not be given a task file.
	Inline bool `json:"inline,omitempty"`
	// AgentName fills verl's column agent_name; "" leaves the column out.
	AgentName string `json:"agent_name,omitempty"`
	// Trace writes answers for supervised training with a reasoning text.
	Trace TraceLength `json:"trace,omitempty"`
	// PRM says which steps of a plan count as right.
	PRM StepLabels `json:"prm,omitempty"`
	// Pairs say which preference pairs are taken; the rule is the format's.
	Pairs PairOptions `json:"pairs,omitzero"`
	// Mutants is the number of spoiled plans made of each gold plan where no responses are
	// given (0: DefaultMutants).
	Mutants int `json:"mutants,omitempty"`
	// Responses are what preferences are made of; nil makes them of gold plans and mutants.
	Responses *Responses `json:"responses,omitempty"`
	// Limits bound the search and grounding of one row.
	Limits search.Limits `json:"-"`
}

// DefaultMutants is the default of TrainerOptions.Mutants.
const DefaultMutants = 3

// PairOptions are those of groups.PairOptions that a data set leaves open.
type PairOptions struct {
	Count      int     `json:"count,omitempty"`
	PerPrompt  int     `json:"per_prompt,omitempty"`
	DropLowest float64 `json:"drop_lowest,omitempty"`
	KeepValid  bool    `json:"keep_valid,omitempty"`
}

// TraceLength says which reasoning text an answer has.
type TraceLength string

// Lengths of reasoning texts.
const (
	NoTrace    TraceLength = ""
	LongTrace  TraceLength = "long"  // the state and the open goals after each step
	ShortTrace TraceLength = "short" // what each step changes
)

// ParseTrace reads the length of reasoning texts: none, long or short.
func ParseTrace(text string) (TraceLength, error) {
	switch TraceLength(text) {
	case NoTrace, "none":
		return NoTrace, nil
	case LongTrace, ShortTrace:
		return TraceLength(text), nil
	}
	return "", fmt.Errorf("%q is no length of a reasoning text: there are none, long and short", text)
}

// DropTrace is the reason why a row of a data set is not in a file of answers with a
// reasoning text.
const DropTrace = "no_trace"

// trainers are the options of a data set's formats.
func (m *Manifest) trainers() *TrainerOptions {
	if m.Trainers == nil {
		m.Trainers = &TrainerOptions{}
	}
	return m.Trainers
}

// leaveOut notes, once, that a record is not in a file.
func (m *Manifest) leaveOut(r *Record, reason string, err error) {
	f := Fault{ID: r.ID, Reason: reason, Message: err.Error()}
	same := func(g Fault) bool { return g.ID == f.ID && g.Reason == f.Reason }
	if !slices.ContainsFunc(m.Faults, same) {
		m.Faults = append(m.Faults, f)
		if m.Dropped == nil {
			m.Dropped = map[string]int{}
		}
		m.Dropped[reason]++
	}
}
