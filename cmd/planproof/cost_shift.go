package main

import (
	"github.com/planproof/planproof/costmodel/report"

	"github.com/urfave/cli/v2"
)

var costShiftCommand = command{
	name: "shift", usage: "do cost-optimal plans differ from shortest ones?", args: "DOMAIN PROBLEM | TASKS...",
	long: `
Says of each task and schedule whether the sequence of action types of its cost-optimal
plans differs from that of its shortest plans, as an interval that does not depend on
which of several optimal plans a search returns: the shift is certain when no shortest
plan is cost-optimal, and possible when some pair of a shortest and a cost-optimal plan
differs. Two named tie-breaks show what single numbers lie in between. TASKS are
folders, files of JSON Lines ("-" for standard input) and bundled names; of several,
rates are printed, or with --json the row of each. The state space is enumerated; one
task whose space is too large is left to searches, which decide a certain shift, and
a possible one where two optimal plans that differ turn up (then without tie-breaks).
Exit codes: 0 answered; 1 some task has no plan; 2 bad input; 3 a limit came first.

   planproof cost shift blocksworld:4-17 --schedule 'put-down=20,*=1' --json
   planproof generate budget-blocksworld -o tasks/
   planproof cost shift tasks/ --schedule paper --svg shift.svg
   planproof cost shift tasks/ --schedule paper --summary --json`,
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
