package space

import (
	"fmt"
	"io"
	"strings"
)

// Summary is what a table says about its task, in the form of `exhaust --json`.
type Summary struct {
	States     int64   `json:"states"`
	Edges      int64   `json:"edges"`
	Depth      int     `json:"depth"`
	GoalStates int64   `json:"goal_states"`
	DeadEnds   int64   `json:"dead_ends"`
	PerDepth   []int64 `json:"per_depth"`
	// OptimalCost is exact, in the problem's units, and null where the goal cannot be
	// reached; OptimalSteps is the length of a shortest plan.
	OptimalCost  *string `json:"optimal_cost"`
	OptimalSteps *int64  `json:"optimal_steps"`
	OptimalPlans string  `json:"optimal_plans"`
}

// Summary returns the figures of the table.
func (t *Table) Summary() Summary {
	s := Summary{
		States: t.States, Edges: t.Edges, Depth: t.Depth(), GoalStates: t.GoalStates, DeadEnds: t.DeadEnds,
		PerDepth: t.PerDepth, OptimalPlans: t.OptimalPlans,
	}
	if d := t.InitialDistance(); !d.DeadEnd {
		cost := t.Task().PlanCost(d.Cost).String()
		s.OptimalCost, s.OptimalSteps = &cost, &d.Steps
	}
	return s
}

// WriteText writes the figures for people, with a bar for the states of each depth.
func (s *Summary) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "states        %d\nedges         %d\ndepth         %d\ngoal states   %d\ndead ends     %d\n",
		s.States, s.Edges, s.Depth, s.GoalStates, s.DeadEnds)
	if s.OptimalCost == nil {
		b.WriteString("unsolvable: no reachable state satisfies the goal\n")
	} else {
		fmt.Fprintf(&b, "optimal cost  %s\noptimal plans %s\n", *s.OptimalCost, s.OptimalPlans)
	}
	b.WriteString("states per depth\n")
	most := int64(1)
	for _, n := range s.PerDepth {
		most = max(most, n)
	}
	const width = 40 // of the longest bar
	for depth, n := range s.PerDepth {
		fmt.Fprintf(&b, "  %4d %10d %s\n", depth, n, strings.Repeat("#", int((n*width+most-1)/most)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
