package extract

// confidence sums up a reading. It is low if the plan is cut off, only talked about, or has
// malformed lines; medium if a rule chose among several texts or took words for an empty plan; and
// high otherwise.
func (e *Extraction) confidence() Confidence {
	switch {
	case e.Status == StatusAmbiguous, len(e.Malformed) > 0, e.Unfinished != "", e.Reading == "explained-list", e.Reading == "unclosed-plan-block", e.Reading == "too-long":
		return ConfidenceLow
	case e.Status == StatusPlan && e.ClaimsUnsolvable, len(e.Alternatives) > 0, e.Reading == "last-list", e.Reading == "goal-holds", e.Reading == "empty-plan":
		return ConfidenceMedium
	}
	return ConfidenceHigh
}

// Confidence says how much a reading had to choose. It summarises the reading for people; it is not
// a probability, and nothing depends on it.
type Confidence string

// Levels of confidence.
const (
	// ConfidenceHigh: the answer marks what it commits to, or holds nothing else.
	ConfidenceHigh Confidence = "high"
	// ConfidenceMedium: one of several texts was chosen by a rule.
	ConfidenceMedium Confidence = "medium"
	// ConfidenceLow: what was read is cut off, unmarked or full of lines that cannot be read.
	ConfidenceLow Confidence = "low"
)
