package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/planproof/planproof/domains"

	"github.com/urfave/cli/v2"
)

var generateCommand = command{
	name: "generate", usage: "write bundled domains and generated problems", args: "KIND [name=number...]",
	long: `
Makes tasks of a bundled domain. Each has a name, such as blocksworld:4-17, that
stands for its domain and problem wherever a command takes DOMAIN PROBLEM; the same
name gives the same bytes in every version. Without -o the names are printed (with
--json also the texts); with -o DIR the files are written there. Of
budget-blocksworld, --seed is the number of a set of 1,008 tasks and -o DIR also writes
their exact costs, budgets and shift marks (manifest.jsonl; see docs/COSTS.md).

   planproof generate --list
   planproof generate blocksworld blocks=5 --count 100 --seed 1 -o problems/
   planproof generate budget-blocksworld -o tasks/
   planproof generate logistics cities=2 locations=3 packages=4 --count 10`,
	flags: []cli.Flag{
		&cli.BoolFlag{Name: "list", Usage: "list the kinds with their parameters"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write domain.pddl and the problems into the folder `DIR`"},
		&cli.Uint64Flag{Name: "seed", Usage: "last number of the first task's name", Value: 1},
		&cli.IntFlag{Name: "count", Usage: "number of tasks", Value: 1},
	},
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
		params := map[string]int{}
		for _, arg := range e.Args().Tail() {
			name, value, ok := strings.Cut(arg, "=")
			n, err := strconv.Atoi(value)
			if !ok || err != nil {
				return fmt.Errorf("%q is not a parameter of the form name=number", arg)
			}
			if _, twice := params[name]; twice {
				return fmt.Errorf("%s is given twice", name)
			}
			params[name] = n
		}
		if e.Args().First() == budgetKind {
			return e.generateBudgetSet(params)
		}
		if e.Int("count") < 1 {
			return errors.New("--count must be at least 1")
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
		if !e.Bool("json") {
			fmt.Fprintln(e.out, t.Name)
			continue
		}
		row := map[string]string{"name": t.Name, "domain_text": t.Domain.Text, "problem_text": t.Problem.Text}
		if err := printJSON(e.out, row); err != nil {
			return err
		}
	}
	return nil
}

func (e env) listKinds() error {
	for _, k := range domains.List() {
		if e.Bool("json") {
			if err := printJSON(e.out, k); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(e.out, "%s: %s\n", k.Name, k.Doc)
		if len(k.Features) > 0 {
			fmt.Fprintf(e.out, "    uses      %s\n", strings.Join(k.Features, ", "))
		}
		for _, p := range k.Params {
			fmt.Fprintf(e.out, "    %-9s %s (%d to %d, default %d)\n", p.Name, p.Doc, p.Min, p.Max, p.Default)
		}
		if k.Last != "" {
			fmt.Fprintf(e.out, "    %-9s %s\n", k.Last, k.LastDoc)
		}
		fmt.Fprintf(e.out, "    example   %s\n\n", k.Example)
	}
	return nil
}
