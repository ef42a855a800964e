package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"

	"github.com/urfave/cli/v2"
)

var solveCommand = command{
	name: "solve", usage: "find a cost-optimal plan, or prove that there is none", args: "DOMAIN PROBLEM",
	long: `
Prints the plan in the IPC's format, ending in "; cost = N". The plan has been
judged by the validator, which shares no code with the search, before it is
printed; its cost is optimal. Exit codes: 0 solved; 1 proven unsolvable; 2 bad input
or an unsupported feature; 3 a limit came first.

Searches: auto() (the default) runs A* with LM-cut and blind A* in turn and lets the
first one answer; astar(lmcut()), astar(pdb()), astar(hmax()), astar(blind()), ucs(); from
both ends nbs(lmcut()), nbs(hmax()), nbs(blind()).
planproof capabilities shows what each supports.

   planproof solve domain.pddl problem.pddl -o plan.txt
   planproof solve blocksworld:4-17 --json
   planproof solve blocksworld:6-5 --schedule 'pick-up=1,unstack=1,put-down=20,stack=1'
   planproof solve domain.pddl problem.pddl --search 'astar(blind())' --time 5m --memory 8GB
   planproof solve domain.pddl problem.pddl --certificate proof.cert.gz

--certificate writes a proof that no cheaper plan exists, or none at all, for
planproof check-certificate; it is compressed if FILE ends in .gz. If a limit comes
before the certificate, the plan is printed all the same and the exit code is 3.`,
	flags: append([]cli.Flag{
		&cli.StringFlag{Name: "search", Usage: "search `STRING`, such as astar(lmcut())", Value: "auto()"},
		&cli.StringFlag{Name: "heuristic", Usage: "short for --search 'astar(NAME())'"},
		&cli.Int64Flag{Name: "nodes", Usage: "end after `N` expansions"},
		&cli.IntFlag{Name: "threads", Usage: "accepted for compatibility: the search uses one thread, so that its answer never depends on timing", Value: 1},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the plan to `FILE`"},
		&cli.StringFlag{Name: "certificate", Usage: "write a proof of the answer to `FILE`"},
		strictFlag, scheduleFlag,
	}, limitFlags()...),
	action: solve,
}

// solveReport is the object that solve --json prints.
type solveReport struct {
	Status search.Status `json:"status"`
	foundPlan
	Reason string `json:"reason,omitempty"`

	Search                string      `json:"search"`
	InitialH              json.Number `json:"initial_h,omitempty"`
	Expanded              int64       `json:"expanded"`
	Backward              int64       `json:"expanded_backward,omitempty"`
	ExpandedUntilLastJump int64       `json:"expanded_until_last_jump"`
	Evaluated             int64       `json:"evaluated"`
	Generated             int64       `json:"generated"`
	DeadEnds              int64       `json:"dead_ends"`
	GroundCPU             float64     `json:"ground_cpu_s"`
	SearchCPU             float64     `json:"search_cpu_s"`
	PeakKB                int64       `json:"peak_kb"`

	*certificateReport
}

func solve(e env) error {
	config := e.String("search")
	if h := e.String("heuristic"); h != "" {
		if e.IsSet("search") {
			return errors.New("--heuristic and --search exclude each other")
		}
		config = "astar(" + strings.TrimSuffix(h, "()") + "())"
	}
	if _, err := search.Canonical(config); err != nil {
		return err
	}
	if err := e.outputs("output", "certificate"); err != nil {
		return err
	}
	if err := e.certificatePath(); err != nil {
		return err
	}
	g, err := e.groundTask()
	if err != nil {
		return err
	}
	left, ok := g.limits.left()
	if !ok {
		return e.limited("timeout", "the time limit ended grounding")
	}
	progress := e.searchProgress()
	res, err := search.Run(e.Context.Context, g.task, search.Config{
		Search:   config,
		Limits:   search.Limits{Wall: left, Memory: g.limits.memory, Nodes: e.Int64("nodes")},
		Observer: progress,
	})
	progress.done()
	if err != nil {
		return err
	}
	report := newSolveReport(g, res)
	if res.Status == search.Timeout && e.interrupted() {
		report.Reason = statusInterrupted
	}
	if res.Status == search.SolvedOptimally || res.Status == search.Solved {
		plan, verdict, err := judgeFound(g, res)
		if err != nil {
			return err
		}
		if report.foundPlan, err = e.reportPlan(g, plan, verdict); err != nil {
			return err
		}
	}
	if e.IsSet("certificate") {
		report.certificateReport, err = e.certify(g, res)
		if err != nil {
			return err
		}
	}
	return e.solved(g, report)
}

func newSolveReport(g *grounded, res *search.Result) *solveReport {
	r := &solveReport{
		Status: res.Status, Reason: res.Reason, Search: res.Search,
		Expanded: res.Expanded, Backward: res.Backward, ExpandedUntilLastJump: res.ExpandedUntilLastJump,
		Evaluated: res.Evaluated, Generated: res.Generated, DeadEnds: res.DeadEnds,
		GroundCPU: round3(g.cpu), SearchCPU: round3(res.SearchCPUSeconds), PeakKB: peakKB(),
	}
	if res.InitialH >= 0 && res.Evaluated > 0 {
		// A fraction such as 10/3 is no JSON number; it is left out rather than rounded.
		if h := g.task.CostUnit.Mul(pddl.Int(res.InitialH)).String(); !strings.Contains(h, "/") {
			r.InitialH = json.Number(h)
		}
	}
	return r
}

func round3(s float64) float64 { return float64(int64(s*1000+0.5)) / 1000 }

// judgeFound judges the plan that search found. A plan that the judge refuses, or
// prices differently, is a bug in planproof and never an answer.
func judgeFound(g *grounded, res *search.Result) ([]string, *validator.Verdict, error) {
	plan := make([]string, len(res.Plan))
	for i, op := range res.Plan {
		plan[i] = g.task.OperatorName(op)
	}
	parsed, diags := pddl.ParsePlan(pddl.NewSource("found plan", strings.Join(plan, "\n")+"\n"))
	if diags.HasErrors() {
		return nil, nil, fmt.Errorf("internal error: the plan found cannot be read: %v", diags)
	}
	judge, err := validator.NewJudge(g.problem, validator.Options{})
	if err != nil {
		return nil, nil, fmt.Errorf("the plan found cannot be judged, so it is not printed: %w", err)
	}
	v := judge.Validate(parsed)
	want := g.task.CostBase.Add(g.task.CostUnit.Mul(pddl.Int(res.Cost)))
	if !v.Valid || !v.CostDefined || !v.Cost.Equal(want) {
		return nil, nil, fmt.Errorf("internal error: search found a plan of cost %s that the judge refuses or prices otherwise (valid %v, cost %s): please report it", want, v.Valid, v.Cost)
	}
	return plan, v, nil
}

// foundPlan is what reports tell of a plan that was found and judged.
type foundPlan struct {
	Cost      *string  `json:"cost,omitempty"`
	TotalCost *string  `json:"total_cost,omitempty"`
	Steps     *int     `json:"steps,omitempty"`
	Plan      []string `json:"plan,omitempty"`
}

// reportPlan writes a judged plan where it was asked for and returns what reports tell of it.
func (e env) reportPlan(g *grounded, plan []string, v *validator.Verdict) (foundPlan, error) {
	if e.String("output") != "" || !e.Bool("json") {
		if err := e.writePlan(g, plan, v); err != nil {
			return foundPlan{}, err
		}
	}
	cost := v.Cost.String()
	f := foundPlan{Cost: &cost, Steps: &v.Steps, Plan: plan}
	if v.HasTotalCost {
		total := v.TotalCost.String()
		f.TotalCost = &total
	}
	return f, nil
}

// writePlan writes the plan in the IPC's format to --output, or standard output.
func (e env) writePlan(g *grounded, plan []string, v *validator.Verdict) error {
	path := e.String("output")
	if path == "" {
		path = "-"
	}
	return e.writeFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for _, step := range plan {
			fmt.Fprintln(b, step)
		}
		kind := "unit cost"
		if g.task.Metric {
			kind = "general cost"
		}
		fmt.Fprintf(b, "; cost = %s (%s)\n", v.Cost, kind)
		return b.Flush()
	})
}

// solved prints the outcome and sets the exit code.
func (e env) solved(g *grounded, r *solveReport) error {
	code := map[search.Status]int{
		search.SolvedOptimally: exitYes, search.Solved: exitYes, search.Unsolvable: exitNo,
		search.Timeout: exitLimit, search.Memout: exitLimit, search.Nodeout: exitLimit, search.Unsupported: exitBad,
	}[r.Status]
	answer := code
	if r.certificateReport != nil && r.CertificateError != "" {
		fmt.Fprintf(e.err, "planproof: no certificate: %s\n", r.CertificateError)
		if code < exitBad {
			code = exitLimit
		}
	}
	if e.Bool("json") {
		if answer == exitLimit {
			fmt.Fprintf(e.err, "planproof: %s before an answer\n", cmp.Or(r.Reason, string(r.Status)))
		}
		if err := printJSON(e.out, r); err != nil {
			return err
		}
		return exit(code)
	}
	stats := fmt.Sprintf("%s; %d expanded, %d evaluated, %d generated; %.2f s grounding, %.2f s search, %d MB",
		r.Search, r.Expanded, r.Evaluated, r.Generated, r.GroundCPU, r.SearchCPU, r.PeakKB/1024)
	switch answer {
	case exitYes:
		fmt.Fprintf(e.err, "optimal: cost %s in %s; %s\n", *r.Cost, plural(*r.Steps, "step"), stats)
	case exitNo:
		fmt.Fprintf(e.out, "unsolvable: no plan exists\n")
		fmt.Fprintf(e.err, "proven by %s\n", stats)
	case exitLimit:
		fmt.Fprintf(e.err, "no answer: %s; %s\n", cmp.Or(r.Reason, string(r.Status)), stats)
	default:
		fmt.Fprintf(e.err, "unsupported: %s\n", r.Reason)
	}
	if r.certificateReport != nil && r.CertificateError == "" {
		fmt.Fprintf(e.err, "certificate: %s, %d bytes, %s, made in %.2f s\n", r.Certificate, r.CertificateBytes, plural(r.CertificateStates, "state"), r.CertificateCPU)
	}
	return exit(code)
}

// searchObserver shows on a terminal how a search gets on.
type searchObserver struct{ *liveLine }

func (e env) searchProgress() searchObserver { return searchObserver{e.liveLine()} }

// Progress implements search.Observer.
func (o searchObserver) Progress(r *search.Result) {
	if o.w != nil {
		o.show(fmt.Sprintf("%s  %d expanded, %d evaluated, %d states", r.Search, r.Expanded, r.Evaluated, r.States))
	}
}

var _ search.Observer = searchObserver{}
