package treesearch

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
	"github.com/planproof/planproof/search/space"
)

// TestCorpusAgreement solves the benchmark tasks by every exact way there is, with
// PLANPROOF_LONG all tasks, and 0.3 s of CPU time for each instead of 30 ms: searches from one end and from both, exhaustive
// enumeration, CATS and best-first search. What each proves must be the trusted answer.
func TestCorpusAgreement(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of searches; each way has shorter tests of its own")
	}
	limit := 30 * time.Millisecond
	if os.Getenv("PLANPROOF_LONG") != "" {
		limit = 300 * time.Millisecond
	}
	searches := []string{"ucs()", "astar(blind())", "astar(lmcut())", "nbs(blind())", "nbs(lmcut())"}
	ways := append(append([]string{}, searches...), "exhaust", "cats", "best-first")
	type tally struct{ solved, refused, out int }
	sums := map[string]*tally{}
	for _, w := range ways {
		sums[w] = &tally{}
	}
	tried := 0
	eachCorpusTask(t, func(c corpusTask, _ bool) {
		tried++
		tell := func(way string, solved, unsolvable bool, cost int64) {
			switch {
			case solved && (c.unsolvable || price(c.task, cost) != c.cost):
				t.Errorf("%s, %s: cost %s, want %q (unsolvable: %v)", c.name, way, price(c.task, cost), c.cost, c.unsolvable)
			case unsolvable && !c.unsolvable:
				t.Errorf("%s, %s: unsolvable, want cost %s", c.name, way, c.cost)
			case solved || unsolvable:
				sums[way].solved++
			default:
				sums[way].out++
			}
		}
		for _, s := range searches {
			r, err := search.Run(context.Background(), c.task, search.Config{Search: s, Limits: search.Limits{CPU: limit, Memory: 1 << 30}})
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, s, err)
			}
			if r.Status == search.Unsupported {
				sums[s].refused++
				continue
			}
			tell(s, r.Status == search.SolvedOptimally, r.Status == search.Unsolvable, r.Cost)
		}
		table, err := space.Exhaust(context.Background(), c.task, search.Limits{CPU: limit, Memory: 1 << 30})
		var limited *search.LimitError
		switch {
		case errors.As(err, &limited):
			tell("exhaust", false, false, 0)
		case errors.Is(err, space.ErrNoStateSpace):
			tell("exhaust", false, true, 0)
		case err != nil:
			t.Fatalf("%s, exhaust: %v", c.name, err)
		default:
			d := table.InitialDistance()
			tell("exhaust", !d.DeadEnd, d.DeadEnd, d.Cost)
		}
		for _, m := range []Method{NewCATS(), NewBestFirst()} {
			if r := agreeingTree(t, c, m, limit); r == nil {
				sums[m.Name()].refused++
			} else {
				tell(m.Name(), r.Status == SolvedOptimally, r.Status == Unsolvable, r.Cost)
			}
		}
	})
	for _, w := range ways {
		t.Logf("%-15s %3d of %d answered, %d refused, %d out of time", w, sums[w].solved, tried, sums[w].refused, sums[w].out)
		if sums[w].solved == 0 {
			t.Errorf("%s answered nothing", w)
		}
	}
}

// agreeingTree runs a method with LM-cut, or h-max where LM-cut refuses, without a limit of
// expansions; nil if the method refuses the task. The time includes making the guide, and is
// elapsed time, hence more.
func agreeingTree(t *testing.T, c corpusTask, m Method, limit time.Duration) *Result {
	ctx, cancel := context.WithTimeout(context.Background(), 3*limit)
	defer cancel()
	var refusal *heuristic.Refusal
	g, err := NewGuide(ctx, "lmcut", c.task, search.Limits{})
	if errors.As(err, &refusal) {
		g, err = NewGuide(ctx, "hmax", c.task, search.Limits{})
	}
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	opt := DefaultOptions()
	opt.Expansions = 1 << 20
	r, err := m.Search(ctx, spaceOf(t, c.task), g, opt)
	if errors.Is(err, ErrRegression) {
		return nil
	}
	if err != nil {
		t.Fatalf("%s, %s: %v", c.name, m.Name(), err)
	}
	return r
}
