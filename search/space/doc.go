// Package space turns a ground task into its whole reachable state space: the exact goal
// distances of all states, all transitions, all plans from the best on. Small tasks only:
// a search looks at the part of the space that one answer needs, this package at all of it.
//
//	grounder.Task ─► Simulator ─┬─► Exhaust ───► Table ──────► file (Save, LoadTable)
//	   (named actions on        │                  ├─► Distance, DistanceAfter, Rows, Summary
//	    packed states)          │                  ├─► CheapestPlan, Plans: the K best
//	                            │                  ├─► Exporter: JSON lines, CSV, drawings
//	                            │                  └─► Certify: a certificate of all distances
//	                            └─► Enumerate ─► StateSpace ─► Distances (any goal, any costs)
//	                                               └─► Goals: many goals of one problem
//
// # Tables
//
// A Table answers one question, how far a state is from the goal, for every state and from
// many goroutines at once. Exhaust makes it in two passes and keeps no transitions:
//
//	forward    ids ─► batches ─► workers: unpack, applicable, apply, hash ─► registry
//	backward   level of the least open distance ─► workers: undo, look up ─► distances
//
// Forward, workers generate successors and one thread registers them in the order of their
// parents, so ids do not depend on timing. Backward, from the goal states, inverse operators
// give candidates, and those that are registered states count. A third pass counts the
// optimal plans. DistanceAfter, the distance after the first steps of a plan, is the basis
// of process rewards. The file of a table is laid out to be mapped into memory, with an index
// of its own (tableformat.go, docs/STATESPACE.md). A Simulator executes named actions
// without a table.
//
// # Transitions
//
// Enumerate keeps the transitions too, 16 bytes each, and knows no goal. A StateSpace gives
// the distances to any goal, or from any states, under any costs by operator, by cost first
// or by steps first. One Distances belongs to one goroutine.
//
// # Reading order
//
// simulator.go (actions by name), exhaust.go and expand.go (forward; workers.go), inverse.go,
// goaldistances.go and dijkstra.go (backward), countplans.go; table.go and the files of its
// name; plans.go (cones.go, loopless.go) and cheapestplan.go; statespace.go, distances.go,
// goals.go.
package space
