package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

var costCommand = command{
	name: "cost", usage: "budgets, solution shift and plan metrics under cost schedules", args: "budget|shift|metrics ...",
	long: `
A schedule gives every action of a domain one cost. These commands say what follows
from it for tasks and plans: optimal costs and budgets; whether cost-optimal plans
differ from shortest ones; how good given plans are. All figures are exact.
docs/COSTS.md defines them.

   planproof cost budget blocksworld:4-17 --schedule 'put-down=20,*=1'
   planproof cost shift tasks/ --schedule paper --svg shift.svg
   planproof cost metrics results.jsonl --tasks tasks/ --schedule '[1,1,20,1]'`,
	subs: []command{costBudgetCommand, costShiftCommand, costMetricsCommand},
}

// costFlags are common to the cost commands.
func costFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.Int64Flag{Name: "nodes", Usage: "end after `N` states of one state space, or expansions of one search"},
		&cli.IntFlag{Name: "workers", Usage: "goals worked on at the same time (0: one per processor)"},
	}, limitFlags()...)
}

func schedulesFlag() cli.Flag {
	return repeatedFlag("schedule", "cost `SCHEDULE`: name=cost,... (*=cost for the others), a file (@FILE or its path), unit, [1,1,20,1] for blocksworld, or paper for the ten of Budget-BlocksWorld; may be repeated")
}

// costSchedules reads the schedules of the command line, each with a name, and which of
// them gives the horizons: the reference schedule of Budget-BlocksWorld if it is among
// them, else the first one.
func (e env) costSchedules() (named []costmodel.Named, reference int, err error) {
	for _, text := range e.StringSlice("schedule") {
		if strings.EqualFold(strings.TrimSpace(text), "paper") {
			named = append(named, costmodel.PaperSchedules()...)
			continue
		}
		s, err := e.readSchedule(text)
		if err != nil {
			return nil, 0, err
		}
		if s.Empty() {
			return nil, 0, errors.New("--schedule is empty: it must give every action a cost")
		}
		named = append(named, costmodel.Named{Name: scheduleName(text, s), Schedule: s})
	}
	if len(named) == 0 {
		return nil, 0, fmt.Errorf("%s needs --schedule; see planproof cost %s --help", e.Command.Name, e.Command.Name)
	}
	seen := map[string]bool{}
	for i, n := range named {
		if seen[n.Name] {
			return nil, 0, fmt.Errorf("schedule %s is given twice", n.Name)
		}
		seen[n.Name] = true
		if n.Name == costmodel.ReferenceSchedule {
			reference = i
		}
	}
	return named, reference, nil
}

// spareInputs refuses a chart that would replace an input.
func (e env) spareInputs(more ...string) error {
	inputs := append(e.Args().Slice(), more...)
	for _, text := range e.StringSlice("schedule") {
		inputs = append(inputs, strings.TrimPrefix(strings.TrimSpace(text), "@"))
	}
	for _, name := range inputs {
		inputs = append(inputs, filepath.Join(name, costmodel.ManifestName))
	}
	return spare(e.String("svg"), inputs...)
}

// scheduleName is what a schedule is called in answers: its name, the name of its file, or
// its entries.
func scheduleName(text string, s costmodel.Schedule) string {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "@"), !strings.ContainsAny(text, "=[") && !strings.EqualFold(text, "unit"):
		base := filepath.Base(strings.TrimPrefix(text, "@"))
		return strings.TrimSuffix(base, filepath.Ext(base))
	case strings.Contains(text, "="):
		return s.String()
	}
	return strings.ReplaceAll(strings.ToLower(text), " ", "")
}

// workers is the number of processors unless --workers says otherwise.
func (e env) workers() (int, error) {
	n := e.Int("workers")
	if n < 0 {
		return 0, errors.New("--workers must not be negative")
	}
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return n, nil
}

// costError reports why an analysis ended: a limit with code 3, faults of a task at their
// places, anything else as it is.
func (e env) costError(err error) error {
	var limit *search.LimitError
	var diags pddl.Diagnostics
	switch {
	case errors.As(err, &limit):
		return e.limited(string(limit.Status), err.Error())
	case errors.As(err, &diags):
		diags.Format(e.err)
		return e.refuse(diags)
	case errors.Is(err, context.DeadlineExceeded):
		return e.limited("timeout", "the time limit came before an answer")
	case e.Context.Context.Err() != nil:
		return e.limited(statusInterrupted, "interrupted before an answer")
	}
	return err
}
