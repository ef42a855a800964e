package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
)

// slack is how much longer than its limit a command may take to end by itself, with what it
// knows by then. Nearly all does: what searches, grounds or judges looks at its limits all
// the time. The guard is for the rest (reading, compiling, building, writing), and for what
// nobody thought of.
const slack = 200 * time.Millisecond

// On a loaded machine a command that gets less than half of a processor has starvedSlack. One
// that gets next to nothing waits for input.
const (
	starvedSlack = time.Second
	idleShare    = 0.03
)

// patience measures the time of a command beyond its limit.
type patience struct {
	wall time.Time
	cpu  float64 // seconds
}

func newPatience() *patience { return &patience{time.Now(), cmdline.CPUSeconds()} }

// over reports whether the command has had its slack.
func (p *patience) over() bool {
	wall := time.Since(p.wall)
	share := (cmdline.CPUSeconds() - p.cpu) / wall.Seconds()
	return wall >= starvedSlack || wall >= slack && (share >= 0.5 || share < idleShare)
}

// guardEvery is the time between two looks of the guard at the memory held.
const guardEvery = 10 * time.Millisecond

// Bytes around --memory.
const (
	// leastWatched is the least --memory that the guard watches. Smaller ones bound tables
	// only, which are counted.
	leastWatched = 64 << 20
	// programBytes of --memory are for the program itself, beside tables.
	programBytes = 8 << 20
	// memorySlack is what the runtime may hold beyond --memory before the guard acts:
	// counted limits come first.
	memorySlack = 16 << 20
)

// crash is the error of an action that panicked.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string {
	return fmt.Sprintf("internal error (please report it): %v\n%s", c.value, c.stack)
}

// guarded runs the action, within a context that ends with --time, and answers in its place,
// by code 3, if a limit or a signal has come and the action goes on: beyond slack for time and
// signals, at once for memory. The action is then left behind, unable to print; the process is
// about to end. While an answer is being printed nothing cuts it off, however slowly it is read.
func (c command) guarded(e env) error {
	gate := &gate{}
	plain, own := e, *e.Context
	plain.Context = &own
	signal := e.Context.Context.Done()
	deadline := c.deadline(e)
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		e.Context.Context, cancel = context.WithDeadline(e.Context.Context, deadline)
		defer cancel()
	}
	e.out, e.err = &gatedWriter{gate, e.out, true}, &gatedWriter{gate, e.err, false}
	memory := c.memoryGuard(e)
	defer memory.release()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- &crash{r, debug.Stack()}
			}
		}()
		done <- c.action(e)
	}()
	var timeUp <-chan time.Time
	var beyond *patience // since the limit
	if !deadline.IsZero() {
		timeUp = time.After(time.Until(deadline))
	}
	if c.drains {
		signal = nil
	}
	for {
		var status, message string
		select {
		case err := <-done:
			return err
		case <-signal:
			signal, timeUp, beyond = nil, time.After(slack), newPatience()
			continue
		case <-timeUp:
			if beyond == nil {
				timeUp, beyond = time.After(slack), newPatience()
				continue
			}
			timeUp = time.After(slack / 4)
			if !beyond.over() {
				continue
			}
			status, message = "timeout", "the time limit of "+e.String("time")+" came first"
		case <-memory.ticks():
			if !memory.exceeded() {
				continue
			}
			status, message = "memout", "more memory than --memory "+e.String("memory")+" would be needed"
		}
		if gate.close() {
			outfile.RemoveUnfinished()
			plain.stale.remove(plain)
			return plain.limited(status, message) // or that it was interrupted
		}
	}
}

// deadline is the end of the time that --time gives the whole command, zero for none.
func (c command) deadline(e env) time.Time {
	d, err := cmdline.ParseDuration("--time", e.String("time"))
	if err != nil || d <= 0 || !c.wholeTime { // a bad one is reported by limits
		return time.Time{}
	}
	return e.began.Add(d)
}

// memoryGuard watches the memory of the process. Its zero value, and nil, watch nothing.
type memoryGuard struct {
	size    int64 // --memory, with what was held before
	last    int64 // held at the last look
	before  int64 // the runtime's limit
	ticker  *time.Ticker
	samples []metrics.Sample
}

// memoryGuard makes the garbage collector keep within --memory what it can, and watches the
// rest.
func (c command) memoryGuard(e env) *memoryGuard {
	size, err := cmdline.ParseSize(e.String("memory"))
	if err != nil || !c.wholeMemory {
		return nil
	}
	m := &memoryGuard{samples: []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}}
	m.last = m.held()
	m.size = max(size, leastWatched) + max(0, m.last-memorySlack) // of whoever runs commands in a process
	m.before = debug.SetMemoryLimit(m.size + programBytes)
	m.ticker = time.NewTicker(guardEvery)
	return m
}

func (m *memoryGuard) held() int64 {
	metrics.Read(m.samples)
	return int64(m.samples[0].Value.Uint64() - m.samples[1].Value.Uint64())
}

// exceeded reports whether memory is over, or will be before the next look if it is taken
// as fast as since the last one.
func (m *memoryGuard) exceeded() bool {
	held := m.held()
	more := min(held-m.last, m.size/16)
	m.last = held
	return held+more > m.size+memorySlack
}

func (m *memoryGuard) ticks() <-chan time.Time {
	if m == nil {
		return nil
	}
	return m.ticker.C
}

func (m *memoryGuard) release() {
	if m != nil {
		m.ticker.Stop()
		debug.SetMemoryLimit(m.before)
	}
}

// gate lets the output of an action through until it is closed.
type gate struct {
	mu      sync.Mutex
	closed  bool
	writing int       // writes that have begun and not ended
	last    time.Time // when the last piece of the answer was written
}

var errGateClosed = errors.New("the command has ended")

// close closes the gate, and reports whether it has: not while an answer is being printed.
func (g *gate) close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = g.writing == 0 && time.Since(g.last) >= slack
	return g.closed
}

// enter begins a write.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.writing++
	}
	return !g.closed
}

// leave ends a write.
func (g *gate) leave(answer bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writing--; answer {
		g.last = time.Now()
	}
}

// gatedWriter is standard output, which takes the answer, or standard error, behind a gate.
type gatedWriter struct {
	gate   *gate
	w      io.Writer
	answer bool
}

// Write implements io.Writer.
func (w *gatedWriter) Write(p []byte) (int, error) {
	if !w.gate.enter() {
		return 0, errGateClosed
	}
	defer w.gate.leave(w.answer)
	return w.w.Write(p)
}
