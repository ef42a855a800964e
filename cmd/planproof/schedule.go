package main

import (
	"fmt"
	"os"
	"path/filepath"
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

// namedSchedules reads the schedules of a --schedule that may be repeated.
func (e env) namedSchedules() (named []costmodel.Named, err error) {
	for _, text := range e.StringSlice("schedule") {
		if strings.EqualFold(strings.TrimSpace(text), "paper") {
			named = append(named, costmodel.PaperSchedules()...)
			continue
		}
		s, err := e.readSchedule(text)
		if err != nil {
			return nil, err
		}
		named = append(named, costmodel.Named{Name: scheduleName(text, s), Schedule: s})
	}
	return named, nil
}

// scheduleName is what a schedule is called in answers: its name, the name of its file, or
// its entries.
func scheduleName(text string, s costmodel.Schedule) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "@"), !strings.ContainsAny(text, "=[") && !strings.EqualFold(text, "unit"):
		base := filepath.Base(strings.TrimPrefix(text, "@"))
		return strings.TrimSuffix(base, filepath.Ext(base))
	case strings.Contains(text, "="):
		return s.String()
	}
	return strings.ReplaceAll(strings.ToLower(text), " ", "")
}

// reprice returns what --schedule does to a problem, nil without the flag.
func (e env) reprice() (func(*pddl.Problem) (*pddl.Problem, error), error) {
	s, err := e.schedule()
	if err != nil || s.Empty() {
		return nil, err
	}
	return s.Apply, nil
}
