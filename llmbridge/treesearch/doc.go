// Package treesearch finds plans by tree searches that a language model, a heuristic or a
// table of exact distances can guide.
//
//	FindBudget ─► Plan ─► Method.Search ─► Result ─► judge ─► Outcome    task_budget.go, plan.go
//	                         │
//	          Query (state, steps, spent, budget)
//	Method ───────────────────────────────────────► Evaluator   ranks: log-probabilities
//	  │    ◄─────────────────────────────────────── (R_conf)
//	  │    ───────── state or partial state ──────► Bounder     prunes and proves
//	  ▼
//	Result: plan, cost, proven bound, expansions, evaluations, status
//
// [Plan] is the whole way for one task: it makes the guide, searches within the budget, and
// has the judge confirm the plan and its cost. [FindBudget] finds the budget first, since the
// levels tight and loose depend on the optimal cost. A guide (guides.go, language.go) is an
// evaluator, which ranks the actions of a node, with bounds, which prune what cannot lead to a
// plan within the budget. Ranking only decides what is expanded next. Bounds are admissible,
// and therefore a search that ends with nothing left has proven its answer.
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
