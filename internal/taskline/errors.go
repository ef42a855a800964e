package taskline

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

// Tell prints what is wrong with an input: diagnostics at their places, everything else on a
// line.
func (e Env) Tell(err error) {
	var diags pddl.Diagnostics
	if errors.As(err, &diags) {
		diags.Format(e.Stderr)
		return
	}
	fmt.Fprintf(e.Stderr, "planproof: %v\n", err)
}

// Refuse ends a command whose input is bad. The diagnostics have been printed.
func (e Env) Refuse(diags pddl.Diagnostics) error {
	if e.Bool("json") {
		msg := "the input has errors"
		for _, d := range diags {
			if d.Severity == pddl.Error {
				msg = d.String()
				break
			}
		}
		if err := rowjson.WriteLine(e.Stdout, map[string]any{"error": msg}); err != nil {
			return err
		}
	}
	return cmdline.Exit(cmdline.ExitBad)
}

// Faults prints diagnostics; the error that it returns then sets code 2. Limits set code 3,
// other errors stay as they are.
func (e Env) Faults(err error) error {
	var diags pddl.Diagnostics
	if !errors.As(err, &diags) {
		return e.LimitsOf(err)
	}
	diags.Format(e.Stderr)
	return e.Refuse(diags)
}

// Stopped reports why work ended without an answer: what the grounder or the judge do not
// support, at its place; a limit or a signal, with code 3; a goal that no state can have.
// Other errors stay as they are.
func (e Env) Stopped(err error) error {
	var diags pddl.Diagnostics
	if !errors.As(err, &diags) {
		return e.LimitsOf(err)
	}
	diags.Format(e.Stderr)
	if e.Bool("json") {
		if err := rowjson.WriteLine(e.Stdout, map[string]string{"status": "unsupported", "error": diags[0].String()}); err != nil {
			return err
		}
	}
	return cmdline.Exit(cmdline.ExitBad)
}

// LimitsOf gives errors of limits and signals code 3, and of a goal that is out of reach
// code 1.
func (e Env) LimitsOf(err error) error {
	var limit *search.LimitError
	switch {
	case errors.Is(err, grounder.ErrMemory):
		return e.Limited("memout", "grounding would need more memory than --memory "+e.String("memory"))
	case errors.Is(err, grounder.ErrLimit) && e.String("time") != "":
		return e.Limited("timeout", "the time limit of "+e.String("time")+" came first: grounding did not end")
	case errors.Is(err, grounder.ErrLimit), errors.Is(err, space.ErrGoalsTime):
		return e.Limited("timeout", err.Error())
	case errors.As(err, &limit):
		return e.Limited(string(limit.Status), err.Error())
	case errors.Is(err, search.ErrLimit):
		return e.Limited("limit", err.Error())
	case errors.Is(err, context.Canceled) && e.Interrupted():
		return e.Limited(cmdline.Interrupted, "interrupted before an answer")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return e.Limited("timeout", "the time limit came before an answer")
	case errors.Is(err, space.ErrNoStateSpace):
		reason := space.ErrNoStateSpace.Error()
		return cmp.Or(e.PrintLine(map[string]string{"status": "unsolvable", "reason": reason}, "unsolvable: %s", reason), cmdline.Exit(cmdline.ExitNo))
	}
	return err
}
