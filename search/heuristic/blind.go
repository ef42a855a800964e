package heuristic

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// Blind is the cost of the cheapest operator in states that violate the goal, else 0.
type Blind struct {
	goal    []grounder.Fact // on state variables
	derived []grounder.Fact // on derived variables
	axioms  *state.AxiomEvaluator
	scratch state.AxiomScratch
	values  []int32
	step    int64
	work    int64
}

// NewBlind returns the blind heuristic of t.
func NewBlind(t *grounder.Task) *Blind {
	b := &Blind{axioms: state.NewAxiomEvaluator(t), values: make([]int32, state.Unpacked(t))}
	for i := range t.Operators.Len() {
		if c := t.Operators.Cost(i); i == 0 || c < b.step {
			b.step = c
		}
	}
	b.step = min(b.step, DeadEnd-1)
	for _, f := range t.Goal {
		if t.Variables[f.Var].Layer < 0 {
			b.goal = append(b.goal, f)
		} else {
			b.derived = append(b.derived, f)
		}
	}
	return b
}

// Step returns the estimate of states that violate the goal.
func (b *Blind) Step() int64 { return b.step }

// Estimate implements Heuristic.
func (b *Blind) Estimate(values []int32) int64 {
	b.work++
	for _, f := range b.goal {
		if values[f.Var] != f.Val {
			return b.step
		}
	}
	if len(b.derived) == 0 {
		return 0
	}
	copy(b.values, values)
	b.axioms.Evaluate(b.values, &b.scratch)
	b.work += int64(len(values))
	for _, f := range b.derived {
		if b.values[f.Var] != f.Val {
			return b.step
		}
	}
	return 0
}

// Work implements Heuristic.
func (b *Blind) Work() int64 { return b.work }

// Bytes implements Heuristic.
func (b *Blind) Bytes() int64 { return 0 }
