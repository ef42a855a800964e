package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/search"
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
func (c command) guarded(e env) error {
	gate := cmdline.NewGate(cmdline.Slack)
	plain, own := e, *e.Context
	plain.Context = &own
	signal := e.Context.Context.Done()
	deadline := c.deadline(e)
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		e.Context.Context, cancel = context.WithDeadline(e.Context.Context, deadline)
		defer cancel()
	}
	e.out, e.err = gate.Answer(e.out), gate.Notes(e.err)
	memory := c.memoryGuard(e)
	defer memory.Release()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- &crash{r, debug.Stack()}
			}
		}()
		done <- c.action(e)
	}()
	var timeUp <-chan time.Time
	var beyond *cmdline.Patience // since the limit
	if !deadline.IsZero() {
		timeUp = time.After(time.Until(deadline))
	}
	if c.drains {
		signal = nil
	}
	for {
		var status, message string
		select {
		case err := <-done:
			return plain.limitsOf(err)
		case <-signal:
			signal, timeUp, beyond = nil, time.After(cmdline.Slack), cmdline.NewPatience()
			continue
		case <-timeUp:
			if beyond == nil {
				timeUp, beyond = time.After(cmdline.Slack), cmdline.NewPatience()
				continue
			}
			timeUp = time.After(cmdline.Slack / 4)
			if !beyond.Over() {
				continue
			}
			status, message = "timeout", "the time limit of "+e.String("time")+" came first"
		case <-memory.Ticks():
			if !memory.Exceeded() {
				continue
			}
			status, message = "memout", "more memory than --memory "+e.String("memory")+" would be needed"
		}
		if gate.Close() {
			outfile.RemoveUnfinished()
			plain.removeOlder()
			return plain.limited(status, message) // or that it was interrupted
		}
	}
}

// limitsOf gives errors of limits and signals that the action passed on code 3.
func (e env) limitsOf(err error) error {
	switch {
	case errors.Is(err, search.ErrLimit), errors.Is(err, grounder.ErrLimit):
		return e.limited("limit", err.Error())
	case errors.Is(err, context.Canceled) && e.interrupted():
		return e.limited(statusInterrupted, "interrupted before an answer")
	}
	return err
}

// deadline is the end of the time that --time gives the whole command, zero for none.
func (c command) deadline(e env) time.Time {
	d, err := cmdline.ParseDuration("--time", e.String("time"))
	if err != nil || d <= 0 || !c.wholeTime { // a bad one is reported by limits
		return time.Time{}
	}
	return e.began.Add(d)
}

// memoryGuard watches --memory of commands that it bounds as a whole.
func (c command) memoryGuard(e env) *cmdline.MemoryGuard {
	size, err := cmdline.ParseSize(e.String("memory"))
	if err != nil || !c.wholeMemory {
		return nil
	}
	return cmdline.GuardMemory(size)
}
