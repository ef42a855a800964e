package state

import (
	"math"

	"github.com/planproof/planproof/grounder"
)

// Applier applies operators to packed states. An operator whose effects are all
// unconditional is compiled to one (word, clear, set) triple per touched word; the
// others keep their effects in order and test conditions on the unpacked state.
// It is immutable and may be shared by goroutines.
type Applier struct {
	t       *grounder.Task
	packer  *Packer
	start   []int32 // triples of operator o are patches[start[o]:start[o+1]]
	patch   []patch
	cond    []bool              // operator has a conditional effect, or changes a fluent
	costly  []bool              // operator has a conditional cost, or changes a fluent
	changes [][]grounder.Change // by operator; nil without fluents
}

type patch struct {
	word       int32
	clear, set uint64
}

// NewApplier compiles the effects of all operators of t.
func NewApplier(t *grounder.Task, p *Packer) *Applier {
	a := &Applier{
		t: t, packer: p,
		start:  make([]int32, t.Operators.Len()+1),
		cond:   make([]bool, t.Operators.Len()),
		costly: make([]bool, t.Operators.Len()),
	}
	for o := range t.Operators.Len() {
		op := t.Operators.At(o)
		a.costly[o] = len(op.CondCosts) > 0
		for _, e := range op.Effects {
			a.cond[o] = a.cond[o] || len(e.Cond) > 0
		}
		if t.Numeric != nil && len(t.Numeric.Changes[o]) > 0 {
			a.changes = t.Numeric.Changes
			a.cond[o], a.costly[o] = true, true
		}
		if !a.cond[o] {
			a.compile(op)
		}
		a.start[o+1] = int32(len(a.patch))
	}
	return a
}

// compile appends the patches of op, merging effects that fall into one word.
func (a *Applier) compile(op grounder.Operator) {
	first := len(a.patch)
	for _, e := range op.Effects {
		word, mask, set := a.packer.bitsOf(e.Var, e.Val)
		if mask == 0 {
			continue // a variable with one value
		}
		i := first
		for i < len(a.patch) && a.patch[i].word != word {
			i++
		}
		if i == len(a.patch) {
			a.patch = append(a.patch, patch{word: word})
		}
		a.patch[i].clear |= mask
		a.patch[i].set = a.patch[i].set&^mask | set
	}
}

// Apply writes to dst the successor of the state src under op, where Cost allows it. values is the unpacked
// form of src with derived variables evaluated. dst and src must not overlap.
func (a *Applier) Apply(dst, src []uint64, values []int32, op grounder.OperatorID) {
	copy(dst, src)
	if a.cond[op] {
		a.applyConditional(dst, values, op)
		return
	}
	for _, p := range a.patch[a.start[op]:a.start[op+1]] {
		dst[p.word] = dst[p.word]&^p.clear | p.set
	}
}

func (a *Applier) applyConditional(dst []uint64, values []int32, op grounder.OperatorID) {
	effects := a.t.Operators.Effects(int(op))
	for i := range effects {
		e := &effects[i]
		if holds(e.Cond, values) {
			a.packer.Set(dst, e.Var, e.Val)
		}
	}
	if a.changes != nil {
		a.applyChanges(dst, values, op)
	}
}

// Cost returns the cost of op in the state values, conditional increases included. It
// reports false when the cost exceeds 63 bits (and returns the greatest number), or when the
// value that a fluent would get does.
func (a *Applier) Cost(values []int32, op grounder.OperatorID) (int64, bool) {
	c := a.t.Operators.Cost(int(op))
	if !a.costly[op] {
		return c, true
	}
	conds := a.t.Operators.CondCosts(int(op))
	for i := range conds {
		if holds(conds[i].Cond, values) {
			c += conds[i].Cost
			if c < 0 {
				return math.MaxInt64, false
			}
		}
	}
	return c, a.Fits(values, op)
}

func holds(cond []grounder.Fact, values []int32) bool {
	for _, f := range cond {
		if values[f.Var] != f.Val {
			return false
		}
	}
	return true
}

// Applicable reports whether the preconditions of op hold in values.
func (a *Applier) Applicable(values []int32, op grounder.OperatorID) bool {
	return holds(a.t.Operators.Pre(int(op)), values)
}
