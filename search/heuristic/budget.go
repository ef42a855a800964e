package heuristic

import "errors"

// Errors of building a heuristic under a Budget.
var (
	ErrTime   = errors.New("the time limit came while the heuristic was built")
	ErrMemory = errors.New("the memory limit came while the heuristic was built")
)

// Budget bounds what it takes to build a heuristic. The zero value, and nil, are no limits.
type Budget struct {
	// Stop is asked about once per millisecond of work whether time is up.
	Stop func() bool
	// Bytes bounds the tables held at a time. They are counted, so that whether they suffice
	// does not depend on the machine.
	Bytes int64

	ticks int
	held  int64
	err   error
	done  int64 // all work counted so far
}

// Done returns the work counted so far; some 64 million are a second.
func (b *Budget) Done() int64 { return b.done }

// askEvery is the work between two questions whether to stop.
const askEvery = 1 << 16

// spend counts n units of work and reports whether to go on.
func (b *Budget) spend(n int) bool {
	if b == nil {
		return true
	}
	b.done += int64(n) + 1
	if b.ticks += n + 1; b.ticks >= askEvery {
		b.ticks = 0
		if b.err == nil && b.Stop != nil && b.Stop() {
			b.err = ErrTime
		}
	}
	return b.err == nil
}

// hold counts n bytes that are about to be held, released if n is negative, and reports
// whether to go on.
func (b *Budget) hold(n int64) bool {
	if b == nil {
		return true
	}
	if b.held += n; b.err == nil && b.Bytes > 0 && b.held > b.Bytes {
		b.err = ErrMemory
	}
	return b.err == nil
}
