// Package space turns a ground task into its whole reachable state space: exact goal
// distances of all states, all transitions, all plans from the best on.
//
//	grounder.Task ─► Simulator ─┬─► Exhaust ───► Table ──────► file (Save, LoadTable)
//	   (named actions on        │                  ├─► Distance, DistanceAfter, Rows
//	    packed states)          │                  ├─► Plans: the K best
//	                            │                  └─► Certify: a certificate of all distances
//	                            └─► Enumerate ─► StateSpace ─► Distances (any goal, any costs)
//
// # Tables
//
// Exhaust enumerates the reachable states breadth first and runs backwards from the goal
// states. Neither pass keeps transitions: the way back goes by inverse operators, whose
// candidates count if they are registered states. Workers generate, one thread registers in
// the order of the parents, so ids do not depend on timing:
//
//	ids ─► batches ─► workers: unpack, applicable, apply, hash ─► registry
//	level of the least open distance ─► workers: undo, look up ─► distances
//
// A Table answers from many goroutines at once: the distance of a state, and the distance
// after a plan prefix (DistanceAfter), the basis of process rewards. Its file is laid out to
// be mapped into memory, with an index of its own (tableformat.go). Simulator executes named
// actions without a table.
//
// Enumerate keeps the transitions as well (16 bytes each) and knows no goal: a StateSpace
// gives the distances to any goal, or from any state, under any costs by operator, the
// lexicographic ones too, with one Distances per goroutine.
package space
