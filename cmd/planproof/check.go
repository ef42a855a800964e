package main

import (
	"fmt"

	"github.com/planproof/planproof/domains/taskref"
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
		report := pddl.Check(sources[0], sources[1:], unread, pddl.Options{Strict: e.Bool("strict")})
		report.Diagnostics.Format(e.Stderr)
		if err := e.Print(report, report.WriteText); err != nil {
			return err
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
		dom, prob, _, err := e.TaskSources(args)
		return []*pddl.Source{dom, prob}, nil, err
	}
	for i, name := range args {
		src, err := e.ReadSource(name)
		switch {
		case err != nil && i == 0:
			return nil, nil, err
		case err != nil:
			fmt.Fprintf(e.Stderr, "planproof: %v\n", err)
			unread = append(unread, name)
		default:
			sources = append(sources, src)
		}
	}
	return sources, unread, nil
}
