package state

import (
	"fmt"
	"math"

	"github.com/planproof/planproof/grounder"
)

// System is the compiled, immutable form of a task that searches share.
type System struct {
	Task       *grounder.Task
	Packer     *Packer
	Successors *SuccessorGenerator
	Applier    *Applier
	Axioms     *AxiomEvaluator // nil without derived variables
	Goal       GoalTest
}

// GoalTest tests a conjunction of facts: those on state variables by mask and bits on the
// packed state, those on derived variables on the unpacked one.
type GoalTest struct {
	mask, bits []uint64
	Derived    []grounder.Fact
	never      bool // two facts ask for different values of one variable
}

// NewGoalTest compiles a goal.
func NewGoalTest(p *Packer, goal []grounder.Fact) GoalTest {
	g := GoalTest{mask: make([]uint64, p.Words()), bits: make([]uint64, p.Words())}
	value := map[int32]int32{}
	for _, f := range goal {
		if x, ok := value[f.Var]; ok && x != f.Val {
			g.never = true
		}
		value[f.Var] = f.Val
		if !p.Stored(f.Var) {
			g.Derived = append(g.Derived, f)
			continue
		}
		// The bits of a variable are those that setting it to 0 clears.
		one := make([]uint64, p.Words())
		for w := range one {
			one[w] = math.MaxUint64
		}
		p.Set(one, f.Var, 0)
		for w := range one {
			g.mask[w] |= ^one[w]
		}
		p.Set(g.bits, f.Var, f.Val)
	}
	return g
}

// MayHold tests the facts on state variables.
func (g *GoalTest) MayHold(row []uint64) bool {
	for w, m := range g.mask {
		if row[w]&m != g.bits[w] {
			return false
		}
	}
	return !g.never
}

// Holds tests the goal in a state that is also unpacked in x if the goal has derived facts.
func (g *GoalTest) Holds(row []uint64, x *Scratch) bool {
	if !g.MayHold(row) {
		return false
	}
	for _, f := range g.Derived {
		if x.Values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// NewSystem compiles a task that CheckTask accepts.
func NewSystem(t *grounder.Task) *System {
	p := NewPacker(t)
	return &System{
		Task: t, Packer: p,
		Successors: NewSuccessorGenerator(t),
		Applier:    NewApplier(t, p),
		Axioms:     NewAxiomEvaluator(t),
		Goal:       NewGoalTest(p, t.Goal),
	}
}

// Scratch is the working memory of one goroutine on a System.
type Scratch struct {
	Values []int32
	Next   []uint64
	Ops    []grounder.OperatorID
	Stack  []int32
	Axioms AxiomScratch
}

// NewScratch returns working memory.
func (s *System) NewScratch() *Scratch {
	return &Scratch{Values: make([]int32, Unpacked(s.Task)), Next: make([]uint64, s.Packer.Words())}
}

// Unpack fills x.Values with the state row, derived variables included.
func (s *System) Unpack(row []uint64, x *Scratch) {
	s.Packer.Unpack(x.Values, row)
	if s.Axioms != nil {
		s.Axioms.Evaluate(x.Values, &x.Axioms)
	}
}

// MayBeGoal tests the goal facts on state variables.
func (s *System) MayBeGoal(row []uint64) bool { return s.Goal.MayHold(row) }

// IsGoal tests the goal in a state that is also unpacked in x.
func (s *System) IsGoal(row []uint64, x *Scratch) bool { return s.Goal.Holds(row, x) }

// Applicable lists the operators applicable in the state unpacked in x.
func (s *System) Applicable(x *Scratch) []grounder.OperatorID {
	x.Ops, x.Stack = s.Successors.Append(x.Ops[:0], x.Values, x.Stack)
	return x.Ops
}

// Initial returns the packed initial state.
func (s *System) Initial() []uint64 {
	row := make([]uint64, s.Packer.Words())
	s.Packer.Pack(row, Initial(s.Task))
	return row
}

// WorkPerState is the work of unpacking a state, in the units of heuristic.Heuristic.Work.
func (s *System) WorkPerState() int64 {
	work := 64 + int64(Unpacked(s.Task)) + int64(len(s.Task.Axioms))
	if s.Task.Numeric != nil {
		work += 4 * int64(len(s.Task.Numeric.Comparisons))
	}
	return work
}

// CheckTask refuses tasks that a search would misread: initial values that do not fit the
// variables, and negative costs.
func CheckTask(t *grounder.Task) error {
	if len(t.Init) != len(t.Variables) {
		return fmt.Errorf("task %s: %d initial values for %d variables", t.Name, len(t.Init), len(t.Variables))
	}
	if t.Numeric != nil && len(t.Numeric.Changes) != t.Operators.Len() {
		return fmt.Errorf("task %s: changes of fluents for %d operators of %d", t.Name, len(t.Numeric.Changes), t.Operators.Len())
	}
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		if op.Cost < 0 {
			return fmt.Errorf("task %s: operator %s has a negative cost", t.Name, t.OperatorName(grounder.OperatorID(i)))
		}
		for _, c := range op.CondCosts {
			if c.Cost < 0 {
				return fmt.Errorf("task %s: operator %s has a negative conditional cost", t.Name, t.OperatorName(grounder.OperatorID(i)))
			}
		}
	}
	return nil
}
