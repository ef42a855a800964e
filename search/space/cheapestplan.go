package space

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"github.com/planproof/planproof/search/state"
)

// CheapestPlan returns a plan of the optimal cost, nil without a plan. It goes along
// transitions whose cost is the difference of the distances. Where these cost nothing
// they may lead in a circle, so that visited states are left out and the way back is kept.
// Errors are costs beyond 63 bits and a damaged table.
func (t *Table) CheapestPlan() (*Plan, error) {
	defer runtime.KeepAlive(t)
	if t.steps[0] == math.MaxUint32 {
		return nil, nil
	}
	type visit struct {
		id   state.StateID
		left []StateTransition // not tried yet, the best at the end
	}
	e := t.newExpander()
	seen := map[state.StateID]bool{0: true}
	path := []visit{{id: 0}}
	var err error
	if path[0].left, err = t.tight(e, 0); err != nil {
		return nil, err
	}
	p := &Plan{Cost: t.costOf(0)}
	for t.steps[path[len(path)-1].id] != 0 {
		top := &path[len(path)-1]
		n := len(top.left)
		if n == 0 { // a dead end of the free transitions
			if path = path[:len(path)-1]; len(path) == 0 {
				return nil, errDamaged
			}
			p.Operators = p.Operators[:len(p.Operators)-1]
			continue
		}
		next := top.left[n-1]
		top.left = top.left[:n-1]
		if seen[next.To] {
			continue
		}
		seen[next.To] = true
		left, err := t.tight(e, next.To)
		if err != nil {
			return nil, err
		}
		path = append(path, visit{next.To, left})
		p.Operators = append(p.Operators, next.Operator)
	}
	return p, nil
}

// tight lists the transitions out of a state that lie on cheapest plans, those to states
// of fewest steps from the goal at the end.
func (t *Table) tight(e *expander, id state.StateID) ([]StateTransition, error) {
	row := t.states.Row(id)
	t.sys.Unpack(row, e.x)
	all, err := t.transitions(e, row, nil)
	if err != nil {
		return nil, err
	}
	h := t.costOf(id)
	all = slices.DeleteFunc(all, func(x StateTransition) bool {
		return t.steps[x.To] == math.MaxUint32 || x.Cost > h || t.costOf(x.To) != h-x.Cost
	})
	slices.SortStableFunc(all, func(a, b StateTransition) int { return cmp.Compare(t.steps[b.To], t.steps[a.To]) })
	return all, nil
}
