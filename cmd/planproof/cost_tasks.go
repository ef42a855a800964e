package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// costTask is a task that a cost command works on.
type costTask struct {
	id              string
	domain, problem string // what names the files
	prob            *pddl.Problem
}

// costTasks reads the tasks that the arguments name: DOMAIN PROBLEM, bundled names, a folder
// (with the order and ids of its manifest if it has one), or JSON Lines. One task that the
// arguments name directly has several == false.
func (e env) costTasks(args []string) (tasks []costTask, several bool, err error) {
	switch {
	case len(args) == 0:
		return nil, false, fmt.Errorf("cost %s needs DOMAIN and PROBLEM, a bundled name like blocksworld:4-17, a folder of tasks or a file of JSON Lines", e.Command.Name)
	case isPDDLPair(args):
		dom, prob, _, err := e.taskSources(args)
		if err != nil {
			return nil, false, err
		}
		p, diags := e.parseTask(dom, prob, pddl.Options{})
		if p == nil || diags.HasErrors() {
			return nil, false, e.refuse(diags)
		}
		return []costTask{{id: args[1], domain: args[0], problem: args[1], prob: p}}, false, nil
	}
	var inputs []store.Input
	for _, arg := range args {
		part, err := e.costPart(arg)
		if err != nil {
			return nil, false, err
		}
		inputs = append(inputs, part...)
	}
	several = len(args) > 1 || !isBundled(args[0])
	tasks, err = e.parseInputs(inputs)
	return tasks, several, err
}

// parseInputs parses tasks. Faults are printed, all of them, and then there is no task.
func (e env) parseInputs(inputs []store.Input) (tasks []costTask, err error) {
	faulty := false
	for i := range inputs {
		in := &inputs[i]
		dom, prob, err := e.inputSources(in)
		if err != nil {
			fmt.Fprintf(e.err, "planproof: %v\n", err)
			faulty = true
			continue
		}
		p, diags := e.parseTask(dom, prob, pddl.Options{})
		if p == nil || diags.HasErrors() {
			faulty = true
			continue
		}
		tasks = append(tasks, costTask{in.Name, in.DomainFile, in.ProblemFile, p})
	}
	switch {
	case faulty:
		return nil, errors.New("not all tasks can be read, so nothing was answered")
	case len(tasks) == 0:
		return nil, errors.New("there are no tasks")
	}
	return tasks, nil
}

// isPDDLPair tells DOMAIN PROBLEM from a list of inputs.
func isPDDLPair(args []string) bool {
	if len(args) != 2 || isBundled(args[0]) || isBundled(args[1]) {
		return false
	}
	for _, a := range args {
		if info, err := os.Stat(a); err == nil && info.IsDir() || strings.HasSuffix(strings.ToLower(a), ".jsonl") {
			return false
		}
	}
	return true
}

// costPart lists the tasks of one argument.
func (e env) costPart(arg string) ([]store.Input, error) {
	manifest := arg
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		manifest = filepath.Join(arg, costmodel.ManifestName)
	}
	if isManifest(manifest) {
		set, err := costmodel.LoadBudgetSet(manifest)
		if err != nil {
			return nil, err
		}
		return manifestInputs(set), nil
	}
	in, err := e.fillInputs([]string{arg})
	if err != nil {
		return nil, err
	}
	defer in.close()
	var inputs []store.Input
	priced := 0
	for t := range in.tasks {
		if t.Schedules != nil {
			priced++
		}
		inputs = append(inputs, t)
	}
	if priced > 0 {
		fmt.Fprintf(e.err, "planproof: %s: --schedule replaces the schedules of %s\n", arg, plural(priced, "row"))
	}
	return inputs, nil
}

// isManifest tells whether a file is the manifest of a set: by its name, so that a damaged
// one is reported, or by its first row.
func isManifest(path string) bool {
	if filepath.Base(path) == costmodel.ManifestName {
		_, err := os.Stat(path)
		return err == nil
	}
	return costmodel.IsManifest(path)
}

// manifestInputs lists the tasks of a set: by their files, or by their ids where these are
// names of bundled tasks.
func manifestInputs(set *costmodel.BudgetSet) []store.Input {
	inputs := make([]store.Input, len(set.Tasks))
	for i := range set.Tasks {
		t := &set.Tasks[i]
		inputs[i] = store.Input{Name: t.ID}
		if t.Problem == "" {
			inputs[i].Load = func() (*pddl.Source, *pddl.Source, error) { return domains.Load(t.ID) }
			continue
		}
		inputs[i].DomainFile, inputs[i].ProblemFile = filepath.Join(set.Dir, t.Domain), filepath.Join(set.Dir, t.Problem)
	}
	return inputs
}

// inputSources reads the two texts of an input.
func (e env) inputSources(in *store.Input) (dom, prob *pddl.Source, err error) {
	if in.Err != nil {
		return nil, nil, in.Err
	}
	if in.Load != nil {
		if dom, prob, err = in.Load(); err != nil {
			err = fmt.Errorf("%s: %w", in.Name, err)
		}
		return dom, prob, err
	}
	read := func(file, what string, text *string) (*pddl.Source, error) {
		if text != nil {
			return pddl.NewSource(in.Name+" ("+what+")", *text), nil
		}
		return e.readSource(file)
	}
	if dom, err = read(in.DomainFile, "domain", in.DomainText); err == nil {
		prob, err = read(in.ProblemFile, "problem", in.ProblemText)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return dom, prob, err
}

// costItems grounds tasks for an analysis of their state spaces, several at a time, after
// holding the schedules to their domains.
func (e env) costItems(tasks []costTask, schedules []costmodel.Named, lim runLimits) ([]costmodel.Item, error) {
	workers, err := e.workers()
	if err != nil {
		return nil, err
	}
	left, ok := lim.left()
	if !ok {
		return nil, e.limited("timeout", "the time limit ended reading")
	}
	items, errs := make([]costmodel.Item, len(tasks)), make([]error, len(tasks))
	ground := func(i int) error {
		t := &tasks[i]
		for _, n := range schedules {
			if err := n.Schedule.Check(t.prob.Domain); err != nil {
				return err
			}
		}
		task, err := costmodel.Ground(e.Context.Context, t.prob, grounder.Options{Time: left, Memory: lim.memory})
		items[i] = costmodel.Item{ID: t.id, Domain: t.domain, Problem: t.problem, Task: task}
		return err
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(tasks); i += workers {
				if errs[i] = ground(i); errs[i] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		switch {
		case errors.Is(err, grounder.ErrLimit), errors.Is(err, context.Canceled):
			return nil, e.groundError(err)
		case err != nil:
			return nil, e.costError(fmt.Errorf("%s: %w", tasks[i].id, err))
		}
	}
	return items, nil
}

// costTruth is the truths of tasks under schedules, within the limits of the command.
func (e env) costTruth(tasks []costTask, schedules []costmodel.Named, reference int) ([]costmodel.TaskTruth, error) {
	lim, err := e.limits()
	if err != nil {
		return nil, err
	}
	return e.truthOf(tasks, schedules, reference, lim, e.Int64("nodes"))
}

func (e env) truthOf(tasks []costTask, schedules []costmodel.Named, reference int, lim runLimits, nodes int64) ([]costmodel.TaskTruth, error) {
	items, err := e.costItems(tasks, schedules, lim)
	if err != nil {
		return nil, err
	}
	rows, err := e.enumerate(items, schedules, reference, lim, nodes)
	if err != nil {
		return nil, e.costError(err)
	}
	return rows, nil
}

// errGrounding says that there is no time left after grounding.
var errGrounding = fmt.Errorf("the time limit ended grounding: %w", context.DeadlineExceeded)

// enumerate computes truths from the state spaces of ground tasks. Its errors are for
// costError.
func (e env) enumerate(items []costmodel.Item, schedules []costmodel.Named, reference int, lim runLimits, nodes int64) ([]costmodel.TaskTruth, error) {
	workers, err := e.workers()
	if err != nil {
		return nil, err
	}
	ctx := e.Context.Context
	left, ok := lim.left()
	if !ok {
		return nil, errGrounding
	}
	if left > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	bar := e.countProgress(len(items), "tasks")
	var mu sync.Mutex
	done := 0
	rows, err := costmodel.Truth(ctx, items, costmodel.TruthOptions{
		Schedules: schedules, Reference: reference, Workers: workers,
		Limits: search.Limits{Wall: left, Memory: lim.memory, Nodes: nodes},
		Progress: func() {
			mu.Lock()
			done++
			bar.set(done)
			mu.Unlock()
		},
	})
	bar.done()
	return rows, err
}
