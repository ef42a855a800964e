package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/domains/taskref"
)

var costMetricsCommand = command{
	name: "metrics", usage: "how good are plans: success, optimality, efficiency, regret", args: "DOMAIN PROBLEM PLAN... | RESULTS.jsonl",
	spec:      fmt.Sprintf(`tasks budget=tight,loose,unlimited node-limit:int64=%v expanded:int64=%v summary:bool svg +schedules +cost +limits`, costmodel.DefaultNodeLimit, -1),
	wholeTime: true,
	action:    costMetrics,
}

func costMetrics(e env) error {
	schedules, _, err := e.costSchedules()
	if err != nil {
		return err
	}
	if len(schedules) > 1 {
		return errors.New("cost metrics takes one --schedule: plans are made for one")
	}
	budgets, err := costmodel.ParseBudgets(e.String("budget"))
	if err != nil {
		return err
	}
	if err := e.spareInputs(e.String("tasks")); err != nil {
		return err
	}
	results, err := e.costResults(e.Args().Slice())
	if err != nil {
		return err
	}
	opt, done, err := e.costOptions(schedules, 0, len(results.Tasks))
	if err != nil {
		return err
	}
	m, err := report.Measure(e.Context.Context, results, report.MetricsOptions{Options: opt, Budgets: budgets, NodeLimit: e.Int64("node-limit")})
	done()
	if err != nil {
		return e.costError(err)
	}
	if n := results.Missing(); n > 0 {
		fmt.Fprintf(e.err, "planproof: no result for %s of the set: they do not count\n", plural(n, "task"))
	}
	if err := e.draw(m.Draw); err != nil {
		return err
	}
	switch {
	case e.Bool("json") && e.Bool("summary"):
		err = printRows(e, m.Cells())
	case e.Bool("json"):
		err = printRows(e, m.Rows)
	case len(results.Tasks) == 1:
		m.WritePlans(e.out)
	default:
		m.WriteTable(e.out)
	}
	if err == nil && !m.Succeeded() {
		err = exit(exitNo)
	}
	return err
}

// costResults reads plan files of one task, or a file of results.
func (e env) costResults(args []string) (*report.Results, error) {
	if len(args) > 0 && (taskref.IsBundled(args[0]) || len(args) >= 2 && !strings.HasSuffix(strings.ToLower(args[0]), ".jsonl")) {
		return e.planResults(args)
	}
	if len(args) != 1 {
		return nil, errors.New("cost metrics needs a task and plans, or one file of JSON Lines (or - for standard input)")
	}
	if e.IsSet("expanded") {
		return nil, errors.New("--expanded goes with plan files; a row says it by itself")
	}
	r, results := e.costReader(), &report.Results{}
	if path := e.String("tasks"); path != "" {
		inputs, set, _, err := r.Set(path)
		if err != nil {
			return nil, err
		}
		results.Set = set
		if results.Tasks, err = r.Tasks(inputs); err != nil {
			return nil, err
		}
	}
	src, err := e.readSource(args[0])
	if err != nil {
		return nil, err
	}
	return results, r.Results(src, results, e.IsSet("tasks"))
}

func (e env) planResults(args []string) (*report.Results, error) {
	if e.IsSet("tasks") {
		return nil, errors.New("--tasks goes with a file of results, not with plan files")
	}
	p, files, err := e.task()
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("cost metrics needs a plan: a file, or - for standard input")
	}
	id := args[0]
	if !taskref.IsBundled(id) {
		id = args[1]
	}
	results := &report.Results{Tasks: []report.Task{{ID: id, Parsed: p}}}
	for _, name := range files {
		src, err := e.readSource(name)
		if err != nil {
			return nil, err
		}
		results.List = append(results.List, report.Result{ID: name, Plan: src, Expanded: e.Int64("expanded")})
	}
	return results, nil
}
