// Package proof checks certificates of plans with the fewest steps.
//
//	certificate ─► plan ────────► the judge, and the second geometry of this package
//	           ├─► bound ───────► computed once more from the task
//	           └─► refutation ──► formula, written once more from the task ─► each lemma by propagation
//
// It shares no code with the search and its solver: it has its own places, distances, formula,
// geometry (sets of shared points as fractions, in place of signs) and propagation. What both know is
// the form of a certificate ([Certificate]) and the numbers of variables ([Variables]).
//
// What is taken for granted is short: docs/BOXNET.md says why objects cannot be earlier at a point
// than two steps for each time they are carried, and lists the clauses of the formula.
package proof
