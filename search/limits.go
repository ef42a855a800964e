package search

import (
	"context"
	"errors"
	"time"

	"github.com/planproof/planproof/search/heuristic"
)

// ErrLimit is wrapped by the errors of what cannot answer within its limits.
var ErrLimit = errors.New("a limit came first")

// Limits bound a search. A zero field is no limit.
type Limits struct {
	// Wall bounds elapsed time, CPU the processor time of the thread that searches (where
	// the system tells it; elsewhere CPU is elapsed time). Either gives Timeout.
	Wall, CPU time.Duration
	// Memory bounds the bytes held by the search's own data: states, open list, tables of
	// the heuristic. It is counted, not measured, so where a search stops does not depend
	// on the machine, and kept to within 256 KiB. The program around it needs some 20 MiB and the task on top.
	Memory int64
	// Nodes bounds the number of expanded states.
	Nodes int64
}

// clock checks the limits on time.
type clock struct {
	ctx       context.Context
	start     time.Time
	cpu       time.Duration // at the start
	lim       Limits
	wallAsCPU bool
}

func newClock(ctx context.Context, lim Limits) *clock {
	c := &clock{ctx: ctx, start: time.Now(), lim: lim}
	var ok bool
	c.cpu, ok = threadCPU()
	c.wallAsCPU = !ok
	return c
}

// budget returns the limits on building a heuristic.
func (c *clock) budget() *heuristic.Budget {
	return &heuristic.Budget{Stop: c.expired, Bytes: c.lim.Memory}
}

// used returns the CPU time since the start.
func (c *clock) used() time.Duration {
	if c.wallAsCPU {
		return time.Since(c.start)
	}
	now, _ := threadCPU()
	return now - c.cpu
}

// expired reports whether the search must stop.
func (c *clock) expired() bool {
	switch {
	case c.ctx.Err() != nil:
		return true
	case c.lim.Wall > 0 && time.Since(c.start) >= c.lim.Wall:
		return true
	case c.lim.CPU > 0 && c.used() >= c.lim.CPU:
		return true
	}
	return false
}
