// Package proof has certificates of optimal costs, of unsolvability and of what never happens: what is
// in them, how they are read, and the checker.
//
// It stands alone: of planproof it links only package fdr. A file has the ground task in it, so
// that cmd/planproof-check verifies it without reading PDDL, grounding or searching. Package
// certificate does the same for the grounder's tasks, and writes the files. What a certificate says and
// why it proves its claim is in docs/CERTIFICATES.md. In short:
//
//	certificate   claim      no plan costs less than C | there is no plan
//	              parts      tables of abstract distances, zones
//	              groups     sums of parts that share the operators' costs
//	              states     a bound each, and why:
//	                           direct     the value of a group
//	                           otherwise  no goal, and every transition leads to a bound
//	                                      that is smaller by at most its cost
//
// Reading order: certificate.go (the content), check.go (the theorem as code), parts.go (bounds
// that hold everywhere), machine.go (operators and axioms), numbers.go, task.go and decode.go (the file).
package proof
