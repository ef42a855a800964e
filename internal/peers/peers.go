// Package peers reads the published results of other optimal planners, chooses samples of their tasks, and solves
// these, for figures side by side:
//
//	bench/peers-optimal.csv ─► Read ─► Sample ─► Row.Solve ─► status and cost beside theirs
package peers

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Row is a task with what others needed for it.
type Row struct {
	Suite, Problem string
	Cost           string // optimal
	// Seconds are the search times of the planners that solved it, by name.
	Seconds map[string]float64
}

// Read reads the published table: suite, problem file, cost, and a column of seconds for each planner.
func Read(r io.Reader) ([]Row, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || len(lines[0]) < 3 {
		return nil, fmt.Errorf("a table of peers begins with suite, problem_file, cost")
	}
	var rows []Row
	for _, l := range lines[1:] {
		row := Row{Suite: l[0], Problem: l[1], Cost: l[2], Seconds: map[string]float64{}}
		for i, name := range lines[0][3:] {
			if l[3+i] == "" {
				continue
			}
			if row.Seconds[name], err = strconv.ParseFloat(l[3+i], 64); err != nil {
				return nil, fmt.Errorf("%s/%s, %s: %w", row.Suite, row.Problem, name, err)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// otherTasks are suites whose rows are, in whole or in part, of tasks with the same file names in another collection
// (Autoscale 21.11), which the authors ran, too: docs/BENCHMARKS.md has the evidence.
var otherTasks = []string{"depot", "driverlog", "pathways", "rovers", "storage", "tpp", "zenotravel"}

// Comparable leaves out the rows that are not of the tasks that they name.
func Comparable(rows []Row) (out []Row) {
	for _, r := range rows {
		if !slices.Contains(otherTasks, r.Suite) {
			out = append(out, r)
		}
	}
	return out
}

// Sample draws n rows, or all if there are no more, the same for the same seed: from each suite in turn, so that small
// suites count as much as large ones.
func Sample(rows []Row, n int, seed uint64) []Row {
	bySuite := map[string][]Row{}
	var suites []string
	for _, r := range rows {
		if bySuite[r.Suite] == nil {
			suites = append(suites, r.Suite)
		}
		bySuite[r.Suite] = append(bySuite[r.Suite], r)
	}
	sort.Strings(suites)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, s := range suites {
		list := bySuite[s]
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	var out []Row
	for i := 0; len(out) < min(n, len(rows)); i++ {
		for _, s := range suites {
			if i < len(bySuite[s]) && len(out) < n {
				out = append(out, bySuite[s][i])
			}
		}
	}
	return out
}

// DomainFile finds the domain of a problem in the layout of the public benchmark collection. It returns "" where
// the files are not there.
func DomainFile(dir, problem string) string {
	base := strings.TrimSuffix(problem, ".pddl")
	first, _, _ := strings.Cut(base, "-")
	for _, name := range []string{
		"domain_" + problem, base + "-domain.pddl", "domain-" + problem, first + "-domain.pddl", "domain-" + base + ".pddl",
		strings.Replace(problem, "problem", "domain", 1), "domain.pddl",
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil && name != problem {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// Answer is the outcome for a row. Cost is in the units of the problem.
type Answer struct {
	Status  search.Status
	Cost    string
	Search  string
	Seconds float64
}

// Solve grounds and solves the task of a row within an amount of CPU time; the plan is judged. dir is the collection.
// An error says that a file is missing or cannot be read, or that the judge disagrees.
func (r Row) Solve(ctx context.Context, dir, searchString string, cpu time.Duration, memory int64) (*Answer, error) {
	suite := filepath.Join(dir, r.Suite)
	name := DomainFile(suite, r.Problem)
	if name == "" {
		return nil, fmt.Errorf("%s/%s: no domain", r.Suite, r.Problem)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	dom, diags := pddl.ParseDomain(pddl.NewSourceBytes(name, text), pddl.Options{})
	if dom == nil {
		return nil, diags
	}
	name = filepath.Join(suite, r.Problem)
	if text, err = os.ReadFile(name); err != nil {
		return nil, err
	}
	prob, diags := pddl.ParseProblem(pddl.NewSourceBytes(name, text), dom, pddl.Options{})
	if prob == nil {
		return nil, diags
	}
	began := time.Now()
	task, err := grounder.Ground(ctx, prob, grounder.Options{})
	if err != nil {
		return nil, err
	}
	grounding := time.Since(began)
	a, err := pipeline.Search(ctx, prob, task, pipeline.Options{Search: search.Config{
		Search: searchString, Limits: search.Limits{CPU: max(cpu-grounding, time.Millisecond), Memory: memory},
	}})
	if err != nil {
		return nil, err
	}
	out := &Answer{Status: a.Status, Search: a.Search, Seconds: grounding.Seconds() + a.SearchCPUSeconds}
	if a.Status == search.SolvedOptimally {
		out.Cost = task.PlanCost(a.Result.Cost).String()
	}
	return out, nil
}
