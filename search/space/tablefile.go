package space

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/state"
)

// The file format of a Table, docs/STATESPACE.md. All integers are little-endian, every
// part begins at a multiple of 8 bytes and is filled up with zeros.
//
//	bytes        content
//	8            "PPTABLE2"
//	32           TaskHash of the task
//	8            words per packed state, w
//	8            number of states, n
//	8 8 8        edges, goal states, dead ends
//	8            cost of every transition (used with kind 0)
//	8            kind: 0 costs are steps times that, 4 or 8 bytes per cost
//	8            slots of the index, m > n
//	8            entries of PerDepth, d
//	8            length of OptimalPlans, l
//	8d           PerDepth
//	l            OptimalPlans, text
//	8m           index: open addressing, below
//	8wn          packed states, breadth first, the initial state first
//	4n           steps, 2^32-1 for dead ends
//	4n or 8n     costs (kind 4 or 8)
//	8 each       xxhash64 of each MiB of all of the above
//	8            xxhash64 of these sums
//
// A state of xxhash64 h lies at or behind slot h*m/2^64 of the index, before the next
// empty slot, the last slot followed by the first one. A slot is 0 when empty, else the lower
// half of h in its upper half and the state's number plus one in its lower half.
//
// The layout of packed states is a function of the task, which TaskHash pins down.
const (
	tableMagic  = "PPTABLE2"
	tableFixed  = 120 // bytes before PerDepth
	tableBlock  = 1 << 20
	tableFamily = "PPTABLE"
)

// ErrOtherTask is returned by LoadTable for the table of another task.
var ErrOtherTask = errors.New("the table belongs to another task")

var (
	errDamaged      = errors.New("not a table, or a damaged one")
	errOtherVersion = errors.New("a table of another version of the format; make it again")
)

func aligned(n int64) int64 { return (n + 7) &^ 7 }

// tableIndex finds states by hash in the form that the file holds.
type tableIndex []uint64

// slot returns where the search for a hash begins.
func (x tableIndex) slot(hash uint64) uint64 {
	hi, _ := bits.Mul64(hash, uint64(len(x)))
	return hi
}

// newTableIndex indexes all states, at a load of four fifths.
func newTableIndex(s stateStore) tableIndex {
	n := s.Len()
	x := make(tableIndex, n+n/4+1)
	for id := range n {
		h := state.HashRow(s.Row(state.StateID(id)))
		i := x.slot(h)
		for x[i] != 0 {
			if i++; i == uint64(len(x)) {
				i = 0
			}
		}
		x[i] = h<<32 | uint64(id+1)
	}
	return x
}

// fileStates are the states of a table file in memory.
type fileStates struct {
	words int
	rows  []uint64
	index tableIndex
	held  int64 // bytes on the heap
}

func (f *fileStates) Len() int     { return len(f.rows) / f.words }
func (f *fileStates) Bytes() int64 { return f.held }

func (f *fileStates) Row(id state.StateID) []uint64 {
	i := int(id) * f.words
	return f.rows[i : i+f.words : i+f.words]
}

// Find looks a state up. Whatever the index holds, it ends, and ids are in range.
func (f *fileStates) Find(row []uint64) (state.StateID, bool) {
	h := state.HashRow(row)
	i := f.index.slot(h)
	for range f.index {
		e := f.index[i]
		if e == 0 {
			break
		}
		if id := uint32(e) - 1; uint32(h) == uint32(e>>32) && int(id) < f.Len() && sameRow(f.Row(state.StateID(id)), row) {
			return state.StateID(id), true
		}
		if i++; i == uint64(len(f.index)) {
			i = 0
		}
	}
	return state.NoState, false
}

func sameRow(a, b []uint64) bool {
	for i, x := range a {
		if b[i] != x {
			return false
		}
	}
	return true
}

// Save writes the table to path by way of a temporary file in the same folder, so that
// path always holds a whole table or what it held before.
func (t *Table) Save(path string) (err error) {
	defer func() { // an error names the file to come, not the temporary one
		if p := (*os.PathError)(nil); errors.As(err, &p) {
			err = &os.PathError{Op: p.Op, Path: path, Err: p.Err}
		}
	}()
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
	if err = t.Write(f); err != nil {
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

// Write writes the table as Save does, into out.
func (t *Table) Write(out io.Writer) error {
	sums := &blockSums{}
	w := &tableWriter{out: bufio.NewWriterSize(io.MultiWriter(out, sums), 1<<20)}
	index := newTableIndex(t.states)
	w.text(tableMagic)
	id := TaskHash(t.sys.Task)
	w.text(string(id[:]))
	kind := uint64(0)
	switch {
	case t.cost32 != nil:
		kind = 4
	case t.cost64 != nil:
		kind = 8
	}
	w.u64(uint64(t.sys.Packer.Words()), uint64(t.States), uint64(t.Edges), uint64(t.GoalStates), uint64(t.DeadEnds),
		uint64(t.unit), kind, uint64(len(index)), uint64(len(t.PerDepth)), uint64(len(t.OptimalPlans)))
	for _, n := range t.PerDepth {
		w.u64(uint64(n))
	}
	w.text(t.OptimalPlans)
	w.u64(index...)
	for i := 0; i < t.states.Len(); i++ {
		w.u64(t.states.Row(state.StateID(i))...)
	}
	w.u32(t.steps)
	w.u32(t.cost32)
	w.u64(t.cost64...)
	if err := w.out.Flush(); err != nil {
		return err
	}
	all := sums.all()
	_, err := out.Write(binary.LittleEndian.AppendUint64(all, xxhash.Sum64(all)))
	return err
}

// tableWriter writes the parts, each filled up to a multiple of 8 bytes. It leaves errors
// to bufio.Writer, which keeps the first for Flush.
type tableWriter struct {
	out *bufio.Writer
	buf [8]byte
}

func (w *tableWriter) text(s string) {
	w.out.WriteString(s)
	clear(w.buf[:])
	w.out.Write(w.buf[:aligned(int64(len(s)))-int64(len(s))])
}

func (w *tableWriter) u64(xs ...uint64) {
	for _, x := range xs {
		binary.LittleEndian.PutUint64(w.buf[:], x)
		w.out.Write(w.buf[:])
	}
}

func (w *tableWriter) u32(xs []uint32) {
	for _, x := range xs {
		binary.LittleEndian.PutUint32(w.buf[:4], x)
		w.out.Write(w.buf[:4])
	}
	if len(xs)%2 != 0 {
		clear(w.buf[:])
		w.out.Write(w.buf[:4])
	}
}

// blockSums sums up what is written to it block by block.
type blockSums struct {
	sum  xxhash.Digest
	n    int // bytes of the block so far
	sums []byte
}

// Write implements io.Writer.
func (b *blockSums) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if b.n == 0 {
			b.sum.Reset()
		}
		k := min(len(p), tableBlock-b.n)
		b.sum.Write(p[:k])
		b.n, p = b.n+k, p[k:]
		if b.n == tableBlock {
			b.end()
		}
	}
	return written, nil
}

func (b *blockSums) end() {
	b.sums = binary.LittleEndian.AppendUint64(b.sums, b.sum.Sum64())
	b.n = 0
}

// all ends the last block and returns the sums.
func (b *blockSums) all() []byte {
	if b.n > 0 {
		b.end()
	}
	return b.sums
}

// LoadTable opens the table of task t at path. The file is mapped into memory where the
// system can (small ones are read), so that look-ups touch the pages they need and the heap
// stays small; it must not be changed in place meanwhile (Save replaces it, which is safe).
// The whole file is checked against its sums first. A damaged file and, with ErrOtherTask,
// the table of another task are refused.
func LoadTable(path string, t *grounder.Task) (*Table, error) {
	sim, err := NewSimulator(t)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	words, mapped, err := openWords(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tab, err := newFileTable(sim, words)
	if err != nil {
		if mapped {
			unmapWords(words)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tab.adopt(words, mapped)
	return tab, nil
}

// maxTableFile keeps sizes far from overflow.
const maxTableFile = 1 << 46

// openWords returns the content of a file as 64-bit words.
func openWords(f *os.File) (words []uint64, mapped bool, err error) {
	if !littleEndian() {
		return nil, false, errors.New("tables can be loaded on little-endian machines only")
	}
	info, err := f.Stat()
	switch size := info.Size(); {
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, false, errors.New("a table is a regular file")
	case size < tableFixed || size%8 != 0 || size > maxTableFile:
		head := make([]byte, len(tableMagic))
		if n, _ := f.ReadAt(head, 0); n == len(head) && string(head[:7]) == tableFamily && string(head) != tableMagic {
			return nil, false, errOtherVersion
		}
		return nil, false, errDamaged
	case size >= mapFrom:
		if words, err := mapWords(f, size); err == nil {
			return words, true, nil
		}
	}
	words = make([]uint64, info.Size()/8)
	if _, err := io.ReadFull(f, bytesOf(words)); err != nil {
		return nil, false, err
	}
	return words, false, nil
}

// mapFrom is the size from which a file is mapped: the system bounds the number of
// mappings, and below a few pages reading costs no more.
const mapFrom = 1 << 16

func littleEndian() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
}
