package search

import (
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// space is the compiled, immutable form of a task that the searches share.
type space struct {
	task   *grounder.Task
	packer *state.Packer
	gen    *state.SuccessorGenerator
	apply  *state.Applier
	axioms *state.AxiomEvaluator // nil without derived variables
	goal   goalTest
}

// goalTest tests a conjunction of facts: those on state variables by mask and bits on the
// packed state, those on derived variables on the unpacked one.
type goalTest struct {
	mask, bits []uint64
	derived    []grounder.Fact
	never      bool // two facts ask for different values of one variable
}

func newGoalTest(p *state.Packer, goal []grounder.Fact) goalTest {
	g := goalTest{mask: make([]uint64, p.Words()), bits: make([]uint64, p.Words())}
	value := map[int32]int32{}
	for _, f := range goal {
		if x, ok := value[f.Var]; ok && x != f.Val {
			g.never = true
		}
		value[f.Var] = f.Val
		if !p.Stored(f.Var) {
			g.derived = append(g.derived, f)
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

// mayHold tests the facts on state variables.
func (g *goalTest) mayHold(row []uint64) bool {
	for w, m := range g.mask {
		if row[w]&m != g.bits[w] {
			return false
		}
	}
	return !g.never
}

// holds tests the goal in a state that is also unpacked in x if it has derived facts.
func (g *goalTest) holds(row []uint64, x *scratch) bool {
	if !g.mayHold(row) {
		return false
	}
	for _, f := range g.derived {
		if x.values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

func newSpace(t *grounder.Task) *space {
	p := state.NewPacker(t)
	return &space{
		task: t, packer: p,
		gen:    state.NewSuccessorGenerator(t),
		apply:  state.NewApplier(t, p),
		axioms: state.NewAxiomEvaluator(t),
		goal:   newGoalTest(p, t.Goal),
	}
}

// scratch is the working memory of one goroutine on a space.
type scratch struct {
	values []int32
	next   []uint64
	ops    []grounder.OperatorID
	stack  []int32
	axioms state.AxiomScratch
}

func (s *space) newScratch() *scratch {
	return &scratch{values: make([]int32, len(s.task.Variables)), next: make([]uint64, s.packer.Words())}
}

// unpack fills values with the state row, derived variables included.
func (s *space) unpack(row []uint64, x *scratch) {
	s.packer.Unpack(x.values, row)
	if s.axioms != nil {
		s.axioms.Evaluate(x.values, &x.axioms)
	}
}

// mayBeGoal tests the goal facts on state variables.
func (s *space) mayBeGoal(row []uint64) bool { return s.goal.mayHold(row) }

// isGoal tests the goal in a state that is also unpacked in x.
func (s *space) isGoal(row []uint64, x *scratch) bool { return s.goal.holds(row, x) }

// applicable lists the operators applicable in the state unpacked in x.
func (s *space) applicable(x *scratch) []grounder.OperatorID {
	x.ops, x.stack = s.gen.Append(x.ops[:0], x.values, x.stack)
	return x.ops
}

// initial returns the packed initial state.
func (s *space) initial() []uint64 {
	row := make([]uint64, s.packer.Words())
	s.packer.Pack(row, s.task.Init)
	return row
}

// perState is the work of unpacking a state, in units of Heuristic.Work.
func (s *space) perState() int64 {
	return 64 + int64(len(s.task.Variables)) + int64(len(s.task.Axioms))
}
