// Package search finds cost-optimal plans of ground tasks and certifies them.
//
// Run is the entry: a task and a search string in, a Result out. The plan of a Result has
// not been judged yet; internal/pipeline does that for every command.
//
// # Data flow
//
//	grounder.Task ─► state.System ─┬─► blindSearch ─┐
//	   (compiled once:             │   A*, blind    ├─► auto ─► Result ─► Certify
//	    packer, successor          ├─► astar ───────┘
//	    generator, applier,        │   any heuristic
//	    axiom evaluator)           ├─► bidirectional: Regression, matchTree (see nbs.go)
//	                               └─► symbolicEngine: package symbolic
//
// Run parses a search string ("astar(lmcut())", see config.go), builds the engine that it
// names and drives it in slices of work, looking at clock, context and observer between
// slices. Engines know none of these: what they expand, and in which order, is a function of the
// task. All statistics but times are therefore reproducible.
//
// # Nodes
//
// A search node is a record of state.Registry: the packed state and, behind it,
//
//	| g:64 | closed:1 operator:31 parent:32 | estimate:63 evaluated:1 |
//
// the last word only in searches with a heuristic. Blind search keeps cost, operator and
// parent in one word as long as they fit (node.go). The open list holds stacks of states
// by (f, h); entries that have become stale are recognised when popped.
//
// # Optimality
//
// blindSearch is A* with the consistent estimate "cheapest operator, 0 at goals". astar
// asks its heuristic late: a new state is queued under the bound that its parent passes on
// (the parent's estimate less the operator's cost; for LM-cut, the parent's landmarks that
// the operator does not belong to) and evaluated when it is popped. LM-cut begins with
// these landmarks then, and where that pays a state is evaluated anew before it is expanded
// (secondlook.go). All keys are lower bounds, f never falls along a path, and states found again at less cost are opened again,
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
// # Symmetries
//
// A search with orbits (orbits.go) replaces each state that it reaches by a symmetric one, the same for many of its
// orbit. Costs to the goal are equal within an orbit, so all of the above holds for the states that are left.
//
// # State spaces
//
// Package space turns a task into its whole reachable space: tables of exact distances,
// all transitions, plans from the best on. It searches with its own engines and takes
// from here the limits ([Limits], [LimitError]) only.
//
// # Reading order
//
// run.go (Run), config.go (search strings), engine.go (what the engines share), then one
// engine: astar.go, blind.go (both with orbits.go), auto.go, or nbs.go with nbs_front.go, matchtree.go and
// regression.go. certify.go searches again for a proof of the answer.
package search
