// Package cpuclock bounds a computation by elapsed time and by the processor time of one
// thread. The caller locks its goroutine to the thread (runtime.LockOSThread) first.
package cpuclock

import (
	"context"
	"time"
)

// Clock measures from its start. It belongs to the thread that started it.
type Clock struct {
	ctx       context.Context
	start     time.Time
	cpuStart  time.Duration // of the thread
	wall, cpu time.Duration // 0 for no limit
	wallAsCPU bool
}

// Start starts a clock. Where the system does not report a thread's processor time,
// elapsed time takes its place.
func Start(ctx context.Context, wall, cpu time.Duration) *Clock {
	c := &Clock{ctx: ctx, start: time.Now(), wall: wall, cpu: cpu}
	var ok bool
	c.cpuStart, ok = threadCPU()
	c.wallAsCPU = !ok
	return c
}

// Used returns the processor time since the start.
func (c *Clock) Used() time.Duration {
	if c.wallAsCPU {
		return time.Since(c.start)
	}
	now, _ := threadCPU()
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
