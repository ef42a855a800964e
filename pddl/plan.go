package pddl

// Plan is a plan as written, before any name is looked up. Reading a plan needs no
// domain, which keeps malformed plans apart from wrong ones.
type Plan struct {
	Source *Source
	Steps  []Step
	// Timed is true when the steps carry time stamps. A plan with stamped and
	// unstamped steps is refused by the reader.
	Timed bool
	// End is the time of the marker "TIME: @PlanEND", valid if HasEnd: until then time passes,
	// though nothing is done any more.
	End    Number
	HasEnd bool
}

// Step is one ground action of a plan. Names keep the spelling of the text and are
// substrings of it. Steps stay in the order of the text; the judge sorts
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
	// Decimals is the number of decimals the duration is written with: a constraint
	// (= ?duration v) holds if v rounded to that many decimals is the duration.
	Decimals    int
	HasDuration bool
}
