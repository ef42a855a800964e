package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/outfile"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/taskline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
	"github.com/planproof/planproof/search/space"
)

var exhaustCommand = command{
	name: "exhaust", usage: "enumerate the reachable state space with exact goal distances", args: "DOMAIN PROBLEM",
	spec: `nodes:int64 output,o top:int64 all-optimal:bool loops:bool export export-format certificate
		goals keep-irrelevant:bool=true +strict +schedule +limits`,
	wholeTime: true, wholeMemory: true,
	action: exhaust,
}

// exhaustReport is the object that exhaust --json prints.
type exhaustReport struct {
	space.Summary
	CPU    float64 `json:"cpu_s"`
	PeakKB int64   `json:"peak_kb"`

	*certificate.Saved
}

func exhaust(e env) error {
	if err := e.certificatePath(); err != nil {
		return err
	}
	if err := e.Outputs("output", "export", "certificate"); err != nil {
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
	g, lim, err := e.GroundForSearch()
	if err != nil {
		return err
	}
	progress := e.LiveLine()
	table, err := pipeline.Exhaust(e.Context.Context, g.Problem, g.Task, lim, func(p space.Phase, states int64) {
		progress.Show(fmt.Sprintf("%s, %d states", p, states))
	})
	progress.Done()
	if err != nil {
		return e.Stopped(err)
	}
	if path != "" {
		if err := e.WriteFile(path, table.Write); err != nil {
			return err
		}
	}
	return e.reportTable(g, table, list, format)
}

// reportTable prints and writes what is asked for about a table.
func (e env) reportTable(g *taskline.Grounded, table *space.Table, list planList, format space.Format) (err error) {
	if format != "" {
		if err := e.exportSpace(g, table, format); err != nil {
			return e.Stopped(err)
		}
	}
	report := exhaustReport{Summary: table.Summary(), CPU: round3(cmdline.CPUSeconds()), PeakKB: cmdline.PeakKB()}
	if e.IsSet("certificate") {
		if report.Saved, err = e.certifyTable(g, table); err != nil {
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
	return nil
}

// certifyTable writes a certificate of all distances to --certificate.
func (e env) certifyTable(g *taskline.Grounded, table *space.Table) (*certificate.Saved, error) {
	cert, err := table.Certify(g.Limits.Memory)
	if err != nil {
		return nil, e.Stopped(fmt.Errorf("the certificate beside the table: %w", err))
	}
	cert.Whole = e.Bool("keep-irrelevant")
	certificate.SetTexts(&cert.Header, g.Problem)
	return certificate.Save(e.String("certificate"), g.Task, cert, 0, e.WriteFile)
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
	return outfile.Regular(path, "a table")
}

// printReport prints the figures: for people to standard error if something else is to
// be on standard output.
func (e env) printReport(r *exhaustReport, aside bool) error {
	switch {
	case e.Bool("json"):
		return rowjson.WriteLine(e.Stdout, r)
	case aside:
		return r.WriteText(e.Stderr)
	}
	return r.WriteText(e.Stdout)
}

// exportFormat returns the format of --export, "" without --export.
func (e env) exportFormat() (space.Format, error) {
	path := e.String("export")
	if !e.IsSet("export") {
		if e.IsSet("export-format") {
			return "", errors.New("--export-format needs --export")
		}
		return "", nil
	}
	if path == "-" && (e.IsSet("top") || e.Bool("all-optimal")) {
		return "", errors.New("--export - and the plans would both be on standard output")
	}
	format, err := space.ParseFormat(e.String("export-format"), path)
	if err != nil {
		err = fmt.Errorf("--export-format %w", err)
	}
	return format, err
}

// exportSpace writes states and transitions to --export.
func (e env) exportSpace(g *taskline.Grounded, t *space.Table, format space.Format) error {
	x, err := t.Exporter(format)
	if err != nil {
		return err
	}
	progress := e.LiveLine()
	defer progress.Done()
	ctx, cancel := g.Limits.Context(e.Context.Context)
	defer cancel()
	return e.WriteFile(e.String("export"), func(w io.Writer) error {
		return x.Write(ctx, w, func(states int64) {
			progress.Show(fmt.Sprintf("exporting, %d of %d states", states, t.States))
		})
	})
}

// planList says which plans exhaust prints.
type planList struct {
	wanted bool
	most   int64 // 0: all
	opt    space.PlanOptions
}

// planList reads --top, --all-optimal and --loops.
func (e env) planList() (planList, error) {
	l := planList{most: e.Int64("top"), opt: space.PlanOptions{Loops: e.Bool("loops"), Optimal: e.Bool("all-optimal")}}
	l.wanted = e.IsSet("top") || l.opt.Optimal
	switch {
	case e.IsSet("top") && l.most < 1:
		return l, fmt.Errorf("--top %d: the number of plans is at least 1", l.most)
	case l.opt.Loops && !e.IsSet("top"):
		return l, errors.New("--loops needs --top: with loops there may be infinitely many plans")
	}
	return l, nil
}

// printPlans prints plans as they are found, each judged before.
func (e env) printPlans(g *taskline.Grounded, table *space.Table, list planList) error {
	lim, err := e.SearchLimits(g.Limits, "grounding")
	if err != nil {
		return err
	}
	plans, err := pipeline.NewPlans(e.Context.Context, g.Problem, table, lim, list.opt)
	if err != nil {
		return e.Stopped(err)
	}
	printed, err := plans.Write(e.Stdout, list.most, e.Bool("json"))
	var limit *search.LimitError
	if errors.As(err, &limit) {
		return e.Limited(string(limit.Status), fmt.Sprintf("%s after %s", limit.Status, plural(int(printed), "plan")))
	}
	return err
}

// exhaustGoals computes the distance of the initial state to each goal of --goals.
func (e env) exhaustGoals() error {
	lim, err := e.Limits()
	if err != nil {
		return err
	}
	reprice, err := e.Reprice()
	if err != nil {
		return err
	}
	p, err := taskline.NoMore(e.Task())
	if err != nil {
		return err
	}
	goals, err := e.readGoals(p)
	if err != nil {
		return err
	}
	limits, err := e.SearchLimits(lim, "grounding")
	if err != nil {
		return err
	}
	// Costs change after the goals are read: no file declares what a schedule adds.
	s, err := pipeline.NewGoals(e.Context.Context, p, space.GoalOptions{Limits: limits, Reprice: reprice})
	if err != nil {
		return e.Stopped(err)
	}
	out := bufio.NewWriter(e.Stdout)
	if !e.Bool("json") {
		s.WriteHeader(out)
	}
	reached, err := s.Each(e.Context.Context, goals, func(row *space.GoalDistance) error {
		if e.Bool("json") {
			return rowjson.WriteLine(out, row)
		}
		return row.WriteText(out)
	})
	if ferr := out.Flush(); ferr != nil {
		return ferr
	}
	if err != nil {
		return e.Stopped(err)
	}
	return exit(map[bool]int{true: exitYes, false: exitNo}[reached])
}

// readGoals reads the goals of --goals and reports all lines that hold none.
func (e env) readGoals(p *pddl.Problem) ([]space.Goal, error) {
	src, err := e.ReadSource(e.String("goals"))
	if err != nil {
		return nil, err
	}
	goals, err := space.ReadGoals(p, src)
	var bad *space.BadGoals
	if errors.As(err, &bad) {
		bad.Format(e.Stderr)
	}
	return goals, err
}
