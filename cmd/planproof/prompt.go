package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/taskline"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

var promptCommand = command{
	name: "prompt", usage: "write a prompt for a language model, with its gold answer", args: "DOMAIN PROBLEM",
	spec: fmt.Sprintf(`kind=%v style=%v templates shots:int examples:strings reasoning=%v incantation system
		answer=natural plan-tags:bool budget constraint:strings candidate rename without ratio:int=100 seed:uint64=1
		no-gold:bool batch nodes:int64 +strict +schedule +limits`, prompt.KindGeneration, prompt.StyleNL, prompt.ReasonNone),
	wholeTime: true,
	action:    makePrompt,
}

func makePrompt(e env) error {
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	ctx, cancel := lim.Context(e.Context.Context)
	defer cancel()
	o, err := e.promptOptions(ctx, lim)
	if err != nil {
		return err
	}
	if name := e.String("batch"); name != "" {
		return e.promptBatch(name, prompt.BatchOptions{Options: o, Problem: prompt.RowProblem(e.Tasks), Deadline: lim.Deadline})
	}
	bundled := ""
	if args := e.Args().Slice(); len(args) > 0 && taskref.IsBundled(args[0]) {
		bundled = args[0]
	}
	p, err := taskline.NoMore(e.Task())
	if err != nil {
		return err
	}
	if o.Examples, err = e.exampleProblems(p); err != nil {
		return err
	}
	// The gold answer is printed in records only: without one there is no need to search.
	o.NoGold = o.NoGold || !e.Bool("json")
	rec, err := prompt.Make(ctx, prompt.Task{ID: cmp.Or(bundled, p.Name), Problem: p, Bundled: bundled}, o)
	if err != nil {
		var diags pddl.Diagnostics
		if errors.As(err, &diags) {
			diags.Format(e.Stderr)
			fmt.Fprintln(e.Stderr, "planproof: the gold answer needs a search; --no-gold leaves it out")
			return e.Refuse(diags)
		}
		return err
	}
	return e.Print(rec, rec.Prompt.WriteText)
}

// promptBatch is prompt --batch.
func (e env) promptBatch(name string, o prompt.BatchOptions) error {
	switch {
	case e.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: the rows of --batch name their tasks", e.Args().First())
	case !e.Bool("json"):
		return errors.New("--batch prints records: it needs --json")
	case len(e.StringSlice("examples")) > 0:
		return errors.New("--examples is for one task, not for --batch")
	}
	var stats prompt.BatchStats
	err := e.Stream(name, e.Stdout, func(in io.Reader, out io.Writer) (err error) {
		stats, err = prompt.Batch(e.Context.Context, in, out, o)
		return cmp.Or(e.Context.Context.Err(), err)
	})
	if err == nil && stats.Limited > 0 {
		return exit(exitLimit)
	}
	return cmdline.RowsExit(err, 0, 0, stats.Failed)
}

// maxShots bounds the worked examples: each is a task that is solved.
const maxShots = 1000

// promptOptions reads the flags.
func (e env) promptOptions(ctx context.Context, lim cmdline.Limits) (o prompt.Options, err error) {
	o = prompt.Options{
		Kind: prompt.Kind(e.String("kind")), Style: prompt.Style(e.String("style")), Templates: e.String("templates"),
		Shots: e.Int("shots"), Seed: e.Uint64("seed"),
		Reasoning: prompt.Reasoning(e.String("reasoning")), Incantation: e.String("incantation"), System: e.String("system"), PlanTags: e.Bool("plan-tags"),
		Answer:      extract.Kind(e.String("answer")),
		Constraints: e.StringSlice("constraint"), Rename: prompt.RenameStyle(e.String("rename")), Candidate: e.String("candidate"),
		NoGold: e.Bool("no-gold"), Limits: search.Limits{Memory: lim.Memory, Nodes: e.Int64("nodes")},
	}
	if o.Reprice, err = e.Reprice(); err != nil {
		return o, err
	}
	if o.Shots < 0 || o.Shots > maxShots {
		return o, fmt.Errorf("--shots must be from 0 to %d", maxShots)
	}
	if !e.IsSet("shots") {
		o.Shots = -1
	}
	if text := e.String("without"); text != "" {
		if o.Without, err = prompt.ParseMask(text); err != nil {
			return o, err
		}
		o.Without.Percent, o.Without.Seed = e.Int("ratio"), o.Seed
	} else if e.IsSet("ratio") {
		return o, errors.New("--ratio needs --without")
	}
	if text := e.String("budget"); text != "" {
		spec, err := costmodel.ParseBudget(text)
		if err != nil {
			return o, err
		}
		o.Budget = &spec
		s, err := e.Schedule()
		if err != nil {
			return o, err
		}
		o.Slack = func(p *pddl.Problem) (pddl.Number, error) {
			slack, err := costmodel.SlackOf(ctx, p, s, grounder.Options{})
			if errors.Is(err, costmodel.ErrNoPrices) {
				err = errors.New("a loose budget needs --schedule, by which two rounds of the most expensive actions are priced")
			}
			return slack, err
		}
	}
	return o, nil
}

// exampleProblems reads --examples, problems of p's domain.
func (e env) exampleProblems(p *pddl.Problem) ([]*pddl.Problem, error) {
	var out []*pddl.Problem
	for _, name := range e.StringSlice("examples") {
		src, err := e.ReadSource(name)
		if err != nil {
			return nil, err
		}
		q, diags := pddl.ParseProblem(src, p.Domain, pddl.Options{Strict: e.Bool("strict")})
		diags.Format(e.Stderr)
		if q == nil || diags.HasErrors() {
			return nil, e.Refuse(diags)
		}
		out = append(out, q)
	}
	return out, nil
}
