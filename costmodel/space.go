package costmodel

import (
	"cmp"
	"context"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// sharedSpace is a state space in which any schedule prices any pair of an initial state and a
// goal. It is immutable and may be shared by goroutines.
type sharedSpace struct {
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

// newSharedSpace enumerates the state space of a task that [Ground] has made. Errors are those of
// [space.Enumerate].
func newSharedSpace(ctx context.Context, t *grounder.Task, lim search.Limits) (*sharedSpace, error) {
	s, err := space.Enumerate(ctx, t, lim)
	if err != nil {
		return nil, err
	}
	space := &sharedSpace{StateSpace: s, schema: make([]int32, t.Operators.Len())}
	for o := range t.Operators.Len() {
		space.schema[o] = t.Operators.Schema(o)
	}
	return space, nil
}

// spaceKey is a digest of all of a task but its initial state and its goal: tasks with
// equal keys have the same variables, operators and axioms. The order of operators, which
// depends on the initial state, plays no part.
func spaceKey(t *grounder.Task) [32]byte {
	c := *t
	c.Init = make([]int32, len(t.Init))
	c.Goal = nil
	names := make([]string, t.Operators.Len())
	order := make([]int, t.Operators.Len())
	for o := range order {
		names[o], order[o] = t.OperatorName(grounder.OperatorID(o)), o
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := t.Operators.At(a), t.Operators.At(b)
		return cmp.Or(cmp.Compare(names[a], names[b]), compareFacts(x.Pre, y.Pre), cmp.Compare(a, b))
	})
	c.Operators = grounder.Operators{}
	for _, o := range order {
		c.Operators.Append(t.Operators.At(o))
	}
	return space.TaskHash(&c)
}

func compareFacts(a, b []grounder.Fact) int {
	return slices.CompareFunc(a, b, func(x, y grounder.Fact) int {
		return cmp.Or(cmp.Compare(x.Var, y.Var), cmp.Compare(x.Val, y.Val))
	})
}

// place finds the initial state and the goal states of a task whose [spaceKey] is that of
// the space's task. The second result is false when the initial state is not in the space:
// the task then needs a space of its own.
func (s *sharedSpace) place(t *grounder.Task) (initial state.StateID, goals []state.StateID, ok bool, err error) {
	row, err := s.Pack(state.Initial(t))
	if err != nil {
		return 0, nil, false, err
	}
	if initial, ok = s.ID(row); !ok {
		return 0, nil, false, nil
	}
	goals, err = s.Satisfying(t.Goal)
	return initial, goals, true, err
}
