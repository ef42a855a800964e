package main

import (
	"bufio"
	"fmt"

	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/space"
)

// exhaustGoals computes the distance of the initial state to each goal of --goals.
func (e env) exhaustGoals() error {
	lim, err := e.limits()
	if err != nil {
		return err
	}
	reprice, err := e.reprice()
	if err != nil {
		return err
	}
	p, rest, err := e.task()
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	goals, err := e.readGoals(p)
	if err != nil {
		return err
	}
	limits, err := e.searchLimits(&grounded{limits: lim})
	if err != nil {
		return err
	}
	// Costs change after the goals are read: no file declares what a schedule adds.
	s, err := pipeline.NewGoals(e.Context.Context, p, space.GoalOptions{Limits: limits, Reprice: reprice})
	if err != nil {
		return e.spaceError(err)
	}
	out := bufio.NewWriter(e.out)
	if !e.Bool("json") {
		fmt.Fprintf(out, "states %d\nedges  %d\n%6s %12s %12s %12s %12s\n", s.Space.Len(), s.Space.Edges(), "goal", "cost", "steps", "goal states", "dead ends")
	}
	code := exitYes
	for i, goal := range goals {
		row, err := s.Distance(e.Context.Context, goal)
		if err != nil {
			if ferr := out.Flush(); ferr != nil {
				return ferr
			}
			return e.spaceError(err)
		}
		if row.Goal = i + 1; row.OptimalCost == nil {
			code = exitNo
		}
		if err := e.printGoal(out, row); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return exit(code)
}

func (e env) printGoal(out *bufio.Writer, r *space.GoalDistance) error {
	if e.Bool("json") {
		return printJSON(out, r)
	}
	cost, steps := "-", "-"
	if r.OptimalCost != nil {
		cost, steps = *r.OptimalCost, fmt.Sprint(*r.OptimalSteps)
	}
	_, err := fmt.Fprintf(out, "%6d %12s %12s %12d %12d\n", r.Goal, cost, steps, r.GoalStates, r.DeadEnds)
	return err
}

// readGoals reads the goals of --goals and reports all lines that hold none.
func (e env) readGoals(p *pddl.Problem) ([]space.Goal, error) {
	path := e.String("goals")
	src, err := e.readSource(path)
	if err != nil {
		return nil, err
	}
	goals, bad, err := space.ReadGoals(p, src)
	if err != nil {
		return nil, err
	}
	for _, b := range bad {
		fmt.Fprintf(e.err, "%s:%d: error: %s\n", path, b.Line, b.Message)
	}
	switch {
	case len(bad) > 0:
		return nil, fmt.Errorf("%s: %s", path, plural(len(bad), "bad goal"))
	case len(goals) == 0:
		return nil, fmt.Errorf("%s holds no goal", path)
	}
	return goals, nil
}
