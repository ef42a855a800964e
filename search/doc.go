// Package search finds cost-optimal plans of ground tasks and exact goal distances of
// whole state spaces.
//
// # Data flow
//
//	grounder.Task ─► space ──┬─► blindSearch ─┐
//	   (compiled once:       │   A*, blind    ├─► auto ─► Result
//	    packer, successor    ├─► astar ───────┘
//	    generator, applier,  │   any heuristic
//	    axiom evaluator)     ├─► bidirectional: Regression, matchTree (see nbs.go)
//	                         └─► Exhaust ─► Table (all distances) ─► file
//
// Run parses a search string ("astar(lmcut())", see config.go), builds the engine that it
// names and drives it in slices of work, looking at clock, context and observer between
// slices. Engines know neither: what they expand, and in which order, is a function of the
// task. All statistics but times are therefore reproducible.
//
// # Nodes
//
// A search node is a record of state.Registry: the packed state and, behind it,
//
//	| g:64 | closed:1 operator:31 parent:32 | estimate:63 evaluated:1 |
//
// the last word only in searches with a heuristic. The open list holds (state, f, h)
// entries of eight bytes; entries that have become stale are recognised when popped.
//
// # Optimality
//
// blindSearch is A* with the consistent estimate "cheapest operator, 0 at goals". astar
// asks its heuristic late: a new state is queued under the bound that its parent passes on
// (the parent's estimate less the operator's cost; for LM-cut, the parent's landmarks that
// the operator does not belong to) and evaluated when it is popped. All keys are lower
// bounds, f never falls along a path, and states found again at less cost are opened again,
// so the first goal popped is optimal although LM-cut is not consistent.
//
// auto interleaves the two by counted work, because neither dominates: LM-cut is worth a
// thousand blind expansions on most tasks and nothing on some.
//
// "Unsolvable" is reported when the heuristic proves the initial state a dead end (all
// heuristics here are safe) or the open list runs empty with no path dropped. Path costs are
// exact in 63 bits; a path beyond is dropped and remembered, and then the end of the open
// list is reported as unsupported instead.
//
// # Tables
//
// Exhaust enumerates the reachable states breadth first and runs backwards from the goal
// states. Neither pass keeps transitions: the way back goes by inverse operators, whose
// candidates count if they are registered states. Workers generate, one thread registers in
// the order of the parents, so ids do not depend on timing:
//
//	ids ─► batches ─► workers: unpack, applicable, apply, hash ─► registry
//	level of the least open distance ─► workers: undo, look up ─► distances
//
// A Table answers from many goroutines at once: the distance of a state, and the distance
// after a plan prefix (DistanceAfter), the basis of process rewards. Its file is laid out to
// be mapped into memory, with an index of its own (tablefile.go). Simulator executes named
// actions without a table.
//
// Enumerate keeps the transitions as well (16 bytes each) and knows no goal: a StateSpace
// gives the distances to any goal, or from any state, under any costs by operator, the
// lexicographic ones too, with one Distances per goroutine.
package search
