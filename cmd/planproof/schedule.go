package main

import (
	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"

	"github.com/urfave/cli/v2"
)

var scheduleFlag = &cli.StringFlag{Name: "schedule", Usage: "replace action costs by one `COST` per action schema: name=cost,... (*=cost for the others), a file (@FILE or its path), unit, or [1,1,20,1] for blocksworld"}

// schedule reads --schedule; without the flag it is the empty schedule.
func (e env) schedule() (costmodel.Schedule, error) {
	s, err := costmodel.ReadArgument("--schedule", e.String("schedule"), e.readSource)
	return s, e.faults(err)
}

// namedSchedules reads the schedules of a --schedule that may be repeated.
func (e env) namedSchedules() ([]costmodel.Named, error) {
	named, err := costmodel.ReadArguments("--schedule", e.StringSlice("schedule"), e.readSource)
	return named, e.faults(err)
}

// reprice returns what --schedule does to a problem, nil without the flag.
func (e env) reprice() (func(*pddl.Problem) (*pddl.Problem, error), error) {
	s, err := e.schedule()
	if err != nil || s.Empty() {
		return nil, err
	}
	return s.Apply, nil
}
