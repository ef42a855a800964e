package grounder

import (
	"errors"
	"fmt"
	"time"
)

// ErrLimit is wrapped by the error of Ground and ReadSAS when a limit on time,
// memory or size ended the work before there was a task.
var ErrLimit = errors.New("limit reached")

// ErrMemory wraps ErrLimit and is wrapped in its place if the limit was memory, or a
// size that would not fit in memory; otherwise the limit was time.
var ErrMemory = fmt.Errorf("memory %w", ErrLimit)

// Options of Ground. The zero value has no limits and simplifies fully.
type Options struct {
	// Time bounds the wall time; 0 means no bound. Memory bounds by how many bytes the
	// heap of the process grows, checked from time to time; 0 means 8 GB. What was on the
	// heap before does not count; what other goroutines allocate meanwhile does. Beyond
	// either, Ground ends with ErrLimit.
	Time   time.Duration
	Memory int64
	// KeepIrrelevant keeps variables and operators that cannot affect the goal, and the
	// whole task if the goal is unreachable or true initially.
	KeepIrrelevant bool
	// ObjectFluents compiles object fluents: (= (in b) x) is named "Atom =in(b, x)". Without
	// it they are refused, for callers that take the names of facts for atoms of the problem.
	ObjectFluents bool
	// NumericFluents compiles conditions and effects on fluents that actions change
	// (Task.Numeric). Without it they are refused, for callers that know facts only.
	NumericFluents bool
	// Threads is how many threads may work at a time, 1 when less. The task is the same for any number.
	Threads int
}
