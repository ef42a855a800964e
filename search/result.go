package search

import "github.com/planproof/planproof/grounder"

// Status is how a search ended. The values are those of `solve --json`.
type Status string

// Statuses.
const (
	SolvedOptimally Status = "solved-optimally"
	Solved          Status = "solved"
	Unsolvable      Status = "unsolvable"
	Timeout         Status = "timeout"
	Memout          Status = "memout"
	Nodeout         Status = "nodeout"
	Unsupported     Status = "unsupported"
)

// KnownPlan is a plan that need not be optimal.
type KnownPlan struct {
	Operators []grounder.OperatorID
	Cost      int64 // in units of Task.CostUnit, without Task.CostBase
}

// Result is the outcome of one search.
type Result struct {
	Status Status
	Plan   []grounder.OperatorID
	// Cost is the plan's cost in units of Task.CostUnit, without Task.CostBase.
	Cost int64
	// Reason explains Unsupported: the feature and the heuristic that refuses it.
	Reason string
	// Refusal is what Reason says, as a *heuristic.Refusal or an *Unregressable, where a
	// feature of the task is the reason.
	Refusal error

	// Lower is a cost that no plan is below, in the units of Cost.
	Lower int64
	// Best is the best plan known where a limit ended the search, nil if none is.
	Best *KnownPlan

	// Search is the search that answered, "astar(lmcut())", also where auto() was asked for.
	Search string
	// InitialH is the estimate of the initial state, -1 when it is a proven dead end.
	InitialH              int64
	Expanded              int64
	Backward              int64 // of Expanded: partial states, by bidirectional search
	ExpandedUntilLastJump int64
	Evaluated, Generated  int64
	Reopened, DeadEnds    int64
	SearchCPUSeconds      float64
	States                int64 // registered
}
