package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/space"
)

// goalRow is what exhaust --goals tells about one goal.
type goalRow struct {
	Goal         int     `json:"goal"` // counting from 1
	Line         int     `json:"line"`
	GoalStates   int64   `json:"goal_states"`
	DeadEnds     int64   `json:"dead_ends"`
	OptimalCost  *string `json:"optimal_cost"` // null: out of reach
	OptimalSteps *int64  `json:"optimal_steps"`
}

// exhaustGoals computes the distance of the initial state to each of many goals. All goals
// that are conjunctions of facts share one enumeration; others are grounded and
// enumerated by themselves.
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
	if reprice != nil { // after reading: no file declares what a schedule adds
		if p, err = reprice(p); err != nil {
			return err
		}
	}
	g, err := e.groundProblem(p, lim, true)
	if err != nil {
		return err
	}
	limits, err := e.spaceLimits(g)
	if err != nil {
		return err
	}
	sp, err := space.Enumerate(e.Context.Context, g.task, limits)
	if err != nil {
		return e.spaceError(err)
	}
	s := newGoalSolver(e, g, sp)
	s.price = reprice
	out := bufio.NewWriter(e.out)
	if !e.Bool("json") {
		fmt.Fprintf(out, "states %d\nedges  %d\n%6s %12s %12s %12s %12s\n", sp.Len(), sp.Edges(), "goal", "cost", "steps", "goal states", "dead ends")
	}
	code := exitYes
	for i, goal := range goals {
		row, err := s.solve(goal)
		if err != nil {
			if ferr := out.Flush(); ferr != nil {
				return ferr
			}
			return err
		}
		row.Goal, row.Line = i+1, goal.line
		if row.OptimalCost == nil {
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

func (e env) printGoal(out *bufio.Writer, r *goalRow) error {
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

// goalLine is a goal read from a line, as the problem that has it.
type goalLine struct {
	line    int
	problem *pddl.Problem
}

// readGoals reads the goals of --goals: one formula a line; empty lines and comments count
// for nothing. All errors are reported.
func (e env) readGoals(p *pddl.Problem) ([]goalLine, error) {
	path := e.String("goals")
	src, err := e.readSource(path)
	if err != nil {
		return nil, err
	}
	before, after, err := aroundGoal(p.String())
	if err != nil {
		return nil, err
	}
	var goals []goalLine
	bad := 0
	for i, line := range strings.Split(string(src.Text), "\n") {
		text, _, _ := strings.Cut(line, ";")
		if strings.TrimSpace(text) == "" {
			continue
		}
		prob, diags := pddl.ParseProblem(pddl.NewSource(path, before+strings.TrimSpace(text)+after), p.Domain, pddl.Options{})
		if end := formulaEnd(text); prob == nil || diags.HasErrors() || end < 0 {
			bad++
			message := "expected one formula, such as (and (on a b) (on b c))"
			for k := range diags {
				if diags[k].Severity == pddl.Error && end >= 0 {
					message = diags[k].Message
					break
				}
			}
			fmt.Fprintf(e.err, "%s:%d: error: %s\n", path, i+1, message)
			continue
		}
		goals = append(goals, goalLine{i + 1, prob})
	}
	if bad > 0 {
		return nil, fmt.Errorf("%s: %s", path, plural(bad, "bad goal"))
	}
	if len(goals) == 0 {
		return nil, fmt.Errorf("%s holds no goal", path)
	}
	return goals, nil
}

// aroundGoal cuts the goal out of a printed problem.
func aroundGoal(text string) (before, after string, err error) {
	const section = "(:goal "
	at := strings.Index(text, section)
	if at < 0 {
		return "", "", fmt.Errorf("internal error: a printed problem has no goal")
	}
	return text[:at+len(section)], text[at+closing(text[at:])-1:], nil
}

// closing returns where the parenthesis that text begins with is closed, or -1.
func closing(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

// formulaEnd returns the length of text if it is one parenthesised expression, else -1.
func formulaEnd(text string) int {
	text = strings.TrimSpace(text)
	if end := closing(text); strings.HasPrefix(text, "(") && end == len(text) {
		return end
	}
	return -1
}

// goalSolver answers goals of one space.
type goalSolver struct {
	env
	g     *grounded
	space *space.StateSpace
	dist  *space.Distances
	costs *space.Costs
	facts map[string]grounder.Fact // by name
	// price applies a schedule; nil without.
	price func(*pddl.Problem) (*pddl.Problem, error)
}

func newGoalSolver(e env, g *grounded, space *space.StateSpace) *goalSolver {
	s := &goalSolver{env: e, g: g, space: space, dist: space.NewDistances(), costs: space.TaskCosts(), facts: map[string]grounder.Fact{}}
	for v := range g.task.Variables {
		if g.task.Variables[v].Auxiliary {
			continue
		}
		for val, name := range g.task.Variables[v].Values {
			s.facts[name] = grounder.Fact{Var: int32(v), Val: int32(val)}
		}
	}
	return s
}

func (s *goalSolver) solve(goal goalLine) (*goalRow, error) {
	if ctxErr := s.Context.Context.Err(); ctxErr != nil {
		return nil, s.limited(statusInterrupted, "interrupted")
	}
	if _, ok := s.g.limits.left(); !ok {
		return nil, s.limited("timeout", "the time limit ended the goals")
	}
	facts, ok := s.conjunction(goal.problem, goal.problem.Goal.Formula, nil)
	if !ok {
		return s.alone(goal)
	}
	states, err := s.space.Satisfying(facts)
	if err != nil {
		return nil, err
	}
	row := &goalRow{GoalStates: int64(len(states))}
	if err := s.dist.To(states, s.space.Steps(), space.ByCost); err != nil {
		return nil, err
	}
	steps := s.dist.Cost[0]
	for _, d := range s.dist.Cost {
		if d == space.Unreachable {
			row.DeadEnds++
		}
	}
	if steps == space.Unreachable {
		return row, nil
	}
	if err := s.dist.To(states, s.costs, space.ByCost); err != nil {
		return nil, err
	}
	cost := s.g.task.CostBase.Add(s.g.task.CostUnit.Mul(pddl.Int(s.dist.Cost[0]))).String()
	row.OptimalCost, row.OptimalSteps = &cost, &steps
	return row, nil
}

// conjunction collects the facts of a goal that is a conjunction of atoms which are facts
// of the task. Whether another atom is always true or never is for the grounder to tell.
func (s *goalSolver) conjunction(p *pddl.Problem, f *pddl.Formula, facts []grounder.Fact) ([]grounder.Fact, bool) {
	switch f.Kind {
	case pddl.FormulaTrue:
		return facts, true
	case pddl.FormulaAnd:
		for _, c := range f.Children {
			var ok bool
			if facts, ok = s.conjunction(p, c, facts); !ok {
				return nil, false
			}
		}
		return facts, true
	case pddl.FormulaAtom:
		args := make([]string, len(f.Args))
		for i, a := range f.Args {
			if a < 0 {
				return nil, false
			}
			args[i] = p.Objects[a].Name
		}
		fact, ok := s.facts["Atom "+p.Domain.Predicates[f.Pred].Name+"("+strings.Join(args, ", ")+")"]
		return append(facts, fact), ok
	}
	return nil, false
}

// alone grounds and enumerates the task with a goal of its own.
func (s *goalSolver) alone(goal goalLine) (*goalRow, error) {
	p := goal.problem
	if s.price != nil {
		var err error
		if p, err = s.price(p); err != nil {
			return nil, err
		}
	}
	g, err := s.groundProblem(p, s.g.limits, true)
	if err != nil {
		return nil, err
	}
	lim, err := s.spaceLimits(g)
	if err != nil {
		return nil, err
	}
	table, err := space.Exhaust(s.Context.Context, g.task, lim)
	if err != nil {
		return nil, s.spaceError(err)
	}
	r := newExhaustReport(g.task, table)
	return &goalRow{GoalStates: r.GoalStates, DeadEnds: r.DeadEnds, OptimalCost: r.OptimalCost, OptimalSteps: r.OptimalSteps}, nil
}
