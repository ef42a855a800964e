package treesearch

import (
	"context"
	"math"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

// preferring is a script: the actions of one schema are good, all others a little less.
type preferring struct {
	task   *grounder.Task
	schema int32
}

func (p preferring) Score(_ context.Context, queries []Query) ([]Score, error) {
	scores := make([]Score, len(queries))
	for i, q := range queries {
		scores[i] = newScore(len(q.Steps))
		for k, s := range q.Steps {
			if p.task.Operators.Schema(int(s.Op)) != p.schema {
				scores[i].Good[k] = -1
			}
		}
	}
	return scores, nil
}

// TestGivingUp: a beam, a number of branches or a depth that cuts off the only plan ends
// without an answer, never with a proof that there is none.
func TestGivingUp(t *testing.T) {
	// The way leads over x1; the script prefers y.
	task := line(t, "x2", "x0 y0 > y1 = 1", "y1 > y2 = 1", "x0 y0 > x1 = 1", "x1 > x2 = 1")
	misled := Guide{Evaluator: preferring{task, 0}}
	for _, c := range []struct {
		what string
		m    Method
		want Status
	}{
		{"beam 1", &ToT{Beam: 1}, GaveUp},
		{"beam 2", &ToT{Beam: 2}, Solved},
		{"one branch", &ToTDFS{Branches: 1}, GaveUp},
		{"all branches", &ToTDFS{}, Solved},
		{"depth 1", &ToTDFS{Depth: 1}, GaveUp},
		{"depth 2", &ToTDFS{Depth: 2}, Solved},
		{"paths of one step", &RAP{Exploration: 1, Depth: 1}, GaveUp},
		{"paths of two steps", &RAP{Exploration: 1, Depth: 2}, Solved},
	} {
		r, err := c.m.Search(context.Background(), spaceOf(t, task), misled, DefaultOptions())
		if err != nil || r.Status != c.want {
			t.Errorf("%s: %+v, %v, want %s", c.what, r, err, c.want)
		}
	}
}

// TestHugeCosts: what only paths beyond 63 bits could reach is no proof of anything.
func TestHugeCosts(t *testing.T) {
	task := line(t, "x2", "x0 > x1 = 1", "x1 > x2 = 1")
	for _, costs := range [][2]int64{{math.MaxInt64 - 1, math.MaxInt64 - 1}, {math.MaxInt64 / 2, math.MaxInt64/2 + 2}, {math.MaxInt64 - 1, 1}} {
		task.Operators.SetCost(0, costs[0])
		task.Operators.SetCost(1, costs[1])
		for _, name := range []string{"uniform", "blind", "hmax", "lmcut"} {
			guide, err := NewGuide(context.Background(), name, task, search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range Methods() {
				opt := DefaultOptions()
				r, err := m.Search(context.Background(), spaceOf(t, task), guide, opt)
				if err != nil || r.Status != GaveUp || r.LowerBound == heuristic.DeadEnd {
					t.Errorf("%v, %s, %s: %+v, %v", costs, m.Name(), name, r, err)
				}
				opt.Budget = math.MaxInt64 - 1 // which no plan is within
				r, err = m.Search(context.Background(), spaceOf(t, task), guide, opt)
				if err != nil || r.Status != NoPlanInBudget {
					t.Errorf("%v, %s, %s, within %d: %+v, %v", costs, m.Name(), name, opt.Budget, r, err)
				}
			}
		}
	}
}

// TestDeadLeaf: a node that was expanded in vain counts as a leaf for the other tree.
func TestDeadLeaf(t *testing.T) {
	task := line(t, "x2", "x0 > x1 = 1", "x0 > y1 = 1", "y1 > x2 = 1")
	s := spaceOf(t, task)
	r := newForwardRun(context.Background(), s, Guide{Evaluator: Uniform{}}, DefaultOptions(), "test")
	r.forward.addRoot(s.initial(), 0)
	kept, err := r.grow(0)
	if err != nil || len(kept) != 2 {
		t.Fatal(kept, err)
	}
	if nothing, err := r.grow(kept[0].id); err != nil || len(nothing) != 0 {
		t.Fatal(nothing, err)
	}
	if dead, root := r.forward.nodes[kept[0].id], r.forward.nodes[0]; !dead.leaf || dead.open || root.leaf {
		t.Errorf("dead end %+v, root %+v", dead, root)
	}
}
