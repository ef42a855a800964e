package pddl

// Severity of a diagnostic.
type Severity uint8

// Severities.
const (
	Error Severity = iota
	Warning
)

// Code names a kind of diagnostic. docs/ERRORS.md lists them all.
type Code string

// Diagnostic is one located message about an input.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Source   *Source
	Pos, End Pos // the offending text; End may equal Pos
	Message  string
	Hint     string // "" when none is known
}

// Diagnostics is a list of messages sorted by position. As an error its text is
// every message in full.
type Diagnostics []Diagnostic
