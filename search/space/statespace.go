package space

import (
	"context"
	"fmt"
	"math"

	"github.com/planproof/planproof/search"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// StateSpace holds the reachable states of a task and the transitions between them,
// whatever the goal: distances to any goal, under any costs, follow from one StateSpace
// (NewDistances). It is immutable and may be shared by goroutines.
//
// States are numbered breadth first from the initial state, which is 0. There is one
// transition for each state and ground action applicable in it, self-loops included; of
// several operators of one name (a disjunctive precondition gives one for each disjunct)
// the cheapest applicable one stands for the action, the first among equals.
type StateSpace struct {
	*Simulator
	// PerDepth counts the states by the least number of steps from the initial state.
	PerDepth []int64

	reg     *state.Registry
	out, in Transitions
}

// Transitions lists the transitions out of (or into) every state, flat: those of state s
// are at Start[s] to Start[s+1]. State is the state at the other end, Operator the operator.
// Within a state they are ordered by operator as the successor generator lists them (out)
// and by the state they come from (in). All slices are read-only.
type Transitions struct {
	Start    []uint32
	State    []state.StateID
	Operator []grounder.OperatorID

	cost []int64 // by transition, nil unless some operator's cost depends on the state
}

// Of returns the other ends and the operators of the transitions of a state.
func (t *Transitions) Of(id state.StateID) ([]state.StateID, []grounder.OperatorID) {
	from, to := t.Start[id], t.Start[id+1]
	return t.State[from:to:to], t.Operator[from:to:to]
}

func (t *Transitions) bytes() int64 {
	return int64(cap(t.Start)+cap(t.State)+cap(t.Operator))*4 + int64(cap(t.cost))*8
}

// Enumerate lists the reachable states of t and all transitions, 16 bytes a transition.
// Limits.Nodes bounds the number of states. The goal plays no part: for the space that many
// goals share, ground with KeepIrrelevant, which keeps what this problem's goal does not
// depend on. Errors are a *LimitError, ErrNoStateSpace, and costs beyond 63 bits.
func Enumerate(ctx context.Context, t *grounder.Task, lim search.Limits) (*StateSpace, error) {
	e, done, err := beginExhausting(ctx, t, lim)
	if err != nil {
		return nil, err
	}
	defer done()
	s := &StateSpace{Simulator: e.Simulator, reg: e.reg}
	if err := e.list(s); err != nil {
		return nil, err
	}
	return s, e.listInto(s)
}

// list fills in the states and the transitions out of them.
func (e *exhauster) list(s *StateSpace) error {
	row := e.sys.Initial()
	e.reg.Insert(row, e.reg.Hash(row))
	conditional := hasConditionalCosts(e.sys.Task)
	layer := 1 // first id of the next layer
	for id := 0; id < e.reg.Len(); id++ {
		if id == layer || id == 0 {
			s.PerDepth = append(s.PerDepth, int64(e.reg.Len()-id))
			layer = e.reg.Len()
		}
		e.kept = s.out.bytes() * 9 / 4 // old and new array while one grows; later the lists into states
		if err := e.limits(id); err != nil {
			return err
		}
		s.out.Start = append(s.out.Start, uint32(len(s.out.State)))
		err := e.successors(state.StateID(id), func(row []uint64, op grounder.OperatorID, c int64) {
			next, _ := e.reg.Insert(row, e.reg.Hash(row))
			s.out.State = append(s.out.State, next)
			s.out.Operator = append(s.out.Operator, op)
			if conditional {
				s.out.cost = append(s.out.cost, c)
			}
		})
		if err != nil {
			return err
		}
		if len(s.out.State) > math.MaxUint32 {
			return &search.LimitError{Status: search.Memout, States: int64(e.reg.Len())}
		}
	}
	s.out.Start = append(s.out.Start, uint32(len(s.out.State)))
	return nil
}

func hasConditionalCosts(t *grounder.Task) bool {
	for o := range t.Operators.Len() {
		if len(t.Operators.CondCosts(o)) > 0 {
			return true
		}
	}
	return false
}

// listInto fills in the transitions into each state by counting.
func (e *exhauster) listInto(s *StateSpace) error {
	n, m := e.reg.Len(), len(s.out.State)
	need := int64(n+1)*4 + int64(m)*8 + int64(len(s.out.cost))*8
	if e.lim.Memory > 0 && e.reg.Bytes()+s.out.bytes()+need > e.lim.Memory {
		return &search.LimitError{Status: search.Memout, States: int64(n)}
	}
	in := Transitions{Start: make([]uint32, n+2), State: make([]state.StateID, m), Operator: make([]grounder.OperatorID, m)}
	if s.out.cost != nil {
		in.cost = make([]int64, m)
	}
	// Counted one place further up, the starts come to rest as the lists fill.
	for _, t := range s.out.State {
		in.Start[t+2]++
	}
	for i := 2; i < len(in.Start); i++ {
		in.Start[i] += in.Start[i-1]
	}
	for id := 0; id < n; id++ {
		if err := e.check(id); err != nil {
			return err
		}
		for k := s.out.Start[id]; k < s.out.Start[id+1]; k++ {
			t := s.out.State[k]
			at := in.Start[t+1]
			in.Start[t+1]++
			in.State[at], in.Operator[at] = state.StateID(id), s.out.Operator[k]
			if in.cost != nil {
				in.cost[at] = s.out.cost[k]
			}
		}
	}
	in.Start = in.Start[:n+1]
	s.in = in
	return nil
}

// Len returns the number of states.
func (s *StateSpace) Len() int { return s.reg.Len() }

// Edges returns the number of transitions.
func (s *StateSpace) Edges() int { return len(s.out.State) }

// Bytes is the memory that states and transitions take.
func (s *StateSpace) Bytes() int64 { return s.reg.Bytes() + s.out.bytes() + s.in.bytes() }

// Row returns a state, 0 <= id < Len.
func (s *StateSpace) Row(id state.StateID) State { return s.reg.Row(id) }

// ID looks a state up. The second result is false when it is not reachable.
func (s *StateSpace) ID(st State) (state.StateID, bool) {
	if len(st) != s.sys.Packer.Words() {
		return 0, false
	}
	return s.reg.Find(st)
}

// Out lists the transitions by the state they leave, In by the state they enter.
func (s *StateSpace) Out() *Transitions { return &s.out }

// In lists the transitions by the state they enter.
func (s *StateSpace) In() *Transitions { return &s.in }

// Satisfying returns the states in which all facts of goal hold, in order. Facts may be on
// derived variables. An error is a fact that the task does not have.
func (s *StateSpace) Satisfying(goal []grounder.Fact) ([]state.StateID, error) {
	for _, f := range goal {
		if f.Var < 0 || int(f.Var) >= len(s.sys.Task.Variables) || f.Val < 0 || int(f.Val) >= s.sys.Task.Variables[f.Var].Size() {
			return nil, fmt.Errorf("the goal has a fact, value %d of variable %d, that the task does not have", f.Val, f.Var)
		}
	}
	test := state.NewGoalTest(s.sys.Packer, goal)
	x := s.sys.NewScratch()
	var found []state.StateID
	for id := state.StateID(0); int(id) < s.reg.Len(); id++ {
		row := s.reg.Row(id)
		if !test.MayHold(row) {
			continue
		}
		if len(test.Derived) > 0 {
			s.sys.Unpack(row, x)
		}
		if test.Holds(row, x) {
			found = append(found, id)
		}
	}
	return found, nil
}
