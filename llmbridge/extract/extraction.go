package extract

import "strings"

// Status says what was found in a response.
type Status string

// Statuses of an extraction.
const (
	// StatusPlan: the response commits to one plan; it may be empty, and it may
	// have malformed steps.
	StatusPlan Status = "plan"
	// StatusNoPlan: no plan was found.
	StatusNoPlan Status = "no-plan"
	// StatusAmbiguous: different plans are offered and none is committed to.
	StatusAmbiguous Status = "ambiguous"
	// StatusClaimsUnsolvable: the response says that there is no plan.
	StatusClaimsUnsolvable Status = "claims-unsolvable"
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
	Status Status `json:"status"`
	// Plan holds the steps in PDDL, "(unstack a b)", with their times and durations
	// in a domain with durative actions; a malformed step has no entry.
	// An empty plan with StatusPlan is an answer ("nothing needs to be done").
	Plan []string `json:"plan"`
	// Lines holds the 1-based line in the response of each entry of Plan.
	Lines     []int       `json:"lines,omitempty"`
	Malformed []Malformed `json:"malformed,omitempty"`
	// Unfinished is the last line of an answer that was cut off before that line named an
	// object: it is no step.
	Unfinished string `json:"unfinished,omitempty"`
	// Reading names the rule that was used, "last-plan-block" for instance.
	Reading string `json:"reading"`
	// Confidence says how much of the reading was choice; it decides nothing.
	Confidence Confidence `json:"confidence"`
	// ClaimsUnsolvable tells that the response also says that there is no plan.
	ClaimsUnsolvable bool `json:"claims_unsolvable,omitempty"`
	// Alternatives are other readings that a person could defend; when there are
	// any with another plan, Status may be ambiguous.
	Alternatives [][]string `json:"alternatives,omitempty"`
}

// PlanText returns the plan as a plan file, one step a line, line numbers being
// step numbers. A malformed step is an unclosed parenthesis with the text in a
// comment, which no plan reader accepts: a plan with one is refused, whatever its
// other steps are. So is the text of an extraction that found no plan: it is never
// taken for the empty plan.
func (e *Extraction) PlanText() string {
	var b strings.Builder
	if e.Status != StatusPlan {
		return "(no-plan ; " + string(e.Status) + "\n"
	}
	m := 0
	for i := 0; i < len(e.Plan) || m < len(e.Malformed); {
		if m < len(e.Malformed) && (e.Malformed[m].Step <= i+m+1 || i == len(e.Plan)) {
			b.WriteString("(malformed-step ; ")
			b.WriteString(oneLine(e.Malformed[m].Text))
			b.WriteByte('\n')
			m++
			continue
		}
		b.WriteString(e.Plan[i])
		b.WriteByte('\n')
		i++
	}
	return b.String()
}

// Steps is the number of steps, malformed ones included.
func (e *Extraction) Steps() int { return len(e.Plan) + len(e.Malformed) }

// maxQuote bounds the text of a malformed step that is kept.
const maxQuote = 200

// oneLine makes a text fit for one line of a report.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxQuote {
		s = strings.ToValidUTF8(s[:maxQuote], "") + "..."
	}
	return s
}

// confidence sums up a reading: high where the answer marks one plan or holds nothing
// else, medium where a rule chose among texts or read words for a plan, low where the
// plan is cut off, told about or has malformed lines.
func (e *Extraction) confidence() Confidence {
	switch {
	case e.Status == StatusAmbiguous, len(e.Malformed) > 0, e.Unfinished != "", e.Reading == "explained-list", e.Reading == "unclosed-plan-block", e.Reading == "too-long":
		return ConfidenceLow
	case e.Status == StatusPlan && e.ClaimsUnsolvable, len(e.Alternatives) > 0, e.Reading == "last-list", e.Reading == "goal-holds", e.Reading == "empty-plan":
		return ConfidenceMedium
	}
	return ConfidenceHigh
}
