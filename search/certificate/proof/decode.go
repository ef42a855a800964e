package proof

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"github.com/planproof/planproof/grounder/fdr"
)

// FormatError says why a file is not a readable certificate.
type FormatError struct {
	Offset  int64 // in the (decompressed) file
	Message string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("not a readable certificate: %s (at byte %d)", e.Message, e.Offset)
}

// ErrMemory says that a certificate needs more memory than allowed.
var ErrMemory = errors.New("the certificate needs more memory than allowed")

// Reader reads one certificate from a file, compressed by gzip or not.
type Reader struct {
	Header Header

	in     io.Reader
	block  [1 << 16]byte
	lo, hi int       // what is left of the block
	summed int       // block[:summed] is in sum
	sum    uint32    // checksum of what has been read
	digest hash.Hash // of the task, while it is read
	before int64     // bytes in earlier blocks
	task   int       // length of the task in the file, if it comes next
	memory int64     // left
	ctx    context.Context
}

// NewReader reads the header. Its error is a *FormatError or one of r.
func NewReader(r io.Reader) (*Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	d := &Reader{in: in, memory: math.MaxInt64, ctx: context.Background()}
	if head, err := in.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, &FormatError{Message: err.Error()}
		}
		d.in = z
	}
	err := guard(func() {
		if string(d.bytes(make([]byte, len(Magic)))) != Magic {
			d.fail("it does not begin with %q; certificates of other versions have to be made again", Magic)
		}
		h := &d.Header
		for _, sum := range [][]byte{h.Task[:], h.Domain[:], h.Problem[:]} {
			d.bytes(sum)
		}
		h.Whole = d.below(2, "whole") == 1
		h.Claim = Claim(d.below(len(claimNames), "claim"))
		if h.Bound = d.bound(); (h.Bound == Infinite) != (h.Claim == Unsolvable) {
			d.fail("an infinite bound is the claim %q and no other", Unsolvable)
		}
		h.Goal, h.Step = d.text(), d.text()
		d.task = d.count("bytes of the task")
	})
	return d, err
}

// Read reads the rest, given the task that Header.Task names. memory bounds what it holds
// at a time, in bytes. Errors are *FormatError, *Refusal (another task), ErrMemory, that of
// ctx, or those of the file.
func (d *Reader) Read(ctx context.Context, t *Task, memory int64) (*Certificate, error) {
	c := &Certificate{Header: d.Header}
	d.memory, d.ctx = memory, ctx
	err := guard(func() {
		if c.Task != t.Hash {
			refuse("", otherTask)
		}
		for ; d.task > 0; d.task-- { // the task in the file, which has not been read
			d.byte()
		}
		for range d.count("plan steps") {
			c.Plan = grow(d, c.Plan, 4, fdr.OperatorID(d.below(len(t.Operators), "operator")))
		}
		base := FactBase(t.Variables)
		for range d.count("parts") {
			c.Parts = grow(d, c.Parts, 72, d.part(t, base))
		}
		groups := d.below(MaxGroups+1, "number of groups")
		c.Base = d.below(groups+1, "number of base groups")
		for range groups {
			c.Groups = grow(d, c.Groups, 24, d.group(len(c.Parts)))
		}
		d.states(NewLayout(t.Variables, len(t.Fluents)), c)
		sum := d.checksum()
		if binary.LittleEndian.Uint32(d.bytes(make([]byte, 4))) != sum {
			d.fail("the checksum is wrong: the file is damaged")
		}
		if d.more() {
			d.fail("it goes on after its end")
		}
	})
	return c, err
}

// stop carries an error out of the depth of reading and checking.
type stop struct{ err error }

// guard returns the error with which f stops.
func guard(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			err = s.err
		}
	}()
	f()
	return nil
}

func (d *Reader) fail(format string, args ...any) {
	panic(stop{&FormatError{Offset: d.offset(), Message: fmt.Sprintf(format, args...)}})
}

func (d *Reader) offset() int64 { return d.before + int64(d.lo) }

// grow appends x, of size bytes, to list. What the list takes is counted against the memory
// allowed, and while it is copied the old one too. Every item takes input, so a short
// file cannot make the reader allocate much.
func grow[T any](d *Reader, list []T, size int64, x T) []T {
	n := int64(len(list))
	if len(list) < cap(list) {
		return append(list, x)
	}
	more := max(1, n/4)
	if n < 1024 {
		more = max(1, n)
	}
	if d.memory -= (n + more) * size; d.memory < 0 {
		panic(stop{ErrMemory})
	}
	longer := make([]T, n, n+more)
	copy(longer, list)
	d.memory += n * size
	return append(longer, x)
}

// more reports whether there is a byte to read, in the next block if need be.
func (d *Reader) more() bool {
	if d.lo < d.hi {
		return true
	}
	if d.ctx.Err() != nil {
		panic(stop{context.Cause(d.ctx)})
	}
	d.checksum()
	d.before += int64(d.hi)
	d.lo, d.summed = 0, 0
	var err error
	switch d.hi, err = io.ReadAtLeast(d.in, d.block[:], 1); err {
	case nil, io.EOF:
	case io.ErrUnexpectedEOF: // of gzip: its own end is missing, or what follows it is cut
		d.fail("the compressed file ends too early, or goes on after its end")
	default:
		d.fail("%v", err)
	}
	return d.hi > 0
}

// checksum returns the checksum of what has been read so far, and adds it to the task's digest.
func (d *Reader) checksum() uint32 {
	read := d.block[d.summed:d.lo]
	d.summed = d.lo
	if d.digest != nil {
		d.digest.Write(read)
	}
	d.sum = crc32.Update(d.sum, Castagnoli, read)
	return d.sum
}

func (d *Reader) byte() byte {
	if d.lo == d.hi && !d.more() {
		d.fail("it ends too early")
	}
	d.lo++
	return d.block[d.lo-1]
}

func (d *Reader) bytes(b []byte) []byte {
	for i := range b {
		b[i] = d.byte()
	}
	return b
}

func (d *Reader) uint() uint64 {
	var x uint64
	for shift := uint(0); ; shift += 7 {
		b := d.byte()
		if shift == 63 && b > 1 || shift > 63 || b == 0 && shift > 0 {
			d.fail("a number is malformed")
		}
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
}

// signed reads a number whose sign is its lowest bit.
func (d *Reader) signed() int64 {
	x := d.uint()
	return int64(x>>1) ^ -int64(x&1)
}

// below reads a number less than n.
func (d *Reader) below(n int, what string) int {
	x := d.uint()
	if x >= uint64(n) {
		d.fail("%s %d is not below %d", what, x, n)
	}
	return int(x)
}

// count reads the length of a list.
func (d *Reader) count(what string) int { return d.below(1<<40, "number of "+what) }

func (d *Reader) bound() int64 {
	x := d.uint()
	if x > math.MaxInt64 {
		d.fail("a bound exceeds 63 bits")
	}
	if x == 0 {
		return Infinite
	}
	return int64(x - 1)
}

func (d *Reader) part(t *Task, base []int) Part {
	var p Part
	if d.below(2, "kind of part") == 1 {
		v, last := 0, 0
		for i := range d.count("facts") {
			n := d.below(base[len(base)-1], "fact") + last
			if n >= base[len(base)-1] || i > 0 && n == last {
				d.fail("the facts of a zone are not facts in increasing order")
			}
			for n >= base[v+1] {
				v++
			}
			last = n
			p.Facts = grow(d, p.Facts, 8, fdr.Fact{Var: int32(v), Val: int32(n - base[v])})
		}
		return p
	}
	n, last := 1, 0
	k := d.count("variables of a table")
	if k == 0 {
		d.fail("a table without variables")
	}
	for i := range k {
		v := d.below(len(t.Variables), "variable") + last
		if v >= len(t.Variables) || i > 0 && v == last || t.Variables[v].Layer >= 0 {
			d.fail("the variables of a table are not state variables in increasing order")
		}
		last = v
		p.Vars = grow(d, p.Vars, 4, int32(v))
		if n *= t.Variables[v].Size(); n > math.MaxInt32 {
			d.fail("a table has more than %d entries", math.MaxInt32)
		}
	}
	for range n {
		p.Values = grow(d, p.Values, 8, d.bound())
	}
	return p
}

func (d *Reader) group(parts int) Group {
	var g Group
	for range d.count("terms") {
		g = grow(d, g, 16, Term{Part: int32(d.below(parts, "part")), Cost: d.bound()})
	}
	return g
}

func (d *Reader) states(l *Layout, c *Certificate) {
	n := d.count("states")
	if n >= math.MaxUint32 {
		d.fail("more than %d states", uint32(math.MaxUint32))
	}
	last := make([]byte, l.Bytes)
	row := make([]uint64, l.words)
	for i := range n {
		same := d.below(l.Bytes+1, "length of a common prefix")
		if same == l.Bytes && i > 0 {
			d.fail("state %d is listed twice", i)
		}
		if rest := last[same:]; len(rest) > 0 {
			before := rest[0]
			if d.bytes(rest); i > 0 && rest[0] <= before {
				d.fail("state %d is out of order", i)
			}
		}
		l.fromBytes(row, last)
		for _, x := range row {
			c.Rows = grow(d, c.Rows, 8, x)
		}
		c.Bounds = grow(d, c.Bounds, 8, d.bound())
		c.Evidence = grow(d, c.Evidence, 4, uint32(d.below(2*len(c.Groups)+2, "evidence")))
	}
}
