package space

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/forms"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// Goal is a goal that a problem is asked for beside its own, as the problem that has it.
type Goal struct {
	Line    int // where it was read, from 1
	Problem *pddl.Problem
}

// BadGoals is the error of goals that cannot be read: all of their lines.
type BadGoals struct {
	Name  string // of the file
	Lines []BadGoal
}

func (b *BadGoals) Error() string {
	return fmt.Sprintf("%s: %s", b.Name, spell.Plural(len(b.Lines), "bad goal"))
}

// Format writes a line for each.
func (b *BadGoals) Format(w io.Writer) {
	for _, l := range b.Lines {
		fmt.Fprintf(w, "%s:%d: error: %s\n", b.Name, l.Line, l.Message)
	}
}

// BadGoal is a line that holds no goal of the problem.
type BadGoal struct {
	Line    int
	Message string
}

// ReadGoals reads goals for a problem, one formula a line. Empty lines and comments count
// for nothing. Lines that hold no goal are a [*BadGoals]; a file without goals is an error.
func ReadGoals(p *pddl.Problem, src *pddl.Source) (goals []Goal, err error) {
	before, after, err := aroundGoal(p.String())
	if err != nil {
		return nil, err
	}
	var bad []BadGoal
	for i, line := range strings.Split(src.Text, "\n") {
		text, _, _ := strings.Cut(line, ";")
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		prob, diags := pddl.ParseProblem(pddl.NewSource(src.Name, before+text+after), p.Domain, pddl.Options{})
		one := strings.HasPrefix(text, "(") && forms.End(text) == len(text)
		if one && prob != nil && !diags.HasErrors() {
			goals = append(goals, Goal{i + 1, prob})
			continue
		}
		message := "expected one formula, such as (and (on a b) (on b c))"
		for k := range diags {
			if diags[k].Severity == pddl.Error && one {
				message = diags[k].Message
				break
			}
		}
		bad = append(bad, BadGoal{i + 1, message})
	}
	switch {
	case len(bad) > 0:
		return nil, &BadGoals{src.Name, bad}
	case len(goals) == 0:
		return nil, fmt.Errorf("%s holds no goal", src.Name)
	}
	return goals, nil
}

// aroundGoal cuts the goal out of a printed problem.
func aroundGoal(text string) (before, after string, err error) {
	const section = "(:goal "
	at := strings.Index(text, section)
	if at < 0 {
		return "", "", errors.New("internal error: a printed problem has no goal")
	}
	return text[:at+len(section)], text[at+forms.End(text[at:])-1:], nil
}

// GoalDistance says how far the initial state is from a goal.
type GoalDistance struct {
	Goal       int   `json:"goal"` // its number, for the caller
	Line       int   `json:"line"`
	GoalStates int64 `json:"goal_states"`
	DeadEnds   int64 `json:"dead_ends"`
	// As in Summary.
	OptimalCost  *string `json:"optimal_cost"`
	OptimalSteps *int64  `json:"optimal_steps"`
	// Plan has the optimal cost, nil where the goal cannot be reached. It is one of Task, and
	// Problem is what Task was grounded from, with the goal.
	Plan    *Plan          `json:"-"`
	Problem *pddl.Problem  `json:"-"`
	Task    *grounder.Task `json:"-"`
}

// GoalOptions bound the work on many goals.
type GoalOptions struct {
	// Limits hold for each enumeration, but Wall for all goals together, from NewGoals on.
	Limits search.Limits
	// Reprice changes the costs of a problem that is grounded; nil leaves them.
	Reprice func(*pddl.Problem) (*pddl.Problem, error)
}

// ErrGoalsTime is the error of a goal that comes when the time for all is over.
var ErrGoalsTime = errors.New("the time limit ended the goals")

// Goals answers how far the initial state of a problem is from each of many goals. All
// goals that are conjunctions of facts share one enumeration; others are grounded and
// enumerated by themselves.
type Goals struct {
	Space *StateSpace

	opt      GoalOptions
	deadline time.Time // zero: none
	dist     *Distances
	costs    *Costs
	facts    map[string]grounder.Fact // by name
}

// NewGoals grounds and enumerates a problem. Errors are those of GoalOptions.Reprice,
// [grounder.Ground] and [Enumerate].
func NewGoals(ctx context.Context, p *pddl.Problem, opt GoalOptions) (*Goals, error) {
	g := &Goals{opt: opt, facts: map[string]grounder.Fact{}}
	if opt.Limits.Wall > 0 {
		g.deadline = time.Now().Add(opt.Limits.Wall)
	}
	p, err := g.reprice(p)
	if err != nil {
		return nil, err
	}
	task, lim, err := g.ground(ctx, p)
	if err != nil {
		return nil, err
	}
	if g.Space, err = Enumerate(ctx, task, lim); err != nil {
		return nil, err
	}
	g.dist, g.costs = g.Space.NewDistances(), g.Space.TaskCosts()
	for v := range task.Variables {
		if task.Variables[v].Auxiliary {
			continue
		}
		for val, name := range task.Variables[v].Values {
			g.facts[name] = grounder.Fact{Var: int32(v), Val: int32(val)}
		}
	}
	return g, nil
}

func (g *Goals) reprice(p *pddl.Problem) (*pddl.Problem, error) {
	if g.opt.Reprice == nil {
		return p, nil
	}
	return g.opt.Reprice(p)
}

// ground grounds a problem with all that cannot matter to its goal, and returns what its
// enumeration may take.
func (g *Goals) ground(ctx context.Context, p *pddl.Problem) (*grounder.Task, search.Limits, error) {
	lim := g.opt.Limits
	if err := g.left(&lim.Wall); err != nil {
		return nil, lim, err
	}
	task, err := grounder.Ground(ctx, p, grounder.Options{Time: lim.Wall, Memory: lim.Memory, KeepIrrelevant: true, NumericFluents: true})
	if err == nil {
		err = g.left(&lim.Wall)
	}
	return task, lim, err
}

// left sets wall to the time that is left, 0 for no limit.
func (g *Goals) left(wall *time.Duration) error {
	if g.deadline.IsZero() {
		return nil
	}
	if *wall = time.Until(g.deadline); *wall <= 0 {
		return ErrGoalsTime
	}
	return nil
}

// Distance computes the distance to one goal. Errors are ErrGoalsTime, that of ctx, and
// those of NewGoals.
func (g *Goals) Distance(ctx context.Context, goal Goal) (*GoalDistance, error) {
	var wall time.Duration
	if err := errors.Join(ctx.Err(), g.left(&wall)); err != nil {
		return nil, err
	}
	facts, ok := g.conjunction(goal.Problem, goal.Problem.Goal.Formula, nil)
	p, err := g.reprice(goal.Problem)
	if err != nil {
		return nil, err
	}
	if !ok {
		return g.alone(ctx, goal.Line, p)
	}
	states, err := g.Space.Satisfying(facts)
	if err != nil {
		return nil, err
	}
	row := &GoalDistance{Line: goal.Line, GoalStates: int64(len(states)), Problem: p, Task: g.Space.Task()}
	if err := g.dist.To(states, g.Space.Steps(), ByCost); err != nil {
		return nil, err
	}
	steps := g.dist.Cost[0]
	for _, d := range g.dist.Cost {
		if d == Unreachable {
			row.DeadEnds++
		}
	}
	if steps == Unreachable {
		return row, nil
	}
	if err := g.dist.To(states, g.costs, ByCost); err != nil {
		return nil, err
	}
	cost := row.Task.PlanCost(g.dist.Cost[0]).String()
	row.OptimalCost, row.OptimalSteps = &cost, &steps
	row.Plan, err = g.cheapestPlan(states)
	return row, err
}

// cheapestPlan returns a plan to one of some states, in order, which g.dist has the costs to.
func (g *Goals) cheapestPlan(to []state.StateID) (*Plan, error) {
	isEnd := func(id state.StateID) bool {
		_, is := slices.BinarySearch(to, id)
		return is
	}
	out, dist := g.Space.Out(), g.dist.Cost
	ops, err := descend(0, isEnd, func(id state.StateID) (tight []StateTransition, _ error) {
		for k := out.Start[id]; k < out.Start[id+1]; k++ {
			next, cost := out.State[k], g.costs.weight(out, k)
			if dist[next] != Unreachable && dist[id]-dist[next] == cost {
				tight = append(tight, StateTransition{next, out.Operator[k], cost})
			}
		}
		slices.SortStableFunc(tight, func(a, b StateTransition) int { return cmp.Compare(a.Cost, b.Cost) })
		return tight, nil
	})
	return &Plan{ops, dist[0]}, err
}

// conjunction collects the facts of a goal that is a conjunction of atoms which are facts
// of the task. Only the grounder knows whether another atom always holds or never.
func (g *Goals) conjunction(p *pddl.Problem, f *pddl.Formula, facts []grounder.Fact) ([]grounder.Fact, bool) {
	switch f.Kind {
	case pddl.FormulaTrue:
		return facts, true
	case pddl.FormulaAnd:
		for _, c := range f.Children {
			var ok bool
			if facts, ok = g.conjunction(p, c, facts); !ok {
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
		fact, ok := g.facts["Atom "+p.Domain.Predicates[f.Pred].Name+"("+strings.Join(args, ", ")+")"]
		return append(facts, fact), ok
	}
	return nil, false
}

// alone grounds and enumerates a problem with a goal of its own.
func (g *Goals) alone(ctx context.Context, line int, p *pddl.Problem) (*GoalDistance, error) {
	task, lim, err := g.ground(ctx, p)
	if err != nil {
		return nil, err
	}
	table, err := Exhaust(ctx, task, lim)
	if err != nil {
		return nil, err
	}
	s := table.Summary()
	row := &GoalDistance{
		Line: line, GoalStates: s.GoalStates, DeadEnds: s.DeadEnds, OptimalCost: s.OptimalCost, OptimalSteps: s.OptimalSteps,
		Problem: p, Task: task,
	}
	row.Plan, err = table.CheapestPlan()
	return row, err
}

// WriteHeader writes the size of the space and the heads of the columns of
// [GoalDistance.WriteText].
func (s *Goals) WriteHeader(w io.Writer) {
	fmt.Fprintf(w, "states %d\nedges  %d\n%6s %12s %12s %12s %12s\n", s.Space.Len(), s.Space.Edges(), "goal", "cost", "steps", "goal states", "dead ends")
}

// WriteText writes the distance as a line of a table.
func (r *GoalDistance) WriteText(w io.Writer) error {
	cost, steps := "-", "-"
	if r.OptimalCost != nil {
		cost, steps = *r.OptimalCost, fmt.Sprint(*r.OptimalSteps)
	}
	_, err := fmt.Fprintf(w, "%6d %12s %12s %12d %12d\n", r.Goal, cost, steps, r.GoalStates, r.DeadEnds)
	return err
}
