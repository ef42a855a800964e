package costmodel

import (
	"encoding/binary"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search/state"
	"github.com/planproof/planproof/validator"
)

// witness has the judge read plans of the costs and lengths that the distances of a space
// claim, so that no optimum goes round the judge. It belongs to one task.
type witness struct {
	problem *pddl.Problem
	judge   *validator.Judge // of the unit costs: the cost of a plan is its length
	scratch *validator.Scratch
	sound   map[string]bool // plans that the judge has accepted, by their operators
	key     []byte
}

// confirm compares a plan with the cost and the number of steps that it should have. The
// judge says whether it is one, and counts the steps; each costs what the schedule says.
func (w *witness) confirm(t *grounder.Task, plan []grounder.OperatorID, s Schedule, cost pddl.Number) error {
	if invariants.Enabled {
		cost = cost.Add(pddl.Int(invariants.PlantedCost))
	}
	w.key = w.key[:0]
	price := pddl.Number{}
	for _, op := range plan {
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(op))
		c, _ := s.Cost(t.SchemaNames[t.Operators.Schema(int(op))]) // the space has priced every action
		price = price.Add(c)
	}
	if w.sound[string(w.key)] && price.Equal(cost) {
		return nil
	}
	if w.judge == nil {
		priced, err := Unit().Apply(w.problem)
		if err != nil {
			return err
		}
		if w.judge, err = validator.NewJudge(priced, validator.Options{}); err != nil {
			return err
		}
		w.scratch, w.sound = w.judge.NewScratch(), map[string]bool{}
	}
	names := make([]string, len(plan))
	for i, op := range plan {
		names[i] = t.OperatorName(op)
	}
	v, diags := w.judge.ValidateText(pddl.NewSource("found plan", strings.Join(names, "\n")+"\n"), w.scratch)
	if diags.HasErrors() || !v.Valid || v.Steps != len(plan) || !price.Equal(cost) {
		v.Cost = price
		return &pipeline.Disagreement{Task: w.problem.Name, Search: "enumeration", Cost: cost, Plan: names, Verdict: v}
	}
	w.sound[string(w.key)] = true
	return nil
}

// plan lists the operators of a plan along the layers that chosen has left.
func (a *analyst) plan(initial state.StateID, g optimal, plan []grounder.OperatorID) []grounder.OperatorID {
	out := a.space.Out()
	at := initial
	for layer := range len(a.start) - 1 {
		next, ops := out.Of(at)
		for k, u := range next {
			if a.within(at, u, a.space.schema[ops[k]], int64(layer), g) {
				plan, at = append(plan, ops[k]), u
				break
			}
		}
	}
	return plan
}
