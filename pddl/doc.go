// Package pddl reads PDDL text into a typed, checked model and writes it back.
//
//	text ─► skeleton ─► bodies ─► reader ─► Domain, Problem ─► printer
//	        (lexer and  (one per   (tables
//	        participle)  section)   and trees)
//	text ─► PlanReader ─► Plan
//	text ─► token tree ─► Format
//
// # Reading
//
// A file is read twice. The first pass (skeleton.go) only matches parentheses: it
// cuts the text into sections and hands each body over as one token. participle
// reads these few tokens with the grammar in grammar.go, which is the readable map
// of a file. A token for every word would cost fifty bytes of memory per byte of
// input; this way the grammar's cost does not depend on the length of the file.
//
// The second pass (reader.go and read_*.go) goes over the bodies in the order in
// which they need each other: types, constants, predicates, functions, derived
// predicates, actions; objects, initial state, goal, constraints, metric. Names are
// resolved on the spot, so that what comes out has no names left to look up: atoms
// hold a PredicateID, arguments are Terms (objects, or slots of the Schema), types
// are TypeIDs. Shadowed variables have slots of their own.
//
// No reader stops at an error. It reports the error, skips to the end of the list
// it is in and goes on, so that one run tells all that is wrong with a file. A
// missing parenthesis is noticed where a new section, or a new part of an action,
// begins inside an open list; both passes then close what is open and go on.
//
// # Data layout
//
// Trees (Formula, Effect, NumExpr) come from slabs: a grounded domain has a million
// nodes. The initial state goes to flat tables, which is all that a later stage
// needs of millions of facts:
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
// bound what is read, so that no input exhausts the stack or the memory of a later
// stage. Beyond them there is an error with its place.
//
// # Sharing
//
// A Domain, Problem or Plan that a reader has returned never changes, and may be
// used by any number of goroutines at once. A problem whose objects have an
// (either ...) type that the domain lacks has a domain of its own, equal but for
// the additional type: use Problem.Domain with a problem.
package pddl
