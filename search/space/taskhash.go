package space

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"

	"github.com/planproof/planproof/grounder"
)

// TaskHash is a SHA-256 digest of all of a task that bears on its state space and costs:
// variables, initial state, goal, operators with their names, axioms, numbers.
func TaskHash(t *grounder.Task) [32]byte {
	w := taskHasher{h: sha256.New()}
	w.ints(1, int64(len(t.Variables)))
	for i := range t.Variables {
		v := &t.Variables[i]
		w.ints(int64(v.Layer), int64(v.Default), int64(len(v.Values)))
		for _, name := range v.Values {
			w.text(name)
		}
		w.ints(int64(t.Init[i]))
	}
	w.facts(t.Goal)
	w.ints(int64(t.Operators.Len()))
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		w.text(t.OperatorName(grounder.OperatorID(i)))
		w.facts(op.Pre)
		w.ints(op.Cost, int64(len(op.Effects)))
		for _, e := range op.Effects {
			w.facts(e.Cond)
			w.ints(int64(e.Var), int64(e.Val))
		}
		w.ints(int64(len(op.CondCosts)))
		for _, c := range op.CondCosts {
			w.facts(c.Cond)
			w.ints(c.Cost)
		}
	}
	w.ints(int64(len(t.Axioms)))
	for i := range t.Axioms {
		w.facts(t.Axioms[i].Body)
		w.ints(int64(t.Axioms[i].Head.Var), int64(t.Axioms[i].Head.Val))
	}
	w.text(t.CostUnit.String())
	w.text(t.CostBase.String())
	if t.Numeric != nil {
		w.numbers(t.Numeric)
	}
	return [32]byte(w.h.Sum(nil))
}

func (w *taskHasher) numbers(n *grounder.Numeric) {
	w.ints(int64(len(n.Fluents)), int64(len(n.Comparisons)))
	for i := range n.Fluents {
		f := &n.Fluents[i]
		w.text(f.Name)
		w.text(f.Unit.String())
		w.ints(f.Init)
	}
	for i := range n.Comparisons {
		c := &n.Comparisons[i]
		w.ints(int64(c.Var), int64(c.Kind))
		w.sum(&c.Sum)
	}
	for _, changes := range n.Changes {
		w.ints(int64(len(changes)))
		for i := range changes {
			c, add := &changes[i], int64(0)
			if c.Add {
				add = 1
			}
			w.facts(c.Cond)
			w.ints(int64(c.Fluent), add)
			w.sum(&c.Sum)
		}
	}
}

func (w *taskHasher) sum(s *grounder.Sum) {
	w.ints(s.Const, int64(len(s.Terms)))
	for _, t := range s.Terms {
		w.ints(int64(t.Fluent), t.Coef)
	}
}

// taskHasher writes every list with its length first, so that no two tasks give the same bytes.
type taskHasher struct {
	h   hash.Hash
	buf []byte
}

func (w *taskHasher) ints(xs ...int64) {
	w.buf = w.buf[:0]
	for _, x := range xs {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(x))
	}
	w.h.Write(w.buf)
}

func (w *taskHasher) text(s string) {
	w.ints(int64(len(s)))
	io.WriteString(w.h, s)
}

func (w *taskHasher) facts(fs []grounder.Fact) {
	w.ints(int64(len(fs)))
	for _, f := range fs {
		w.ints(int64(f.Var)<<32 | int64(f.Val))
	}
}
