// Package secondjudge is a second judge of plans, for `validate --cross-check` and for tests.
// It shares nothing with package validator but the typed model, and is written in another
// style, so that a fault in one hardly hides in the other:
//
//	                 validator                        secondjudge
//	state            bits, interned tuples            sets of strings
//	conditions       compiled, with indexes           recursion over the formula, all objects
//	derived atoms    on demand, cached                all of them, bottom up
//	interference     patterns of what is read         sets of ground atoms
//	constraints      automata fed state by state      the whole trajectory, by definition
//	between events   a walk along the roots           all roots of all comparisons, and
//	                                                  the points between them
//
// Nothing in it is clever, and it is slow: a step costs as much as the state. It takes what
// validator.NewJudge takes, and relies on that check.
package secondjudge
