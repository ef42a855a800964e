package grounder

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// WriteSAS writes t in Fast Downward's translator output format, version 3, which Fast
// Downward's search component and ReadSAS read. The format has costs of 32 bits and no
// costs that depend on a condition: a task that needs more gets an error that says so.
// Costs are written as in the problem if they are all integers of 32 bits, else in units
// of CostUnit. The format cannot express CostBase.
func WriteSAS(w io.Writer, t *Task) error {
	for i := range t.Operators {
		op := &t.Operators[i]
		if len(op.CondCosts) > 0 {
			return fmt.Errorf("the sas format has no conditional action costs: the cost of %s depends on the state", t.OperatorName(OperatorID(i)))
		}
		if op.Cost > math.MaxInt32 {
			return fmt.Errorf("the sas format has no action costs of more than 32 bits: %s costs %d units", t.OperatorName(OperatorID(i)), op.Cost)
		}
	}
	s := sasWriter{Writer: bufio.NewWriterSize(w, 1<<16), t: t, unit: writtenUnit(t)}
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

// writtenUnit returns CostUnit if it leaves every cost an integer of 32 bits, else 1.
func writtenUnit(t *Task) int64 {
	unit, ok := t.CostUnit.Int64()
	if !ok || unit < 1 || unit > math.MaxInt32 {
		return 1
	}
	for i := range t.Operators {
		if t.Operators[i].Cost*unit > math.MaxInt32 { // both factors have 31 bits
			return 1
		}
	}
	return unit
}

type sasWriter struct {
	*bufio.Writer
	t    *Task
	unit int64
	num  []byte
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
		s.line(int64(i))
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
	s.line(int64(len(t.Operators)))
	pre := make([]int32, len(t.Variables)) // by variable: the precondition's value + 1
	var prevail []Fact
	for i := range t.Operators {
		op := &t.Operators[i]
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
