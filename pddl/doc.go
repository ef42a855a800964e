// Package pddl reads PDDL text into a typed, checked model and writes it back.
//
//	ParseDomain, ParseProblem
//	  text ─► sections ─► bodies ─► Domain, Problem ─► String
//	          grammar.go  reader.go, read_*.go         print.go
//	          skeleton.go
//	ParsePlan, PlanReader
//	  text ─► Plan ─► String                           read_plan.go
//	Format
//	  text ─► token tree ─► text, with its comments    format.go
//
// # Reading
//
// A file is read in two passes. The first (skeleton.go) only matches parentheses: it
// cuts the text into sections and hands over each body as one token. participle reads
// these few tokens with the grammar in grammar.go, which is the readable map of a
// file. One token per word would cost fifty bytes of memory per byte of input; this
// way the cost of the grammar does not depend on the length of the file.
//
// The second pass (reader.go and read_*.go) reads the bodies in the order in which
// they need each other: types, constants, predicates, functions, derived predicates,
// actions; then objects, initial state, goal, constraints, metric. Names are resolved
// on the spot, so the result has no names left to look up: atoms hold a PredicateID,
// arguments are Terms (objects, or slots of the Schema), types are TypeIDs. A variable
// that shadows another has a slot of its own.
//
// No reader stops at an error. It reports the error, skips to the end of the list it
// is in and goes on, so that one run reports everything that is wrong with a file. A
// missing parenthesis is noticed where a new section, or a new part of an action,
// begins inside an open list; both passes then close what is open and go on.
//
// # Data layout
//
// The nodes of trees (Formula, Effect, NumExpr) come from slabs: a grounded domain has
// a million of them. The initial state, which may have millions of facts, is kept in
// flat tables:
//
//	AtomTable   Pred   [  on |  on | clear | ... ]
//	            Start  [   0 |   2 |   4   | 5 ... ]
//	            Args   [ a b | b c | a | ... ]
//
// A Pos is a byte offset; lines and columns are computed when a message is printed.
// Names are substrings of the text, which therefore stays in memory.
//
// # Limits
//
// MaxNesting, MaxNameLength, MaxParameters, MaxTypes, MaxDigits and MaxSourceSize
// bound the input, so that none exhausts the stack or the memory of a later stage.
// Input beyond them gets an error at its place.
//
// # Sharing
//
// A Domain, Problem or Plan never changes after a reader has returned it, and any
// number of goroutines may use it at once. A problem whose objects have an
// (either ...) type that the domain lacks gets a domain of its own with that type: use
// Problem.Domain together with a problem.
package pddl
