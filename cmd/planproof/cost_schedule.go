package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"

	"github.com/urfave/cli/v2"
)

var scheduleFlag = &cli.StringFlag{Name: "schedule", Usage: "replace action costs by one `COST` per action schema: name=cost,... (*=cost for the others), a file (@FILE or its path), unit, or [1,1,20,1] for blocksworld"}

// schedule reads --schedule; without the flag it is the empty schedule.
func (e env) schedule() (costmodel.Schedule, error) {
	return e.readSchedule(e.String("schedule"))
}

// readSchedule reads a schedule as the command line gives it. The faults of a file are
// printed; the error then sets code 2.
func (e env) readSchedule(text string) (s costmodel.Schedule, err error) {
	trimmed := strings.TrimSpace(text)
	file, isFile := strings.CutPrefix(trimmed, "@")
	switch {
	case isFile:
	case strings.HasPrefix(trimmed, "["), strings.EqualFold(trimmed, "unit"), trimmed == "", strings.Contains(trimmed, "="):
		return costmodel.ParseAny(trimmed)
	default:
		if _, err := os.Stat(trimmed); err != nil {
			return s, fmt.Errorf("--schedule %q is no list name=cost,..., no named schedule (unit, [1,1,20,1]) and no file", text)
		}
		file = trimmed
	}
	src, err := e.readSource(file)
	if err != nil {
		return s, fmt.Errorf("--schedule: %w", err)
	}
	s, diags := costmodel.ReadSchedule(src)
	diags.Format(e.err)
	if diags.HasErrors() {
		return s, e.refuse(diags)
	}
	return s, nil
}

// reprice returns what --schedule does to a problem, nil without the flag.
func (e env) reprice() (func(*pddl.Problem) (*pddl.Problem, error), error) {
	s, err := e.schedule()
	if err != nil || s.Empty() {
		return nil, err
	}
	return s.Apply, nil
}
