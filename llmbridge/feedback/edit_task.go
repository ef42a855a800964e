package feedback

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/atomtext"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// nearest finds the plan with the fewest edits and, among those, the least cost. It is a cheapest plan of
// editTask: an additional variable counts the steps of the given plan that are done. Keeping a step costs
// what the step costs, deleting it costs the price of an edit, and inserting one costs both.
func (j *repairJob) nearest(completion *Proposal) (Proposal, error) {
	if completion.Status == ProposalNone {
		return Proposal{Status: ProposalNone, Proven: true}, nil
	}
	price, byCost := j.editPrice(completion)
	t, origin := j.editTask(price, byCost)
	res, err := j.search(t)
	if err != nil {
		return Proposal{}, err
	}
	switch res.Status {
	case search.SolvedOptimally:
	case search.Unsolvable:
		return Proposal{Status: ProposalNone, Proven: true}, nil
	default:
		p := limited(res)
		if completion.Status == ProposalFound { // no nearest plan has more edits
			reason := p.Reason
			p = *completion
			p.Proven, p.Reason = false, reason
		}
		return p, nil
	}
	var script []Edit
	for _, op := range res.Plan {
		e := origin[op]
		if e.Op != EditDelete {
			e.Action = atomtext.LowerASCII(j.task.OperatorName(grounder.OperatorID(e.Step)))
		}
		script = append(script, e)
	}
	step := 0 // of the given plan
	for i := range script {
		if script[i].Op == EditInsert {
			script[i].Step = 0
			continue
		}
		step++
		script[i].Step = step
	}
	p, err := j.proposal(script)
	if err == nil && byCost {
		err = j.agrees(&p, res.Cost-price*int64(p.Edits))
	}
	p.Proven = byCost
	if !byCost && p.Status == ProposalFound {
		p.Reason = "among equally near plans it need not be the cheapest"
	}
	return p, err
}

// maxEditPrice keeps the sums of prices within 63 bits for every plan that a search can find.
const maxEditPrice = 1 << 40

// editPrice returns a price of an edit that exceeds the cost of every candidate, that is of every plan with
// at most as many edits as the completion. If there is no such price, only edits count (byCost is false).
func (j *repairJob) editPrice(completion *Proposal) (price int64, byCost bool) {
	if completion.Status != ProposalFound {
		return 1, false
	}
	most := int64(0)
	for o := range j.task.Operators.Len() {
		op := j.task.Operators.At(o)
		cost := op.Cost
		for _, c := range op.CondCosts {
			cost += c.Cost
			if cost < 0 || cost > maxEditPrice {
				return 1, false
			}
		}
		most = max(most, cost)
	}
	steps := int64(len(j.steps) + completion.Edits)
	if most > maxEditPrice/(steps+1) {
		return 1, false
	}
	return most*steps + 1, true
}

// editTask builds the task for nearest. origin[i] says what operator i stands for; its Step is the operator
// of the original task that is kept or inserted.
func (j *repairJob) editTask(price int64, byCost bool) (t *grounder.Task, origin []Edit) {
	base := j.task
	p := int32(len(base.Variables))
	names := make([]string, len(j.steps)+1)
	for i := range names {
		names[i] = fmt.Sprintf("Atom steps-behind(%d)", i)
	}
	t = withCounter(base, names)
	t.SchemaNames = append(slices.Clip(base.SchemaNames), "delete-step")
	t.Metric, t.CostUnit, t.CostBase = true, pddl.Int(1), pddl.Int(0)
	priced := func(op grounder.Operator, price int64) grounder.Operator {
		if !byCost {
			op.Cost, op.CondCosts = 0, nil
		}
		op.Cost += price
		return op
	}
	for o := range base.Operators.Len() {
		addOperator(t, priced(base.Operators.At(o), price), base, o)
		origin = append(origin, Edit{Op: EditInsert, Step: o})
	}
	for i, step := range j.steps {
		at, next := grounder.Fact{Var: p, Val: int32(i)}, grounder.Effect{Var: p, Val: int32(i) + 1}
		for _, o := range j.opOf[step] {
			op := priced(base.Operators.At(int(o)), 0)
			op.Pre = append(slices.Clip(op.Pre), at)
			op.Effects = append(slices.Clip(op.Effects), next)
			addOperator(t, op, base, int(o))
			origin = append(origin, Edit{Op: EditKeep, Step: int(o)})
		}
		addOperator(t, grounder.Operator{
			Schema: int32(len(base.SchemaNames)), Pre: []grounder.Fact{at}, Effects: []grounder.Effect{next}, Cost: price,
		}, base, -1)
		origin = append(origin, Edit{Op: EditDelete, Action: step})
	}
	return t, origin
}
