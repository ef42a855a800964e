package rows

import (
	"encoding/json"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/validator"
)

// Status says how the scoring of one response ended.
type Status string

// Statuses. The reward is null exactly for those of the second block.
const (
	StatusValid   Status = "valid"   // judged: the plan is valid
	StatusInvalid Status = "invalid" // judged: the plan is not
	// StatusNoPlan: the response commits to no plan.
	StatusNoPlan Status = "no-plan"
	// StatusClaimsUnsolvable: the response says that there is no plan.
	StatusClaimsUnsolvable Status = "claims-unsolvable"
	// StatusAmbiguous: the response offers different plans and commits to none.
	StatusAmbiguous Status = "ambiguous"
	// StatusTruncated: the response ended for its length inside its plan.
	StatusTruncated Status = "truncated"
	// StatusTooLong: the response or its plan is longer than the oracle reads.
	StatusTooLong Status = "too-long"

	StatusBadRow    Status = "bad-row"    // the line or the item is not as it must be
	StatusTaskError Status = "task-error" // the task cannot be read or judged
	StatusNoGold    Status = "no-gold"    // what the reward needs to know of the task is not known, or is refuted
	StatusNoTable   Status = "no-table"   // no distances: too many states, too much memory, or no way to the goal
	StatusTimeout   Status = "timeout"    // the judge or the making of the table ran out of its budget, or was interrupted
	StatusInternal  Status = "internal-error"
	// StatusInterrupted: the time of the request was up. Only requests with a schema have it.
	StatusInterrupted Status = "interrupted"
)

// Scored reports whether a response with this status has a reward.
func (s Status) Scored() bool {
	switch s {
	case StatusBadRow, StatusTaskError, StatusNoGold, StatusNoTable, StatusTimeout, StatusInternal, StatusInterrupted:
		return false
	}
	return true
}

// Score is the result for one response, as JSON one output row.
type Score struct {
	ID         json.RawMessage   `json:"id"`
	Reward     *float64          `json:"reward"`
	Components reward.Components `json:"components,omitempty"`
	// StepRewards are set when the item asks for them: of each step that was executed, and
	// last what the end of the response earns. StepLines holds the line in the response
	// of each such step.
	StepRewards []float64          `json:"step_rewards,omitempty"`
	StepLines   []int              `json:"step_lines,omitempty"`
	Verdict     *validator.Verdict `json:"verdict,omitempty"`
	// Violations counts the steps of the plan that the task forbids (domains.Forbidden),
	// whether they are reached or not; nil for a task without restrictions.
	Violations *int `json:"violations,omitempty"`
	// Extracted is the plan that was judged, one step a line; a line that stands
	// where a step should is included as it was written.
	Extracted string `json:"extracted"`
	Status    Status `json:"status"`
	// Ambiguous is true when the response can be read in different ways; the plan
	// that it commits to, if any, was judged.
	Ambiguous bool `json:"ambiguous,omitempty"`
	// Reader is the reader of the response, and Reading names the rule by which it found the
	// plan.
	Reader  extract.Kind `json:"reader,omitempty"`
	Reading string       `json:"reading,omitempty"`
	Error   string       `json:"error,omitempty"`
	Group   string       `json:"group,omitempty"`
	// Advantage is set when the response belongs to a group.
	Advantage *float64 `json:"advantage,omitempty"`
}
