// Package taskref says which task is meant and finds its texts: the one way from a row, a
// request or the arguments of a command to a parsed task.
//
//	Ref{Task: "gripper:1"} ───────────────┐
//	Ref{Domain, Problem}: files ──────────┼─► Resolver.Resolve ─► Key ─► Resolver.Parse ─► *pddl.Problem
//	Ref{DomainText, ProblemText} ─────────┘         │              │            │
//	                                      texts of files       Key.Sum    parsed domains
//	                                       (kept while         names it      (kept)
//	                                        unchanged)         by content
//
// A [Key] holds the texts themselves, not a hash of them, so that caches keyed by it never
// take two tasks for each other.
package taskref

// Ref names a task: files, text, or the name of a bundled task.
type Ref struct {
	// Domain and Problem are file paths; Domain alone may be the name of a bundled
	// task.
	Domain, Problem string
	// DomainText and ProblemText are PDDL text, and win over the paths.
	DomainText, ProblemText string
	// Task is the name of a bundled task.
	Task string
}

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }
