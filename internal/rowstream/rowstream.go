// Package rowstream answers the lines of a stream, several at a time, in order.
//
// Lines are handed over in chunks: all those that one read brought, never waiting for more,
// so that a caller who waits for the answer to one line gets it at once and who sends a
// million pays for none of them by itself. Within a chunk workers take line by line, so
// that a long answer keeps no other waiting.
//
//	reader ─► dispatcher ─► work  ─► workers          (any order)
//	                └─────► order ─────────► emitter  (input order, waits for each line)
//
// The channels are bounded, and so are the bytes of the lines that wait or are being
// answered, so that memory is: who does not read the answers is not read from either.
package rowstream

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Line is a line that is not blank.
type Line struct {
	// Text includes the line end; the mark before the first line of some files is gone.
	// It is valid as long as it is held, with Options.Reuse until the line is answered.
	Text   []byte
	Number int   // of the line, from 1
	Row    int   // the same without blank lines
	Length int64 // of the line; more than Options.MaxLine: Text is nil
	// Read is a time at which the whole line had been read.
	Read time.Time
}

// Options of [Run].
type Options struct {
	// Workers is the number of lines that are answered at the same time; 0 is one per
	// processor.
	Workers int
	// MaxLine bounds a line with its line end, in bytes. A longer one is not held, and
	// handed on without its text.
	MaxLine int
	// Finish is how long what has been read may take to be answered after the end of Run's
	// context. Then the context that answer gets ends, and the rest is answered under that.
	// Run waits for its workers whatever happens. With 0 it returns at once.
	Finish time.Duration
	// Reuse reads into the memory of lines that have been answered: their texts are overwritten.
	Reuse bool
}

// room is how many bytes of lines are held at most.
func (o *Options) room() int64 { return max(2*int64(o.MaxLine), 1<<20) }

const (
	chunkBytes = 64 << 10
	// reusedBytes is chunkBytes for memory that is used again: fewer hand-overs, and it stays in the cache.
	reusedBytes = 256 << 10
	// minRead is the least room in a buffer to read into.
	minRead = 16 << 10
	// tick is how long an answer may wait for those after it in its chunk.
	tick = 2 * time.Millisecond
)

// chunk is a run of lines.
type chunk[A any] struct {
	lines   []Line
	bytes   int64
	next    atomic.Int64  // the line to be taken next
	left    atomic.Int64  // lines without an answer
	done    chan struct{} // closed when there are none
	answers []A
	ready   []atomic.Bool // of each answer
	buf     []byte        // with Options.Reuse: what the lines are in, and nothing else is
}

// Run answers the lines of in that are not blank: answer is called by the workers, emit by
// one goroutine with the answers in the order of the lines, each as soon as it and those
// before it are there, and flush whenever nothing else is there to emit. The context that
// answer gets ends with ctx and when emitting fails.
//
// The error is that of emit or flush, of reading, or of ctx. A last line without its end
// is a line; one that a fault of reading cut off is not.
func Run[A any](ctx context.Context, in io.Reader, opt Options, answer func(context.Context, *Line) A, emit func(A) error, flush func() error) error {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	s := &stream[A]{
		opt:  opt,
		work: make(chan *chunk[A], opt.Workers), order: make(chan *chunk[A], 16*opt.Workers),
		room: newRoom(opt.room()), free: make(chan []byte, opt.Workers+2),
	}
	answering, cancel := context.WithCancel(ctx)
	if opt.Finish > 0 {
		cancel()
		answering, cancel = context.WithCancel(context.WithoutCancel(ctx))
		defer context.AfterFunc(ctx, func() { time.AfterFunc(opt.Finish, cancel) })()
	}
	defer cancel()
	// stopped ends when nobody wants the answers any longer.
	stopped, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer s.room.close()
	var readErr error
	go func() {
		defer close(s.order)
		defer close(s.work)
		readErr = s.dispatch(ctx, stopped, in)
	}()
	var pool sync.WaitGroup
	for range opt.Workers {
		pool.Go(func() {
			for c := range s.work {
				s.answer(answering, stopped, c, answer)
			}
		})
	}
	err := s.emitAll(ctx, emit, flush)
	if err == nil {
		pool.Wait()
		return readErr
	}
	stop()
	if opt.Finish > 0 {
		cancel()
		s.room.close()
		for range s.order { // let the dispatcher end
		}
		pool.Wait()
	}
	return err
}

type stream[A any] struct {
	opt         Options
	work, order chan *chunk[A]
	room        *room
	free        chan []byte // buffers to be read into again
}

// answer takes lines of a chunk until there are none left.
func (s *stream[A]) answer(ctx, stopped context.Context, c *chunk[A], answer func(context.Context, *Line) A) {
	for stopped.Err() == nil {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.lines) {
			return
		}
		c.answers[i] = answer(ctx, &c.lines[i])
		c.lines[i].Text = nil
		c.ready[i].Store(true)
		if c.left.Add(-1) == 0 {
			s.room.leave(c.bytes)
			if c.buf != nil {
				select {
				case s.free <- c.buf:
				default:
				}
			}
			close(c.done)
		}
	}
}

// emitAll emits the answers in order.
func (s *stream[A]) emitAll(ctx context.Context, emit func(A) error, flush func() error) error {
	ended := ctx.Done()
	if s.opt.Finish > 0 {
		ended = nil
	}
	timer := time.NewTimer(tick)
	defer timer.Stop()
	for {
		if len(s.order) == 0 {
			if err := flush(); err != nil {
				return err
			}
		}
		var c *chunk[A]
		select {
		case c = <-s.order:
		case <-ended:
			return ctx.Err()
		}
		if c == nil {
			return flush()
		}
		for at := 0; at < len(c.answers); {
			timer.Reset(tick)
			complete, over := false, false
			select {
			case <-c.done:
				complete = true
			case <-timer.C:
			case <-ended:
				over = true
			}
			for ; at < len(c.answers) && c.ready[at].Load(); at++ {
				if err := emit(c.answers[at]); err != nil {
					return err
				}
			}
			if complete {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
			if over {
				return ctx.Err()
			}
		}
	}
}

// dispatch hands chunks to the workers and to the emitter. Reading from a pipe cannot be
// interrupted, so it goes on in a goroutine of its own that is left behind when ctx ends.
func (s *stream[A]) dispatch(ctx, stopped context.Context, in io.Reader) error {
	chunks := make(chan *chunk[A])
	unwanted := ctx.Done()
	if s.opt.Finish > 0 {
		unwanted = nil // what has been read is answered
	}
	r := &reader[A]{opt: s.opt, in: in, free: s.free, ended: func() bool { return ctx.Err() != nil }, send: func(c *chunk[A]) bool {
		select {
		case chunks <- c:
			return true
		case <-unwanted:
		case <-stopped.Done():
		}
		return false
	}}
	var readErr error
	go func() {
		defer close(chunks)
		readErr = r.read()
	}()
	for {
		select {
		case <-ctx.Done():
			return s.lastChunks(ctx, stopped, r, chunks)
		case <-stopped.Done():
			return nil
		case c, ok := <-chunks:
			if !ok {
				if errors.Is(readErr, errUnwanted) {
					return ctx.Err()
				}
				return readErr
			}
			if !s.hand(c, stopped) {
				return nil
			}
		}
	}
}

// hand gives a chunk to the workers and to the emitter, false when nobody wants its answers.
func (s *stream[A]) hand(c *chunk[A], stopped context.Context) bool {
	if !s.room.enter(c.bytes) {
		return false
	}
	select {
	case s.order <- c:
	case <-stopped.Done():
		return false
	}
	for range min(s.opt.Workers, len(c.answers)) {
		select {
		case s.work <- c:
		case <-stopped.Done():
			return false
		}
	}
	return true
}

// lastChunks hands over what the reader has read when ctx ends: until it waits for more.
func (s *stream[A]) lastChunks(ctx, stopped context.Context, r *reader[A], chunks <-chan *chunk[A]) error {
	for s.opt.Finish > 0 {
		select {
		case c, ok := <-chunks:
			if !ok || !s.hand(c, stopped) {
				return ctx.Err()
			}
			continue
		case <-stopped.Done():
			return nil
		case <-time.After(time.Millisecond):
		}
		if r.waiting.Load() {
			break
		}
	}
	return ctx.Err()
}
