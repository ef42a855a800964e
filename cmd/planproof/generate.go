package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/boxnet/data"
	"github.com/planproof/planproof/domains/travel"
	"github.com/planproof/planproof/rltrain/toolworlds"
)

var generateCommand = command{
	name: "generate", usage: "write bundled domains and generated problems", args: "KIND [name=number...]",
	spec: `list:bool output,o seed:uint64=1 count:int=1`,
	action: func(e env) error {
		if e.Bool("list") {
			return e.listKinds()
		}
		if e.NArg() == 0 {
			return errors.New("generate needs a kind; planproof generate --list shows them")
		}
		if kind, _, isTask := strings.Cut(e.Args().First(), ":"); isTask {
			return fmt.Errorf("generate takes the numbers of a name apart: planproof generate %s [name=number...] --seed N; planproof generate --list shows them", kind)
		}
		params, err := domains.ParseParams(e.Args().Tail())
		if err != nil {
			return err
		}
		if e.Args().First() == budgetKind {
			return e.generateBudgetSet(params)
		}
		if e.Int("count") < 1 {
			return errors.New("--count must be at least 1")
		}
		switch e.Args().First() {
		case "travel":
			o, err := travel.ParseSize(params)
			return generateRows(e, o, err, travel.GenerateRows)
		case "tools":
			o, err := toolworlds.ParseSize(params)
			return generateRows(e, o, err, toolworlds.GenerateRows)
		}
		if opt, is, err := data.ParseKind(e.Args().First(), params); is {
			opt.Count, opt.Seed = e.Int("count"), e.Uint64("seed")
			return cmp.Or(err, e.writeBoxnet(cmp.Or(e.String("output"), "-"), opt))
		}
		tasks, err := domains.Generate(e.Args().First(), domains.GenerateOptions{
			Params: params, Seed: e.Uint64("seed"), Count: e.Int("count"),
		})
		if err != nil {
			return err
		}
		if dir := e.String("output"); dir != "" {
			if err := domains.Write(dir, tasks); err != nil {
				return err
			}
		}
		return e.printTasks(tasks)
	},
}

// printTasks prints the names of tasks, with --json also their texts.
func (e env) printTasks(tasks []*domains.Task) error {
	for _, t := range tasks {
		row := map[string]string{"name": t.Name, "domain_text": t.Domain.Text, "problem_text": t.Problem.Text}
		if err := e.PrintLine(row, "%s", t.Name); err != nil {
			return err
		}
	}
	return nil
}

func (e env) listKinds() error {
	for _, k := range domains.List() {
		if err := e.Print(k, k.WriteText); err != nil {
			return err
		}
	}
	return nil
}

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
	bar := e.CountProgress(len(tasks), "tasks")
	rows, err := report.PaperTruths(e.Context.Context, tasks, bar.Set)
	bar.Done()
	if err != nil {
		return e.Faults(err)
	}
	if err := domains.Write(dir, tasks); err != nil {
		return err
	}
	err = e.WriteFile(filepath.Join(dir, costmodel.ManifestName), func(w io.Writer) error { return costmodel.WriteBudgetSet(w, rows) })
	if err != nil {
		return err
	}
	if e.Bool("json") {
		return costmodel.WriteBudgetSet(e.Stdout, rows)
	}
	return e.printTasks(tasks)
}
