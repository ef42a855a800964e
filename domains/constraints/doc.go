// Package constraints attaches constraints to a task: what the environment permits (objects missing, actions
// unavailable, capacities, initial facts) and what a user wants (bans on attributes, order, frequency, deadlines, costs,
// the trajectory operators of PDDL 3).
//
//	text ─► Parse ─► []Constraint ─┬─► Compile ─► pddl.Problem ─► any planner: solvability and optimum are exact
//	            ▲                  ├─► NewJudge ─► Violations, each at its step
//	            └── ReadSentences ─┴◄─ Sentence
//
// docs/RESTRICTIONS.md lists them.
package constraints
