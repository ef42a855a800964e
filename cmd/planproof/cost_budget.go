package main

import (
	"fmt"
	"slices"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

var costBudgetCommand = command{
	name: "budget", usage: "optimal cost and the budgets that follow from it", args: "DOMAIN PROBLEM | TASKS...",
	flags: append([]cli.Flag{
		schedulesFlag(),
		&cli.StringFlag{Name: "budget", Usage: "ask for a plan within this `AMOUNT`"},
		&cli.StringFlag{Name: "search", Usage: "search `STRING` for a single task", Value: "auto()"},
	}, costFlags()...),
	action: costBudget,
}

func costBudget(e env) error {
	schedules, _, err := e.costSchedules()
	if err != nil {
		return err
	}
	var asked *costmodel.Budget
	if e.IsSet("budget") {
		spec, err := costmodel.ParseBudget(e.String("budget"))
		if err != nil {
			return err
		}
		if spec.Level != costmodel.Explicit {
			return fmt.Errorf("--budget %s: it asks about an amount; tight, loose and unlimited are printed anyway", spec.Level)
		}
		asked = &costmodel.Budget{Level: spec.Level, Limit: spec.Amount}
	}
	searching, err := search.Canonical(e.String("search"))
	if err != nil {
		return err
	}
	tasks, several, err := e.costTasks(e.Args().Slice())
	if err != nil {
		return err
	}
	opt, done, err := e.costOptions(schedules, 0, len(tasks))
	if err != nil {
		return err
	}
	if several {
		searching = ""
	}
	rows, err := report.Budgets(e.Context.Context, tasks, report.BudgetOptions{Options: opt, Asked: asked, Search: searching})
	done()
	if err != nil {
		return e.costError(err)
	}
	switch {
	case e.Bool("json"):
		err = printRows(e, rows)
	case several:
		report.WriteBudgetTable(e.out, rows)
	default:
		report.WriteBudgets(e.out, rows)
	}
	if err == nil && slices.ContainsFunc(rows, func(r report.BudgetRow) bool { return !r.Met() }) {
		err = exit(exitNo)
	}
	return err
}
