package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/rltrain/dataset"
)

var evalCommand = command{
	name: "eval", usage: "measure models on tasks, or grade answers that others collected", args: "TASK...",
	spec: `method:strings=nl tasks prompts samples:int=1 k=1 seed:int64=1 optimal:bool parallel:int=4 rows
		svg responses domain instances +reader +strict +schedule +model +limits`,
	action: func(e env) error {
		if err := e.Outputs("rows", "svg"); err != nil {
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
	if n := e.Int("samples"); n < 1 || n > 10000 {
		return errors.New("--samples must be 1 to 10000")
	}
	ks, err := eval.ParsePassNumbers(e.String("k"), e.Int("samples"))
	if err != nil {
		return fmt.Errorf("--k %w", err)
	}
	if e.Int("parallel") < 1 {
		return errors.New("--parallel must be positive")
	}
	tasks, methods, err := e.evalTasks()
	if err != nil {
		return err
	}
	if methods == nil {
		if methods, err = eval.ParseMethods(e.StringSlice("method")); err != nil {
			return fmt.Errorf("--method %w", err)
		}
	}
	ctx := e.Context.Context
	b, err := e.models()
	if err != nil {
		return err
	}
	cfg := eval.Config{Models: b.Models, Methods: methods, Tasks: tasks, Parallel: e.Int("parallel"), Settings: e.settings()}
	if b.Servers() > 0 && cfg.Samples > 1 && cfg.Temperature == 0 {
		fmt.Fprintln(e.Stderr, "planproof: several samples at --temperature 0 are mostly the same answer")
	}
	bar := e.RowProgress()
	var rows []eval.Row
	err = eval.Run(ctx, &cfg, func(r *eval.Row) error {
		bar.Add(1)
		rows = append(rows, *r)
		return nil
	})
	bar.Done()
	err = errors.Join(err, b.Close())
	if err != nil {
		hint := "interrupted; --transcript FILE would keep the answers"
		if name := e.String("transcript"); name != "" {
			hint = "interrupted: the same command goes on from " + name
		}
		return e.OrInterrupted(err, hint)
	}
	return reportEval(e, rows, eval.NewResults(rows, ks, b.Prices))
}

// evalResults are results of models, or of answers that others collected.
type evalResults interface {
	Complete() bool
	JSON() any
	Draw(io.Writer) error
	WriteText(out, notes io.Writer) error
}

// reportEval writes the results wherever they were asked for.
func reportEval[T any](e env, rows []T, r evalResults) error {
	if name := e.String("rows"); name != "" {
		if err := e.WriteFile(name, func(w io.Writer) error { return rowjson.WriteLines(w, rows) }); err != nil {
			return err
		}
	}
	if err := e.Draw(r.Draw); err != nil {
		return err
	}
	if err := e.Print(r.JSON(), func(w io.Writer) error { return r.WriteText(w, e.Stderr) }); err != nil {
		return err
	}
	if !r.Complete() {
		return exit(exitBad)
	}
	return nil
}

// taskReader reads tasks by the flags.
func (e env) taskReader() (*eval.TaskReader, error) {
	reader, err := e.reader()
	if err != nil {
		return nil, err
	}
	reprice, err := e.Reprice()
	return &eval.TaskReader{Problem: prompt.RowProblem(e.Tasks), Reprice: reprice, Reader: reader, Convert: dataset.PromptRecord}, err
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
		if named, err = prompt.NamedRows(e.Args().Slice()); err == nil {
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
	in, err := e.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	if e.String("tasks") != "" {
		tasks, err := r.ReadRows(cmdline.InputName(name), in)
		return tasks, nil, err
	}
	tasks, method, err := r.ReadPrompts(e.Context.Context, cmdline.InputName(name), in)
	return tasks, []*eval.Method{method}, err
}

// findOptima is --optimal: it finds the least cost of each task within the limits.
func (e env) findOptima(tasks []*eval.Task) error {
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	ctx, cancel := lim.Context(e.Context.Context)
	defer cancel()
	if err := eval.FindOptima(ctx, tasks, lim.Memory); err != nil {
		return err
	}
	if e.Context.Context.Err() != nil {
		return e.Limited(cmdline.Interrupted, "interrupted")
	}
	return nil
}

// askingFlags are of eval with models.
var askingFlags = []string{"tasks", "prompts", "model", "method", "samples", "k", "seed", "transcript", "replay"}

// gradeResponses is eval --responses. Answers are graded on all processors; the rows are
// in the order of the file.
func (e env) gradeResponses() error {
	if e.NArg() > 0 {
		return errors.New("--responses grades answers that are there: it takes no tasks")
	}
	for _, flag := range askingFlags {
		if e.IsSet(flag) {
			return fmt.Errorf("--responses grades answers that are there: --%s has no place beside it", flag)
		}
	}
	if pattern := e.String("instances"); (pattern == "") != (e.String("domain") == "") {
		return errors.New("--domain and --instances go together")
	} else if pattern != "" && !strings.Contains(pattern, "%d") {
		return fmt.Errorf("--instances %s: the name needs %%d, which stands for the instance's number", pattern)
	}
	name := e.String("responses")
	in, err := e.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	place := cmdline.InputName(name)
	responses, unanswered, err := eval.ReadResponses(in, eval.ResponseOptions{
		Name: place, Domain: e.String("domain"), Instances: e.String("instances"),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if len(responses) == 0 {
		return fmt.Errorf("%s has no answers: of %s none has raw_response, llm_raw_response, response or messages with one of the assistant", place, plural(unanswered, "entry"))
	}
	read, err := e.taskReader()
	if err != nil {
		return err
	}
	ctx := e.Context.Context
	tasks := eval.NewResponseTasks(responses, func(r *eval.Response) *eval.Task { return read.ResponseTask(ctx, r, filepath.Dir(name)) })
	if e.Bool("optimal") {
		if err := e.findOptima(tasks.All()); err != nil {
			return err
		}
	}
	if n := eval.RepeatedIDs(responses); n > 0 {
		fmt.Fprintf(e.Stderr, "planproof: %s with the id of one before it in the same group; each counts\n", plural(n, "entry"))
	}
	bar := e.RowProgress()
	rows, err := eval.GradeResponses(ctx, responses, tasks, bar.Add)
	bar.Done()
	if err != nil {
		return e.OrInterrupted(err, "interrupted")
	}
	return reportEval(e, rows, eval.NewResponseResults(rows, unanswered))
}
