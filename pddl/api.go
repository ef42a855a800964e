package pddl

// Options of the readers.
type Options struct {
	// Strict turns warnings about tolerated deviations from the standard
	// (undeclared requirements, names that begin with a digit, ...) into errors.
	Strict bool
}

// ParseDomain reads and checks a domain. The domain is nil if any diagnostic is
// an error. Diagnostics are sorted by position.
func ParseDomain(src *Source, opt Options) (*Domain, Diagnostics) { panic("todo") }

// ParseProblem reads and checks a problem of dom. With a nil dom only the syntax
// is checked and the problem is nil.
func ParseProblem(src *Source, dom *Domain, opt Options) (*Problem, Diagnostics) { panic("todo") }

// ParsePlan reads a plan strictly: every token belongs to a step, a comment or
// white space, or the plan is refused with a located error.
func ParsePlan(src *Source) (*Plan, Diagnostics) { panic("todo") }

// Format lays a domain or problem out canonically and keeps its comments.
func Format(src *Source) (string, Diagnostics) { panic("todo") }
