package feedback

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
)

// withCounter returns a task without operators that has one more variable, whose values are names: it
// counts from the first, and the last is a goal.
func withCounter(base *grounder.Task, names []string) *grounder.Task {
	t, p := *base, int32(len(base.Variables))
	t.Variables = append(slices.Clip(base.Variables), grounder.Variable{Layer: -1, Values: names})
	t.Init = append(slices.Clip(base.Init), 0)
	t.Goal = append(slices.Clip(base.Goal), grounder.Fact{Var: p, Val: int32(len(names)) - 1})
	t.Operators = grounder.Operators{}
	if base.Numeric != nil {
		n := *base.Numeric
		n.Changes = nil
		t.Numeric = &n
	}
	return &t
}

// addOperator adds an operator that changes the numbers that operator o of base does; -1 changes none.
func addOperator(t *grounder.Task, op grounder.Operator, base *grounder.Task, o int) {
	t.Operators.Append(op)
	if t.Numeric == nil {
		return
	}
	var changes []grounder.Change
	if o >= 0 {
		changes = base.Numeric.Changes[o]
	}
	t.Numeric.Changes = append(t.Numeric.Changes, changes)
}

// prefixTask returns a task whose plans begin with the first steps. It stands in for a task with another
// initial state where states cannot be computed one after another, because they have numbers. origin[i]
// is the operator of the original task.
func (j *repairJob) prefixTask(kept int) (t *grounder.Task, origin []grounder.OperatorID) {
	base := j.task
	names := make([]string, kept+1)
	for i := range names {
		names[i] = fmt.Sprintf("Atom steps-taken(%d)", i)
	}
	t = withCounter(base, names)
	p := int32(len(base.Variables))
	add := func(o grounder.OperatorID, at int) {
		op := base.Operators.At(int(o))
		op.Pre = append(slices.Clip(op.Pre), grounder.Fact{Var: p, Val: int32(at)})
		if at < kept {
			op.Effects = append(slices.Clip(op.Effects), grounder.Effect{Var: p, Val: int32(at) + 1})
		}
		addOperator(t, op, base, int(o))
		origin = append(origin, o)
	}
	for i, step := range j.steps[:kept] {
		for _, o := range j.opOf[step] {
			add(o, i)
		}
	}
	for o := range base.Operators.Len() {
		add(grounder.OperatorID(o), kept)
	}
	return t, origin
}
