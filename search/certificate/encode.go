package certificate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sort"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/certificate/proof"
)

// Write writes a certificate of task t, its states sorted: the bytes do not depend on the
// order in which they are listed in c. The format is drawn in docs/CERTIFICATES.md.
func Write(out io.Writer, t *grounder.Task, c *Certificate) error {
	if len(c.Groups) > MaxGroups {
		return fmt.Errorf("certificate with %d groups of bounds; at most %d are possible", len(c.Groups), MaxGroups)
	}
	sum := crc32.New(proof.Castagnoli)
	e := &encoder{out: bufio.NewWriterSize(io.MultiWriter(out, sum), 1<<16)}
	e.header(&c.Header, t)
	e.count(len(c.Plan))
	for _, o := range c.Plan {
		e.count(int(o))
	}
	base := proof.FactBase(t.Variables)
	e.count(len(c.Parts))
	for i := range c.Parts {
		e.part(&c.Parts[i], base)
	}
	e.count(len(c.Groups))
	e.count(c.Base)
	for _, g := range c.Groups {
		e.count(len(g))
		for _, term := range g {
			e.count(int(term.Part))
			e.bound(term.Cost)
		}
	}
	e.states(NewLayout(t), c)
	if err := e.out.Flush(); err != nil {
		return err
	}
	_, err := out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// WriteGzip writes a certificate as Write does, compressed; NewReader recognises that.
func WriteGzip(out io.Writer, t *grounder.Task, c *Certificate) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(Write(z, t, c), z.Close())
}

// encoder leaves errors to bufio.Writer, which keeps the first for Flush.
type encoder struct {
	out *bufio.Writer
	buf [binary.MaxVarintLen64]byte
}

func (e *encoder) uint(x uint64) { e.out.Write(e.buf[:binary.PutUvarint(e.buf[:], x)]) }

// signed writes a number with its sign as the lowest bit.
func (e *encoder) signed(x int64) { e.uint(uint64(x)<<1 ^ uint64(x>>63)) }

func (e *encoder) bool(b bool) {
	if b {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *encoder) count(n int) { e.uint(uint64(n)) }

// bound writes 0 for Infinite, else 1 more than the bound.
func (e *encoder) bound(b int64) {
	if b == Infinite {
		e.uint(0)
		return
	}
	e.uint(uint64(b) + 1)
}

func (e *encoder) header(h *Header, t *grounder.Task) {
	e.out.WriteString(proof.Magic)
	e.out.Write(h.Task[:])
	e.out.Write(h.Domain[:])
	e.out.Write(h.Problem[:])
	e.bool(h.Whole)
	e.uint(uint64(h.Claim))
	e.bound(h.Bound)
	e.text(h.Goal)
	e.text(h.Step)
	// The length is written first, so that who has the task can pass over it.
	var size byteCount
	counter := &encoder{out: bufio.NewWriter(&size)}
	counter.task(t)
	counter.out.Flush()
	e.count(int(size))
	e.task(t)
}

func (e *encoder) part(p *Part, base []int) {
	if len(p.Vars) == 0 {
		e.uint(1)
		e.count(len(p.Facts))
		last := 0
		for _, f := range p.Facts {
			n := base[f.Var] + int(f.Val)
			e.count(n - last)
			last = n
		}
		return
	}
	e.uint(0)
	e.count(len(p.Vars))
	last := 0
	for _, v := range p.Vars {
		e.count(int(v) - last)
		last = int(v)
	}
	for _, v := range p.Values {
		e.bound(v)
	}
}

// states writes the listed states in increasing order of their bytes; of each, how many
// bytes it shares with the one before, the rest, the bound, and the evidence.
func (e *encoder) states(l *Layout, c *Certificate) {
	n := len(c.Bounds)
	row := func(i uint32) []uint64 { return c.Rows[int(i)*l.Words() : (int(i)+1)*l.Words()] }
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	sort.Slice(order, func(a, b int) bool {
		x, y := row(order[a]), row(order[b])
		for i := range x {
			if x[i] != y[i] {
				return x[i] < y[i]
			}
		}
		return false
	})
	e.count(n)
	last, next := make([]byte, l.Bytes), make([]byte, l.Bytes)
	for _, i := range order {
		toBytes(l, next, row(i))
		same := commonPrefix(last, next)
		e.count(same)
		e.out.Write(next[same:])
		e.bound(c.Bounds[i])
		e.uint(uint64(c.Evidence[i]))
		last, next = next, last
	}
}

func commonPrefix(a, b []byte) int {
	if bytes.Equal(a, b) {
		return len(a)
	}
	n := 0
	for a[n] == b[n] {
		n++
	}
	return n
}

// toBytes writes a state in the form of the file: its words, most significant byte first, less the unused end.
func toBytes(l *Layout, dst []byte, row []uint64) {
	var b [8]byte
	for i, w := range row {
		binary.BigEndian.PutUint64(b[:], w)
		copy(dst[i*8:l.Bytes], b[:])
	}
}
