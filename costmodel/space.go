package costmodel

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// Space is a state space in which any schedule prices any pair of an initial state and a
// goal. It is immutable and may be shared by goroutines.
type Space struct {
	*space.StateSpace
	schema []int32 // by operator
}

// Ground grounds a problem for the analyses of this package: every action costs 1 whatever
// the problem says, and nothing is left out as irrelevant, so that the task is the same
// for every goal and every schedule. Errors are those of [Schedule.Apply] and
// [grounder.Ground].
func Ground(ctx context.Context, p *pddl.Problem, opt grounder.Options) (*grounder.Task, error) {
	priced, err := Unit().Apply(p)
	if err != nil {
		return nil, err
	}
	opt.KeepIrrelevant = true
	return grounder.Ground(ctx, priced, opt)
}

// NewSpace enumerates the state space of a task that [Ground] has made. Errors are those of
// [space.Enumerate].
func NewSpace(ctx context.Context, t *grounder.Task, lim search.Limits) (*Space, error) {
	s, err := space.Enumerate(ctx, t, lim)
	if err != nil {
		return nil, err
	}
	space := &Space{StateSpace: s, schema: make([]int32, len(t.Operators))}
	for o := range t.Operators {
		space.schema[o] = t.Operators[o].Schema
	}
	return space, nil
}

// SpaceKey is a digest of all of a task but its initial state and its goal: tasks with
// equal keys have the same variables, operators and axioms. The order of operators, which
// depends on the initial state, plays no part.
func SpaceKey(t *grounder.Task) [32]byte {
	c := *t
	c.Init = make([]int32, len(t.Init))
	c.Goal = nil
	names := make([]string, len(t.Operators))
	order := make([]int, len(t.Operators))
	for o := range order {
		names[o], order[o] = t.OperatorName(grounder.OperatorID(o)), o
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &t.Operators[a], &t.Operators[b]
		return cmp.Or(cmp.Compare(names[a], names[b]), compareFacts(x.Pre, y.Pre), cmp.Compare(a, b))
	})
	c.Operators = make([]grounder.Operator, len(order))
	for i, o := range order {
		c.Operators[i] = t.Operators[o]
	}
	return space.TaskHash(&c)
}

func compareFacts(a, b []grounder.Fact) int {
	return slices.CompareFunc(a, b, func(x, y grounder.Fact) int {
		return cmp.Or(cmp.Compare(x.Var, y.Var), cmp.Compare(x.Val, y.Val))
	})
}

// Place finds the initial state and the goal states of a task whose [SpaceKey] is that of
// the space's task. The second result is false when the initial state is not in the space:
// the task then needs a space of its own.
func (s *Space) Place(t *grounder.Task) (initial state.StateID, goals []state.StateID, ok bool, err error) {
	row, err := s.Pack(t.Init)
	if err != nil {
		return 0, nil, false, err
	}
	if initial, ok = s.ID(row); !ok {
		return 0, nil, false, nil
	}
	goals, err = s.Satisfying(t.Goal)
	return initial, goals, true, err
}

// Prices are the costs of a schedule in a space.
type Prices struct {
	Schedule Schedule
	// Unit is what one unit of the integers of the search is worth.
	Unit  pddl.Number
	costs *space.Costs
	by    []int64 // by schema
}

// Price prices the operators of the space. It is an error if the schedule does not price
// some action or if its costs, as multiples of a common unit, need more than 62 bits.
func (s *Space) Price(schedule Schedule) (*Prices, error) {
	t := s.Task()
	p := &Prices{Schedule: schedule}
	var err error
	if p.Unit, p.by, err = schedule.scaled(t.SchemaNames); err != nil {
		return nil, err
	}
	costs := make([]int64, len(s.schema))
	for o, schema := range s.schema {
		costs[o] = p.by[schema]
	}
	p.costs, err = s.OperatorCosts(costs)
	return p, err
}

// number returns what an integer cost is worth.
func (p *Prices) number(n int64) pddl.Number { return p.Unit.Mul(pddl.Int(n)) }

// scaled returns the costs of the actions as integers without a common divisor, and what
// one of them is worth.
func (s Schedule) scaled(actions []string) (unit pddl.Number, costs []int64, err error) {
	exact := make([]pddl.Number, len(actions))
	for i, name := range actions {
		c, ok := s.Cost(name)
		if !ok {
			return unit, nil, fmt.Errorf("schedule %s: no cost for %s", clip(s.String()), clip(name))
		}
		exact[i] = c
	}
	unit = commonUnit(exact)
	costs = make([]int64, len(actions))
	for i, c := range exact {
		q, _ := c.Div(unit)
		n, ok := q.Int64()
		if !ok || n > 1<<62 {
			return unit, nil, fmt.Errorf("schedule %s: costs range over more than 62 bits (%s times their common unit)", clip(s.String()), clip(q.String()))
		}
		costs[i] = n
	}
	return unit, costs, nil
}
