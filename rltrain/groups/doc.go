// Package groups compares the responses to one prompt: advantages for policy gradients, the
// constraint-aware terms of CARL, the tokens of objectives, and preference pairs.
//
//	rewards of a group ──► Advantages ────────────┐
//	                                              ├──► ConstraintAdvantages
//	log-probabilities with and without            │
//	the prompt's constraints ──► Estimator.Tokens ┘
//
//	judged responses ──► Pairs ──► chosen and rejected, for DPO
//
// The Python package computes the same numbers bit by bit, which takes care: every sum has
// its order, every operation is rounded by itself, and exp is written out (exp.go) because
// libraries differ in its last bit. testdata/groups.golden.json holds inputs and outputs for
// both.
package groups
