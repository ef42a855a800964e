package treesearch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

// corpusTask is a benchmark task with a trusted answer.
type corpusTask struct {
	name, cost string
	unsolvable bool
	task       *grounder.Task
}

// eachCorpusTask grounds the benchmark tasks with trusted answers one after the other: those
// that A* finds easy, or all that a translator reads in seconds if PLANPROOF_LONG is set,
// which takes minutes.
func eachCorpusTask(t *testing.T, visit func(c corpusTask, long bool)) {
	dir := testkit.Shared(t, "data", "bench")
	long := os.Getenv("PLANPROOF_LONG") != ""
	for _, row := range testkit.Table(t, "data", "bench", "optimal.csv") {
		c := corpusTask{name: row["domain"] + "/" + row["problem_file"], cost: row["lmcut_cost"]}
		if c.cost == "" {
			c.cost = row["blind_cost"]
		}
		c.unsolvable = row["lmcut_status"] == "unsolvable" || row["blind_status"] == "unsolvable"
		if c.cost == "" && !c.unsolvable {
			continue
		}
		translate, _ := strconv.ParseFloat(row["translate_cpu_s"], 64)
		expanded, err := strconv.Atoi(row["lmcut_expanded"])
		if !long && (translate > 0.15 || err != nil || expanded > 60) || translate > 5 {
			continue
		}
		read := func(file string) *pddl.Source {
			text, err := os.ReadFile(filepath.Join(dir, row["domain"], file))
			if err != nil {
				t.Fatal(err)
			}
			return pddl.NewSourceBytes(file, text)
		}
		c.task = ground(t, read(row["domain_file"]), read(row["problem_file"]), nil)
		visit(c, long)
	}
}

// TestCorpusCosts runs CATS and the best-first baseline, 500 expansions each: what they
// prove must agree with the trusted costs.
func TestCorpusCosts(t *testing.T) {
	tried, proven, found, refused := 0, 0, 0, 0
	eachCorpusTask(t, func(c corpusTask, long bool) {
		tried++
		for _, m := range []Method{NewCATS(), NewBestFirst()} {
			r := planCorpusTask(t, c.name, m, c.task, long)
			switch {
			case r == nil:
				refused++
			case r.Status == Unsolvable && c.unsolvable:
				proven++
			case r.Status == Unsolvable || r.Status == NoPlanInBudget || r.HasPlan() && c.unsolvable:
				t.Errorf("%s, %s: %s", c.name, m.Name(), r.Status)
			case !r.HasPlan():
			case r.Status == SolvedOptimally && price(c.task, r.Cost) != c.cost:
				t.Errorf("%s, %s: optimal cost %s, want %s", c.name, m.Name(), price(c.task, r.Cost), c.cost)
			case r.Status == SolvedOptimally:
				proven++
			default:
				found++
				want, _ := pddl.ParseNumber(c.cost)
				if number(c.task, r.Cost).Cmp(want) < 0 || number(c.task, r.LowerBound).Cmp(want) > 0 {
					t.Errorf("%s, %s: cost %s, bound %s, optimum %s", c.name, m.Name(), price(c.task, r.Cost), price(c.task, r.LowerBound), c.cost)
				}
			}
		}
	})
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
	r, err := m.Search(ctx, spaceOf(t, task), g, DefaultOptions())
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
