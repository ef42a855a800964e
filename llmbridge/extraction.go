package llmbridge

// ExtractionStatus says what was found in a response.
type ExtractionStatus string

// Statuses of an extraction.
const (
	StatusPlan             ExtractionStatus = "plan"
	StatusNoPlan           ExtractionStatus = "no-plan"
	StatusAmbiguous        ExtractionStatus = "ambiguous"
	StatusClaimsUnsolvable ExtractionStatus = "claims-unsolvable"
)

// Malformed is a line that stands where a step should and is not one. It is never
// dropped: a plan with a malformed step is invalid.
type Malformed struct {
	Line int    `json:"line"` // 1-based, in the response
	Step int    `json:"step"` // 1-based position among the plan's steps
	Text string `json:"text"`
}

// Extraction is the plan that a response commits to.
type Extraction struct {
	Status ExtractionStatus `json:"status"`
	// Plan holds the steps in PDDL, "(unstack a b)"; a malformed step has no entry.
	// An empty plan with StatusPlan is an answer ("nothing needs to be done").
	Plan []string `json:"plan"`
	// Lines holds the 1-based line in the response of each entry of Plan.
	Lines     []int       `json:"lines,omitempty"`
	Malformed []Malformed `json:"malformed,omitempty"`
	// Reading names the rule that was used, "last-plan-block" for instance.
	Reading string `json:"reading"`
	// Alternatives are other readings that a person could defend; when there are
	// any with another plan, Status may be ambiguous.
	Alternatives [][]string `json:"alternatives,omitempty"`
}
