package treesearch

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/state"
)

// Space is a task compiled for tree searches: successors, regression, and states as sets
// of atoms. It has scratch memory and is used by one search at a time.
type Space struct {
	task   *grounder.Task
	packer *state.Packer // of partial states: one value more per variable, for Unconstrained
	gen    *state.SuccessorGenerator
	apply  *state.Applier
	axioms *state.AxiomEvaluator
	back   *search.Regression
	full   *completer
	// refusal is why back is nil.
	refusal error
	// atom numbers the facts that are atoms: atom[base[v]+x], -1 for "none of those" and
	// negated atoms.
	base  []int32
	atom  []int32
	atoms int
	least int64 // the cheapest operator's cost

	ops    []grounder.OperatorID
	stack  []int32
	next   []int32
	prior  []int32
	row    []uint64
	memory state.AxiomScratch
}

// NewSpace compiles a task. Methods that grow no backward tree work on every task; CATS refuses one whose goal cannot
// be regressed, with [ErrRegression].
func NewSpace(t *grounder.Task) (*Space, error) {
	if len(t.Init) != len(t.Variables) {
		return nil, fmt.Errorf("the task has %d variables and %d initial values", len(t.Variables), len(t.Init))
	}
	wide := *t
	wide.Variables = make([]grounder.Variable, len(t.Variables))
	for v := range t.Variables {
		wide.Variables[v] = t.Variables[v]
		wide.Variables[v].Values = append(t.Variables[v].Values[:t.Variables[v].Size():t.Variables[v].Size()], "")
	}
	s := &Space{
		task: t, packer: state.NewPacker(&wide),
		gen:    state.NewSuccessorGenerator(t),
		axioms: state.NewAxiomEvaluator(t),
		next:   make([]int32, len(t.Variables)),
		base:   make([]int32, len(t.Variables)+1),
	}
	s.apply = state.NewApplier(t, s.packer)
	s.row = make([]uint64, s.packer.Words())
	s.back, s.refusal = search.NewRegression(t)
	s.prior = make([]int32, len(t.Variables))
	for v := range t.Variables {
		s.base[v+1] = s.base[v] + int32(t.Variables[v].Size())
		for _, name := range t.Variables[v].Values {
			if strings.HasPrefix(name, "Atom ") {
				s.atom = append(s.atom, int32(s.atoms))
				s.atoms++
			} else {
				s.atom = append(s.atom, -1)
			}
		}
	}
	s.full = newCompleter(t, s.base)
	for o := range t.Operators.Len() {
		if c := t.Operators.Cost(o); o == 0 || c < s.least {
			s.least = c
		}
	}
	return s, nil
}

// initial returns the initial state with its derived variables.
func (s *Space) initial() []int32 {
	values := append([]int32(nil), s.task.Init...)
	if s.axioms != nil {
		s.axioms.Evaluate(values, &s.memory)
	}
	return values
}

// goal returns the goal as a partial state, completed; false if no reachable state
// satisfies it.
func (s *Space) goal() ([]int32, bool) {
	goal := s.back.Goal()
	ok := s.full.complete(goal)
	return goal, ok
}

// isGoal tests the goal in a state.
func (s *Space) isGoal(values []int32) bool {
	for _, f := range s.task.Goal {
		if values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// pack writes a full or partial state to row.
func (s *Space) pack(row []uint64, values []int32) {
	for v, x := range values {
		if x == search.Unconstrained {
			x = int32(s.task.Variables[v].Size())
		}
		if s.packer.Stored(int32(v)) {
			s.packer.Set(row, int32(v), x)
		}
	}
}

// unpack reads a row of a tree that grows in direction dir, derived variables included.
func (s *Space) unpack(values []int32, row []uint64, dir Direction) {
	if dir == Forward {
		s.packer.Unpack(values, row)
		if s.axioms != nil {
			s.axioms.Evaluate(values, &s.memory)
		}
		return
	}
	for v := range values {
		values[v] = search.Unconstrained
		if s.packer.Stored(int32(v)) {
			if x := s.packer.Get(row, int32(v)); int(x) < s.task.Variables[v].Size() {
				values[v] = x
			}
		}
	}
}

// mask returns the bits of a packed partial state that a state must share with it.
func (s *Space) mask(dst []uint64, values []int32) {
	ones := s.row
	for v, x := range values {
		if x == search.Unconstrained || !s.packer.Stored(int32(v)) {
			continue
		}
		for w := range ones {
			ones[w] = ^uint64(0)
		}
		s.packer.Set(ones, int32(v), 0)
		for w := range ones {
			dst[w] |= ^ones[w]
		}
	}
}

// atomSet writes the atoms of a full or partial state as a bit set.
func (s *Space) atomSet(dst []uint64, values []int32) {
	for v, x := range values {
		if x == search.Unconstrained {
			continue
		}
		if a := s.atom[s.base[v]+x]; a >= 0 {
			dst[a>>6] |= 1 << (a & 63)
		}
	}
}

// setWords is the number of words of an atom set, at least 1.
func (s *Space) setWords() int { return max(1, (s.atoms+63)/64) }

// similarity is the Jaccard similarity |a and b| / |a or b|, 1 for two empty sets.
func similarity(a, b []uint64) float64 {
	both, either := 0, 0
	for w, x := range a {
		both += bits.OnesCount64(x & b[w])
		either += bits.OnesCount64(x | b[w])
	}
	if either == 0 {
		return 1
	}
	return float64(both) / float64(either)
}

// successors calls visit with the operators applicable in a full state, what they cost
// there (-1 beyond 63 bits) and the packed and unpacked successors. Both are overwritten
// after visit returns; values and row are those of the state.
func (s *Space) successors(values []int32, row []uint64, visit func(op grounder.OperatorID, cost int64, row []uint64, next []int32)) {
	s.ops, s.stack = s.gen.Append(s.ops[:0], values, s.stack)
	for _, op := range s.ops {
		cost, ok := s.apply.Cost(values, op)
		if !ok {
			cost = -1
		}
		s.apply.Apply(s.row, row, values, op)
		s.unpack(s.next, s.row, Forward)
		visit(op, cost, s.row, s.next)
	}
}

// predecessors does the same backwards from a partial state. What it visits is completed.
func (s *Space) predecessors(values []int32, visit func(op grounder.OperatorID, cost int64, row []uint64, next []int32)) {
	row := make([]uint64, s.packer.Words())
	s.back.Predecessors(values, func(op grounder.OperatorID, q search.PartialState, cost int64) {
		copy(s.prior, q)
		if s.full.complete(s.prior) {
			s.pack(row, s.prior)
			visit(op, cost, row, s.prior)
		}
	})
}

// planCost executes a plan from the initial state. It panics if that is not possible: the
// trees are then wrong.
func (s *Space) planCost(plan []grounder.OperatorID) int64 {
	row, next := make([]uint64, s.packer.Words()), make([]uint64, s.packer.Words())
	values := s.initial()
	s.pack(row, values)
	var total int64
	for _, op := range plan {
		cost, ok := s.apply.Cost(values, op)
		if !ok || !s.apply.Applicable(values, op) {
			panic("treesearch: a plan cannot be executed: " + s.task.OperatorName(op))
		}
		total = plus(total, cost)
		s.apply.Apply(next, row, values, op)
		row, next = next, row
		s.unpack(values, row, Forward)
	}
	if !s.isGoal(values) {
		panic("treesearch: a plan does not reach the goal")
	}
	return total
}
