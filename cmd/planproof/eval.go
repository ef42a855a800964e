package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/rltrain/dataset"
)

var evalCommand = command{
	name: "eval", usage: "measure models on tasks, or grade answers that others collected", args: "TASK...",
	spec: `method:strings=nl tasks prompts samples:int=1 k=1 seed:int64=1 optimal:bool parallel:int=4 rows
		svg responses domain instances +strict +schedule +model +limits`,
	action: func(e env) error {
		if err := e.outputs("rows", "svg"); err != nil {
			return err
		}
		for _, out := range []string{"rows", "svg"} {
			if err := outfile.Spare(e.String(out), e.String("tasks"), e.String("prompts"), e.String("responses"), e.String("transcript"), e.String("replay")); err != nil {
				return err
			}
		}
		if e.IsSet("responses") {
			return e.gradeResponses()
		}
		if e.IsSet("domain") || e.IsSet("instances") {
			return errors.New("--domain and --instances name the tasks of a result file: they need --responses")
		}
		return e.evaluate()
	},
}

// evaluate is eval with models.
func (e env) evaluate() error {
	ks, err := e.passNumbers()
	if err != nil {
		return err
	}
	if e.Int("parallel") < 1 {
		return errors.New("--parallel must be positive")
	}
	tasks, methods, err := e.evalTasks()
	if err != nil {
		return err
	}
	if methods == nil {
		if methods, err = e.evalMethods(); err != nil {
			return err
		}
	}
	ctx := e.Context.Context
	b, err := e.models()
	if err != nil {
		return err
	}
	cfg := eval.Config{Models: b.Models, Methods: methods, Tasks: tasks, Parallel: e.Int("parallel"), Settings: e.settings()}
	if b.Servers() > 0 && cfg.Samples > 1 && cfg.Temperature == 0 {
		fmt.Fprintln(e.err, "planproof: several samples at --temperature 0 are mostly the same answer")
	}
	bar := e.rowProgress()
	var rows []eval.Row
	err = eval.Run(ctx, &cfg, func(r *eval.Row) error {
		bar.Add(1)
		rows = append(rows, *r)
		return nil
	})
	bar.Done()
	err = errors.Join(err, b.Close())
	if errors.Is(err, context.Canceled) {
		hint := "interrupted; --transcript FILE would keep the answers"
		if name := e.String("transcript"); name != "" {
			hint = "interrupted: the same command goes on from " + name
		}
		return e.limited(statusInterrupted, hint)
	}
	if err != nil {
		return err
	}
	return e.reportEval(rows, eval.Summarise(rows, ks, b.Prices), ks)
}

// passNumbers reads --k.
func (e env) passNumbers() ([]int, error) {
	if n := e.Int("samples"); n < 1 || n > 10000 {
		return nil, errors.New("--samples must be 1 to 10000")
	}
	var ks []int
	for _, text := range strings.Split(e.String("k"), ",") {
		k, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || k < 1 || k > e.Int("samples") {
			return nil, fmt.Errorf("--k %q: %q is not a number from 1 to --samples %d", e.String("k"), text, e.Int("samples"))
		}
		if slices.Contains(ks, k) {
			return nil, fmt.Errorf("--k %q names %d twice", e.String("k"), k)
		}
		ks = append(ks, k)
	}
	return ks, nil
}

// writeRows writes rows as JSON Lines where --rows asks for them.
func writeRows[T any](e env, rows []T) error {
	name := e.String("rows")
	if name == "" {
		return nil
	}
	return e.writeFile(name, func(w io.Writer) error {
		for i := range rows {
			if err := printJSON(w, &rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// reportEval writes the results wherever they were asked for.
func (e env) reportEval(rows []eval.Row, cells []eval.Cell, ks []int) error {
	if err := writeRows(e, rows); err != nil {
		return err
	}
	if name := e.String("svg"); name != "" {
		title := "pass@k over graded tasks with 95 % Wilson intervals; the mark counts ungraded rows as wrong"
		if slices.ContainsFunc(cells, func(c eval.Cell) bool { return c.Levels != nil }) {
			title += "; of verified plans, answers that name the kind"
		}
		if err := e.writeFile(name, func(w io.Writer) error { return eval.WriteChart(w, title, eval.RateBars(cells)) }); err != nil {
			return err
		}
	}
	code := exitYes
	for i := range cells {
		if cells[i].Graded < cells[i].Rows {
			code = exitBad
		}
	}
	if e.Bool("json") {
		if err := printJSON(e.out, map[string]any{"cells": cells}); err != nil {
			return err
		}
		return exit(code)
	}
	if err := eval.WriteCells(e.out, cells); err != nil {
		return err
	}
	return exit(code)
}

// taskReader reads tasks by the flags.
func (e env) taskReader() (*eval.TaskReader, error) {
	reprice, err := e.reprice()
	return &eval.TaskReader{Problem: e.rowProblem, Reprice: reprice, Convert: dataset.PromptRecord}, err
}

// evalTasks reads the tasks. With --prompts the rows also say what to ask, as a method.
func (e env) evalTasks() (tasks []*eval.Task, methods []*eval.Method, err error) {
	rows, prompts := e.String("tasks"), e.String("prompts")
	sources := 0
	for _, given := range []bool{e.NArg() > 0, rows != "", prompts != ""} {
		if given {
			sources++
		}
	}
	switch {
	case sources != 1:
		return nil, nil, errors.New("eval needs tasks: bundled names, DOMAIN PROBLEM..., --tasks FILE or --prompts FILE, and one of these only")
	case prompts != "" && e.IsSet("method"):
		return nil, nil, errors.New("--prompts says what to ask; --method has no place beside it")
	}
	r, err := e.taskReader()
	if err != nil {
		return nil, nil, err
	}
	if name := rows + prompts; name != "" {
		tasks, methods, err = e.tasksOfFile(r, name)
	} else {
		var named []*prompt.Row
		if named, err = e.namedTasks(); err == nil {
			tasks, err = r.Tasks(named)
		}
	}
	if err == nil && e.Bool("optimal") {
		err = e.findOptima(tasks)
	}
	return tasks, methods, err
}

// tasksOfFile reads --tasks or --prompts.
func (e env) tasksOfFile(r *eval.TaskReader, name string) ([]*eval.Task, []*eval.Method, error) {
	in, err := e.open(name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	if e.String("tasks") != "" {
		tasks, err := r.ReadRows(shownName(name), in)
		return tasks, nil, err
	}
	tasks, method, err := r.ReadPrompts(e.Context.Context, shownName(name), in)
	return tasks, []*eval.Method{method}, err
}

// namedTasks lists what the arguments name: bundled tasks, also as ranges, or a domain and
// its problems.
func (e env) namedTasks() (rows []*prompt.Row, err error) {
	args := e.Args().Slice()
	if !taskref.IsBundled(args[0]) {
		if len(args) < 2 {
			return nil, errors.New("eval needs DOMAIN and at least one PROBLEM")
		}
		for _, name := range args[1:] {
			rows = append(rows, &prompt.Row{ID: name, Domain: args[0], Problem: name})
		}
		return rows, nil
	}
	for _, arg := range args {
		names, err := domains.Range(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			rows = append(rows, &prompt.Row{ID: name, Task: name})
		}
	}
	return rows, nil
}

// shownName is the name of an input in errors.
func shownName(name string) string {
	if name == "-" {
		return "<stdin>"
	}
	return name
}

// evalMethods reads --method.
func (e env) evalMethods() ([]*eval.Method, error) {
	var out []*eval.Method
	for _, name := range e.StringSlice("method") {
		if slices.ContainsFunc(out, func(m *eval.Method) bool { return m.Name == name }) {
			return nil, fmt.Errorf("--method names %s twice: its answers would be counted twice; --samples asks several times", name)
		}
		m, err := eval.ParseMethod(name, nil)
		if err != nil {
			return nil, fmt.Errorf("--method %w", err)
		}
		out = append(out, m)
	}
	return out, nil
}

// findOptima is --optimal: it finds the least cost of each task within the limits.
func (e env) findOptima(tasks []*eval.Task) error {
	lim, err := e.limits()
	if err != nil {
		return err
	}
	ctx, cancel := lim.Context(e.Context.Context)
	defer cancel()
	if err := eval.FindOptima(ctx, tasks, lim.Memory); err != nil {
		return err
	}
	if e.Context.Context.Err() != nil {
		return e.limited(statusInterrupted, "interrupted")
	}
	return nil
}
