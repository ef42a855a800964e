package main

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/dataset"
	"github.com/planproof/planproof/search"
)

var restrictCommand = command{
	name: "restrict", usage: "forbid actions in a task, given or drawn at random", args: "DOMAIN PROBLEM",
	spec:      `constraint:strings constraints check forbid:strings sample:int seed:uint64=1 patterns:bool dearer:bool lift:bool output,o nodes:int64 +strict +limits`,
	wholeTime: true,
	action:    restrict,
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
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	p, err := e.OnlyTask()
	if err != nil {
		return err
	}
	if e.IsSet("constraint") || e.IsSet("constraints") {
		return e.constrain(p)
	}
	if e.IsSet("check") {
		return errors.New("--check judges a plan by --constraint or --constraints")
	}
	how := &dataset.Restriction{Lift: e.Bool("lift")}
	if how.Forbid, err = e.forbidden(p); err != nil {
		return err
	}
	if sample {
		how.Sample = &dataset.RestrictOptions{
			Count: e.Int("sample"), Seed: e.Uint64("seed"), Patterns: e.Bool("patterns"), Dearer: e.Bool("dearer"),
			Ground: grounder.Options{Memory: lim.Memory}, Search: search.Limits{Memory: lim.Memory, Nodes: e.Int64("nodes")},
		}
	}
	ctx, cancel := lim.Context(e.Context.Context)
	defer cancel()
	r, err := dataset.Restrict(ctx, p, how)
	switch {
	case errors.Is(err, dataset.ErrNoRestriction):
		return e.Ended(exitNo, "none", err.Error())
	case errors.Is(err, dataset.ErrRestrictLimit) && !errors.Is(err, grounder.ErrLimit):
		return e.Limited("timeout", err.Error())
	case err != nil:
		return e.Faults(err)
	}
	if dir := e.String("output"); dir != "" {
		if err := outfile.WriteTask(dir, r.Domain, r.Problem, e.Args().Slice()...); err != nil {
			return err
		}
	}
	if e.Bool("json") {
		return rowjson.WriteLine(e.Stdout, r)
	}
	for _, f := range r.Forbidden {
		fmt.Fprintln(e.Stdout, f)
	}
	if sample {
		fmt.Fprintf(e.Stderr, "optimal cost %s under the restrictions, %s without those drawn\n", r.Cost, r.UnrestrictedCost)
	}
	return nil
}

// constrain compiles --constraint and --constraints into the task, or judges the plan of --check by them.
func (e env) constrain(p *pddl.Problem) error {
	if e.IsSet("sample") || e.IsSet("forbid") || e.Bool("lift") {
		return errors.New("--constraint goes without --forbid, --sample and --lift; (forbidden (stack a ?)) is a constraint")
	}
	var sources []*pddl.Source
	for _, text := range e.StringSlice("constraint") {
		sources = append(sources, pddl.NewSource("--constraint", text))
	}
	wishes, err := e.sourceOf("constraints")
	if err != nil {
		return err
	}
	if wishes != nil {
		sources = append(sources, wishes)
	}
	plan, err := e.sourceOf("check")
	if err != nil {
		return err
	}
	var list []constraints.Constraint
	var diags pddl.Diagnostics
	for _, src := range sources {
		cs, ds := constraints.Parse(src, p)
		list, diags = append(list, cs...), append(diags, ds...)
	}
	if err := e.Faults(diags.Err()); err != nil {
		return err
	}
	r, err := constraints.NewReport(p, list, plan)
	if err != nil {
		return e.Faults(err)
	}
	if dir := e.String("output"); dir != "" && plan == nil {
		if err := outfile.WriteTask(dir, r.Domain, r.Problem, e.Args().Slice()...); err != nil {
			return err
		}
	}
	if err := e.Print(r, r.WriteText); err != nil {
		return err
	}
	return cmdline.RowsExit(nil, len(r.Violations), 0, 0)
}

// sourceOf reads the file that a flag names, nil without the flag.
func (e env) sourceOf(flag string) (*pddl.Source, error) {
	if !e.IsSet(flag) {
		return nil, nil
	}
	return e.ReadSource(e.String(flag))
}

// forbidden reads --forbid.
func (e env) forbidden(p *pddl.Problem) (list []domains.Forbidden, err error) {
	var diags pddl.Diagnostics
	for _, text := range e.StringSlice("forbid") {
		f, ds := domains.ParseForbidden(pddl.NewSource("--forbid", text), p)
		list, diags = append(list, f...), append(diags, ds...)
	}
	return list, e.Faults(diags.Err())
}
