// Package sat decides propositional formulas in conjunctive normal form: a small solver by
// conflict-driven clause learning that can be stopped, asked again after more clauses have
// been added, and that writes a proof when there is no solution.
//
//	NewVar, Add ─► Solve(ctx, assumptions) ─► Satisfiable: Value(v) of each variable
//	                     │                    Unsatisfiable: the last line of the proof is empty
//	                     └─► Proof: learned and deleted clauses (DRAT)
//
// Variables are numbered from 1. A literal is a variable's number, negative if negated, as in
// the DIMACS format. The techniques are those of MiniSat (Eén and Sörensson, SAT 2003): two watched literals,
// activities of variables with a heap, saved phases, first-UIP clauses with minimisation; and restarts
// and deletion by the number of decision levels in a clause, as in Glucose (Audemard and Simon, IJCAI
// 2009). The same calls give the same answers, models and proofs.
//
// docs/decisions/dependencies.md says why none of the solvers in Go that others have published is used.
package sat
