package treesearch

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"planproof/grounder"
	"planproof/internal/testkit"
	"planproof/pddl"
	"planproof/search"
	"planproof/search/heuristic"
)

// TestCorpusCosts runs CATS and the best-first baseline on the benchmark tasks with trusted
// optimal costs, 500 expansions each: what they prove must agree. PLANPROOF_LONG takes all
// tasks and minutes; otherwise those that A* finds easy.
func TestCorpusCosts(t *testing.T) {
	dir := testkit.Shared(t, "data", "bench")
	f, err := os.Open(filepath.Join(dir, "optimal.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	long := os.Getenv("PLANPROOF_LONG") != ""
	tried, proven, found, refused := 0, 0, 0, 0
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		cost := row["lmcut_cost"]
		if cost == "" {
			cost = row["blind_cost"]
		}
		unsolvable := row["lmcut_status"] == "unsolvable" || row["blind_status"] == "unsolvable"
		if cost == "" && !unsolvable {
			continue
		}
		translate, _ := strconv.ParseFloat(row["translate_cpu_s"], 64)
		expanded, err := strconv.Atoi(row["lmcut_expanded"])
		if !long && (translate > 0.15 || err != nil || expanded > 60) || translate > 5 {
			continue
		}
		name := row["domain"] + "/" + row["problem_file"]
		read := func(file string) *pddl.Source {
			text, err := os.ReadFile(filepath.Join(dir, row["domain"], file))
			if err != nil {
				t.Fatal(err)
			}
			return pddl.NewSourceBytes(file, text)
		}
		task := ground(t, read(row["domain_file"]), read(row["problem_file"]), nil)
		tried++
		for _, m := range []Method{NewCATS(), NewBestFirst()} {
			r := planCorpusTask(t, name, m, task, long)
			switch {
			case r == nil:
				refused++
			case r.Status == Unsolvable && unsolvable:
				proven++
			case r.Status == Unsolvable || r.Status == NoPlanInBudget || r.HasPlan() && unsolvable:
				t.Errorf("%s, %s: %s", name, m.Name(), r.Status)
			case !r.HasPlan():
			case r.Status == SolvedOptimally && price(task, r.Cost) != cost:
				t.Errorf("%s, %s: optimal cost %s, want %s", name, m.Name(), price(task, r.Cost), cost)
			case r.Status == SolvedOptimally:
				proven++
			default:
				found++
				want, _ := pddl.ParseNumber(cost)
				if number(task, r.Cost).Cmp(want) < 0 || number(task, r.LowerBound).Cmp(want) > 0 {
					t.Errorf("%s, %s: cost %s, bound %s, optimum %s", name, m.Name(), price(task, r.Cost), price(task, r.LowerBound), cost)
				}
			}
		}
	}
	t.Logf("%d tasks, two methods: %d proven, %d more plans, %d refusals", tried, proven, found, refused)
	if proven == 0 || tried == 0 {
		t.Error("nothing was proven: the test shows nothing")
	}
}

// planCorpusTask runs a method under LM-cut, or blind where LM-cut refuses; nil if the
// method refuses the task.
func planCorpusTask(t *testing.T, name string, m Method, task *grounder.Task, long bool) *Result {
	limit := time.Second
	if long {
		limit = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var refusal *heuristic.Refusal
	g, err := NewGuide(ctx, "lmcut", task, search.Limits{})
	if errors.As(err, &refusal) {
		g, err = NewGuide(ctx, "blind", task, search.Limits{})
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r, err := m.Search(ctx, space(t, task), g, DefaultOptions())
	if errors.Is(err, ErrRegression) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func number(task *grounder.Task, cost int64) pddl.Number {
	return task.CostBase.Add(task.CostUnit.Mul(pddl.Int(cost)))
}

func price(task *grounder.Task, cost int64) string { return number(task, cost).String() }
