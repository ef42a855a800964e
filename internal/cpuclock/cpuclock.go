// Package cpuclock bounds a computation by elapsed time and by processor time: that of one thread, to which the caller
// locks its goroutine (runtime.LockOSThread) first, or that of the process.
package cpuclock

import (
	"context"
	"time"
)

// Clock measures from its start.
type Clock struct {
	ctx       context.Context
	start     time.Time
	who       int           // whose processor time it is
	cpuStart  time.Duration // of these
	wall, cpu time.Duration // 0 for no limit
	wallAsCPU bool
}

// Start starts a clock of the calling thread, to which it belongs. Where the system does not report a thread's
// processor time, elapsed time takes its place.
func Start(ctx context.Context, wall, cpu time.Duration) *Clock {
	return start(ctx, wall, cpu, thread)
}

// StartProcess starts a clock that counts the processor time of the whole process, and that any thread may read.
func StartProcess(ctx context.Context, wall, cpu time.Duration) *Clock {
	return start(ctx, wall, cpu, process)
}

func start(ctx context.Context, wall, cpu time.Duration, who int) *Clock {
	c := &Clock{ctx: ctx, start: time.Now(), who: who, wall: wall, cpu: cpu}
	var ok bool
	c.cpuStart, ok = processorTime(who)
	c.wallAsCPU = !ok
	return c
}

// Used returns the processor time since the start.
func (c *Clock) Used() time.Duration {
	if c.wallAsCPU {
		return time.Since(c.start)
	}
	now, _ := processorTime(c.who)
	return now - c.cpuStart
}

// Expired reports whether the context has ended or a limit is reached.
func (c *Clock) Expired() bool {
	switch {
	case c.ctx.Err() != nil:
		return true
	case c.wall > 0 && time.Since(c.start) >= c.wall:
		return true
	case c.cpu > 0 && c.Used() >= c.cpu:
		return true
	}
	return false
}
