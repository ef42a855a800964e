package proof

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"

	"github.com/planproof/planproof/grounder/fdr"
)

// Task is a ground task as far as a proof speaks of it. A file has one in it, and the grounder's
// tasks are turned into it (package certificate).
type Task struct {
	Variables []fdr.Variable
	Init      []int32    // a value for each variable
	Goal      []fdr.Fact // all must hold
	Operators []Operator
	Axioms    []fdr.Axiom
	// Unit and Base say what costs mean: a plan costs Base + Unit * (sum of operator costs).
	Unit, Base string
	Numbers    *Numbers // nil for a task without numeric fluents
	// OperatorName writes an operator as a plan step, "(stack a b)".
	OperatorName func(fdr.OperatorID) string
}

// Operator is a ground action. All conditions are read before it; of two effects on one variable
// that fire the later one wins.
type Operator struct {
	Pre       []fdr.Fact
	Effects   []fdr.Effect
	Cost      int64
	CondCosts []fdr.CondCost
}

// TaskHash is a SHA-256 digest of all of a task that a certificate speaks of: variables, initial
// state, goal, operators with their names, axioms, the unit of costs, numbers.
func TaskHash(t *Task) [sha256.Size]byte {
	w := &taskHasher{h: sha256.New()}
	w.text("planproof certificate task")
	w.ints(len(t.Variables))
	for i := range t.Variables {
		v := &t.Variables[i]
		w.ints(int(v.Layer), int(v.Default), len(v.Values), int(t.Init[i]))
		for _, name := range v.Values {
			w.text(name)
		}
	}
	w.facts(t.Goal)
	w.ints(len(t.Operators))
	for i := range t.Operators {
		op := &t.Operators[i]
		w.text(t.OperatorName(fdr.OperatorID(i)))
		w.facts(op.Pre)
		w.ints(int(op.Cost), len(op.Effects), len(op.CondCosts))
		for _, e := range op.Effects {
			w.facts(e.Cond)
			w.ints(int(e.Var), int(e.Val))
		}
		for _, c := range op.CondCosts {
			w.facts(c.Cond)
			w.ints(int(c.Cost))
		}
	}
	w.ints(len(t.Axioms))
	for i := range t.Axioms {
		w.facts(t.Axioms[i].Body)
		w.ints(int(t.Axioms[i].Head.Var), int(t.Axioms[i].Head.Val))
	}
	w.text(t.Unit)
	w.text(t.Base)
	if t.Numbers != nil { // the bytes go on where those of other tasks end
		t.Numbers.Walk(func(xs ...int64) {
			for _, x := range xs {
				w.ints(int(x))
			}
		}, w.text, w.facts)
	}
	return [sha256.Size]byte(w.h.Sum(nil))
}

// taskHasher writes every list with its length first, so that no two tasks give the same bytes.
type taskHasher struct {
	h   hash.Hash
	buf []byte
}

func (w *taskHasher) ints(xs ...int) {
	w.buf = w.buf[:0]
	for _, x := range xs {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(x))
	}
	w.h.Write(w.buf)
}

func (w *taskHasher) text(s string) {
	w.ints(len(s))
	io.WriteString(w.h, s)
}

func (w *taskHasher) facts(fs []fdr.Fact) {
	w.ints(len(fs))
	for _, f := range fs {
		w.ints(int(f.Var), int(f.Val))
	}
}

// ReadTask reads the task that the file has in it, which must be the one that Header.Task names.
// It comes before Read. Errors are those of Read.
func (d *Reader) ReadTask(ctx context.Context, memory int64) (*Task, error) {
	if d.task == 0 {
		return nil, &FormatError{Offset: d.offset(), Message: "no task is in it: it was written by an older version"}
	}
	t, end := &Task{}, d.offset()+int64(d.task)
	d.task, d.memory, d.ctx = 0, memory, ctx
	err := d.guard(func() {
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
		if d.numbers {
			d.numeric(t)
		}
		if d.offset() != end {
			d.fail("the task in it does not have the length that is written before it")
		}
	})
	if err == nil && TaskHash(t) != d.Header.Task {
		err = &Refusal{Reason: "the task in the certificate is another one than it is about"}
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (d *Reader) variables(t *Task) {
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
		t.Operators = grow(d, t.Operators, 88, op)
	}
	t.OperatorName = func(o fdr.OperatorID) string { return names[o] }
}

func (d *Reader) cost() int64 { return int64(d.below(math.MaxInt64, "cost")) }

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

// never checks what a certificate says of a step: there is no plan for the goal, and whenever an
// operator of that name can be applied, the goal holds. So none ever can.
func (c *checker) never() error {
	if c.cert.Step == "" || c.cert.Claim != Unsolvable {
		return nil
	}
	for o := range c.t.Operators {
		if c.t.OperatorName(fdr.OperatorID(o)) != c.cert.Step {
			continue
		}
		known := c.consequences(c.t.Operators[o].Pre)
		for _, f := range c.t.Goal {
			if !known[f] {
				return &Refusal{Where: "step " + c.cert.Step, Reason: fmt.Sprintf("it may apply where %s, of the goal, does not hold", c.factName(f))}
			}
		}
	}
	return nil
}

// consequences returns facts that hold wherever the given ones do: themselves, and what axioms
// derive of them.
func (c *checker) consequences(facts []fdr.Fact) map[fdr.Fact]bool {
	known := map[fdr.Fact]bool{}
	for _, f := range facts {
		known[f] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range c.t.Axioms {
			a := &c.t.Axioms[i]
			if !known[a.Head] && !slices.ContainsFunc(a.Body, func(f fdr.Fact) bool { return !known[f] }) {
				known[a.Head], changed = true, true
			}
		}
	}
	return known
}
