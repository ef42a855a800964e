package grounder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"github.com/planproof/planproof/pddl"
)

// sasFactorMark precedes the SASFactor in the name of the first variable.
const sasFactorMark = ";cost-factor="

// WriteSAS writes t in Fast Downward's translator output format, version 3, which Fast
// Downward's search component and ReadSAS read. The format has costs of 32 bits and no
// costs that depend on a condition: a task that needs more gets an error that says so.
// Costs are written as in the problem, times SASFactor. The format cannot express CostBase.
//
// Readers of the format refuse every line that they do not know, so a comment has no place
// in it; a factor other than 1 is written where they take any word: the first variable is
// called var0;cost-factor=2, and ReadSAS reads it there.
func WriteSAS(w io.Writer, t *Task) error {
	if t.Numeric != nil {
		return errors.New("the sas format has no numeric fluents")
	}
	for i := range t.Operators.Len() {
		if len(t.Operators.CondCosts(i)) > 0 {
			return fmt.Errorf("the sas format has no conditional action costs: the cost of %s depends on the state", t.OperatorName(OperatorID(i)))
		}
		if cost := t.Operators.Cost(i); cost > math.MaxInt32 {
			return fmt.Errorf("the sas format has no action costs of more than 32 bits: %s costs %d units", t.OperatorName(OperatorID(i)), cost)
		}
	}
	s := sasWriter{Writer: bufio.NewWriterSize(w, 1<<16), t: t}
	s.unit, s.factor = sasUnit(t)
	s.head()
	s.operators()
	s.line(int64(len(t.Axioms)))
	for _, a := range t.Axioms {
		s.text("begin_rule\n")
		s.facts(a.Body)
		s.line(int64(a.Head.Var), int64(t.Variables[a.Head.Var].Default), int64(a.Head.Val))
		s.text("end_rule\n")
	}
	return s.Flush()
}

// SASFactor returns the number by which WriteSAS multiplies the costs of the problem: 1 if
// they are integers of 32 bits, the least integer that makes them integers if they are
// fractions, and a fraction if they are too large.
func SASFactor(t *Task) pddl.Number {
	_, factor := sasUnit(t)
	return factor
}

// SASNotes says in words where the costs that WriteSAS writes differ from the problem's.
func SASNotes(t *Task) (notes []string) {
	if factor := SASFactor(t); t.Metric && !factor.Equal(pddl.Int(1)) {
		notes = append(notes, fmt.Sprintf("the sas format has only integers of 32 bits: its costs are the problem's times %s", factor))
	}
	if t.Metric && t.CostBase.Sign() != 0 {
		notes = append(notes, fmt.Sprintf("the sas format has no costs outside actions: every plan of the problem costs %s more", t.CostBase))
	}
	return notes
}

// sasUnit returns what WriteSAS multiplies an Operator.Cost by, and SASFactor.
func sasUnit(t *Task) (unit int64, factor pddl.Number) {
	if t.CostUnit.Sign() <= 0 {
		return 1, pddl.Int(1)
	}
	r := t.CostUnit.Rat()
	small := r.Num().IsInt64() && r.Num().Int64() <= math.MaxInt32
	for i := range t.Operators.Len() {
		c := t.Operators.Cost(i)
		small = small && c <= math.MaxInt32 && c*r.Num().Int64() <= math.MaxInt32
	}
	if !small {
		return 1, pddl.FromRat(r.Inv(r))
	}
	unit = r.Num().Int64()
	return unit, pddl.FromRat(new(big.Rat).SetInt(r.Denom()))
}

type sasWriter struct {
	*bufio.Writer
	t      *Task
	unit   int64
	factor pddl.Number
	num    []byte
}

// text writes a string; bufio keeps the first error for Flush.
func (s *sasWriter) text(x string) { _, _ = s.WriteString(x) }

// line writes integers separated by spaces.
func (s *sasWriter) line(xs ...int64) {
	s.num = s.num[:0]
	for i, x := range xs {
		if i > 0 {
			s.num = append(s.num, ' ')
		}
		s.num = strconv.AppendInt(s.num, x, 10)
	}
	_, _ = s.Write(append(s.num, '\n'))
}

func (s *sasWriter) facts(fs []Fact) {
	s.line(int64(len(fs)))
	for _, f := range fs {
		s.line(int64(f.Var), int64(f.Val))
	}
}

func (s *sasWriter) head() {
	t := s.t
	metric := int64(0)
	if t.Metric {
		metric = 1
	}
	s.text("begin_version\n3\nend_version\nbegin_metric\n")
	s.line(metric)
	s.text("end_metric\n")
	s.line(int64(len(t.Variables)))
	for i := range t.Variables {
		v := &t.Variables[i]
		s.text("begin_variable\nvar")
		if s.num = strconv.AppendInt(s.num[:0], int64(i), 10); i == 0 && !s.factor.Equal(pddl.Int(1)) {
			s.num = append(append(s.num, sasFactorMark...), s.factor.String()...)
		}
		_, _ = s.Write(append(s.num, '\n'))
		s.line(int64(v.Layer))
		s.line(int64(len(v.Values)))
		for _, name := range v.Values {
			s.text(name)
			s.text("\n")
		}
		s.text("end_variable\n")
	}
	s.line(int64(len(t.Mutexes)))
	for _, m := range t.Mutexes {
		s.text("begin_mutex_group\n")
		s.facts(m)
		s.text("end_mutex_group\n")
	}
	s.text("begin_state\n")
	for _, v := range t.Init {
		s.line(int64(v))
	}
	s.text("end_state\nbegin_goal\n")
	s.facts(t.Goal)
	s.text("end_goal\n")
}

func (s *sasWriter) operators() {
	t := s.t
	s.line(int64(t.Operators.Len()))
	pre := make([]int32, len(t.Variables)) // by variable: the precondition's value + 1
	var prevail []Fact
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		for _, f := range op.Pre {
			pre[f.Var] = f.Val + 1
		}
		changed := func(v int32) bool {
			for k := range op.Effects {
				if op.Effects[k].Var == v {
					return true
				}
			}
			return false
		}
		prevail = prevail[:0]
		for _, f := range op.Pre {
			if !changed(f.Var) {
				prevail = append(prevail, f)
			}
		}
		s.text("begin_operator\n")
		name := t.OperatorName(OperatorID(i))
		s.text(name[1 : len(name)-1])
		s.text("\n")
		s.facts(prevail)
		s.line(int64(len(op.Effects)))
		for _, e := range op.Effects {
			s.num = strconv.AppendInt(s.num[:0], int64(len(e.Cond)), 10)
			for _, f := range e.Cond {
				s.num = strconv.AppendInt(append(s.num, ' '), int64(f.Var), 10)
				s.num = strconv.AppendInt(append(s.num, ' '), int64(f.Val), 10)
			}
			for _, x := range [3]int32{e.Var, pre[e.Var] - 1, e.Val} {
				s.num = strconv.AppendInt(append(s.num, ' '), int64(x), 10)
			}
			_, _ = s.Write(append(s.num, '\n'))
		}
		s.line(op.Cost * s.unit)
		s.text("end_operator\n")
		for _, f := range op.Pre {
			pre[f.Var] = 0
		}
	}
}
