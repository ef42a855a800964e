package rowstream

import (
	"bytes"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
)

// reader makes chunks of lines.
type reader[A any] struct {
	opt  Options
	in   io.Reader
	send func(*chunk[A]) bool // false: nobody wants more
	free <-chan []byte

	number, rows int         // so far
	skipped      int64       // bytes of a line that has grown too long
	ended        func() bool // nothing more is to be read
	waiting      atomic.Bool // for something to read
}

// errUnwanted ends reading when nobody wants more.
var errUnwanted = errors.New("nobody wants more lines")

func (r *reader[A]) read() error {
	var buf []byte // what has been read and not been handed over: no line end is in it
	for empty := 0; ; {
		if cap(buf)-len(buf) < minRead {
			buf = append(r.buffer(2*len(buf)), buf...)
		}
		if r.ended() {
			return errUnwanted
		}
		r.waiting.Store(true)
		n, err := r.in.Read(buf[len(buf):cap(buf)])
		r.waiting.Store(false)
		if empty++; n > 0 {
			empty = 0
		} else if err == nil && empty == 100 {
			err = io.ErrNoProgress
		}
		end := len(buf) + bytes.LastIndexByte(buf[len(buf):len(buf)+n], '\n') + 1
		if end == len(buf) {
			end = 0
		}
		if buf = buf[:len(buf)+n]; err == io.EOF {
			end = len(buf)
		}
		sent, unwanted := r.handOver(buf[:end], err == io.EOF)
		if unwanted != nil {
			return unwanted
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if buf = buf[end:]; r.skipped > 0 || len(buf) > r.opt.MaxLine {
			r.skipped += int64(len(buf))
			buf = buf[:0]
		}
		if sent && r.opt.Reuse { // the buffer is the chunk's
			buf = append(r.buffer(2*len(buf)), buf...)
		}
	}
}

// buffer returns room to read into, with Options.Reuse that of answered lines if it is large enough.
func (r *reader[A]) buffer(size int) []byte {
	if !r.opt.Reuse {
		return make([]byte, 0, max(chunkBytes, size))
	}
	if size <= reusedBytes {
		select {
		case buf := <-r.free:
			return buf
		default:
		}
	}
	return make([]byte, 0, max(reusedBytes, size))
}

// handOver sends the lines of text, all of which are complete, and reports whether there were any.
func (r *reader[A]) handOver(text []byte, last bool) (sent bool, err error) {
	buf := text[:0]
	lines := make([]Line, 0, bytes.Count(text, []byte{'\n'})+1)
	now := time.Now()
	var size int64
	for len(text) > 0 || last && r.skipped > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		r.number++
		l := Line{Text: text[:end:end], Number: r.number, Length: r.skipped + int64(end), Read: now}
		text, r.skipped = text[end:], 0
		if r.number == 1 {
			l.Text = bytes.TrimPrefix(l.Text, []byte(rowjson.BOM))
		}
		if l.Length > int64(r.opt.MaxLine) {
			l.Text = nil
		} else if len(bytes.TrimSpace(l.Text)) == 0 {
			continue
		}
		r.rows++
		l.Row = r.rows
		size += int64(len(l.Text))
		lines = append(lines, l)
	}
	if len(lines) > 0 {
		n := len(lines)
		c := &chunk[A]{lines: lines, bytes: min(size, r.opt.room()), done: make(chan struct{}), answers: make([]A, n), ready: make([]atomic.Bool, n)}
		c.left.Store(int64(n))
		if r.opt.Reuse && cap(buf) == reusedBytes {
			c.buf = buf
		}
		if !r.send(c) {
			return false, errUnwanted
		}
	}
	return len(lines) > 0, nil
}
