package treesearch

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/search"
)

// budgetTasks returns how many tasks of Budget-BlocksWorld a test plans, evenly spread:
// all of them if PLANPROOF_LONG is set, which takes minutes; a sixth of the few in short mode.
func budgetTasks(few int) int {
	if os.Getenv("PLANPROOF_LONG") != "" {
		return domains.BudgetTasks
	}
	if testing.Short() {
		return few / 6
	}
	return few
}

// TestBudgetBlocksWorld: driven by LM-cut or exact distances, CATS finds cost-optimal plans
// with a proof under every budget, within the paper's 500 expansions, and within the
// expansions that its efficiency allows on average.
func TestBudgetBlocksWorld(t *testing.T) {
	ctx := context.Background()
	n := budgetTasks(36)
	// The paper's efficiencies of 0.98 and 0.93, in rounds of Algorithm 1 until the first plan.
	most := map[string]float64{"table": 10, "lmcut": 35}
	for guide, limit := range most {
		rounds := map[string]int{}
		for i := range n {
			name := fmt.Sprintf("budget-blocksworld:1-%d", 1+i*domains.BudgetTasks/n)
			schedule, err := costmodel.ParseNamed(costmodel.ReferenceSchedule)
			if err != nil {
				t.Fatal(err)
			}
			task := bundled(t, name, schedule.Apply)
			truth, err := search.Run(ctx, task, search.Config{})
			if err != nil {
				t.Fatal(err)
			}
			g, err := NewGuide(ctx, guide, task, search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			s := spaceOf(t, task)
			for level, budget := range map[string]int64{"tight": truth.Cost, "loose": truth.Cost + 42, "unlimited": Unlimited} {
				opt := DefaultOptions()
				opt.Budget = budget
				r, err := NewCATS().Search(ctx, s, g, opt)
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != SolvedOptimally || r.Cost != truth.Cost || r.Expanded > DefaultExpansions {
					t.Errorf("%s, %s, %s: %s at cost %d after %d expansions, optimum %d", name, guide, level, r.Status, r.Cost, r.Expanded, truth.Cost)
				}
				rounds[level] += r.FirstRounds
			}
			opt := DefaultOptions()
			opt.Budget = truth.Cost - 1
			if r, err := NewCATS().Search(ctx, s, g, opt); err != nil || r.Status != NoPlanInBudget || r.LowerBound != truth.Cost {
				t.Errorf("%s, %s, one below the optimum: %+v, %v", name, guide, r, err)
			}
		}
		for level, sum := range rounds {
			if mean := float64(sum) / float64(n); mean > limit {
				t.Errorf("%s, %s: %.1f rounds on average to the first plan, want at most %v", guide, level, mean, limit)
			}
		}
	}
}

// TestBaselinesWithTruth: an evaluator that answers by the exact distances leads every
// method to a plan under every budget.
func TestBaselinesWithTruth(t *testing.T) {
	ctx := context.Background()
	n := budgetTasks(12)
	for i := range n {
		name := fmt.Sprintf("budget-blocksworld:1-%d", 1+i*domains.BudgetTasks/n)
		schedule, err := costmodel.ParseNamed(costmodel.ReferenceSchedule)
		if err != nil {
			t.Fatal(err)
		}
		task := bundled(t, name, schedule.Apply)
		exact, err := NewExact(ctx, task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		best := exact.Bound(Forward, task.Init)
		s := spaceOf(t, task)
		for _, m := range Methods() {
			for _, budget := range []int64{best, best + 42, Unlimited} {
				opt := DefaultOptions()
				opt.Budget = budget
				// Bounds do not prune here: the evaluator alone knows the distances.
				r, err := m.Search(ctx, s, Guide{Evaluator: truthful{exact}}, opt)
				if err != nil {
					t.Fatal(err)
				}
				if !r.HasPlan() || r.Cost > budget {
					t.Errorf("%s, %s, budget %d of %d: %s after %d expansions", name, m.Name(), budget, best, r.Status, r.Expanded)
				}
			}
		}
	}
}

// truthful is a scripted model: good is what lies on a cheapest way from here on.
type truthful struct{ exact *Exact }

func (m truthful) Score(_ context.Context, queries []Query) ([]Score, error) {
	scores := make([]Score, len(queries))
	for i, q := range queries {
		scores[i] = newScore(len(q.Steps))
		here := m.exact.Bound(q.Direction, q.State)
		for k, s := range q.Steps {
			scores[i].Good[k] = -float64(s.Cost + m.exact.Bound(q.Direction, s.Next) - here)
		}
	}
	return scores, nil
}
