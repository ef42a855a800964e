// Package symbolic searches with sets of states, as decision diagrams, from both ends:
//
//	grounder.Task ─► orders of variables ─► bits ─► relations (merged operators) ┐
//	                                        │                                    ▼
//	                                        ├─► derived variables          side forward  ─┐
//	                                        └─► mutexes                    side backward ─┴─► meet ─► plan
//
// It is uniform-cost search (Edelkamp and Helmert 1999; Torralba, Alcázar, Kissmann and
// Edelkamp, Artificial Intelligence 242, 2017). Each side keeps, by cost, the set of states
// it has reached (open) and has gone on from (layers). Derived variables are replaced by the
// states in which they hold (Speck, Geißer, Mattmüller and Torralba, ICAPS 2019), so
// conditions on them, disjunctions and quantifiers cost no more than any set.
//
// # Bounds
//
// Let f and b be the least costs that forward and backward have not finished yet, and e the
// cost of the cheapest operator. Whenever a side reaches a set of states, it is compared with
// all sets that the other side has reached, open ones included; best is the least sum of costs
// where two have a state in common. No plan is cheaper than min(best, f+b+e). Suppose
// otherwise, let s0 ... sn be the states of a cheapest plan, of cost C, d(s) and r(s) the cost
// of the way to and from s, si the last state with d(si) < f, and sj the first with
// r(sj) < b. (If one does not exist, all of the plan lies on one side, and was met.) Then si
// is finished by forward, so s(i+1) was reached by it at cost d(s(i+1)) >= f, or si is the last
// state; likewise s(j-1) was reached by backward. If j-1 <= i+1, some state of the plan was
// reached by both sides at its final costs, so best <= C. Else at least one operator lies between
// s(i+1) and s(j-1), so C >= f + e + b.
//
// States that cost so much that no plan through them can be better than best, or than the
// cost of a plan that another search knows ([Search.SetBound]), are left out. The backward side
// leaves out states that violate mutexes of the task: no reachable state does.
//
// # Sets
//
// The set that a side goes on from holds all that is new at a cost and, where that makes the diagram smaller, states
// that it has gone on from before, at lower costs. They do no harm: what they lead to was reached at a lower cost, or was
// left out because nothing through it is of interest, so it neither is new later nor improves best. A state found
// on the way back from where the sides meet has the cost that it is looked for at: else the next one would have been
// reached at a lower cost.
//
// # Arrangements
//
// Several orders of the variables compete ([arrangement]): each has relations and sides of its own, searches for so many
// steps, and the best goes on. Lower bounds and limits are shared.
//
// # Order
//
// The side whose next layer promises to be less work goes on (measured by its last two
// layers and their sizes). A product of a set and a relation that takes longer than that
// promise is given up, and the other side gets its chance. All of that is counted in steps of
// the diagrams, so the answer is a function of the task and the limit on memory.
//
// # Control
//
// A search runs as a coroutine: an operation on diagrams can take minutes, and its recursion
// pauses wherever a slice of work ends.
package symbolic
