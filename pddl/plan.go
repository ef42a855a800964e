package pddl

// Plan is a plan as text says it, before any name is looked up: reading a plan
// needs no domain, so that a malformed plan is told apart from a wrong one.
type Plan struct {
	Source *Source
	Steps  []Step
	// Timed is true when the steps carry time stamps. A plan with stamped and
	// unstamped steps is refused by the reader.
	Timed bool
}

// Step is one ground action of a plan. Names keep their spelling and are
// substrings of the source. Steps stay in the order of the text; the judge sorts
// stamped ones by their time.
type Step struct {
	Name string
	Args []string
	Pos  Pos // of the opening parenthesis
	// NamePos and ArgPos point at the name and at each argument.
	NamePos  Pos
	ArgPos   []Pos
	Time     Number // valid if the plan is Timed
	Duration Number // valid if HasDuration
	// Decimals is the number of decimals the duration was written with: `= v`
	// holds when the duration is v rounded to that many decimals.
	Decimals    int
	HasDuration bool
}
