package constrain

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/internal/world"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// GroundActions lists the ground actions of a problem, "(stack a b)", that are reachable if deletes are
// ignored; no other step occurs in a valid plan. They are sorted by schema and then by arguments, in the
// order of the domain and the problem. The error is like that of NewMasker.
func GroundActions(ctx context.Context, prob *pddl.Problem, lim search.Limits) ([]string, error) {
	task, err := world.GroundAll(ctx, prob, lim)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, task.Operators.Len())
	for _, op := range inOrder(prob, task) {
		out = append(out, atomtext.LowerASCII(task.OperatorName(op)))
	}
	return slices.Compact(out), nil // an action with a disjunctive precondition has several operators
}

// inOrder lists the operators by schema, arguments and number.
func inOrder(prob *pddl.Problem, task *grounder.Task) []grounder.OperatorID {
	schema := make([]int, len(task.SchemaNames))
	for i, name := range task.SchemaNames {
		schema[i], _ = prob.Domain.ActionByName(name)
	}
	order := make([]grounder.OperatorID, task.Operators.Len())
	for i := range order {
		order[i] = grounder.OperatorID(i)
	}
	slices.SortFunc(order, func(a, b grounder.OperatorID) int {
		x, y := int(a), int(b)
		return cmp.Or(schema[task.Operators.Schema(x)]-schema[task.Operators.Schema(y)], slices.Compare(task.Operators.Args(x), task.Operators.Args(y)), x-y)
	})
	return order
}

// bindings appends the steps of a schema, one for each choice of objects of the right types.
func bindings(ctx context.Context, prob *pddl.Problem, a *pddl.Action, out []pddl.Step, limit int) ([]pddl.Step, error) {
	objects := make([][]pddl.ObjectID, a.NumParams)
	for i := range objects {
		if objects[i] = prob.ObjectsOfType(a.Vars[i].Type); len(objects[i]) == 0 {
			return out, nil
		}
	}
	at := make([]int, a.NumParams)
	for {
		if len(out) == limit {
			return nil, fmt.Errorf("%w: the task has more than %d steps of the right types", search.ErrLimit, limit)
		}
		if len(out)&0xFFF == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		st := pddl.Step{Name: atomtext.LowerASCII(a.Name), Args: make([]string, a.NumParams)}
		for i, k := range at {
			st.Args[i] = atomtext.LowerASCII(prob.Objects[objects[i][k]].Name)
		}
		out = append(out, st)
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < len(objects[i]) {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return out, nil
		}
	}
}
