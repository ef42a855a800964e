package main

import (
	"errors"
	"fmt"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"

	"github.com/urfave/cli/v2"
)

var exhaustCommand = command{
	name: "exhaust", usage: "enumerate the reachable state space with exact goal distances", args: "DOMAIN PROBLEM",
	flags: append([]cli.Flag{
		&cli.Int64Flag{Name: "nodes", Usage: "end after `N` states"},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "keep the table of exact distances in `FILE`"},
		&cli.Int64Flag{Name: "top", Usage: "print the `K` best plans"},
		&cli.BoolFlag{Name: "all-optimal", Usage: "print all optimal plans, or as many as --top says"},
		&cli.BoolFlag{Name: "loops", Usage: "with --top: let plans visit a state twice"},
		&cli.StringFlag{Name: "export", Usage: "write states and transitions to `FILE`"},
		&cli.StringFlag{Name: "export-format", Usage: "`FORMAT` of --export: jsonl, csv or dot (default: as the name ends, else jsonl)"},
		&cli.StringFlag{Name: "certificate", Usage: "write to `FILE` a proof that no distance is too high, for check-certificate"},
		&cli.StringFlag{Name: "goals", Usage: "read goals from `FILE`, one formula a line"},
		strictFlag, scheduleFlag,
		&cli.BoolFlag{Name: "keep-irrelevant", Usage: "tell states apart that differ only in what cannot matter to the goal", Value: true},
	}, limitFlags()...),
	action: exhaust,
}

// exhaustReport is the object that exhaust --json prints.
type exhaustReport struct {
	space.Summary
	CPU    float64 `json:"cpu_s"`
	PeakKB int64   `json:"peak_kb"`

	*certificateReport
}

func exhaust(e env) error {
	if err := e.certificatePath(); err != nil {
		return err
	}
	if err := e.outputs("output", "export", "certificate"); err != nil {
		return err
	}
	path, err := e.tablePath()
	if err != nil {
		return err
	}
	list, err := e.planList()
	if err != nil {
		return err
	}
	format, err := e.exportFormat()
	if err != nil {
		return err
	}
	if e.IsSet("goals") {
		if path != "" || list.wanted || format != "" || e.IsSet("certificate") {
			return errors.New("--goals goes with none of -o, --top, --all-optimal, --export and --certificate")
		}
		return e.exhaustGoals()
	}
	g, err := e.groundTask()
	if err != nil {
		return err
	}
	lim, err := e.searchLimits(g)
	if err != nil {
		return err
	}
	progress := e.liveLine()
	table, err := pipeline.Exhaust(e.Context.Context, g.problem, g.task, lim, func(p space.Phase, states int64) {
		progress.Show(fmt.Sprintf("%s, %d states", p, states))
	})
	progress.Done()
	if err != nil {
		return e.spaceError(err)
	}
	if path != "" {
		if err := e.writeFile(path, table.Write); err != nil {
			return err
		}
	}
	return e.reportTable(g, table, list, format)
}

// reportTable prints and writes what is asked for about a table.
func (e env) reportTable(g *grounded, table *space.Table, list planList, format space.Format) (err error) {
	if format != "" {
		if err := e.exportSpace(g, table, format); err != nil {
			return e.spaceError(err)
		}
	}
	report := exhaustReport{Summary: table.Summary(), CPU: round3(cmdline.CPUSeconds()), PeakKB: cmdline.PeakKB()}
	if e.IsSet("certificate") {
		if report.certificateReport, err = e.certifyTable(g, table); err != nil {
			return err
		}
	}
	if err := e.printReport(&report, list.wanted || e.String("export") == "-"); err != nil {
		return err
	}
	if list.wanted {
		if err := e.printPlans(g, table, list); err != nil {
			return err
		}
	}
	if report.OptimalCost == nil {
		return exit(exitNo)
	}
	return exit(exitYes)
}

// certifyTable writes a certificate of all distances to --certificate.
func (e env) certifyTable(g *grounded, table *space.Table) (*certificateReport, error) {
	cert, err := table.Certify(g.limits.memory)
	if err != nil {
		return nil, e.spaceError(fmt.Errorf("the certificate beside the table: %w", err))
	}
	cert.Whole = e.Bool("keep-irrelevant")
	cert.SetTexts(g.problem)
	return e.writeCertificate(g.task, cert, 0)
}

// spaceError ends a command whose enumeration has failed.
func (e env) spaceError(err error) error {
	var limit *search.LimitError
	switch {
	case errors.As(err, &limit):
		return e.limited(string(limit.Status), err.Error())
	case errors.Is(err, space.ErrGoalsTime):
		return e.limited("timeout", err.Error())
	case errors.Is(err, space.ErrNoStateSpace):
		return e.noStateSpace()
	}
	return e.groundError(err)
}

// tablePath returns where -o keeps the table: a regular file, since it is written beside
// its place first and read back by mapping.
func (e env) tablePath() (string, error) {
	path := e.String("output")
	switch {
	case path == "":
		return "", nil
	case path == "-":
		return "", errors.New("a table is kept in a file: -o - is not possible")
	}
	target, mode, err := outfile.Target(path)
	if err == nil && !mode.IsRegular() {
		err = fmt.Errorf("a table is kept in a regular file, and %s is none", path)
	}
	return target, err
}

// printReport prints the figures: for people to standard error if something else is to
// be on standard output.
func (e env) printReport(r *exhaustReport, aside bool) error {
	switch {
	case e.Bool("json"):
		return printJSON(e.out, r)
	case aside:
		return r.WriteText(e.err)
	}
	return r.WriteText(e.out)
}

// noStateSpace reports a goal that grounding has shown to be out of reach.
func (e env) noStateSpace() error {
	if e.Bool("json") {
		if err := printJSON(e.out, map[string]string{"status": "unsolvable", "reason": space.ErrNoStateSpace.Error()}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.out, "unsolvable: %v\n", space.ErrNoStateSpace)
	}
	return exit(exitNo)
}
