package proof

import (
	"context"
	"crypto/sha256"
	"math"

	"github.com/planproof/planproof/grounder/fdr"
)

// Task is a ground task as far as a proof speaks of it. A file has one in it, and the grounder's
// tasks are turned into it (package certificate).
type Task struct {
	// Hash is the SHA-256 digest of the task as files have it.
	Hash        [sha256.Size]byte
	Variables   []fdr.Variable
	Fluents     []Fluent
	Init        []int32          // a value for each variable
	Goal        []fdr.Fact       // all must hold
	Comparisons []fdr.Comparison // of sums over fluents
	Operators   []Operator
	Axioms      []fdr.Axiom
	// Unit and Base say what costs mean: a plan costs Base + Unit * (sum of operator costs).
	Unit, Base string
	// OperatorName writes an operator as a plan step, "(stack a b)".
	OperatorName func(fdr.OperatorID) string
}

// Operator is a ground action. All conditions are read before it; of two effects on one variable
// that fire the later one wins.
type Operator struct {
	Pre       []fdr.Fact
	Effects   []fdr.Effect
	Changes   []fdr.Change // of fluents
	Cost      int64
	CondCosts []fdr.CondCost
}

// Fluent is a numeric state variable. Its value is an integer times Unit, or fdr.NoValue.
type Fluent struct {
	Name, Unit string
	Init       int64
}

// ReadTask reads the task that the file has in it, which must be the one that Header.Task names.
// It comes before Read. Errors are those of Read.
func (d *Reader) ReadTask(ctx context.Context, memory int64) (*Task, error) {
	t := &Task{}
	d.memory, d.ctx = memory, ctx
	err := guard(func() {
		d.checksum()
		d.digest = sha256.New()
		end := d.offset() + int64(d.task)
		d.variables(t)
		t.Goal = d.facts(t)
		d.operators(t)
		for range d.count("axioms") {
			a := fdr.Axiom{Body: d.facts(t), Head: d.fact(t)}
			if x := &t.Variables[a.Head.Var]; x.Layer < 0 || a.Head.Val == x.Default {
				d.fail("an axiom does not derive an atom")
			}
			t.Axioms = grow(d, t.Axioms, 40, a)
		}
		t.Unit, t.Base = d.text(), d.text()
		d.checksum()
		d.digest.Sum(t.Hash[:0])
		d.digest, d.task = nil, 0
		if d.offset() != end {
			d.fail("the task in it does not have the length that is written before it")
		}
		if t.Hash != d.Header.Task {
			refuse("", "the task in the certificate is another one than it is about")
		}
	})
	return t, err
}

func (d *Reader) variables(t *Task) {
	for range d.count("fluents") {
		t.Fluents = grow(d, t.Fluents, 40, Fluent{Name: d.text(), Unit: d.text(), Init: d.signed()})
	}
	for range d.count("variables") {
		v := fdr.Variable{Layer: int32(d.below(math.MaxInt32, "layer")) - 1}
		v.Default = int32(d.below(2, "default"))
		for range d.count("values") {
			v.Values = grow(d, v.Values, 16, d.text())
		}
		if len(v.Values) == 0 || v.Layer >= 0 && len(v.Values) != 2 {
			d.fail("a variable has %d values", len(v.Values))
		}
		t.Init = grow(d, t.Init, 4, int32(d.below(len(v.Values), "initial value")))
		t.Variables = grow(d, t.Variables, 48, v)
	}
	for range d.count("comparisons") {
		c := fdr.Comparison{Var: int32(d.below(len(t.Variables), "variable")), Kind: fdr.Comparing(d.below(int(fdr.HasValue)+1, "comparison")), Sum: d.linear(t)}
		if t.Variables[c.Var].Layer < 0 {
			d.fail("a comparison decides a state variable")
		}
		t.Comparisons = grow(d, t.Comparisons, 48, c)
	}
}

func (d *Reader) operators(t *Task) {
	var names []string
	for range d.count("operators") {
		names = grow(d, names, 16, d.text())
		op := Operator{Pre: d.facts(t), Cost: d.cost()}
		for range d.count("effects") {
			e := fdr.Effect{Cond: d.facts(t)}
			to := d.fact(t)
			if e.Var, e.Val = to.Var, to.Val; t.Variables[to.Var].Layer >= 0 {
				d.fail("an operator changes a derived variable")
			}
			op.Effects = grow(d, op.Effects, 32, e)
		}
		for range d.count("conditional costs") {
			op.CondCosts = grow(d, op.CondCosts, 32, fdr.CondCost{Cond: d.facts(t), Cost: d.cost()})
		}
		for range d.count("changes") {
			op.Changes = grow(d, op.Changes, 72, fdr.Change{Cond: d.facts(t), Fluent: d.fluent(t), Add: d.below(2, "kind of change") == 1, Sum: d.linear(t)})
		}
		t.Operators = grow(d, t.Operators, 112, op)
	}
	t.OperatorName = func(o fdr.OperatorID) string { return names[o] }
}

func (d *Reader) cost() int64 { return int64(d.below(math.MaxInt64, "cost")) }

func (d *Reader) fluent(t *Task) int32 { return int32(d.below(len(t.Fluents), "fluent")) }

// linear reads a sum over fluents.
func (d *Reader) linear(t *Task) (s fdr.Sum) {
	s.Const = d.signed()
	for range d.count("terms") {
		s.Terms = grow(d, s.Terms, 16, fdr.Term{Fluent: d.fluent(t), Coef: d.signed()})
	}
	return s
}

func (d *Reader) fact(t *Task) fdr.Fact {
	v := d.below(len(t.Variables), "variable")
	return fdr.Fact{Var: int32(v), Val: int32(d.below(t.Variables[v].Size(), "value"))}
}

// facts reads a condition.
func (d *Reader) facts(t *Task) []fdr.Fact {
	var out []fdr.Fact
	for range d.count("facts") {
		out = grow(d, out, 8, d.fact(t))
	}
	return out
}

// text reads a short text, such as a name.
func (d *Reader) text() string {
	n := d.below(1<<16, "length of a text")
	if d.memory -= int64(n); d.memory < 0 {
		panic(stop{ErrMemory})
	}
	return string(d.bytes(make([]byte, n)))
}
