package search

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// corpusRow is a line of the table of trusted optimal costs.
type corpusRow map[string]string

func corpus(tb testing.TB) (dir string, rows []corpusRow) {
	tb.Helper()
	dir = testkit.Shared(tb, "data", "bench")
	f, err := os.Open(filepath.Join(dir, "optimal.csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := corpusRow{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return dir, rows
}

// seconds is the least CPU time that a trusted search took.
func (r corpusRow) seconds() float64 {
	best := 1e9
	for _, k := range []string{"lmcut_search_s", "blind_search_s"} {
		if s, err := strconv.ParseFloat(r[k], 64); err == nil {
			best = min(best, s)
		}
	}
	return best
}

func (r corpusRow) cost() string {
	if r["lmcut_cost"] != "" {
		return r["lmcut_cost"]
	}
	return r["blind_cost"]
}

func (r corpusRow) ground(tb testing.TB, dir string) *grounder.Task {
	tb.Helper()
	read := func(name string) *pddl.Source {
		path := filepath.Join(dir, r["domain"], name)
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		return pddl.NewSourceBytes(path, text)
	}
	dom, ds := pddl.ParseDomain(read(r["domain_file"]), pddl.Options{})
	if dom == nil {
		tb.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(read(r["problem_file"]), dom, pddl.Options{})
	if prob == nil {
		tb.Fatal(ds)
	}
	task, err := grounder.Ground(context.Background(), prob, grounder.Options{})
	if err != nil {
		tb.Fatalf("%s/%s: %v", r["domain"], r["problem_file"], err)
	}
	return task
}

// TestCorpusCosts solves benchmark tasks with every configuration that is quick enough and
// compares with trusted costs.
func TestCorpusCosts(t *testing.T) {
	testkit.Long(t)
	dir, rows := corpus(t)
	const limit = 0.02
	solved := 0
	for _, row := range rows {
		if tr, err := strconv.ParseFloat(row["translate_cpu_s"], 64); err != nil || tr > 1 {
			continue // grounding is tested elsewhere
		}
		unsolvable := row["blind_status"] == "unsolvable" || row["lmcut_status"] == "unsolvable"
		if row.cost() == "" && !unsolvable || row.seconds() > limit && !unsolvable {
			continue
		}
		name := row["domain"] + "/" + row["problem_file"]
		task := row.ground(t, dir)
		for _, s := range optimalSearches {
			r, err := Run(context.Background(), task, Config{Search: s, Limits: Limits{Nodes: 20000, CPU: 20 * time.Second}})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch {
			case refused(task, s, r):
			case r.Status == Nodeout && s != "auto()":
			case unsolvable && r.Status == Unsolvable:
				solved++
			case r.Status != SolvedOptimally || price(task, r.Cost) != row.cost():
				t.Errorf("%s, %s: %s at cost %d, want %q", name, s, r.Status, r.Cost, row.cost())
			default:
				if cost, goal := (tasktest.Naive{Task: task}).Replay(r.Plan); cost != r.Cost || !goal {
					t.Errorf("%s, %s: the plan does not replay", name, s)
				}
				solved++
			}
		}
	}
	if solved < 100 {
		t.Errorf("only %d runs solved a task", solved)
	}
}

// price writes a cost in the units of the problem.
func price(task *grounder.Task, cost int64) string {
	return task.CostBase.Add(task.CostUnit.Mul(pddl.Int(cost))).String()
}

// TestCorpusExpansions compares, on the translator's own output, with the trusted number of
// states expanded before the last jump of f, which does not depend on tie-breaking: equal
// for blind search. (Our grounder may drop or merge states, hence only tasks where the
// initial estimate and the operators agree.)
func TestCorpusExpansions(t *testing.T) {
	testkit.Long(t)
	dir, rows := corpus(t)
	same := 0
	for _, row := range rows {
		jump := row["blind_expanded_until_last_jump"]
		if s, err := strconv.ParseFloat(row["blind_search_s"], 64); err != nil || s > 0.02 || jump == "" || row["blind_cost"] == "" {
			continue
		}
		if tr, err := strconv.ParseFloat(row["translate_cpu_s"], 64); err != nil || tr > 1 {
			continue
		}
		task := row.ground(t, dir)
		if fmt.Sprint(task.Operators.Len()) != row["operators"] || fmt.Sprint(len(task.Variables)) != row["variables"] {
			continue
		}
		r, err := Run(context.Background(), task, Config{Search: "astar(blind())"})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.ExpandedUntilLastJump); got != jump {
			t.Errorf("%s/%s: %s expanded until the last jump, want %s", row["domain"], row["problem_file"], got, jump)
		} else {
			same++
		}
	}
	if same < 10 {
		t.Errorf("only %d tasks could be compared", same)
	}
}
