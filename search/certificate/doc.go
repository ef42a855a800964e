// Package certificate writes certificates of the grounder's tasks, and has them checked.
//
//	grounder.Task ─► taskOf ─► proof.Task ─┬─► proof.Check     the checker, which stands alone
//	search.Certify ─► Certificate ─► Write ┴─► a file ─► Reader, or cmd/planproof-check
//
// The checker, package proof, shares nothing with package search but the meaning of operators and
// axioms: it has its own layout of states, its own table of them, its own successors.
package certificate
