package validator

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/planproof/planproof/internal/rowjson"
)

// room is a budget of bytes: take blocks while too many are taken, but always lets at
// least one taker through.
type room struct {
	mu     sync.Mutex
	cond   *sync.Cond
	limit  int64
	out    int64
	closed bool
}

func newRoom(limit int64) *room {
	r := &room{limit: limit}
	r.cond = sync.NewCond(&r.mu)
	return r
}

func (r *room) take(n int64) {
	r.mu.Lock()
	for r.out > 0 && r.out+n > r.limit && !r.closed {
		r.cond.Wait()
	}
	r.out += n
	r.mu.Unlock()
}

func (r *room) give(n int64) {
	r.mu.Lock()
	r.out -= n
	r.cond.Broadcast()
	r.mu.Unlock()
}

func (r *room) close() {
	r.mu.Lock()
	r.closed = true
	r.cond.Broadcast()
	r.mu.Unlock()
}

// read cuts the input into chunks. A chunk ends early if no more input has arrived, so
// that a caller may wait for an answer before it sends the next row.
func (b *batch) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<16)
	first := true
	row := 0
	c := &chunk{first: 1, out: make(chan []answer, 1)}
	send := func() bool {
		if len(c.lines) == 0 {
			return true
		}
		b.room.take(c.size)
		for _, ch := range []chan *chunk{b.order, b.work} {
			select {
			case ch <- c:
			case <-b.ctx.Done():
				return false
			}
		}
		c = &chunk{first: row + 1, out: make(chan []answer, 1)}
		return true
	}
	for {
		line, long, err := readLine(in, b.opt.maxRow)
		if first {
			line, first = bytes.TrimPrefix(line, []byte(rowjson.BOM)), false
		}
		if len(bytes.TrimSpace(line)) > 0 || long {
			row++
			if long {
				line = nil
			}
			c.lines = append(c.lines, line)
			c.size += int64(len(line)) + 64
		}
		full := len(c.lines) >= chunkRows || c.size >= chunkBytes || !lineBuffered(in)
		if (full || err != nil) && !send() {
			return b.ctx.Err()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineBuffered reports whether another whole line is in the buffer.
func lineBuffered(in *bufio.Reader) bool {
	ahead, _ := in.Peek(in.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0
}

// readLine reads a line of up to limit bytes into memory of its own; the rest of a
// longer one is skipped.
func readLine(in *bufio.Reader, limit int) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if !long && len(line)+len(part) > limit {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// write writes the answers in order. Whenever none is ready, it flushes what there is.
func (b *batch) write(w io.Writer) (BatchStats, error) {
	var stats BatchStats
	out := bufio.NewWriterSize(w, 1<<16)
	for {
		var c *chunk
		var ok bool
		select {
		case c, ok = <-b.order:
		default:
			if err := out.Flush(); err != nil {
				return stats, err
			}
			select {
			case c, ok = <-b.order:
			case <-b.ctx.Done():
				return stats, b.ctx.Err()
			}
		}
		if !ok {
			return stats, out.Flush()
		}
		if len(b.order) == 0 {
			if err := out.Flush(); err != nil {
				return stats, err
			}
		}
		var answers []answer
		select {
		case answers = <-c.out:
		case <-b.ctx.Done():
			return stats, errors.Join(b.ctx.Err(), out.Flush())
		}
		for _, a := range answers {
			if a.text == nil {
				return stats, errors.Join(b.ctx.Err(), out.Flush())
			}
			if err := b.emit(out, a, &stats); err != nil {
				return stats, err
			}
		}
		b.room.give(c.size)
	}
}

func (b *batch) emit(out *bufio.Writer, a answer, stats *BatchStats) error {
	stats.Rows++
	switch a.kind {
	case answerValid:
		stats.Valid++
	case answerInvalid:
		stats.Invalid++
	case answerUndecided:
		stats.Undecided++
	default:
		stats.Errors++
	}
	if _, err := out.Write(a.text); err != nil {
		return err
	}
	return out.WriteByte('\n')
}
