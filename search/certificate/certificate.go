package certificate

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"math"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
)

// Claim is what a certificate proves.
type Claim uint8

// Claims.
const (
	// LowerBound: no plan costs less than Bound.
	LowerBound Claim = iota
	// Optimal: no plan costs less than Bound, and Plan costs that much.
	Optimal
	// Unsolvable: there is no plan.
	Unsolvable
)

var claimNames = [...]string{"lower-bound", "optimal", "unsolvable"}

// String returns the claim's name in reports.
func (c Claim) String() string { return claimNames[c] }

// Infinite is the bound of a state from which the goal cannot be reached.
const Infinite int64 = math.MaxInt64

// Certificate is the content of a file. Costs are in units of grounder.Task.CostUnit,
// without CostBase.
type Certificate struct {
	Header
	Plan []grounder.OperatorID // of Optimal
	// Parts and Groups are bounds that hold in every state: see Part and Group. The first
	// Base groups count for each state that is not listed.
	Parts  []Part
	Groups []Group
	Base   int
	// The listed states: Layout.Words words each in Rows, a bound each in Bounds, and in
	// Evidence what says why: see EvidenceOf.
	Rows     []uint64
	Bounds   []int64
	Evidence []uint32
}

// Header is what can be read before the task is grounded.
type Header struct {
	// Task is TaskHash of the grounded task, Domain and Problem are SHA-256 of the texts (zero
	// when unknown); only Task must agree.
	Task, Domain, Problem [sha256.Size]byte
	// Whole says that the task was grounded with grounder.Options.KeepIrrelevant.
	Whole bool
	Claim Claim
	Bound int64 // Infinite for Unsolvable
}

// SetTexts records the texts of a problem and its domain.
func (h *Header) SetTexts(p *pddl.Problem) { h.Domain, h.Problem = textSums(p) }

// SameTexts reports whether the certificate was made for these texts, byte by byte. The task
// that they mean is compared in any case, by Header.Task.
func (h *Header) SameTexts(p *pddl.Problem) bool {
	domain, problem := textSums(p)
	return h.Domain == domain && h.Problem == problem
}

func textSums(p *pddl.Problem) (domain, problem [sha256.Size]byte) {
	return sha256.Sum256([]byte(p.Domain.Source.Text)), sha256.Sum256([]byte(p.Source.Text))
}

// Part is a function from states to bounds that does not depend on how the state is
// reached: a table of abstract distances, or a zone.
//
// A table (Vars not empty) is indexed by the values of the state variables Vars, in
// increasing order, the last one fastest.
//
// A zone (Vars empty) is a set of facts, sorted, with one of the goal. In a state in which
// none of them holds some operator must bring the first one about. The zone's value, the
// Cost of a Term, is due in such states and 0 in others.
type Part struct {
	Vars   []int32
	Values []int64
	Facts  []grounder.Fact
}

// Term is a part in a group. Cost is the value of a zone and 0 for a table.
type Term struct {
	Part int32
	Cost int64
}

// bytes is what the lists of a certificate take.
func (c *Certificate) bytes() int64 {
	n := 4*int64(cap(c.Plan)) + 72*int64(cap(c.Parts)) + 24*int64(cap(c.Groups))
	for i := range c.Parts {
		p := &c.Parts[i]
		n += 4*int64(cap(p.Vars)) + 8*int64(cap(p.Values)+cap(p.Facts))
	}
	for _, g := range c.Groups {
		n += 16 * int64(cap(g))
	}
	return n + 8*int64(cap(c.Rows)+cap(c.Bounds)) + 4*int64(cap(c.Evidence))
}

// Group is a sum of parts that share the costs of the operators among them.
type Group []Term

// MaxGroups bounds the number of groups, so that evidence fits into 32 bits.
const MaxGroups = 1<<31 - 2

// EvidenceOf encodes why the bound of a listed state holds. A direct bound is the value of
// the group in that state. Otherwise the bound follows from the successors; those that are
// not listed count with the greatest of the base groups and this group. Group is -1 for
// none.
func EvidenceOf(group int, direct bool) uint32 {
	e := uint32(group+1) << 1
	if direct {
		e |= 1
	}
	return e
}

func splitEvidence(e uint32) (group int, direct bool) { return int(e>>1) - 1, e&1 != 0 }

// TaskHash is a SHA-256 digest of all of a task that a certificate speaks of: variables,
// initial state, goal, operators with their names, axioms, the unit of costs.
func TaskHash(t *grounder.Task) [sha256.Size]byte {
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
		w.text(t.OperatorName(grounder.OperatorID(i)))
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
	w.text(t.CostUnit.String())
	w.text(t.CostBase.String())
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

func (w *taskHasher) facts(fs []grounder.Fact) {
	w.ints(len(fs))
	for _, f := range fs {
		w.ints(int(f.Var), int(f.Val))
	}
}

// ListBytes is the memory for listing n states of some words each: words, bound, evidence,
// and the order in which they are written.
func ListBytes(n, words int) int64 { return int64(n) * (8*int64(words) + 16) }
