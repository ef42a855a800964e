package space

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// CheapestPlan returns a plan of the optimal cost, nil without a plan. Errors are costs
// beyond 63 bits and a table in which no plan has that cost.
func (t *Table) CheapestPlan() (*Plan, error) {
	defer runtime.KeepAlive(t)
	if t.steps[0] == math.MaxUint32 {
		return nil, nil
	}
	e := t.newExpander()
	ops, err := descend(0, func(id state.StateID) bool { return t.steps[id] == 0 }, func(id state.StateID) ([]StateTransition, error) {
		row := t.states.Row(id)
		t.sys.Unpack(row, e.x)
		all, err := t.transitions(e, row, nil)
		h := t.costOf(id)
		all = slices.DeleteFunc(all, func(x StateTransition) bool {
			return t.steps[x.To] == math.MaxUint32 || x.Cost > h || t.costOf(x.To) != h-x.Cost
		})
		slices.SortStableFunc(all, func(a, b StateTransition) int { return cmp.Compare(t.steps[b.To], t.steps[a.To]) })
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return &Plan{ops, t.costOf(0)}, nil
}

// descend follows tight transitions, those whose cost is the difference of the distances,
// from a state to an end. tight lists them, the most promising last. Where they cost
// nothing they may lead in a circle, so visited states are left out, and the way back is
// kept.
func descend(from state.StateID, isEnd func(state.StateID) bool, tight func(state.StateID) ([]StateTransition, error)) ([]grounder.OperatorID, error) {
	var plan []grounder.OperatorID
	seen := map[state.StateID]bool{from: true}
	left, err := tight(from)
	open := [][]StateTransition{left} // by state of the path: what has not been tried
	for at := from; err == nil && !isEnd(at); {
		top := len(open) - 1
		n := len(open[top])
		if n == 0 {
			if top == 0 {
				return nil, fmt.Errorf("internal error: no plan has the cost of the distance found: please report it")
			}
			open, plan = open[:top], plan[:top-1]
			continue
		}
		next := open[top][n-1]
		open[top] = open[top][:n-1]
		if !seen[next.To] {
			at = next.To
			seen[at] = true
			plan = append(plan, next.Operator)
			left, err = tight(at)
			open = append(open, left)
		}
	}
	return plan, err
}
