package main

import (
	"github.com/planproof/planproof/costmodel/report"

	"github.com/urfave/cli/v2"
)

var costShiftCommand = command{
	name: "shift", usage: "do cost-optimal plans differ from shortest ones?", args: "DOMAIN PROBLEM | TASKS...",
	flags: append([]cli.Flag{
		schedulesFlag(),
		&cli.BoolFlag{Name: "summary", Usage: "with --json: rates of all tasks by schedule and horizon, in place of a row for each"},
		&cli.StringFlag{Name: "svg", Usage: "draw the intervals of the schedules into `FILE`"},
	}, costFlags()...),
	action: costShift,
}

func costShift(e env) error {
	schedules, reference, err := e.costSchedules()
	if err != nil {
		return err
	}
	if err := e.spareInputs(); err != nil {
		return err
	}
	tasks, several, err := e.costTasks(e.Args().Slice())
	if err != nil {
		return err
	}
	opt, done, err := e.costOptions(schedules, reference, len(tasks))
	if err != nil {
		return err
	}
	shifts, err := report.Shifts(e.Context.Context, tasks, opt, !several && !e.IsSet("svg"))
	done()
	if err != nil {
		return e.costError(err)
	}
	if path := e.String("svg"); path != "" {
		if err := e.writeFile(path, shifts.Draw); err != nil {
			return err
		}
	}
	switch {
	case e.Bool("json") && e.Bool("summary"):
		err = printRows(e, shifts.Rates())
	case e.Bool("json"):
		err = printRows(e, shifts.Rows(several || len(schedules) > 1))
	case several:
		shifts.WriteTable(e.out)
	default:
		shifts.WriteText(e.out)
	}
	if err == nil && !shifts.Solvable() {
		err = exit(exitNo)
	}
	return err
}
