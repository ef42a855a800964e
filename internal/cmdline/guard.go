package cmdline

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// Slack is how much longer than its limit a command may take to end by itself, with what it
// knows by then. Nearly all does: what searches, grounds or judges looks at its limits all
// the time. The guard is for the rest (reading, compiling, building, writing), and for what
// nobody thought of.
const Slack = 200 * time.Millisecond

// guardEvery is the time between two looks of the guard at the memory held.
const guardEvery = 10 * time.Millisecond

// Bytes around a limit of memory.
const (
	// LeastWatched is the least --memory that the guard watches. Smaller ones bound tables
	// only, which are counted.
	LeastWatched = 64 << 20
	// ProgramBytes of --memory are for the program itself, beside tables.
	ProgramBytes = 8 << 20
	// memorySlack is what the runtime may hold beyond --memory before the guard acts:
	// counted limits come first.
	memorySlack = 16 << 20
)

// On a loaded machine a command that gets less than half of a processor has starvedSlack. One
// that gets next to nothing waits for input.
const (
	starvedSlack = time.Second
	idleShare    = 0.03
)

// Patience measures the time of a command beyond its limit.
type Patience struct {
	wall time.Time
	cpu  float64 // seconds
}

// newPatience begins now.
func newPatience() *Patience { return &Patience{time.Now(), CPUSeconds()} }

// over reports whether the command has had its [Slack].
func (p *Patience) over() bool {
	wall := time.Since(p.wall)
	share := (CPUSeconds() - p.cpu) / wall.Seconds()
	return wall >= starvedSlack || wall >= Slack && (share >= 0.5 || share < idleShare)
}

// MemoryGuard watches the memory of the process. A nil guard watches nothing.
type MemoryGuard struct {
	size    int64 // --memory, with what was held before
	last    int64 // held at the last look
	before  int64 // the runtime's limit
	ticker  *time.Ticker
	samples []metrics.Sample
	giveUp  atomic.Pointer[context.CancelFunc] // see Spare
	given   time.Time                          // when a stage was given up
}

// Spare says that a stage can be given up, by cancelling its context, where memory runs out: the command goes on
// without it. The stage has spareTime to return, and what it holds may be collected then. done ends this.
func (m *MemoryGuard) Spare(giveUp context.CancelFunc) (done func()) {
	if m == nil {
		return func() {}
	}
	m.giveUp.Store(&giveUp)
	return func() { m.giveUp.Store(nil) }
}

// spared reports whether a stage was given up for memory, now or a moment ago.
func (m *MemoryGuard) spared() bool {
	if giveUp := m.giveUp.Swap(nil); giveUp != nil {
		(*giveUp)()
		m.given = time.Now()
	}
	return time.Since(m.given) < spareTime && m.last < m.size+memorySlack+m.size/10
}

// spareTime is how long a stage that was given up may keep its memory, on a loaded machine as well.
const spareTime = 2 * time.Second

// guardMemory makes the garbage collector keep within size bytes what it can, and watches the
// rest. Release ends it.
func guardMemory(size int64) *MemoryGuard {
	m := &MemoryGuard{samples: []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}}
	m.last = m.held()
	m.size = max(size, LeastWatched) + max(0, m.last-memorySlack) // of whoever runs commands in a process
	m.before = debug.SetMemoryLimit(m.size + ProgramBytes)
	m.ticker = time.NewTicker(guardEvery)
	return m
}

func (m *MemoryGuard) held() int64 {
	metrics.Read(m.samples)
	return int64(m.samples[0].Value.Uint64() - m.samples[1].Value.Uint64())
}

// exceeded reports whether memory is over, or will be before the next look if it is taken
// as fast as since the last one.
func (m *MemoryGuard) exceeded() bool {
	held := m.held()
	more := min(held-m.last, m.size/16)
	m.last = held
	return held+more > m.size+memorySlack
}

// ticks says when to look again.
func (m *MemoryGuard) ticks() <-chan time.Time {
	if m == nil {
		return nil
	}
	return m.ticker.C
}

// Release ends the watch and gives the garbage collector its limit back.
func (m *MemoryGuard) Release() {
	if m != nil {
		m.ticker.Stop()
		debug.SetMemoryLimit(m.before)
	}
}

// Gate lets the output of an action through until it is closed.
type Gate struct {
	quiet   time.Duration
	mu      sync.Mutex
	closed  bool
	writing int       // writes that have begun and not ended
	last    time.Time // when the last piece of the answer was written
}

var errGateClosed = errors.New("the command has ended")

// newGate returns an open gate, which does not close while an answer is being printed: until
// quiet after its last piece.
func newGate(quiet time.Duration) *Gate { return &Gate{quiet: quiet} }

// answer puts standard output, which takes the answer, behind the gate.
func (g *Gate) answer(w io.Writer) *GatedWriter { return &GatedWriter{g, w, true} }

// notes puts standard error behind the gate.
func (g *Gate) notes(w io.Writer) *GatedWriter { return &GatedWriter{g, w, false} }

// Close closes the gate, and reports whether it has: not while an answer is being printed.
func (g *Gate) Close() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = g.writing == 0 && time.Since(g.last) >= g.quiet
	return g.closed
}

// enter begins a write.
func (g *Gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.writing++
	}
	return !g.closed
}

// leave ends a write.
func (g *Gate) leave(answer bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writing--; answer {
		g.last = time.Now()
	}
}

// GatedWriter is a stream behind a gate.
type GatedWriter struct {
	gate   *Gate
	W      io.Writer
	answer bool
}

// Write implements io.Writer.
func (w *GatedWriter) Write(p []byte) (int, error) {
	if !w.gate.enter() {
		return 0, errGateClosed
	}
	defer w.gate.leave(w.answer)
	return w.W.Write(p)
}
