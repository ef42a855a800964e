package main

import (
	"fmt"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/spell"

	"github.com/planproof/planproof/pddl"
)

var checkCommand = command{
	name: "check", usage: "parse and type-check a domain and its problems", args: "DOMAIN [PROBLEM...]",
	spec: `+strict`,
	action: func(e env) error {
		sources, unread, err := e.checkSources()
		if err != nil {
			return err
		}
		opt := pddl.Options{Strict: e.Bool("strict")}
		dom, diags := pddl.ParseDomain(sources[0], opt)
		for _, src := range sources[1:] {
			_, more := pddl.ParseProblem(src, dom, opt)
			diags = append(diags, more...)
		}
		diags.Format(e.err)
		report := checkReport{Diagnostics: diags, Unreadable: unread}
		if report.Diagnostics == nil {
			report.Diagnostics = pddl.Diagnostics{}
		}
		for _, d := range diags {
			if d.Severity == pddl.Error {
				report.Errors++
			} else {
				report.Warnings++
			}
		}
		report.OK = report.Errors == 0 && len(unread) == 0
		if e.Bool("json") {
			if err := printJSON(e.out, report); err != nil {
				return err
			}
		} else if report.OK {
			fmt.Fprintf(e.out, "ok: %s (%s)\n", plural(len(sources), "file"), plural(report.Warnings, "warning"))
		} else {
			fmt.Fprintf(e.out, "%s, %s\n", plural(report.Errors, "error"), plural(report.Warnings, "warning"))
		}
		switch {
		case len(unread) > 0:
			return exit(exitBad)
		case !report.OK:
			return exit(exitNo)
		}
		return nil
	},
}

// checkReport is the object that check --json prints.
type checkReport struct {
	OK          bool             `json:"ok"`
	Errors      int              `json:"errors"`
	Warnings    int              `json:"warnings"`
	Diagnostics pddl.Diagnostics `json:"diagnostics"`
	Unreadable  []string         `json:"unreadable,omitempty"`
}

// checkSources reads the domain and any number of problems. A problem that cannot be
// read is reported and does not keep the others from being checked.
func (e env) checkSources() (sources []*pddl.Source, unread []string, err error) {
	args := e.Args().Slice()
	if len(args) == 0 {
		return nil, nil, fmt.Errorf("check needs a domain, or a bundled name like blocksworld:4-17")
	}
	if taskref.IsBundled(args[0]) {
		if len(args) > 1 {
			return nil, nil, fmt.Errorf("%s is a domain with its problem: nothing may follow it", args[0])
		}
		dom, prob, _, err := e.taskSources(args)
		return []*pddl.Source{dom, prob}, nil, err
	}
	for i, name := range args {
		src, err := e.readSource(name)
		switch {
		case err != nil && i == 0:
			return nil, nil, err
		case err != nil:
			fmt.Fprintf(e.err, "planproof: %v\n", err)
			unread = append(unread, name)
		default:
			sources = append(sources, src)
		}
	}
	return sources, unread, nil
}

var plural = spell.Plural
