package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"

	"github.com/urfave/cli/v2"
)

var validateCommand = command{
	name: "validate", usage: "judge plans", args: "DOMAIN PROBLEM PLAN...",
	flags: append([]cli.Flag{
		&cli.StringFlag{Name: "batch", Usage: "judge the rows of the JSON Lines `FILE`"},
		&cli.BoolFlag{Name: "explain", Usage: "say why a plan is invalid"},
		&cli.IntFlag{Name: "workers", Usage: "rows of a batch judged at the same time (0: one per processor)"},
		&cli.StringFlag{Name: "style", Usage: "explain: with steps and facts as pddl, or in the domain's sentences (nl)", Value: "pddl"},
		&cli.BoolFlag{Name: "repair", Usage: "propose the nearest valid plan, and the cheapest completion"},
		&cli.Int64Flag{Name: "nodes", Usage: "repair: expand at most `N` states", Value: 1_000_000},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "repair: write the nearest valid plan to `FILE`"},
		keepOldFlag, strictFlag, scheduleFlag,
	}, limitFlags()...),
	action: func(e env) error {
		if e.IsSet("batch") {
			return e.validateBatch()
		}
		return e.validatePlans()
	},
}

func (e env) validatePlans() error {
	p, files, err := e.scheduled()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("validate needs a plan: a file, or - for standard input")
	}
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		return e.faults(err)
	}
	teller, err := e.teller(p)
	if err != nil {
		return err
	}
	repair, err := e.repairer(p, files)
	if err != nil {
		return err
	}
	defer e.removeStale("output")()
	scratch, code := judge.NewScratch(), exitYes
	for _, name := range files {
		src, err := e.readSource(name)
		if err != nil { // the other plans still have their verdicts
			if err := e.unreadable(name, err); err != nil {
				return err
			}
			code = exitBad
			continue
		}
		read := judge.ValidateText
		if e.Bool("explain") {
			read = judge.ExplainText
		}
		v, diags := read(src, scratch)
		diags.Format(e.err)
		switch {
		case !v.Decided() && code != exitBad:
			code = exitLimit
		case v.Decided() && !v.Valid && code == exitYes:
			code = exitNo
		}
		proposed, err := repair.propose(e, src)
		if err == nil {
			err = e.printVerdict(name, len(files) > 1, v, teller, proposed)
		}
		if err == nil {
			err = e.writeRepaired(proposed)
		}
		if err != nil {
			return err
		}
	}
	return exit(code)
}

// teller prepares --style nl; nil without it.
func (e env) teller(p *pddl.Problem) (*feedback.Critic, error) {
	switch style := e.String("style"); {
	case style != "pddl" && style != "nl":
		return nil, fmt.Errorf("--style %s: it is pddl or nl", style)
	case style == "nl" && (!e.Bool("explain") || e.Bool("json")):
		return nil, errors.New("--style nl is for --explain without --json")
	case style == "nl":
		return feedback.NewCritic(e.Context.Context, p, feedback.Options{})
	}
	return nil, nil
}

func (e env) printVerdict(name string, several bool, v *validator.Verdict, teller *feedback.Critic, proposed *repaired) error {
	if e.Bool("json") {
		id, err := json.Marshal(name)
		if err != nil {
			return err
		}
		row, err := v.JSON(id)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.out, "%s\n", proposed.addTo(row))
		return err
	}
	if several {
		fmt.Fprintf(e.out, "%s: ", name)
	}
	defer proposed.print(e)
	switch {
	case teller != nil:
		_, err := io.WriteString(e.out, teller.Explain(v))
		return err
	case e.Bool("explain"):
		return validator.Explain(v, e.out)
	}
	for _, w := range v.Warnings {
		fmt.Fprintf(e.err, "%s: warning: %s\n", name, w)
	}
	switch {
	case v.Valid:
		fmt.Fprintf(e.out, "valid: cost %s, %s\n", v.Cost, plural(v.Steps, "step"))
	case !v.Decided():
		fmt.Fprintf(e.out, "no verdict: %s\n", v.Failure.Message)
	default:
		fmt.Fprintf(e.out, "invalid: %s\n", v.Failure.Message)
		if v.Failure.Because != "" {
			fmt.Fprintf(e.out, "  %s\n", v.Failure.Because)
		}
	}
	return nil
}

func (e env) validateBatch() error {
	if e.Int("workers") < 0 {
		return errors.New("--workers must not be negative")
	}
	if e.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: the rows of --batch name their tasks", e.Args().First())
	}
	if e.Bool("repair") || e.IsSet("output") {
		return errors.New("--repair and --output have no meaning for --batch")
	}
	reprice, err := e.reprice()
	if err != nil {
		return err
	}
	in, err := e.open(e.String("batch"))
	if err != nil {
		return err
	}
	defer in.Close()
	bar := e.rowProgress()
	stats, err := validator.ValidateBatch(e.Context.Context, in, bar.Count(e.rows()), validator.BatchOptions{
		Workers: e.Int("workers"),
		Reprice: reprice,
		Explain: e.Bool("explain"),
		Named:   domains.Load,
	})
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return e.limited(statusInterrupted, "interrupted: the rows printed so far are complete")
	}
	if err != nil {
		return err
	}
	if !e.Bool("json") {
		fmt.Fprintf(e.err, "%s: %d valid, %d invalid, %d undecided, %s\n",
			plural(stats.Rows, "row"), stats.Valid, stats.Invalid, stats.Undecided, plural(stats.Errors, "error"))
	}
	switch {
	case stats.Errors > 0:
		return exit(exitBad)
	case stats.Undecided > 0:
		return exit(exitLimit)
	case stats.Invalid > 0:
		return exit(exitNo)
	}
	return nil
}
