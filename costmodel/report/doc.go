// Package report answers questions about the costs of sets of tasks: what a cheapest plan
// costs and which budgets follow; whether cheapest plans differ from shortest ones; how
// good given plans are. Its answers are rows for programs, tables for people, and charts.
//
//	names ─► store.Opener ─► Input ─► Reader.Tasks ─► Task
//	                                                   │
//	             ┌──────────────────┬──────────────────┤
//	             ▼                  ▼                  ▼
//	          Budgets             Shifts            Results ◄─ plans, rows of JSON Lines
//	             │                  │                  │
//	             │                  │               Measure ─► Metrics
//	             ▼                  ▼                  ▼
//	         BudgetRow      ShiftRow, ShiftRate    MetricsRow, Cell      as JSON
//	         Write               Write               Write               as text
//	                               Draw                  Draw            as SVG
//
// The state space of a set is enumerated once and shared by its tasks (see
// [costmodel.Truth]); one task whose space is too large can be left to searches, whose
// plans the judge confirms. All figures are exact. docs/COSTS.md defines them.
//
// # Errors
//
// A limit is a [*search.LimitError], [grounder.ErrLimit] or [context.DeadlineExceeded];
// faults of a task are [pddl.Diagnostics]. Errors about one task of several name it.
package report
