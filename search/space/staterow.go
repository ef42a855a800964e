package space

import (
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// StateRow is a reachable state with what is known about it. It is valid during the call
// of Table.Rows that it is passed to.
type StateRow struct {
	ID    state.StateID
	State State
	// Values has the value of every variable, derived ones included.
	Values []int32
	// Fluents has the value of every numeric fluent, in its units, grounder.NoValue for none.
	Fluents []int64
	// Depth is the least number of steps from the initial state.
	Depth int
	Goal  bool
	Distance
	Transitions []StateTransition
}

// StateTransition is a ground action applicable in a state.
type StateTransition struct {
	To       state.StateID
	Operator grounder.OperatorID
	Cost     int64 // in units of Task.CostUnit
}

// Rows calls visit with every reachable state, in order, and the transitions out of it,
// self-loops included, which are generated anew. It ends with the first error of visit.
func (t *Table) Rows(visit func(*StateRow) error) error {
	e := t.newExpander()
	r := &StateRow{State: make(State, t.sys.Packer.Words())}
	vars := len(t.sys.Task.Variables)
	left := int64(0) // states of this depth to come
	r.Depth = -1
	for id := 0; id < t.states.Len(); id++ {
		if left == 0 {
			r.Depth++
			left = t.PerDepth[r.Depth]
		}
		left--
		r.ID = state.StateID(id)
		copy(r.State, t.states.Row(r.ID))
		r.Distance = t.distance(r.ID)
		r.Goal = t.steps[id] == 0
		t.sys.Unpack(r.State, e.x)
		r.Values = append(r.Values[:0], e.x.Values[:vars]...)
		r.Fluents = r.Fluents[:0]
		for i := range (len(e.x.Values) - vars) / 2 {
			r.Fluents = append(r.Fluents, state.Fluent(e.x.Values, vars, i))
		}
		var err error
		if r.Transitions, err = t.transitions(e, r.State, r.Transitions[:0]); err != nil {
			return err
		}
		if err := visit(r); err != nil {
			return err
		}
	}
	return nil
}

// transitions appends to list those out of the state row, which is unpacked in e.x.
func (t *Table) transitions(e *expander, row []uint64, list []StateTransition) ([]StateTransition, error) {
	for _, op := range e.transitions(row) {
		cost, ok := t.sys.Applier.Cost(e.x.Values, op)
		if !ok {
			return nil, t.costBeyond(op)
		}
		t.sys.Applier.Apply(e.x.Next, row, e.x.Values, op)
		to, ok := t.states.Find(e.x.Next)
		if !ok {
			return nil, errDamaged
		}
		list = append(list, StateTransition{to, op, cost})
	}
	return list, nil
}
