package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/llmbridge/eval"

	"github.com/urfave/cli/v2"
)

var evalCommand = command{
	name: "eval", usage: "measure models on tasks, or grade answers that others collected", args: "TASK...",
	flags: append([]cli.Flag{
		&cli.StringSliceFlag{Name: "method", Usage: "`METHOD`, see above (repeatable)", Value: cli.NewStringSlice("nl")},
		&cli.StringFlag{Name: "tasks", Usage: "read tasks from the JSON Lines `FILE`"},
		&cli.StringFlag{Name: "prompts", Usage: "read prompts from the JSON Lines `FILE`"},
		&cli.IntFlag{Name: "samples", Usage: "ask `N` times about each task", Value: 1},
		&cli.StringFlag{Name: "k", Usage: "report pass@k for each of `K,K,...`", Value: "1"},
		&cli.Int64Flag{Name: "seed", Usage: "seed of the first sample", Value: 1},
		&cli.BoolFlag{Name: "optimal", Usage: "find the least cost of each task first, and count the cheapest plans"},
		&cli.IntFlag{Name: "parallel", Usage: "work on `N` samples at a time; changes no result", Value: 4},
		&cli.StringFlag{Name: "rows", Usage: "write a row for each sample to `FILE` (JSON Lines)"},
		&cli.StringFlag{Name: "svg", Usage: "draw the rates with their intervals into `FILE`"},
		&cli.StringFlag{Name: "responses", Usage: "grade the response `FILE` instead of asking a model"},
		&cli.StringFlag{Name: "domain", Usage: "domain `FILE` of a PlanBench result file"},
		&cli.StringFlag{Name: "instances", Usage: "problem files of a PlanBench result file: a `NAME` with %d for the instance"},
		strictFlag, scheduleFlag,
	}, append(modelFlags(), limitFlags()...)...),
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
