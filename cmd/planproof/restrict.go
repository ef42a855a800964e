package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"

	"github.com/urfave/cli/v2"
)

var restrictCommand = command{
	name: "restrict", usage: "forbid actions in a task, given or drawn at random", args: "DOMAIN PROBLEM",
	flags: append([]cli.Flag{
		&cli.StringSliceFlag{Name: "forbid", Usage: "forbid `ACTION`, such as '(stack a ?)' (repeatable)"},
		&cli.IntFlag{Name: "sample", Usage: "draw `N` restrictions that bind and leave the task solvable"},
		&cli.Uint64Flag{Name: "seed", Usage: "draw by `N`", Value: 1},
		&cli.BoolFlag{Name: "patterns", Usage: "draw restrictions with free places too"},
		&cli.BoolFlag{Name: "dearer", Usage: "draw only what raises the optimal cost"},
		&cli.BoolFlag{Name: "lift", Usage: "take all restrictions away"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write domain.pddl and problem.pddl into the folder `DIR`"},
		&cli.Int64Flag{Name: "nodes", Usage: "end each search after `N` expansions"},
		strictFlag,
	}, limitFlags()...),
	action: restrict,
}

// restrictReport is what restrict --json prints.
type restrictReport struct {
	Forbidden []string `json:"forbidden"` // all of the task that is written
	// Of --sample: a cheapest plan under the restrictions, and one of the task as it was.
	Sampled          []string `json:"sampled,omitempty"`
	Plan             []string `json:"plan,omitempty"`
	Cost             string   `json:"cost,omitempty"`
	UnrestrictedPlan []string `json:"unrestricted_plan,omitempty"`
	UnrestrictedCost string   `json:"unrestricted_cost,omitempty"`
	Domain           string   `json:"domain_text"`
	Problem          string   `json:"problem_text"`
}

func restrict(e env) error {
	sample := e.IsSet("sample")
	switch {
	case sample && e.Int("sample") < 1:
		return errors.New("--sample must be at least 1")
	case !sample && (e.Bool("patterns") || e.Bool("dearer") || e.IsSet("seed")):
		return errors.New("--patterns, --dearer and --seed are for --sample")
	case e.IsSet("output") && e.String("output") == "":
		return errors.New("--output: the name of the folder is empty")
	}
	lim, err := e.limits()
	if err != nil {
		return err
	}
	p, rest, err := e.task()
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	if e.Bool("lift") {
		if p, err = domains.Unrestricted(p); err != nil {
			return err
		}
	}
	if p, err = e.forbid(p); err != nil {
		return err
	}
	var r restrictReport
	if sample {
		if p, err = e.sampleRestrictions(p, lim, &r); err != nil {
			return err
		}
	}
	r.Forbidden = []string{}
	for _, f := range domains.Restrictions(p) {
		r.Forbidden = append(r.Forbidden, f.String())
	}
	r.Domain, r.Problem = p.Domain.String(), p.String()
	if dir := e.String("output"); dir != "" {
		if err := e.writeTask(dir, r.Domain, r.Problem); err != nil {
			return err
		}
	}
	if e.Bool("json") {
		return printJSON(e.out, &r)
	}
	for _, f := range r.Forbidden {
		fmt.Fprintln(e.out, f)
	}
	if sample {
		fmt.Fprintf(e.err, "optimal cost %s under the restrictions, %s without those drawn\n", r.Cost, r.UnrestrictedCost)
	}
	return nil
}

// forbid adds what --forbid names.
func (e env) forbid(p *pddl.Problem) (*pddl.Problem, error) {
	var list []domains.Forbidden
	var diags pddl.Diagnostics
	for _, text := range e.StringSlice("forbid") {
		f, ds := domains.ParseForbidden(pddl.NewSource("--forbid", text), p)
		list, diags = append(list, f...), append(diags, ds...)
	}
	if diags.HasErrors() {
		diags.Format(e.err)
		return nil, e.refuse(diags)
	}
	return domains.Restrict(p, list)
}

// sampleRestrictions draws restrictions and fills the report.
func (e env) sampleRestrictions(p *pddl.Problem, lim runLimits, r *restrictReport) (*pddl.Problem, error) {
	ctx := e.Context.Context
	if !lim.deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, lim.deadline)
		defer cancel()
	}
	got, err := dataset.SampleRestrictions(ctx, p, dataset.RestrictOptions{
		Count: e.Int("sample"), Seed: e.Uint64("seed"), Patterns: e.Bool("patterns"), Dearer: e.Bool("dearer"),
		Ground: grounder.Options{Memory: lim.memory}, Search: search.Limits{Memory: lim.memory, Nodes: e.Int64("nodes")},
	})
	var diags pddl.Diagnostics
	switch {
	case errors.As(err, &diags):
		diags.Format(e.err)
		return nil, e.refuse(diags)
	case errors.Is(err, dataset.ErrNoRestriction):
		return nil, e.none(err.Error())
	case errors.Is(err, dataset.ErrRestrictLimit), errors.Is(err, context.DeadlineExceeded):
		return nil, e.limited("timeout", err.Error())
	case errors.Is(err, context.Canceled):
		return nil, e.limited(statusInterrupted, "interrupted")
	case err != nil:
		return nil, err
	}
	for _, f := range got.Forbidden {
		r.Sampled = append(r.Sampled, f.String())
	}
	r.Plan, r.Cost, r.UnrestrictedPlan, r.UnrestrictedCost = got.Plan, got.Cost.String(), got.FreePlan, got.FreeCost.String()
	return got.Problem, nil
}

// none reports that what was asked for does not exist.
func (e env) none(message string) error {
	fmt.Fprintf(e.err, "planproof: %s\n", message)
	if e.Bool("json") {
		if err := printJSON(e.out, map[string]any{"status": "none", "error": message}); err != nil {
			return err
		}
	}
	return exit(exitNo)
}

// writeTask writes domain.pddl and problem.pddl into a folder, over no input.
func (e env) writeTask(dir, domain, problem string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := []struct{ name, text string }{{"domain.pddl", domain}, {"problem.pddl", problem}}
	for _, f := range files {
		if err := outfile.Spare(filepath.Join(dir, f.name), e.Args().Slice()...); err != nil {
			return err
		}
	}
	for _, f := range files {
		err := e.writeFile(filepath.Join(dir, f.name), func(w io.Writer) error {
			_, err := io.Copy(w, strings.NewReader(f.text))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
