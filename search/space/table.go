package space

import (
	"math"
	"runtime"

	"github.com/planproof/planproof/search/state"
)

// Distance is a state's exact distance to the goal.
type Distance struct {
	// DeadEnd is true when no plan exists; the other fields are then 0.
	DeadEnd bool
	// Cost is the cost of a cheapest plan in units of Task.CostUnit, Steps the length of a
	// shortest plan. They need not belong to the same plan.
	Cost, Steps int64
}

// stateStore numbers distinct packed states. Look-ups are safe for concurrent use.
type stateStore interface {
	Len() int
	Row(state.StateID) []uint64
	Find(row []uint64) (state.StateID, bool)
	Bytes() int64
}

// Table holds the exact goal distance of every reachable state of a task. It is immutable:
// look-ups may come from any number of goroutines.
type Table struct {
	*Simulator
	states stateStore
	steps  []uint32 // MaxUint32 for dead ends
	unit   int64    // the cost of every transition, when cost32 and cost64 are nil
	cost32 []uint32
	cost64 []uint64

	// States counts the reachable states, Edges the applicable (state, ground action)
	// pairs, self-loops included.
	States, Edges int64
	// PerDepth counts the states by the least number of steps from the initial state.
	PerDepth []int64
	// GoalStates and DeadEnds count states that satisfy the goal and states from which it
	// cannot be reached.
	GoalStates, DeadEnds int64
	// OptimalPlans is the number of different cost-optimal action sequences, in decimal;
	// "0" without a plan and "infinite" when a cycle costs nothing.
	OptimalPlans string
}

// Depth is the greatest number of steps needed to reach a state.
func (t *Table) Depth() int { return len(t.PerDepth) - 1 }

// Bytes is the memory on the heap that states and distances take; that of a mapped file is
// the system's.
func (t *Table) Bytes() int64 {
	if f, ok := t.states.(*fileStates); ok {
		return f.held
	}
	return t.states.Bytes() + int64(cap(t.steps)+cap(t.cost32))*4 + int64(cap(t.cost64))*8
}

// Distance looks up a packed state. The second result is false when the state is not
// reachable from the initial state.
func (t *Table) Distance(s State) (Distance, bool) {
	if len(s) != t.sys.Packer.Words() {
		return Distance{}, false
	}
	id, ok := t.states.Find(s)
	if !ok {
		runtime.KeepAlive(t)
		return Distance{}, false
	}
	return t.distance(id), true
}

// InitialDistance is the distance of the initial state: the task's optimal cost.
func (t *Table) InitialDistance() Distance { return t.distance(0) }

// DistanceAfter executes the steps of a plan prefix, "(stack a b)", and returns the
// distance of the state they lead to. On an error it is the distance of the state after
// the done steps before the failing one.
func (t *Table) DistanceAfter(steps []string) (d Distance, done int, err error) {
	s, _, done, err := t.Replay(steps)
	d, _ = t.Distance(s)
	return d, done, err
}

// EachState calls visit with every reachable state and its distance, in order of depth. The
// State is valid during the call.
func (t *Table) EachState(visit func(State, Distance)) {
	row := make(State, t.sys.Packer.Words())
	for id := 0; id < t.states.Len(); id++ {
		copy(row, t.states.Row(state.StateID(id)))
		visit(row, t.distance(state.StateID(id)))
	}
}

func (t *Table) distance(id state.StateID) Distance {
	defer runtime.KeepAlive(t)
	if t.steps[id] == math.MaxUint32 {
		return Distance{DeadEnd: true}
	}
	return Distance{Cost: t.costOf(id), Steps: int64(t.steps[id])}
}

func (t *Table) costOf(id state.StateID) int64 {
	switch {
	case t.cost32 != nil:
		return int64(t.cost32[id])
	case t.cost64 != nil:
		return int64(t.cost64[id])
	}
	return int64(t.steps[id]) * t.unit
}

// countDeadEnds fills in DeadEnds.
func (t *Table) countDeadEnds() {
	t.DeadEnds = 0
	for _, d := range t.steps {
		if d == math.MaxUint32 {
			t.DeadEnds++
		}
	}
}
