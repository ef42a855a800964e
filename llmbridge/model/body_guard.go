package model

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// limitedBody returns an error, not the end, when an answer exceeds its bound.
type limitedBody struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errorf(KindRefused, "the answer is larger than the bound for answers")
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// idleGuard cancels a call if its body stays silent for too long.
type idleGuard struct {
	r     io.Reader
	timer *time.Timer
	limit time.Duration
	fired atomic.Bool
}

func newIdleGuard(r io.Reader, limit time.Duration, cancel context.CancelFunc) *idleGuard {
	g := &idleGuard{r: r, limit: limit}
	g.timer = time.AfterFunc(limit, func() { g.fired.Store(true); cancel() })
	return g
}

// Read implements io.Reader.
func (g *idleGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if n > 0 {
		g.timer.Reset(g.limit)
	}
	return n, err
}

func (g *idleGuard) expired() bool { return g.fired.Load() }

func (g *idleGuard) stop() { g.timer.Stop() }
