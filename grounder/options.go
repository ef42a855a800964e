package grounder

import (
	"errors"
	"time"
)

// ErrLimit is wrapped by the error of Ground and ReadSAS when a limit on time,
// memory or size ended the work before there was a task.
var ErrLimit = errors.New("limit reached")

// Options of Ground. The zero value has no limits and simplifies fully.
type Options struct {
	// Time bounds the wall time, Memory the bytes that the tables of the grounder
	// may take; 0 means no bound. Reaching one ends with ErrLimit.
	Time   time.Duration
	Memory int64
	// KeepIrrelevant keeps variables and operators that cannot matter to the goal,
	// and the whole task where the goal is out of reach or true already.
	KeepIrrelevant bool
}
