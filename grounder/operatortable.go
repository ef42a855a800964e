package grounder

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// Operators is the table of a task's operators, for tasks with millions of them. An
// operator takes 32 bytes; its arguments and preconditions lie in arrays of the table,
// without a pointer, and operators with the same effects can share one list of them. Where
// hardly any do, those without conditions follow the preconditions, eight bytes each.
//
// The zero value is an empty table. A copy of a table is a second name for it, as with a
// slice; see Clone.
type Operators struct {
	rows    []operatorRow
	args    []pddl.ObjectID
	facts   []Fact
	effects [][]Effect   // by list
	conds   [][]CondCost // by list; nil if no cost has a condition
}

type operatorRow struct {
	schema int32
	list   int32 // of effects and conditional costs; ^n if n effects without conditions follow pre
	args   stretch
	pre    stretch
	cost   int64
}

// stretch is a piece of an array: where it begins and, in the lower bits, its length.
type stretch uint64

const stretchBits = 28

func newStretch(from, n int) stretch { return stretch(from)<<stretchBits | stretch(n) }

func (s stretch) bounds() (from, to int) {
	from = int(s >> stretchBits)
	return from, from + int(s&(1<<stretchBits-1))
}

// moved returns the stretch as it lies n places further on.
func (s stretch) moved(n int) stretch { return s + stretch(n)<<stretchBits }

// NewOperators makes a table of some operators.
func NewOperators(ops ...Operator) (t Operators) {
	for _, op := range ops {
		t.Append(op)
	}
	return t
}

// Len returns the number of operators.
func (t *Operators) Len() int { return len(t.rows) }

// At returns operator i. Its slices are read-only; to change it, use Set. Where only some of
// its parts are needed, the methods for them are faster.
func (t *Operators) At(i int) Operator {
	return Operator{Schema: t.Schema(i), Args: t.Args(i), Pre: t.Pre(i), Effects: t.Effects(i), Cost: t.Cost(i), CondCosts: t.CondCosts(i)}
}

// Schema returns Operator.Schema of operator i.
func (t *Operators) Schema(i int) int32 { return t.rows[i].schema }

// Args returns Operator.Args of operator i, read-only.
func (t *Operators) Args(i int) []pddl.ObjectID {
	from, to := t.rows[i].args.bounds()
	return t.args[from:to:to]
}

// Pre returns Operator.Pre of operator i, read-only.
func (t *Operators) Pre(i int) []Fact {
	from, to := t.rows[i].pre.bounds()
	return t.facts[from:to:to]
}

// Effects returns Operator.Effects of operator i, read-only. If no other operator has the same,
// each call may make the list anew.
func (t *Operators) Effects(i int) []Effect {
	if list := t.rows[i].list; list >= 0 {
		return t.effects[list]
	}
	own := t.own(i)
	effects := make([]Effect, len(own))
	for k, f := range own {
		effects[k] = Effect{Var: f.Var, Val: f.Val}
	}
	return effects
}

// own returns the effects of operator i that lie behind its preconditions.
func (t *Operators) own(i int) []Fact {
	list := t.rows[i].list
	if list >= 0 {
		return nil
	}
	_, from := t.rows[i].pre.bounds()
	return t.facts[from : from+int(^list) : from+int(^list)]
}

// listed returns the effects of operator i that lie in a list.
func (t *Operators) listed(i int) []Effect {
	if list := t.rows[i].list; list >= 0 {
		return t.effects[list]
	}
	return nil
}

// Cost returns Operator.Cost of operator i.
func (t *Operators) Cost(i int) int64 { return t.rows[i].cost }

// CondCosts returns Operator.CondCosts of operator i, read-only.
func (t *Operators) CondCosts(i int) []CondCost {
	if list := t.rows[i].list; t.conds != nil && list >= 0 {
		return t.conds[list]
	}
	return nil
}

// SetCost changes the cost of operator i.
func (t *Operators) SetCost(i int, cost int64) { t.rows[i].cost = cost }

// Append adds an operator. The table keeps op.Effects and op.CondCosts, and copies the rest.
func (t *Operators) Append(op Operator) {
	t.rows = append(t.rows, t.row(&op))
}

// Set replaces operator i. It keeps of op what Append keeps.
func (t *Operators) Set(i int, op Operator) { t.rows[i] = t.row(&op) }

// row files the parts of an operator. Operators that are copied one after another share
// their effects if they did before.
func (t *Operators) row(op *Operator) operatorRow {
	list := len(t.effects) - 1
	if list < 0 || !same(t.effects[list], op.Effects) || len(op.CondCosts) > 0 || t.conds != nil && len(t.conds[list]) > 0 {
		list++
		t.addList(op.Effects, op.CondCosts)
	}
	r := operatorRow{schema: op.Schema, list: int32(list), cost: op.Cost,
		args: newStretch(len(t.args), len(op.Args)), pre: newStretch(len(t.facts), len(op.Pre))}
	t.args = append(t.args, op.Args...)
	t.facts = append(t.facts, op.Pre...)
	return r
}

func same[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// addList adds a list of effects and conditional costs.
func (t *Operators) addList(effects []Effect, conds []CondCost) {
	t.effects = append(t.effects, effects)
	if len(conds) > 0 && t.conds == nil {
		t.conds = make([][]CondCost, len(t.effects)-1, len(t.effects))
	}
	if t.conds != nil {
		t.conds = append(t.conds, conds)
	}
}

// Clone returns a table that can be changed without changing t.
func (t *Operators) Clone() Operators {
	return Operators{rows: slices.Clone(t.rows), args: slices.Clip(t.args), facts: slices.Clip(t.facts),
		effects: slices.Clip(t.effects), conds: slices.Clip(t.conds)}
}
