package search

import (
	"math"

	"planproof/grounder"
	"planproof/search/state"
)

// space is the compiled, immutable form of a task that the searches share.
type space struct {
	task   *grounder.Task
	packer *state.Packer
	gen    *state.SuccessorGenerator
	apply  *state.Applier
	axioms *state.AxiomEvaluator // nil without derived variables
	// goalMask and goalBits test the goal's state variables on a packed state.
	goalMask, goalBits []uint64
	derivedGoal        []grounder.Fact
}

func newSpace(t *grounder.Task) *space {
	p := state.NewPacker(t)
	s := &space{
		task: t, packer: p,
		gen:      state.NewSuccessorGenerator(t),
		apply:    state.NewApplier(t, p),
		axioms:   state.NewAxiomEvaluator(t),
		goalMask: make([]uint64, p.Words()),
		goalBits: make([]uint64, p.Words()),
	}
	all := make([]uint64, p.Words())
	for i := range all {
		all[i] = math.MaxUint64
	}
	for _, f := range t.Goal {
		if !p.Stored(f.Var) {
			s.derivedGoal = append(s.derivedGoal, f)
			continue
		}
		// The bits of a variable are those that setting it to 0 clears.
		one := append([]uint64(nil), all...)
		p.Set(one, f.Var, 0)
		for w := range one {
			s.goalMask[w] |= ^one[w]
		}
		p.Set(s.goalBits, f.Var, f.Val)
	}
	return s
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
func (s *space) mayBeGoal(row []uint64) bool {
	for w, m := range s.goalMask {
		if row[w]&m != s.goalBits[w] {
			return false
		}
	}
	return true
}

// isGoal tests the goal in a state that is also unpacked in x.
func (s *space) isGoal(row []uint64, x *scratch) bool {
	if !s.mayBeGoal(row) {
		return false
	}
	for _, f := range s.derivedGoal {
		if x.values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

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
