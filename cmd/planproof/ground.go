package main

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

var groundCommand = command{
	name: "ground", usage: "compile a task to finite-domain variables, operators, axioms and mutex groups", args: "DOMAIN PROBLEM",
	spec:      `format=summary output,o=- keep-irrelevant:bool +strict +schedule +limits`,
	wholeTime: true, wholeMemory: true,
	action: func(e env) error {
		format := e.String("format")
		switch format {
		case "summary", "json", "sas":
		default:
			return fmt.Errorf("--format %q is none of summary, json, sas", format)
		}
		if e.Bool("json") {
			if e.IsSet("format") && format != "json" {
				return fmt.Errorf("--json and --format %s exclude each other", format)
			}
			format = "json"
		}
		g, err := e.groundTask(true)
		if err != nil {
			return err
		}
		return e.WriteFile(e.String("output"), func(w io.Writer) error {
			switch {
			case format == "sas":
				for _, note := range grounder.SASNotes(g.task) {
					fmt.Fprintf(e.Stderr, "planproof: %s\n", note)
				}
				return grounder.WriteSAS(w, g.task)
			case format == "json":
				return g.task.WriteJSON(w, g.cpu, cmdline.PeakKB())
			}
			return g.task.WriteSummary(w)
		})
	},
}

// grounded is a task on its way to search, with what the commands report of it.
type grounded struct {
	problem *pddl.Problem
	task    *grounder.Task
	cpu     float64
	limits  cmdline.Limits
}

// searchLimits are the limits of a search or an enumeration, with the remaining time.
func (e env) searchLimits(g *grounded) (search.Limits, error) {
	left, ok := g.limits.Left()
	if !ok {
		return search.Limits{}, e.Limited("timeout", "the time limit ended grounding")
	}
	return search.Limits{Wall: left, Memory: g.limits.Memory, Nodes: e.Int64("nodes")}, nil
}

func (e env) limits() (l cmdline.Limits, err error) {
	if l, err = cmdline.ParseLimits(e.Began, e.String("time"), e.String("memory")); err != nil {
		return l, err
	}
	if l.Memory > cmdline.LeastWatched {
		l.Memory -= cmdline.ProgramBytes
	}
	for _, name := range []string{"nodes", "threads"} {
		if e.Int64(name) < 0 || e.Int(name) < 0 {
			return l, fmt.Errorf("--%s must not be negative", name)
		}
	}
	return l, nil
}

// scheduled reads the task of the arguments and applies --schedule to it.
func (e env) scheduled() (p *pddl.Problem, rest []string, err error) {
	reprice, err := e.reprice()
	if err != nil {
		return nil, nil, err
	}
	p, rest, err = e.task()
	if err == nil && reprice != nil {
		p, err = reprice(p)
	}
	return p, rest, err
}

// groundTask reads, prices and grounds the task of the arguments. Limits and
// unsupported features are reported here, as `solve --json` does; the error then
// only sets the exit code.
func (e env) groundTask(numeric bool) (*grounded, error) {
	lim, err := e.limits()
	if err != nil {
		return nil, err
	}
	p, err := noMore(e.scheduled())
	if err != nil {
		return nil, err
	}
	return e.groundProblem(p, lim, e.Bool("keep-irrelevant"), numeric)
}

// groundProblem grounds a problem, with all that cannot matter to the goal if keep, and with
// numeric fluents if the caller knows them.
func (e env) groundProblem(p *pddl.Problem, lim cmdline.Limits, keep, numeric bool) (*grounded, error) {
	left, ok := lim.Left()
	if !ok {
		return nil, e.Limited("timeout", "the time limit ended reading")
	}
	start := cmdline.CPUSeconds()
	task, err := grounder.Ground(e.Context.Context, p, grounder.Options{
		Time: left, Memory: lim.Memory, KeepIrrelevant: keep, ObjectFluents: true, NumericFluents: numeric,
	})
	if err != nil {
		return nil, e.stopped(err)
	}
	if lim.Memory > cmdline.LeastWatched { // what the task takes, tables may not
		lim.Memory = max(lim.Memory/2, lim.Memory-task.Bytes())
	}
	return &grounded{problem: p, task: task, cpu: cmdline.CPUSeconds() - start, limits: lim}, nil
}
