package cmdline

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/planproof/planproof/internal/outfile"
)

// crash is the error of an action that panicked.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string {
	return fmt.Sprintf("internal error (please report it): %v\n%s", c.value, c.stack)
}

// guarded runs the action, within a context that ends with --time, and answers in its place,
// by code 3, if a limit or a signal has come and the action goes on: beyond the slack for time and
// signals, at once for memory. The action is then left behind, unable to print; the process is
// about to end. While an answer is being printed nothing cuts it off, however slowly it is read.
func (c Command) guarded(e Env) error {
	gate := newGate(Slack)
	plain, own := e, *e.Context
	plain.Context = &own
	signal := e.Context.Context.Done()
	deadline := c.deadline(e)
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		e.Context.Context, cancel = context.WithDeadline(e.Context.Context, deadline)
		defer cancel()
	}
	e.Stdout, e.Stderr = gate.answer(e.Stdout), gate.notes(e.Stderr)
	memory := c.memoryGuard(e)
	e.Memory = memory
	defer memory.Release()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- &crash{r, debug.Stack()}
			}
		}()
		done <- c.Action(e)
	}()
	var timeUp <-chan time.Time
	var beyond *Patience // since the limit
	if !deadline.IsZero() {
		timeUp = time.After(time.Until(deadline))
	}
	if c.Drains {
		signal = nil
	}
	for {
		var status, message string
		select {
		case err := <-done:
			return err
		case <-signal:
			signal, timeUp, beyond = nil, time.After(Slack), newPatience()
			continue
		case <-timeUp:
			if beyond == nil {
				timeUp, beyond = time.After(Slack), newPatience()
				continue
			}
			timeUp = time.After(Slack / 4)
			if !beyond.over() {
				continue
			}
			status, message = "timeout", "the time limit of "+e.String("time")+" came first"
		case <-memory.ticks():
			if !memory.exceeded() || memory.spared() {
				continue
			}
			status, message = "memout", "more memory than --memory "+e.String("memory")+" would be needed"
		}
		if gate.Close() {
			outfile.RemoveUnfinished()
			plain.removeOlder()
			return plain.Limited(status, message) // or that it was interrupted
		}
	}
}

// deadline is the end of the time that --time gives the whole command, zero for none.
func (c Command) deadline(e Env) time.Time {
	d, err := ParseDuration("--time", e.String("time"))
	if err != nil || d <= 0 || !c.WholeTime { // a bad one is reported by Limits
		return time.Time{}
	}
	return e.Began.Add(d)
}

// memoryGuard watches --memory of commands that it bounds as a whole.
func (c Command) memoryGuard(e Env) *MemoryGuard {
	size, err := ParseSize(e.String("memory"))
	if err != nil || !c.WholeMemory {
		return nil
	}
	return guardMemory(size)
}
