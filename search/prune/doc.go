// Package prune removes facts and operators that no plan needs before search begins, by h² mutexes in both
// directions (Alcázar and Torralba, ICAPS 2015):
//
//	initial state ─► pairs of facts that may hold together (h², forward) ─┐
//	goal ─► pairs from which the goal may be reached (h², backward) ──────┴─► dead pairs, to a fixed point
//
// A pair is dead if no state of any plan has both facts. An operator is dead if what it needs, or what it leaves, has
// a dead pair, and a fact is dead if it is a dead pair with itself. Every plan of the task without dead operators
// that make a difference is a plan of the reduced task at the same cost, and the other way round, so optimal costs
// are the same. Dead ends are removed, too, so the two tasks do not have the same state spaces.
package prune
