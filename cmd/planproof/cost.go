package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
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
	if named, err = e.namedSchedules(); err != nil {
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
	return report.Reader{Opener: store.Opener{Open: e.Open}, Read: e.readSource, Tell: e.tell}
}

// costTasks reads the tasks that the arguments name: DOMAIN PROBLEM, bundled names, folders
// (with the order and ids of their manifests) or JSON Lines. One task that the arguments
// name directly has several == false.
func (e env) costTasks(args []string) (tasks []report.Task, several bool, err error) {
	switch {
	case len(args) == 0:
		return nil, false, fmt.Errorf("cost %s needs DOMAIN and PROBLEM, a bundled name like blocksworld:4-17, a folder of tasks or a file of JSON Lines", e.Command.Name)
	case report.IsTask(args):
		p, _, err := e.task()
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

// costOptions reads the limits. The time counts from here on.
func (e env) costOptions(schedules []costmodel.Named, reference, tasks int) (opt report.Options, done func(), err error) {
	lim, err := e.limits()
	if err != nil {
		return opt, nil, err
	}
	left, _ := lim.Left()
	bar := e.CountProgress(tasks, "tasks")
	opt = report.Options{
		Schedules: schedules, Reference: reference, Workers: e.Int("workers"), Progress: bar.Set,
		Limits: search.Limits{Wall: left, Memory: lim.Memory, Nodes: e.Int64("nodes")},
	}
	return opt, bar.Done, nil
}

// costError reports why an analysis ended: a limit with code 3, faults of a task at their
// places, anything else as it is.
func (e env) costError(err error) error {
	var limit *search.LimitError
	switch {
	case errors.Is(err, grounder.ErrLimit):
		return e.groundError(err)
	case errors.As(err, &limit):
		return e.Limited(string(limit.Status), err.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return e.Limited("timeout", "the time limit came before an answer")
	case e.Context.Context.Err() != nil:
		return e.Limited(cmdline.Interrupted, "interrupted before an answer")
	}
	return e.faults(err)
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
		err = rowjson.WriteLines(e.Stdout, rows)
	case several:
		report.WriteBudgetTable(e.Stdout, rows)
	default:
		report.WriteBudgets(e.Stdout, rows)
	}
	if err == nil && slices.ContainsFunc(rows, func(r report.BudgetRow) bool { return !r.Met() }) {
		err = exit(exitNo)
	}
	return err
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
	opt, done, err := e.costOptions(schedules, reference, len(tasks))
	if err != nil {
		return err
	}
	shifts, err := report.Shifts(e.Context.Context, tasks, opt, !several && !e.IsSet("svg"))
	done()
	if err != nil {
		return e.costError(err)
	}
	if err := e.Draw(shifts.Draw); err != nil {
		return err
	}
	switch {
	case e.Bool("json") && e.Bool("summary"):
		err = rowjson.WriteLines(e.Stdout, shifts.Rates())
	case e.Bool("json"):
		err = rowjson.WriteLines(e.Stdout, shifts.Rows(several || len(schedules) > 1))
	case several:
		shifts.WriteTable(e.Stdout)
	default:
		shifts.WriteText(e.Stdout)
	}
	if err == nil && !shifts.Solvable() {
		err = exit(exitNo)
	}
	return err
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
		fmt.Fprintf(e.Stderr, "planproof: no result for %s of the set: they do not count\n", plural(n, "task"))
	}
	if err := e.Draw(m.Draw); err != nil {
		return err
	}
	switch {
	case e.Bool("json") && e.Bool("summary"):
		err = rowjson.WriteLines(e.Stdout, m.Cells())
	case e.Bool("json"):
		err = rowjson.WriteLines(e.Stdout, m.Rows)
	case len(results.Tasks) == 1:
		m.WritePlans(e.Stdout)
	default:
		m.WriteTable(e.Stdout)
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
