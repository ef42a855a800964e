package treesearch

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/planproof/planproof/grounder"
)

// Unlimited is the budget of a search that may spend anything.
const Unlimited int64 = math.MaxInt64

// DefaultExpansions is the limit L of the paper's experiments.
const DefaultExpansions = 500

// Options are what all methods share.
type Options struct {
	// Budget bounds the cost of the plan, in units of Task.CostUnit; Unlimited for none.
	Budget int64
	// Expansions bounds the nodes expanded, in all trees together.
	Expansions int
	// Observer, if not nil, is called with every expansion.
	Observer func(Expansion)
	// KeepTrees asks for Result.Trees.
	KeepTrees bool
	// Seed feeds the only method that draws random numbers, RAP.
	Seed uint64
}

// DefaultOptions is the paper's limit without a budget.
func DefaultOptions() Options {
	return Options{Budget: Unlimited, Expansions: DefaultExpansions}
}

// Method is a tree search over one task.
type Method interface {
	// Name is what --method calls it.
	Name() string
	// Check returns what is wrong with the method's parameters.
	Check() error
	// Search looks for a plan of s's task within the budget. What ends it is Result.Status;
	// an error is a failure of the guide, or a task that the method refuses. Search is a
	// function of task, guide and options, but for Timeout.
	Search(ctx context.Context, s *Space, g Guide, opt Options) (*Result, error)
}

// Status is how a search ended.
type Status string

// Statuses. The first four are answers.
const (
	SolvedOptimally Status = "solved-optimally"      // a plan, and no plan costs less
	Solved          Status = "solved"                // a plan within the budget
	Unsolvable      Status = "unsolvable"            // proven: no plan at any cost
	NoPlanInBudget  Status = "no-plan-within-budget" // proven
	GaveUp          Status = "gave-up"               // an incomplete method has nothing left to expand
	Nodeout         Status = "nodeout"               // the limit of expansions
	Timeout         Status = "timeout"               // the context ended
)

// Result is the outcome of a search. Costs are in units of Task.CostUnit, without
// Task.CostBase.
type Result struct {
	Method string
	Status Status
	Plan   []grounder.OperatorID // meaningful when Status is Solved or SolvedOptimally
	Cost   int64
	// LowerBound is proven: no plan costs less. It is Cost when Status is SolvedOptimally,
	// and heuristic.DeadEnd when it is Unsolvable.
	LowerBound int64

	// Expanded counts expansions: every time the successors of one node of one tree are
	// generated, whether or not any of them is kept, and again when a node is expanded anew
	// because a cheaper path to it was found.
	Expanded                          int
	ExpandedForward, ExpandedBackward int
	// Rounds counts iterations of Algorithm 1: one expansion in each tree.
	Rounds int
	// FirstExpanded and BestExpanded are the values of Expanded when the first plan, and the
	// one that is returned, was found; FirstRounds and BestRounds those of Rounds. FirstCost
	// is what the first plan costs.
	FirstExpanded, BestExpanded int
	FirstRounds, BestRounds     int
	FirstCost                   int64

	Generated int // successors generated
	Merged    int // those equal to a node of the same tree reached at no greater cost
	Pruned    int // those beyond the budget or no better than a plan already found
	Evaluated int // actions scored by the evaluator
	Calls     int // calls of the evaluator
	Nodes     int // of all trees

	Trees []TreeView // if Options.KeepTrees
}

// HasPlan reports whether there is a plan.
func (r *Result) HasPlan() bool { return r.Status == Solved || r.Status == SolvedOptimally }

// Proven reports whether the answer is proven: that the plan is cheapest, or that there is
// none.
func (r *Result) Proven() bool {
	return r.Status == SolvedOptimally || r.Status == Unsolvable || r.Status == NoPlanInBudget
}

// Expansion describes one expansion to an observer.
type Expansion struct {
	Number int       `json:"expansion"` // from 1
	Round  int       `json:"round"`     // from 1
	Tree   Direction `json:"tree"`
	Node   int       `json:"node"`   // of that tree, the root is 0
	Parent int       `json:"parent"` // -1 for the root
	// Action leads from the parent to the node; in the backward tree, from the node to the
	// parent. Empty at the root.
	Action string `json:"action,omitempty"`
	Cost   int64  `json:"cost"`  // of the path from the root, in units of Task.CostUnit
	Bound  int64  `json:"bound"` // on the rest, 0 without bounds
	// Confidence is the normalised R_conf, Distance R_dist, Score what they make together.
	// Methods that do not use one of them leave it 0.
	Confidence float64 `json:"confidence"`
	Distance   float64 `json:"distance"`
	Score      float64 `json:"score"`
	Generated  int     `json:"generated"`
	Kept       int     `json:"kept"` // new nodes and cheaper paths to old ones; 0 sets U = 0
	// Plan is the cost of the cheapest plan known after the expansion, -1 without one.
	Plan int64 `json:"plan"`
}

// Methods lists the methods with their default parameters, in the order of help texts.
func Methods() []Method {
	return []Method{NewCATS(), NewToT(), NewToTDFS(), NewRAP(), NewBestFirst()}
}

// Lookup returns the method of a name with its default parameters.
func Lookup(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if m.Name() == name {
			return m, nil
		}
		names = append(names, m.Name())
	}
	return nil, fmt.Errorf("there is no method %q; there are %s", name, strings.Join(names, ", "))
}

// takers are the methods that have a parameter, by its name in lower case.
var takers = map[string][]string{
	"first": {"cats", "best-first"}, "weight": {"cats"}, "distance": {"cats"}, "norm": {"cats"},
	"beam": {"tot"}, "branches": {"tot-dfs"}, "depth": {"tot-dfs", "rap"}, "exploration": {"rap"}, "seed": {"rap"},
}

// Takers lists the methods that a parameter shapes, such as "weight"; nil for a name that is no
// parameter of a method.
func Takers(parameter string) []string { return takers[parameter] }

// Shape are the parameters of all methods together.
type Shape struct {
	First                 bool // stop at the first plan
	Weight                float64
	Distance              Distance
	Norm                  Norm
	Beam, Branches, Depth int
	Exploration           float64
}

// Give gives a method those of its parameters, see [Takers], and checks them.
func (s *Shape) Give(m Method) error {
	switch m := m.(type) {
	case *CATS:
		m.First, m.Weight, m.Distance, m.Norm = s.First, s.Weight, s.Distance, s.Norm
	case *BestFirst:
		m.First = s.First
	case *ToT:
		m.Beam = s.Beam
	case *ToTDFS:
		m.Branches, m.Depth = s.Branches, s.Depth
	case *RAP:
		m.Exploration, m.Depth = s.Exploration, s.Depth
	}
	return m.Check()
}
