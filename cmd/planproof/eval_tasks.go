package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/rltrain/dataset"
)

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
	ctx := e.Context.Context
	if !lim.deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, lim.deadline)
		defer cancel()
	}
	if err := eval.FindOptima(ctx, tasks, lim.memory); err != nil {
		return err
	}
	if e.Context.Context.Err() != nil {
		return e.limited(statusInterrupted, "interrupted")
	}
	return nil
}
