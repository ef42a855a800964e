package extract

// PlanVerdict says whether a plan is valid, and if not why: what a verification
// answer is about.
type PlanVerdict struct {
	Valid bool `json:"valid"`
	// Kind is precondition or goal, "" for a valid plan or when not told.
	Kind string `json:"kind,omitempty"`
	// Step is the 1-based number of the first step that cannot be executed, 0 for none.
	Step   int    `json:"step,omitempty"`
	Action string `json:"action,omitempty"` // in PDDL
	// Unmet are the conditions that do not hold, in PDDL, and Forbidden tells that the task
	// forbids the step (domains.Forbidden).
	Unmet     []string `json:"unmet,omitempty"`
	Forbidden bool     `json:"forbidden,omitempty"`
}
