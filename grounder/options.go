package grounder

import (
	"errors"
	"fmt"
	"time"
)

// ErrLimit is wrapped by the error of Ground and ReadSAS when a limit on time,
// memory or size ended the work before there was a task.
var ErrLimit = errors.New("limit reached")

// ErrMemory is wrapped, and wraps ErrLimit, where that limit was memory or a size
// that would not fit in it; without it, the limit was time.
var ErrMemory = fmt.Errorf("memory %w", ErrLimit)

// Options of Ground. The zero value has no limits and simplifies fully.
type Options struct {
	// Time bounds the wall time; 0 means no bound. Memory bounds the bytes that the
	// heap of the process grows by, checked from time to time; 0 means 8 GB. What was
	// on the heap before is not counted; what others allocate meanwhile is. Reaching
	// one ends with ErrLimit.
	Time   time.Duration
	Memory int64
	// KeepIrrelevant keeps variables and operators that cannot matter to the goal,
	// and the whole task where the goal is out of reach or true already.
	KeepIrrelevant bool
}
