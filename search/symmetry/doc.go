// Package symmetry finds structural symmetries of a ground task: permutations of its facts that map variables to
// variables, operators to operators of the same cost, axioms to axioms and the goal to itself. They map plans to plans,
// so a search needs only one state of each orbit (Pochter et al., AAAI 2011; Domshlak et al., ICAPS 2012;
// Shleyfman et al., AAAI 2015):
//
//	grounder.Task ─► graph ─► finder (refines pairs of partitions) ─► candidates ─► verifier ─► Group
//	                                                                                             │
//	                               state ─► Canonizer ─► the state that stands for its orbit ◄───┘
//	                               path of such states ─► Trace ─► plan
//
// A Group has generators only, as many as counted work allows. Every generator has been verified on the task itself, so
// an error of graph or finder can cost symmetries but never an answer.
package symmetry
