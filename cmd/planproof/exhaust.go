package main

import (
	"errors"
	"fmt"

	"planproof/grounder"
	"planproof/pddl"
	"planproof/search"

	"github.com/urfave/cli/v2"
)

var exhaustCommand = command{
	name: "exhaust", usage: "enumerate the reachable state space with exact goal distances", args: "DOMAIN PROBLEM",
	long: `
Enumerates every reachable state, breadth first, and computes the exact goal distance
of each by one backward pass: states per depth, edges, goal states, dead ends, the
optimal cost and the number of optimal plans. -o keeps the table, from which process
rewards look distances up. Exit code 0; 1 if the goal cannot be reached; 3 if a limit
ended it.

   planproof exhaust blocksworld:5-7
   planproof exhaust domain.pddl problem.pddl --json -o task.table
   planproof exhaust gripper:6 --nodes 1000000 --memory 2GB`,
	flags: append([]cli.Flag{
		&cli.Int64Flag{Name: "nodes", Usage: "end after `N` states"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "keep the table of exact distances in `FILE`"},
		strictFlag, scheduleFlag,
		&cli.BoolFlag{Name: "keep-irrelevant", Usage: "tell states apart that differ only in what cannot matter to the goal", Value: true},
	}, limitFlags()...),
	action: func(e env) error {
		path, err := e.tablePath()
		if err != nil {
			return err
		}
		g, err := e.groundTask()
		if err != nil {
			return err
		}
		left, ok := g.limits.left()
		if !ok {
			return e.limited("timeout", "the time limit ended grounding")
		}
		table, err := search.Exhaust(e.Context.Context, g.task, search.Limits{Wall: left, Memory: g.limits.memory, Nodes: e.Int64("nodes")})
		var limit *search.LimitError
		switch {
		case errors.As(err, &limit):
			return e.limited(string(limit.Status), err.Error())
		case errors.Is(err, search.ErrNoStateSpace):
			return e.noStateSpace()
		case err != nil:
			return err
		}
		if path != "" {
			if err := table.Save(path); err != nil {
				return err
			}
		}
		return e.exhausted(newExhaustReport(g.task, table))
	},
}

// tablePath returns where -o keeps the table: a regular file, since it is written beside
// its place first and read back by mapping.
func (e env) tablePath() (string, error) {
	path := e.String("output")
	switch {
	case path == "" && !e.IsSet("output"):
		return "", nil
	case path == "-":
		return "", errors.New("a table is kept in a file: -o - is not possible")
	}
	target, mode, err := outputTarget(path)
	if err == nil && !mode.IsRegular() {
		err = fmt.Errorf("a table is kept in a regular file, and %s is none", path)
	}
	return target, err
}

// exhaustReport is the object that exhaust --json prints.
type exhaustReport struct {
	States       int64   `json:"states"`
	Edges        int64   `json:"edges"`
	Depth        int     `json:"depth"`
	GoalStates   int64   `json:"goal_states"`
	DeadEnds     int64   `json:"dead_ends"`
	PerDepth     []int64 `json:"per_depth"`
	OptimalCost  *string `json:"optimal_cost"` // null: unsolvable
	OptimalSteps *int64  `json:"optimal_steps"`
	OptimalPlans string  `json:"optimal_plans"`
	CPU          float64 `json:"cpu_s"`
	PeakKB       int64   `json:"peak_kb"`
}

func newExhaustReport(task *grounder.Task, t *search.Table) *exhaustReport {
	r := &exhaustReport{
		States: t.States, Edges: t.Edges, Depth: t.Depth(), GoalStates: t.GoalStates, DeadEnds: t.DeadEnds,
		PerDepth: t.PerDepth, OptimalPlans: t.OptimalPlans, CPU: round3(cpuSeconds()), PeakKB: peakKB(),
	}
	if d := t.InitialDistance(); !d.DeadEnd {
		cost := task.CostBase.Add(task.CostUnit.Mul(pddl.Int(d.Cost))).String()
		r.OptimalCost, r.OptimalSteps = &cost, &d.Steps
	}
	return r
}

func (e env) exhausted(r *exhaustReport) error {
	code := exitYes
	if r.OptimalCost == nil {
		code = exitNo
	}
	if e.Bool("json") {
		if err := printJSON(e.out, r); err != nil {
			return err
		}
		return exit(code)
	}
	fmt.Fprintf(e.out, "states        %d\nedges         %d\ndepth         %d\ngoal states   %d\ndead ends     %d\n",
		r.States, r.Edges, r.Depth, r.GoalStates, r.DeadEnds)
	if r.OptimalCost == nil {
		fmt.Fprintln(e.out, "unsolvable: no reachable state satisfies the goal")
	} else {
		fmt.Fprintf(e.out, "optimal cost  %s\noptimal plans %s\n", *r.OptimalCost, r.OptimalPlans)
	}
	fmt.Fprintln(e.out, "states per depth")
	most := int64(1)
	for _, n := range r.PerDepth {
		most = max(most, n)
	}
	for depth, n := range r.PerDepth {
		fmt.Fprintf(e.out, "  %4d %10d %s\n", depth, n, bar(n, most))
	}
	return exit(code)
}

// bar draws n on a scale where most is 40 characters.
func bar(n, most int64) string {
	const width = 40
	k := int((n*width + most - 1) / most)
	b := make([]byte, k)
	for i := range b {
		b[i] = '#'
	}
	return string(b)
}

// noStateSpace reports a goal that grounding has shown to be out of reach.
func (e env) noStateSpace() error {
	if e.Bool("json") {
		if err := printJSON(e.out, map[string]string{"status": "unsolvable", "reason": search.ErrNoStateSpace.Error()}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.out, "unsolvable: %v\n", search.ErrNoStateSpace)
	}
	return exit(exitNo)
}
