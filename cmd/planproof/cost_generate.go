package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// budgetKind is the kind of bundled tasks that come in sets with ground truth.
const budgetKind = "budget-blocksworld"

// generateBudgetSet makes the 1,008 tasks of a set, and with -o their manifest. The
// manifest is written last: where it lies, the set is complete.
func (e env) generateBudgetSet(params map[string]int) error {
	if e.IsSet("count") {
		return fmt.Errorf("--count: a set of %s always has its %d tasks", budgetKind, domains.BudgetTasks)
	}
	if e.IsSet("seed") {
		if _, twice := params["set"]; twice {
			return errors.New("--seed and set=N both number the set: give one of them")
		}
		if e.Uint64("seed") > domains.MaxBudgetSet {
			return fmt.Errorf("--seed %d: sets are numbered from 1 to %d", e.Uint64("seed"), domains.MaxBudgetSet)
		}
		params["set"] = int(e.Uint64("seed"))
	}
	tasks, err := domains.Generate(budgetKind, domains.GenerateOptions{Params: params, Count: domains.BudgetTasks})
	if err != nil {
		return err
	}
	dir := e.String("output")
	if dir == "" {
		return e.printTasks(tasks)
	}
	rows, err := e.budgetTruth(tasks)
	if err != nil {
		return err
	}
	if err := domains.Write(dir, tasks); err != nil {
		return err
	}
	err = e.writeFile(filepath.Join(dir, costmodel.ManifestName), func(w io.Writer) error { return costmodel.WriteBudgetSet(w, rows) })
	if err != nil {
		return err
	}
	if e.Bool("json") {
		return costmodel.WriteBudgetSet(e.out, rows)
	}
	return e.printTasks(tasks)
}

// budgetTruth computes the manifest of generated tasks under the schedules of the paper.
func (e env) budgetTruth(tasks []*domains.Task) ([]costmodel.TaskTruth, error) {
	list := make([]costTask, len(tasks))
	for i, t := range tasks {
		p, diags := e.parseTask(t.Domain, t.Problem, pddl.Options{})
		if p == nil || diags.HasErrors() {
			return nil, fmt.Errorf("internal error: the generated task %s cannot be read", t.Name)
		}
		list[i] = costTask{id: t.Name, domain: "domain.pddl", problem: strings.ReplaceAll(t.Name, ":", "-") + ".pddl", prob: p}
	}
	named := costmodel.PaperSchedules()
	reference := 0
	for i, n := range named {
		if n.Name == costmodel.ReferenceSchedule {
			reference = i
		}
	}
	return e.truthOf(list, named, reference, runLimits{}, 0)
}
