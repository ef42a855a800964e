package extract

import "strings"

// Status says what was found in an answer.
type Status string

// Statuses of an extraction.
const (
	// StatusPlan: the answer commits to one plan, which may be empty or have malformed steps.
	StatusPlan Status = "plan"
	// StatusNoPlan: no plan was found.
	StatusNoPlan Status = "no-plan"
	// StatusAmbiguous: the answer offers different plans and commits to none of them.
	StatusAmbiguous Status = "ambiguous"
	// StatusClaimsUnsolvable: the answer says that there is no plan.
	StatusClaimsUnsolvable Status = "claims-unsolvable"
)

// Malformed is a line in the place of a step that cannot be read as one. It is never dropped: a
// plan with a malformed step is invalid.
type Malformed struct {
	Line int    `json:"line"` // 1-based, in the response
	Step int    `json:"step"` // 1-based position among the plan's steps
	Text string `json:"text"`
	Why  string `json:"why,omitempty"` // what is wrong with it, if the reader is strict
}

// Extraction is the plan that an answer commits to.
type Extraction struct {
	Status Status `json:"status"`
	// Reader says which reader read the answer.
	Reader Kind `json:"reader"`
	// Plan holds the steps in PDDL, "(unstack a b)", with times and durations if the domain has
	// durative actions. Malformed steps have no entry. An empty plan with StatusPlan is an answer
	// too ("nothing needs to be done").
	Plan []string `json:"plan"`
	// Lines[i] is the 1-based line of the answer that Plan[i] was read from.
	Lines     []int       `json:"lines,omitempty"`
	Malformed []Malformed `json:"malformed,omitempty"`
	// Unfinished is the last line of an answer that was cut off before this line named an object.
	// It does not count as a step.
	Unfinished string `json:"unfinished,omitempty"`
	// Reading names the rule that was used, "last-plan-block" for instance.
	Reading string `json:"reading"`
	// Confidence says how much the reading had to choose. Nothing depends on it.
	Confidence Confidence `json:"confidence"`
	// ClaimsUnsolvable: the answer says that there is no plan, possibly besides giving one.
	ClaimsUnsolvable bool `json:"claims_unsolvable,omitempty"`
	// Alternatives are the plans of other lists in the answer, at most a few. If the answer offers
	// them as options, Status is ambiguous.
	Alternatives [][]string `json:"alternatives,omitempty"`
}

// PlanText returns the plan as a plan file with one step per line, so that line numbers are step
// numbers. A malformed step becomes an unclosed parenthesis with its text in a comment. No plan
// reader accepts that, so a plan with a malformed step is always refused. The same holds for an
// extraction without a plan, which must not pass for the empty plan.
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

// Steps returns the number of steps, including malformed ones.
func (e *Extraction) Steps() int { return len(e.Plan) + len(e.Malformed) }

// maxQuote is the number of bytes that are kept of a malformed step.
const maxQuote = 200

// oneLine shortens a text to one line of a report.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxQuote {
		s = strings.ToValidUTF8(s[:maxQuote], "") + "..."
	}
	return s
}
