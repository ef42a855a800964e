package space

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
	"github.com/planproof/planproof/search/state"
)

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
