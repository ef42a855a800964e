// Package taskline is what the commands about planning tasks share: how the arguments of a command
// line name a task, its schedule and its limits, and how an error becomes words and an exit code.
//
//	arguments ─► sources.go: texts ─► task.go: problem, priced by --schedule ─► ground.go: ground task, what is left of the limits
//	                 └────────────────────────┴──── errors.go ────┴─► diagnostics at their places, status, exit code
//
// What is not about planning is in [github.com/planproof/planproof/internal/cmdline].
package taskline
