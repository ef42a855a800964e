package mcpserver

import (
	"github.com/planproof/planproof/validator"
)

// What follows are the forms of answers that write their JSON themselves, for the schemas. The tests hold
// every answer to the schema of its tool.

// diagnosticShape is the form of a [pddl.Diagnostic].
type diagnosticShape struct {
	Severity string `json:"severity" jsonschema:"error or warning"`
	Code     string `json:"code"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty" jsonschema:"what was probably meant"`
}

// verdictShape is the form of a [validator.Verdict].
type verdictShape struct {
	Valid       bool                   `json:"valid" jsonschema:"every step can be applied in order and the goal holds at the end"`
	Cost        string                 `json:"cost,omitempty" jsonschema:"exact cost of the steps that were executed"`
	TotalCost   string                 `json:"total_cost,omitempty"`
	Makespan    string                 `json:"makespan,omitempty"`
	Violated    []validator.Violation  `json:"violated,omitempty" jsonschema:"preferences that the plan violates"`
	Steps       int                    `json:"steps"`
	Executed    int                    `json:"executed" jsonschema:"steps applied before the first failure"`
	GoalReached bool                   `json:"goal_reached"`
	Failure     *validator.Failure     `json:"failure,omitempty" jsonschema:"the first thing that makes the plan invalid"`
	Explanation *validator.Explanation `json:"explanation,omitempty"`
}

// repairShape is the form of a verdict with a repair of validate --repair.
type repairShape struct {
	verdictShape
	Repair map[string]any `json:"repair" jsonschema:"the nearest valid plan and the cheapest completion, or an error"`
}

// scoreShape is the form of a [rows.Score].
type scoreShape struct {
	ID         *string            `json:"id"`
	Reward     *float64           `json:"reward" jsonschema:"null where nothing was decided: see status"`
	Components map[string]float64 `json:"components,omitempty"`
	Verdict    *verdictShape      `json:"verdict,omitempty"`
	Violations *int               `json:"violations,omitempty"`
	Extracted  string             `json:"extracted" jsonschema:"the plan that the answer commits to"`
	Status     string             `json:"status"`
	Ambiguous  bool               `json:"ambiguous,omitempty"`
	Reader     string             `json:"reader,omitempty"`
	Reading    string             `json:"reading,omitempty"`
	Error      string             `json:"error,omitempty"`
}
