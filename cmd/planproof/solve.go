package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/cmdline"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/certificate"
)

var solveCommand = command{
	name: "solve", usage: "find a cost-optimal plan, or prove that there is none", args: "DOMAIN PROBLEM",
	spec:      `search=auto() heuristic nodes:int64 threads:int=1 first:bool goal step output,o certificate +keep-old +strict +schedule +limits`,
	wholeTime: true, wholeMemory: true,
	action: solve,
}

// solveReport is the object that solve --json prints.
type solveReport struct {
	pipeline.Report
	GroundCPU float64 `json:"ground_cpu_s"`
	SearchCPU float64 `json:"search_cpu_s"`
	PeakKB    int64   `json:"peak_kb"`

	*certificate.Saved
}

func solve(e env) error {
	config, err := e.searchConfig()
	if err != nil {
		return err
	}
	if err := e.Outputs("output", "certificate"); err != nil {
		return err
	}
	if err := e.certificatePath(); err != nil {
		return err
	}
	defer e.RemoveStale("output", "certificate")()
	g, a, err := e.Solve(search.Config{Search: config, Threads: e.Int("threads")})
	if err != nil {
		return err
	}
	report := &solveReport{Report: a.Report(), GroundCPU: round3(g.CPU), SearchCPU: round3(a.SearchCPUSeconds), PeakKB: cmdline.PeakKB()}
	if a.Status == search.Timeout && e.Interrupted() {
		report.Reason = cmdline.Interrupted
	}
	if err := e.writePlan(a); err != nil {
		return err
	}
	if e.IsSet("certificate") {
		report.Saved, err = e.certify(g, a.Result)
		if err != nil {
			return err
		}
	}
	return e.solved(report)
}

// searchConfig returns the search that --search or --heuristic names.
func (e env) searchConfig() (string, error) {
	config := e.String("search")
	if h := e.String("heuristic"); h != "" {
		if e.IsSet("search") {
			return "", errors.New("--heuristic and --search exclude each other")
		}
		config = "astar(" + strings.TrimSuffix(h, "()") + "())"
	}
	if e.Bool("first") {
		if e.IsSet("search") || e.IsSet("heuristic") {
			return "", errors.New("--first excludes --search and --heuristic")
		}
		config = "lazy()"
	}
	_, err := search.Canonical(config)
	return config, err
}

func round3(s float64) float64 { return float64(int64(s*1000+0.5)) / 1000 }

// writePlan writes the plan of an answer, if there is one, in the IPC's format to --output,
// or to standard output unless that is for JSON.
func (e env) writePlan(a *pipeline.Answer) error {
	path := e.String("output")
	if a.Verdict == nil && (a.Bounds == nil || a.Bounds.Upper == nil) || path == "" && e.Bool("json") {
		return nil
	}
	return e.WriteFile(cmp.Or(path, "-"), a.WritePlan)
}

// solved prints the outcome and sets the exit code.
func (e env) solved(r *solveReport) error {
	code := map[search.Status]int{
		search.SolvedOptimally: exitYes, search.Solved: exitYes, search.Unsolvable: exitNo,
		search.Timeout: exitLimit, search.Memout: exitLimit, search.Nodeout: exitLimit, search.Unsupported: exitBad,
	}[r.Status]
	answer := code
	if r.Saved != nil && r.Saved.Error != "" {
		fmt.Fprintf(e.Stderr, "planproof: no certificate: %s\n", r.Saved.Error)
		if code < exitBad {
			code = exitLimit
		}
	}
	if e.Bool("json") {
		if answer == exitLimit {
			fmt.Fprintf(e.Stderr, "planproof: %s before an answer\n", cmp.Or(r.Reason, string(r.Status)))
		}
		if err := rowjson.WriteLine(e.Stdout, r); err != nil {
			return err
		}
		return exit(code)
	}
	r.WriteText(e.Stdout, e.Stderr, fmt.Sprintf("%.2f s grounding, %.2f s search, %d MB", r.GroundCPU, r.SearchCPU, r.PeakKB/1024))
	if r.Saved != nil && r.Saved.Error == "" {
		fmt.Fprintf(e.Stderr, "certificate: %s, %d bytes, %s, made in %.2f s\n", r.Saved.Path, r.Saved.Bytes, plural(r.Saved.States, "state"), r.Saved.CPU)
	}
	return exit(code)
}
