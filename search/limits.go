package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/search/heuristic"
)

// ErrLimit is wrapped by the errors of what cannot answer within its limits.
var ErrLimit = errors.New("a limit came first")

// Limits bound a search. A zero field is no limit.
type Limits struct {
	// Wall bounds elapsed time, CPU the processor time of the thread that searches, or of the process if
	// Config.Threads has several (where the system reports it; elsewhere CPU is elapsed time). Either gives Timeout.
	Wall, CPU time.Duration
	// Memory bounds the bytes held by the search's own data: states, open list, tables of
	// the heuristic. It is counted, not measured, so where a search stops does not depend
	// on the machine, and kept to within 256 KiB. The program around it needs some 20 MiB and the task on top.
	Memory int64
	// Nodes bounds the number of expanded states.
	Nodes int64
}

// clock starts a clock that checks the limits on time.
func (l Limits) clock(ctx context.Context) *cpuclock.Clock {
	return cpuclock.Start(ctx, l.Wall, l.CPU)
}

// budget returns the limits on building a heuristic.
func (l Limits) budget(c *cpuclock.Clock) *heuristic.Budget {
	return &heuristic.Budget{Stop: c.Expired, Bytes: l.Memory}
}

// LimitError is the error of a computation that a limit stopped and that has no partial
// result: Certify, space.Exhaust, space.Enumerate.
type LimitError struct {
	Status Status // Timeout, Memout or Nodeout
	States int64  // reached so far
}

// Unwrap makes it an ErrLimit.
func (e *LimitError) Unwrap() error { return ErrLimit }

func (e *LimitError) Error() string {
	noun := "states"
	if e.States == 1 {
		noun = "state"
	}
	return fmt.Sprintf("%s after %d %s", e.Status, e.States, noun)
}
