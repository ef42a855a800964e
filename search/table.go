package search

import (
	"math"
	"math/big"

	"planproof/search/state"
)

// Distance is a state's exact distance to the goal.
type Distance struct {
	// DeadEnd is true when no plan exists; the other fields are then 0.
	DeadEnd bool
	// Cost is the cost of a cheapest plan in units of Task.CostUnit, Steps the length of a
	// shortest plan. They need not belong to the same plan.
	Cost, Steps int64
}

// Table holds the exact goal distance of every reachable state of a task. It is immutable:
// look-ups may come from any number of goroutines.
type Table struct {
	*Simulator
	reg    *state.Registry
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

// Bytes is the memory that states and distances take.
func (t *Table) Bytes() int64 {
	return t.reg.Bytes() + int64(cap(t.steps)+cap(t.cost32))*4 + int64(cap(t.cost64))*8
}

// Distance looks up a packed state. The second result is false when the state is not
// reachable from the initial state.
func (t *Table) Distance(s State) (Distance, bool) {
	if len(s) != t.packer.Words() {
		return Distance{}, false
	}
	id, ok := t.reg.Find(s)
	if !ok {
		return Distance{}, false
	}
	return t.distance(id), true
}

// DistanceOf looks up an unpacked state, one value per variable.
func (t *Table) DistanceOf(values []int32) (Distance, bool) {
	s, err := t.Pack(values)
	if err != nil {
		return Distance{}, false
	}
	return t.Distance(s)
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

// EachState calls visit with every reachable state and its distance, in order of depth.
func (t *Table) EachState(visit func(State, Distance)) {
	for id := 0; id < t.reg.Len(); id++ {
		visit(t.reg.Row(state.StateID(id)), t.distance(state.StateID(id)))
	}
}

func (t *Table) distance(id state.StateID) Distance {
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

// summarise fills in what follows from the distances.
func (t *Table) summarise() error {
	t.DeadEnds = 0
	for _, d := range t.steps {
		if d == math.MaxUint32 {
			t.DeadEnds++
		}
	}
	t.OptimalPlans = (&planCounter{Table: t, x: t.newScratch(), seen: make([]int64, t.names)}).count()
	return nil
}

// planCounter counts optimal plans by a depth-first search over the transitions that lie
// on optimal plans from the initial state.
type planCounter struct {
	*Table
	x     *scratch
	seen  []int64
	round int64
	plans map[state.StateID]*big.Int // nil while on the stack
	stack []countFrame
}

type countFrame struct {
	id   state.StateID
	next []state.StateID // successors on optimal plans that are left
	sum  *big.Int
}

func (c *planCounter) count() string {
	if c.steps[0] == math.MaxUint32 {
		return "0"
	}
	c.plans = map[state.StateID]*big.Int{}
	c.enter(0)
	for {
		f := &c.stack[len(c.stack)-1]
		if len(f.next) == 0 {
			c.plans[f.id] = f.sum
			if len(c.stack) == 1 {
				return f.sum.String()
			}
			c.stack = c.stack[:len(c.stack)-1]
			up := &c.stack[len(c.stack)-1]
			up.sum.Add(up.sum, f.sum)
			continue
		}
		id := f.next[0]
		f.next = f.next[1:]
		if n, known := c.plans[id]; !known {
			c.enter(id)
		} else if n == nil {
			return "infinite" // a cycle of optimal transitions, which cost nothing
		} else {
			f.sum.Add(f.sum, n)
		}
	}
}

// enter puts a state on the stack.
func (c *planCounter) enter(id state.StateID) {
	row := c.reg.Row(id)
	c.unpack(row, c.x)
	f := countFrame{id: id, sum: new(big.Int)}
	if c.isGoal(row, c.x) {
		f.sum.SetInt64(1)
	}
	h := c.costOf(id)
	for _, op := range c.transitions(c.x, c.seen, &c.round) {
		cost, _ := c.apply.Cost(c.x.values, op)
		if cost > h {
			continue
		}
		c.apply.Apply(c.x.next, row, c.x.values, op)
		next, _ := c.reg.Find(c.x.next)
		if c.steps[next] != math.MaxUint32 && c.costOf(next) == h-cost {
			f.next = append(f.next, next)
		}
	}
	c.plans[id] = nil
	c.stack = append(c.stack, f)
}
