package space

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/planproof/planproof/search"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/invariants"
	"github.com/planproof/planproof/search/state"
)

// ErrNoStateSpace is returned by Exhaust for tasks that grounding has already shown
// unsolvable and left out: such a ground task has lost its state space.
var ErrNoStateSpace = errors.New("grounding has shown the goal unreachable; the ground task has no state space to enumerate")

// Exhaust enumerates all reachable states of t and computes the exact distance of each to
// the goal, in cost and in steps. A space of up to Limits.Nodes states is enumerated.
// Errors are a *search.LimitError, ErrNoStateSpace, and costs beyond 63 bits.
//
// States are registered breadth first. Other processors generate successors meanwhile, but
// one thread registers them, in the order of their parents, so that ids do not depend on
// timing. Transitions are not kept. The way back from the goal states uses inverse operators
// (inverse.go) where the effects determine the state before. Otherwise it collects the
// transitions backwards, 4 bytes each (5 where costs differ). If the memory limit does not
// allow that, it sweeps over the states and generates successors again, which gives the same
// result in much more time.
func Exhaust(ctx context.Context, t *grounder.Task, lim search.Limits) (*Table, error) {
	return ExhaustObserved(ctx, t, lim, nil)
}

// Phase is a part of the work of Exhaust.
type Phase string

// The phases, in their order.
const (
	Enumerating Phase = "enumerating"
	Measuring   Phase = "measuring distances"
	Counting    Phase = "counting plans"
)

// simulatorOf makes the simulator of a task that has a state space.
func simulatorOf(t *grounder.Task) (*Simulator, error) {
	if t.Unsolvable && t.Trivial {
		return nil, ErrNoStateSpace
	}
	return NewSimulator(t)
}

// beginExhausting makes an exhauster on a thread of its own, whose CPU time is limited, until done is called.
func beginExhausting(ctx context.Context, t *grounder.Task, lim search.Limits) (e *exhauster, done func(), err error) {
	sim, err := simulatorOf(t)
	if err != nil {
		return nil, nil, err
	}
	runtime.LockOSThread()
	return newExhauster(ctx, sim, lim), runtime.UnlockOSThread, nil
}

// ExhaustObserved is Exhaust with an observer, which may be nil. It is called with the number
// of states so far, at intervals of work, by the goroutine that called.
func ExhaustObserved(ctx context.Context, t *grounder.Task, lim search.Limits, observe func(Phase, int64)) (*Table, error) {
	e, done, err := beginExhausting(ctx, t, lim)
	if err != nil {
		return nil, err
	}
	defer done()
	e.observe = observe
	if err := e.forward(); err != nil {
		return nil, err
	}
	e.tidy()
	e.phase = Measuring
	if err := e.backward(); err != nil {
		return nil, err
	}
	e.tab.countDeadEnds()
	if invariants.Enabled {
		e.tab.unit += invariants.PlantedCost
	}
	e.tidy()
	e.phase = Counting
	e.tab.OptimalPlans, err = e.countPlans()
	e.tidy()
	return e.tab, err
}

// tidy collects what a phase has left behind, in large spaces: the next one would be
// given new memory while as much lies idle.
func (e *exhauster) tidy() {
	if e.reg.Len() > 1<<20 {
		runtime.GC()
	}
}

type exhauster struct {
	*Simulator
	clock *cpuclock.Clock
	lim   search.Limits
	*expander
	spent int   // words of states made since the last look at the limits
	kept  int64 // bytes held beside the registry, lists of transitions apart
	reg   *state.Registry
	tab   *Table

	observe func(Phase, int64)
	phase   Phase

	inverse *inverse // nil where operators cannot be inverted
	tuning
	goals state.Bitset
	into  []uint32 // by state, without inverse: transitions into it, self-loops left out
	arcs  int64
	costs costClasses
}

// tuning chooses between ways to the same result; tests try them all.
type tuning struct {
	lists    bool // invert no operators
	threads  int
	parallel int // the number of states from which other threads help
	batch    int // the size from which a batch of states is worth handing over
	open     int // the size that the backward open list may always have
}

func defaultTuning(lim search.Limits) tuning {
	t := tuning{parallel: 1 << 12, batch: 32, open: 1 << 12}
	// With a bound on CPU time it is the time of one thread that is bounded.
	if n := runtime.GOMAXPROCS(0); n > 1 && lim.CPU == 0 {
		t.threads = n
	}
	return t
}

func newExhauster(ctx context.Context, sim *Simulator, lim search.Limits) *exhauster {
	e := &exhauster{
		Simulator: sim, clock: cpuclock.Start(ctx, lim.Wall, lim.CPU), lim: lim, expander: sim.newExpander(),
		reg: state.NewRegistry(sim.sys.Packer.Words(), 0),
		tab: &Table{Simulator: sim}, tuning: defaultTuning(lim), phase: Enumerating,
	}
	e.tab.states = e.reg
	return e
}

// costClasses numbers the distinct costs of transitions.
type costClasses struct {
	value []int64
	index map[int64]uint32
}

func (c *costClasses) of(cost int64) uint32 {
	if len(c.value) > 0 && c.value[0] == cost {
		return 0
	}
	k, ok := c.index[cost]
	if !ok {
		if c.index == nil {
			c.index = map[int64]uint32{}
		}
		k = uint32(len(c.value))
		c.index[cost] = k
		c.value = append(c.value, cost)
	}
	return k
}

// successors calls visit for every transition out of state id.
func (e *exhauster) successors(id state.StateID, visit func(row []uint64, op grounder.OperatorID, cost int64)) error {
	row := e.reg.Row(id)
	e.sys.Unpack(row, e.x)
	for _, op := range e.transitions(row) {
		c, ok := e.sys.Applier.Cost(e.x.Values, op)
		if !ok {
			return e.costBeyond(op)
		}
		e.sys.Applier.Apply(e.x.Next, row, e.x.Values, op)
		visit(e.x.Next, op, c)
		if e.spent += len(row); e.spent >= wordsBetweenLooks {
			if err := e.look(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Simulator) costBeyond(op grounder.OperatorID) error {
	what := ""
	if s.sys.Task.Numeric != nil {
		what = ", or a value that it gives to a fluent,"
	}
	return fmt.Errorf("the cost of %s%s exceeds 63 bits", s.sys.Task.OperatorName(op), what)
}

// wordsBetweenLooks bounds the states made between two looks at the limits: a single
// state may have a million successors of 100 KB each.
const wordsBetweenLooks = 1 << 21

// look checks time and memory in the middle of an expansion.
func (e *exhauster) look() error {
	e.spent = 0
	n := int64(e.reg.Len())
	switch {
	case e.lim.Nodes > 0 && n > e.lim.Nodes:
		return &search.LimitError{Status: search.Nodeout, States: e.lim.Nodes}
	case e.clock.Expired():
		return &search.LimitError{Status: search.Timeout, States: n}
	case e.lim.Memory > 0 && e.reg.Bytes()+e.held() > e.lim.Memory:
		return &search.LimitError{Status: search.Memout, States: n}
	}
	return nil
}

// check looks at the clock now and then, and calls the observer.
func (e *exhauster) check(id int) error {
	if id&1023 != 0 {
		return nil
	}
	if e.observe != nil {
		e.observe(e.phase, int64(e.reg.Len()))
	}
	if e.clock.Expired() {
		return &search.LimitError{Status: search.Timeout, States: int64(e.reg.Len())}
	}
	return nil
}

// held is the memory held beside the registry.
func (e *exhauster) held() int64 {
	return e.kept + int64(cap(e.into))*4 + int64(cap(e.goals))*8
}

// forward registers all reachable states, breadth first.
func (e *exhauster) forward() error {
	if !e.lists {
		e.inverse = newInverse(e.sys)
	}
	row := e.sys.Initial()
	e.reg.Insert(row, e.reg.Hash(row))
	e.grow()
	layer := 1 // first id of the next layer
	err := e.expandAll(visitor{
		before: func(id int) error {
			if id == layer || id == 0 {
				e.tab.PerDepth = append(e.tab.PerDepth, int64(e.reg.Len()-id))
				layer = e.reg.Len()
			}
			return e.limits(id)
		},
		visit: func(id int, next state.StateID, isNew bool, cost int64) {
			if isNew {
				e.grow()
			}
			e.tab.Edges++
			e.costs.of(cost)
			if e.inverse == nil && int(next) != id {
				e.into[next]++
				e.arcs++
			}
		},
		goal: func(id int) { e.goals.Set(uint32(id)) },
	})
	if err != nil {
		return err
	}
	e.tab.States = int64(e.reg.Len())
	e.tab.GoalStates = e.goals.Count()
	return nil
}

// grow makes room for what is kept about a state that has been added to the registry.
func (e *exhauster) grow() {
	e.goals.Grow(e.reg.Len())
	if e.inverse == nil {
		e.into = append(e.into, 0)
	}
}

func (e *exhauster) limits(id int) error {
	n := e.reg.Len()
	switch {
	case e.lim.Nodes > 0 && int64(n) > e.lim.Nodes:
		return &search.LimitError{Status: search.Nodeout, States: e.lim.Nodes}
	case n+e.sys.Task.Operators.Len() > state.MaxStates:
		return &search.LimitError{Status: search.Memout, States: int64(n)}
	case e.lim.Memory > 0 && (id&255 == 0 || e.reg.Growing(e.sys.Task.Operators.Len())):
		if e.reg.Bytes()+e.reg.GrowBytes(256)+e.held() > e.lim.Memory {
			return &search.LimitError{Status: search.Memout, States: int64(n)}
		}
	}
	return e.check(id)
}
