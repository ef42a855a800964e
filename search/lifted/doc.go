// Package lifted searches without grounding: it lists the applicable steps of a state by joins over the state's own
// atoms, so a task with more ground actions than memory holds can still be searched blindly.
//
//	pddl.Problem ─► newTask ─► task: static relations, actions as queries and effects
//	                             │
//	   states ─► view ─► join ───┴─► steps ─► effects ─► successors ─► states
//	   (packed)  (atoms by           (program.go orders the joins,      (found again by hash,
//	              predicate)          join.go runs them)                 compared exactly)
//
// [Run] is the entry. Nobody has judged its plan yet: internal/pipeline does.
//
// # States
//
// An atom of a predicate that some action changes gets a number when it is first reached (atoms.go). A state is the
// ascending list of its numbers, kept as the gaps between them, mostly one byte each (states.go). A successor is
// written by copying the bytes between the few places that change. Its hash is the sum of a hash of each atom, so it is
// known from the hash of the state before. States with equal hashes are compared byte by byte.
//
// # Joins
//
// A query is a conjunction and the slots that it must bind. A program runs it as nested loops: each step finds the
// rows of one atom that match what is bound already, by an index, or tests a condition as soon as its variables are
// bound. The order is greedy by estimated numbers of rows, and an action has one program for each order of magnitude of
// the sizes of its predicates. Parameters that no effect and no cost mentions are only shown to exist.
// All other conditions (negation, disjunction, quantifiers) are tests; a quantifier is a query of its own.
//
// # Search
//
// Where all steps cost the same the search goes breadth first and tests the goal when a state is generated; elsewhere it is
// Dijkstra's algorithm. States that are generated in the same order get the same numbers, so the answer
// depends on the task alone. The steps of the plan are not stored: they are found again by expanding the states along it.
package lifted
