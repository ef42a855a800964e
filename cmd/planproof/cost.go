package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/search"
)

var costCommand = command{
	name: "cost", usage: "budgets, solution shift and plan metrics under cost schedules", args: "budget|shift|metrics ...",
	subs: []command{costBudgetCommand, costShiftCommand, costMetricsCommand},
}

// costSchedules reads the schedules of the command line, each with a name, and which of
// them gives the horizons: the reference schedule of Budget-BlocksWorld if it is among
// them, else the first one.
func (e env) costSchedules() (named []costmodel.Named, reference int, err error) {
	if named, err = e.NamedSchedules(); err != nil {
		return nil, 0, err
	}
	if len(named) == 0 {
		return nil, 0, fmt.Errorf("%s needs --schedule; see planproof cost %s --help", e.Command.Name, e.Command.Name)
	}
	reference, err = costmodel.Reference(named)
	return named, reference, err
}

// spareInputs refuses a chart that would replace an input.
func (e env) spareInputs(more ...string) error {
	inputs := costmodel.InputFiles(append(e.Args().Slice(), more...), e.StringSlice("schedule"))
	return outfile.Spare(e.String("svg"), inputs...)
}

// costReader reads tasks and results, and prints what is wrong with them.
func (e env) costReader() report.Reader {
	return report.Reader{Opener: store.Opener{Open: e.Open}, Read: e.ReadSource, Tell: e.Tell}
}

// costTasks reads the tasks that the arguments name: DOMAIN PROBLEM, bundled names, folders
// (with the order and ids of their manifests) or JSON Lines. One task that the arguments
// name directly has several == false.
func (e env) costTasks(args []string) (tasks []report.Task, several bool, err error) {
	switch {
	case len(args) == 0:
		return nil, false, fmt.Errorf("cost %s needs DOMAIN and PROBLEM, a bundled name like blocksworld:4-17, a folder of tasks or a file of JSON Lines", e.Command.Name)
	case report.IsTask(args):
		p, _, err := e.Task()
		return []report.Task{{ID: args[1], Domain: args[0], Problem: args[1], Parsed: p}}, false, err
	}
	r := e.costReader()
	var inputs []store.Input
	for _, arg := range args {
		part, _, priced, err := r.Set(arg)
		if err != nil {
			return nil, false, err
		}
		if priced > 0 {
			fmt.Fprintf(e.Stderr, "planproof: %s: --schedule replaces the schedules of %s\n", arg, plural(priced, "row"))
		}
		inputs = append(inputs, part...)
	}
	tasks, err = r.Tasks(inputs)
	return tasks, len(args) > 1 || !taskref.IsBundled(args[0]), err
}

// analyse has do make rows of tasks within the limits. The time counts from here on.
func (e env) analyse(schedules []costmodel.Named, reference, tasks int, do func(context.Context, report.Options) error) error {
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	left, _ := lim.Left()
	bar := e.CountProgress(tasks, "tasks")
	err = do(e.Context.Context, report.Options{
		Schedules: schedules, Reference: reference, Workers: e.Int("workers"), Progress: bar.Set,
		Limits: search.Limits{Wall: left, Memory: lim.Memory, Nodes: e.Int64("nodes")},
	})
	bar.Done()
	return e.Faults(err)
}

// printCosts prints an analysis of one task or of several; the answer is yes or no.
func (e env) printCosts(r interface {
	Write(io.Writer, report.Form) error
}, several, yes bool) error {
	err := r.Write(e.Stdout, report.Form{JSON: e.Bool("json"), Summary: e.Bool("summary"), Several: several})
	if err == nil && !yes {
		err = exit(exitNo)
	}
	return err
}

var costBudgetCommand = command{
	name: "budget", usage: "optimal cost and the budgets that follow from it", args: "DOMAIN PROBLEM | TASKS...",
	spec:      `budget search=auto() +schedules +cost +limits`,
	wholeTime: true,
	action:    costBudget,
}

func costBudget(e env) error {
	schedules, _, err := e.costSchedules()
	if err != nil {
		return err
	}
	var asked *costmodel.Budget
	if e.IsSet("budget") {
		if asked, err = costmodel.ParseAmount(e.String("budget")); err != nil {
			return err
		}
	}
	searching, err := search.Canonical(e.String("search"))
	if err != nil {
		return err
	}
	tasks, several, err := e.costTasks(e.Args().Slice())
	if err != nil {
		return err
	}
	if several {
		searching = ""
	}
	var rows report.BudgetRows
	err = e.analyse(schedules, 0, len(tasks), func(ctx context.Context, opt report.Options) (err error) {
		rows, err = report.Budgets(ctx, tasks, report.BudgetOptions{Options: opt, Asked: asked, Search: searching})
		return err
	})
	if err != nil {
		return err
	}
	return e.printCosts(rows, several, rows.Met())
}

var costShiftCommand = command{
	name: "shift", usage: "do cost-optimal plans differ from shortest ones?", args: "DOMAIN PROBLEM | TASKS...",
	spec:      `summary:bool svg +schedules +cost +limits`,
	wholeTime: true,
	action:    costShift,
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
	var shifts *report.ShiftSet
	err = e.analyse(schedules, reference, len(tasks), func(ctx context.Context, opt report.Options) (err error) {
		shifts, err = report.Shifts(ctx, tasks, opt, !several && !e.IsSet("svg"))
		return err
	})
	if err == nil {
		err = e.Draw(shifts.Draw)
	}
	if err != nil {
		return err
	}
	return e.printCosts(shifts, several, shifts.Solvable())
}

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
	var m *report.Metrics
	err = e.analyse(schedules, 0, len(results.Tasks), func(ctx context.Context, opt report.Options) (err error) {
		m, err = report.Measure(ctx, results, report.MetricsOptions{Options: opt, Budgets: budgets, NodeLimit: e.Int64("node-limit")})
		return err
	})
	if err != nil {
		return err
	}
	if n := results.Missing(); n > 0 {
		fmt.Fprintf(e.Stderr, "planproof: no result for %s of the set: they do not count\n", plural(n, "task"))
	}
	if err := e.Draw(m.Draw); err != nil {
		return err
	}
	return e.printCosts(m, len(results.Tasks) != 1, m.Succeeded())
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
	src, err := e.ReadSource(args[0])
	if err != nil {
		return nil, err
	}
	return results, r.Results(src, results, e.IsSet("tasks"))
}

func (e env) planResults(args []string) (*report.Results, error) {
	if e.IsSet("tasks") {
		return nil, errors.New("--tasks goes with a file of results, not with plan files")
	}
	p, files, err := e.Task()
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
	return e.costReader().Plans(report.Task{ID: id, Parsed: p}, files, e.Int64("expanded"))
}
