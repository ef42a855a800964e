package search

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"planproof/grounder"
	"planproof/search/state"
)

// The file format of a Table; integers are little-endian.
//
//	bytes            content
//	8                "PPTABLE1"
//	32               TaskHash of the task
//	8                words per packed state, w
//	8                number of states, n
//	8 8 8            edges, goal states, dead ends
//	8                cost of every transition (used with kind 0)
//	1                kind: 0 costs are steps times that, 4 or 8 bytes per cost
//	8, 8 each        length of PerDepth, its entries
//	8, length        length of OptimalPlans, its text
//	8wn              packed states, breadth first, the initial state first
//	4n               steps, 2^32-1 for dead ends
//	4n or 8n         costs (kind 4 or 8)
//	8                xxhash64 of all of the above
//
// The layout of packed states is a function of the task, which TaskHash pins down.
const tableMagic = "PPTABLE1"

// ErrOtherTask is returned by LoadTable for the table of another task.
var ErrOtherTask = errors.New("the table belongs to another task")

// TaskHash is a SHA-256 digest of all of a task that bears on its state space and costs:
// variables, initial state, goal, operators with their names, axioms.
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
	w.ints(int64(len(t.Operators)))
	for i := range t.Operators {
		op := &t.Operators[i]
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
	return [32]byte(w.h.Sum(nil))
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

// Save writes the table to path by way of a temporary file in the same folder, so that
// path always holds a whole table or what it held before.
func (t *Table) Save(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = t.write(f); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (t *Table) write(out io.Writer) error {
	w := &tableWriter{sum: xxhash.New()}
	w.out = bufio.NewWriterSize(io.MultiWriter(out, w.sum), 1<<20)
	w.out.WriteString(tableMagic)
	id := TaskHash(t.task)
	w.out.Write(id[:])
	w.u64(uint64(t.packer.Words()), uint64(t.States), uint64(t.Edges), uint64(t.GoalStates), uint64(t.DeadEnds), uint64(t.unit))
	kind := byte(0)
	switch {
	case t.cost32 != nil:
		kind = 4
	case t.cost64 != nil:
		kind = 8
	}
	w.out.WriteByte(kind)
	w.u64(uint64(len(t.PerDepth)))
	for _, n := range t.PerDepth {
		w.u64(uint64(n))
	}
	w.u64(uint64(len(t.OptimalPlans)))
	w.out.WriteString(t.OptimalPlans)
	for i := 0; i < t.reg.Len(); i++ {
		w.u64(t.reg.Row(state.StateID(i))...)
	}
	for _, d := range t.steps {
		w.u32(d)
	}
	for _, d := range t.cost32 {
		w.u32(d)
	}
	for _, d := range t.cost64 {
		w.u64(d)
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	_, err := out.Write(binary.LittleEndian.AppendUint64(nil, w.sum.Sum64()))
	return err
}

// tableWriter leaves errors to bufio.Writer, which keeps the first for Flush.
type tableWriter struct {
	out *bufio.Writer
	sum *xxhash.Digest
	buf [8]byte
}

func (w *tableWriter) u64(xs ...uint64) {
	for _, x := range xs {
		binary.LittleEndian.PutUint64(w.buf[:], x)
		w.out.Write(w.buf[:])
	}
}

func (w *tableWriter) u32(x uint32) {
	binary.LittleEndian.PutUint32(w.buf[:4], x)
	w.out.Write(w.buf[:4])
}

// LoadTable reads the table of task t from path. A damaged file and, with ErrOtherTask, the
// table of another task are refused.
func LoadTable(path string, t *grounder.Task) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	sim, err := NewSimulator(t)
	if err != nil {
		return nil, err
	}
	r := &tableReader{in: bufio.NewReaderSize(f, 1<<20), sum: xxhash.New(), left: info.Size()}
	tab, err := r.read(sim)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tab, nil
}

// tableReader reads and sums up. left is what remains of the file: nothing is allocated
// for a length that the file cannot hold.
type tableReader struct {
	in   *bufio.Reader
	sum  *xxhash.Digest
	left int64
	err  error
	buf  [8]byte
}

var errDamaged = errors.New("not a table, or a damaged one")

func (r *tableReader) bytes(b []byte) []byte {
	if r.err != nil {
		return b
	}
	if _, err := io.ReadFull(r.in, b); err != nil {
		r.err = errDamaged
		return b
	}
	r.left -= int64(len(b))
	r.sum.Write(b)
	return b
}

func (r *tableReader) u64() uint64 {
	clear(r.buf[:])
	return binary.LittleEndian.Uint64(r.bytes(r.buf[:]))
}

func (r *tableReader) u32() uint32 { return binary.LittleEndian.Uint32(r.bytes(r.buf[:4])) }

// length reads the number of items of the given size that follow.
func (r *tableReader) length(size int64) int {
	n := r.u64()
	if r.err == nil && n > uint64(r.left/size) {
		r.err = errDamaged
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *tableReader) read(sim *Simulator) (*Table, error) {
	if string(r.bytes(make([]byte, len(tableMagic)))) != tableMagic {
		return nil, errDamaged
	}
	if want := TaskHash(sim.task); r.err == nil && [32]byte(r.bytes(make([]byte, 32))) != want {
		if r.err != nil {
			return nil, r.err
		}
		return nil, ErrOtherTask
	}
	words := sim.packer.Words()
	if r.u64() != uint64(words) {
		return nil, errDamaged
	}
	t := &Table{Simulator: sim, reg: state.NewRegistry(words, 0)}
	n := r.length(int64(words)*8 + 4)
	t.States, t.Edges = int64(n), int64(r.u64())
	t.GoalStates, t.DeadEnds, t.unit = int64(r.u64()), int64(r.u64()), int64(r.u64())
	kind := r.bytes(make([]byte, 1))[0]
	t.PerDepth = make([]int64, r.length(8))
	for i := range t.PerDepth {
		t.PerDepth[i] = int64(r.u64())
	}
	t.OptimalPlans = string(r.bytes(make([]byte, r.length(1))))
	row := make([]uint64, words)
	for i := 0; i < n && r.err == nil; i++ {
		for w := range row {
			row[w] = r.u64()
		}
		if id, isNew := t.reg.Insert(row, t.reg.Hash(row)); !isNew || int(id) != i {
			return nil, errDamaged
		}
	}
	t.steps = r.column32(n)
	switch kind {
	case 0:
	case 4:
		t.cost32 = r.column32(n)
	case 8:
		t.cost64 = r.column64(n)
	default:
		return nil, errDamaged
	}
	sum := r.sum.Sum64()
	if r.u64() != sum || r.err != nil || r.left != 0 || n == 0 || n > math.MaxUint32 {
		return nil, errDamaged
	}
	return t, nil
}

func (r *tableReader) column32(n int) []uint32 {
	if r.err != nil || int64(n)*4 > r.left {
		r.err = errDamaged
		return nil
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = r.u32()
	}
	return out
}

func (r *tableReader) column64(n int) []uint64 {
	if r.err != nil || int64(n)*8 > r.left {
		r.err = errDamaged
		return nil
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = r.u64()
	}
	return out
}
