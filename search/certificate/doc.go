// Package certificate has certificates of optimal costs and of unsolvability: what is in
// them, their file format, and the checker.
//
// The checker shares nothing with package search but the ground task and the meaning of
// its operators and axioms: it has its own layout of states, its own table of them, its own
// successors. What a certificate says and why it proves its claim is in
// docs/CERTIFICATES.md. In short:
//
//	certificate   claim      no plan costs less than C | there is no plan
//	              parts      tables of abstract distances, zones
//	              groups     sums of parts that share the operators' costs
//	              states     a bound each, and why:
//	                           direct     the value of a group
//	                           otherwise  no goal, and every transition leads to a bound
//	                                      that is smaller by at most its cost
//
// Reading order: certificate.go (the content), check.go (the theorem as code), parts.go
// (bounds that hold everywhere), machine.go (operators and axioms), encode.go and
// decode.go (the file).
package certificate
