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

// limits of the constructions that could blow up. Beyond each there is another
// that stays linear, or one proof less.
type limits struct {
	// alternatives bounds how many conjunctions a condition is split into by
	// multiplying out. Beyond it, disjunctions become derived predicates.
	alternatives int
	// product bounds the alternatives of one condition that come from negative
	// literals on variables with more than two values. Beyond it, the literals are
	// replaced by derived atoms.
	product int
	// guards bounds the effects that one delete is split into to exclude adds on its
	// variable, and guardSteps the work for that. Beyond it, a derived atom says
	// whether an add fires.
	guards, guardSteps int
	// candidates bounds the invariants that are tried, as in Fast Downward; unions
	// bounds the elementary steps of their proofs, in place of its five minutes, so
	// that the result does not depend on the machine.
	candidates, unions int
}

var defaultLimits = limits{alternatives: 64, product: 64, guards: 64, guardSteps: 4096, candidates: 100_000, unions: 100_000_000}
