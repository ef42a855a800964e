// Package heuristic has the admissible estimates of search.
//
//	blind   the cheapest operator's cost, 0 at goals
//	hmax    h-max, by a Dijkstra search over propositions
//	lmcut   LM-cut, sums of landmarks cut from h-max's justification graph
//	pdb     pattern databases under saturated cost partitionings
//	scp     many saturated cost partitionings of pattern databases and Cartesian abstractions
//	pdbs    the pattern databases alone
//	cegar   the Cartesian abstractions alone
//	landmarks  facts that are still to come, sharing the costs of what achieves them
//
// Catalogue lists them with their properties and the features they refuse; help texts,
// the table of capabilities and refusals come from it.
//
// # Data layout
//
// hmax and lmcut work on a relaxation: the delete-relaxed task over dense numbers, without
// the facts and operators that cannot contribute to the goal. explorer (hmaxexplore.go) holds what changes
// from state to state:
//
//	h     by proposition   | 0 | 3 | inf | ...
//	head  by proposition   first operator that watches it
//	rec   by operator      | pre eff end | watch next prev | cost most supCost | touch |
//	lits                   | preconditions, effects of operator 0 | of operator 1 | ...
//
// An operator's record and its stretch of lits are all that a visit touches. Costs are
// int32 unless the task's costs need int64, and are halved, with estimates rounded down,
// where even sums of those would overflow. An estimate allocates nothing. LM-cut's can take
// seconds in large tasks, so it can be done in pieces (Resumable), one for each cut. The cuts of the
// states evaluated last are kept for their successors (Incremental, lmcutkept.go, lmcutwords.go).
//
// # Numbers
//
// Tasks with fluents have a relaxation of their own (numericrelax.go), in which operators
// also contribute to bounds on sums, and h-max and LM-cut on it (numerichmax.go,
// numericlmcut.go): they label anew for each cut and repair nothing.
//
// # Pattern databases
//
//	patterns.go     which sets of variables: along the causal graph
//	projection.go   the abstract space of one
//	pdb.go          a few orders of patterns, and tables that go into certificates
//
// # Cost partitioning
//
//	abstractgraph.go   an abstract space: transitions backwards, exact distances, the least
//	                   costs that they need (saturation)
//	cartesian.go       abstractions refined where their plans fail in the task
//	cartesiansplit.go  one step of it: a state becomes two
//	scpbuild.go        abstractions, orders of them, what each order's tables pay
//	scp.go             the tables, and looking a state up
//
// # Landmarks
//
//	landmarkfacts.go   for every fact, the facts without which it is out of reach
//	landmarkindex.go   the goal's landmarks, disjunctive ones, what achieves them
//	landmarkzones.go   what they prove beyond the state, for certificates
//	landmarks.go       which of them are to come in a state, and at what cost
//
// lmcutzones.go says what a landmark of LM-cut proves beyond the state that it was found in.
//
// # Axioms and conditional effects
//
// An axiom is a relaxed operator of cost 0, and the default value of a derived variable
// always holds. Conditional effects split an operator into parts. Both keep every plan of
// the task a relaxed plan of the same cost, so both heuristics stay admissible; what LM-cut
// must take care of with parts is said at its type.
package heuristic
