// Package treesearch finds plans by tree searches that a language model, a heuristic or a
// table of exact distances can guide.
//
//	          Query (state, steps, spent, budget)
//	Method ───────────────────────────────────────► Evaluator   ranks: log-probabilities
//	  │    ◄─────────────────────────────────────── (R_conf)
//	  │    ───────── state or partial state ──────► Bounder     prunes and proves
//	  ▼
//	Result: plan, cost, proven bound, expansions, evaluations, status
//
// The methods are CATS (cats.go), tree of thoughts breadth and depth first (tot.go),
// reasoning via planning (rap.go) and a best-first baseline (bestfirst.go). All work under
// one limit of expansions and one budget, on any ground task; docs/TREESEARCH.md says how
// each is defined here and how the papers are read.
//
// # Data layout
//
// A tree holds every state once. The number of a node is that of its state in a registry of
// packed states; parents, costs and rewards lie beside it in a slice:
//
//	registry   | packed state 0 (root) | packed state 1 | ...
//	nodes      | parent op g bound R_conf ... |           ...
//	masks      | bits that the partial state constrains | ...   backward tree only
//	sets       | atoms of the state, as bits |             ...   if distances are wanted
//
// Partial states are packed like states, with one value more per variable for "says
// nothing". A forward state s satisfies a backward partial state p when
// (s ^ p) & mask(p) == 0.
//
// Costs and budgets are integers in units of Task.CostUnit; rewards are floats and decide
// the order of expansion only, never whether a plan is valid, within the budget or optimal.
package treesearch
