package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
	"github.com/planproof/planproof/validator/batch"
	"github.com/planproof/planproof/validator/timeline"
)

var validateCommand = command{
	name: "validate", usage: "judge plans", args: "DOMAIN PROBLEM PLAN...",
	spec:      `batch explain:bool workers:int style=pddl repair:bool nodes:int64=1000000 epsilon=0 duration-tolerance=0 cross-check:bool timeline output,o +keep-old +strict +schedule +limits`,
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		if e.IsSet("batch") {
			return e.validateBatch()
		}
		return e.validatePlans()
	},
}

func (e env) validatePlans() error {
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	p, files, err := e.Scheduled()
	if err != nil {
		return err
	}
	if len(files) > 1 && e.IsSet("timeline") {
		return errors.New("--timeline takes one plan")
	}
	if len(files) == 0 {
		return errors.New("validate needs a plan: a file, or - for standard input")
	}
	judge, err := validator.NewJudgeContext(e.Context.Context, p, validator.Options{})
	if err != nil {
		return e.Faults(err)
	}
	teller, err := e.teller(p)
	if err != nil {
		return err
	}
	propose, err := e.repairer(p, files)
	if err != nil {
		return err
	}
	defer e.RemoveStale("output")()
	scratch, code := judge.NewScratch(), exitYes
	if scratch.Epsilon, scratch.Tolerance, err = e.gaps(); err != nil {
		return err
	}
	scratch.Context, scratch.MaxBytes = e.Context.Context, lim.Memory
	for _, name := range files {
		src, err := e.ReadSource(name)
		if err != nil { // the other plans still have their verdicts
			if err := e.Unreadable(name, err); err != nil {
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
		diags.Format(e.Stderr)
		if e.Bool("cross-check") {
			if err := judge.CrossCheckText(v, src, scratch); err != nil {
				return e.reportDisagreement(err)
			}
		}
		switch {
		case !v.Decided() && code != exitBad:
			code = exitLimit
		case v.Decided() && !v.Valid && code == exitYes:
			code = exitNo
		}
		proposed, err := propose(src)
		if err == nil {
			err = e.printVerdict(name, len(files) > 1, v, teller, proposed)
		}
		if err == nil {
			err = e.writeRepaired(proposed)
		}
		if path := e.String("timeline"); err == nil && path != "" {
			err = timeline.Draw(judge, src, scratch, path, e.Stdout, e.WriteFile)
		}
		if err != nil {
			return err
		}
	}
	return exit(code)
}

// gaps reads --epsilon and --duration-tolerance.
func (e env) gaps() (epsilon, tolerance pddl.Number, err error) {
	epsilon, err = validator.ParseGap("--epsilon", e.String("epsilon"))
	if err == nil {
		tolerance, err = validator.ParseGap("--duration-tolerance", e.String("duration-tolerance"))
	}
	return epsilon, tolerance, err
}

// reportDisagreement writes the row that reproduces it.
func (e env) reportDisagreement(err error) error {
	var d *validator.Disagreement
	if errors.As(err, &d) {
		const file = "planproof-cross-check.jsonl"
		err = errors.Join(err, fmt.Errorf("%s reproduces it: planproof validate --cross-check --batch %s", file, file),
			e.WriteFile(file, func(w io.Writer) error { _, err := w.Write(d.Row); return err }))
	}
	return err
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

func (e env) printVerdict(name string, several bool, v *validator.Verdict, teller *feedback.Critic, proposed *feedback.Proposed) error {
	if e.Bool("json") {
		row := v.AppendJSON(nil, rowjson.AppendText(nil, name))
		_, err := fmt.Fprintf(e.Stdout, "%s\n", proposed.AddTo(row))
		return err
	}
	if several {
		fmt.Fprintf(e.Stdout, "%s: ", name)
	}
	var err error
	switch {
	case teller != nil:
		_, err = io.WriteString(e.Stdout, teller.Explain(v))
	case e.Bool("explain"):
		err = validator.Explain(v, e.Stdout)
	default:
		for _, w := range v.Warnings {
			fmt.Fprintf(e.Stderr, "%s: warning: %s\n", name, w)
		}
		err = v.WriteText(e.Stdout)
	}
	return errors.Join(err, proposed.WriteText(e.Stdout))
}

// repairer returns what proposes a plan in place of another with --repair, and nothing without.
func (e env) repairer(p *pddl.Problem, files []string) (func(*pddl.Source) (*feedback.Proposed, error), error) {
	switch {
	case !e.Bool("repair") && e.IsSet("output"):
		return nil, errors.New("--output needs --repair")
	case !e.Bool("repair"):
		return func(*pddl.Source) (*feedback.Proposed, error) { return nil, nil }, nil
	case len(files) > 1 && e.IsSet("output"):
		return nil, errors.New("--output takes one plan")
	}
	lim, err := e.Limits()
	if err != nil {
		return nil, err
	}
	left, err := e.SearchLimits(lim, "reading")
	if err != nil {
		return nil, err
	}
	r, err := feedback.NewRepairer(e.Context.Context, p, left)
	if err != nil {
		return nil, e.Stopped(err)
	}
	if r.Epsilon, r.Tolerance, err = e.gaps(); err != nil {
		return nil, err
	}
	return func(src *pddl.Source) (*feedback.Proposed, error) {
		l := search.Limits{Memory: lim.Memory, Nodes: e.Int64("nodes")}
		if left, _ := lim.Left(); !lim.Deadline.IsZero() {
			l.Wall = max(left, time.Nanosecond)
		}
		return r.Propose(e.Context.Context, src, l)
	}, nil
}

// writeRepaired writes the nearest plan to --output. Without one the file is left as it was.
func (e env) writeRepaired(r *feedback.Proposed) error {
	path := e.String("output")
	if path == "" || r == nil {
		return nil
	}
	write := r.Plan()
	if write == nil {
		fmt.Fprintf(e.Stderr, "planproof: nothing was written to %s\n", path)
		return nil
	}
	return e.WriteFile(path, write)
}

func (e env) validateBatch() error {
	if e.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: the rows of --batch name their tasks", e.Args().First())
	}
	if e.Bool("repair") || e.IsSet("output") || e.IsSet("timeline") {
		return errors.New("--repair, --output and --timeline have no meaning for --batch")
	}
	reprice, err := e.Reprice()
	if err != nil {
		return err
	}
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	epsilon, tolerance, err := e.gaps()
	if err != nil {
		return err
	}
	defer cmdline.CollectAt(2 * rowGarbage)()
	var stats batch.Stats
	err = e.Stream(e.String("batch"), e.rows(), func(in io.Reader, out io.Writer) (err error) {
		stats, err = batch.Run(e.Context.Context, in, out, batch.Options{
			Workers: e.Int("workers"), Tasks: e.Tasks, Reprice: reprice, Explain: e.Bool("explain"), Memory: lim.Memory,
			Epsilon: epsilon, Tolerance: tolerance, CrossCheck: e.Bool("cross-check"),
		})
		return err
	})
	if err != nil {
		return err
	}
	if !e.Bool("json") {
		fmt.Fprintln(e.Stderr, stats)
	}
	return cmdline.RowsExit(nil, stats.Invalid, stats.Undecided, stats.Errors)
}
