package pipeline

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

var numericSearches = []string{"ucs()", "astar(blind())", "astar(hmax())", "astar(lmcut())", "auto()"}

// TestNumericAgainstNaive: all searches find the cost that a planner which evaluates the text
// finds, and the judge confirms it.
func TestNumericAgainstNaive(t *testing.T) {
	solved, decided, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		choose := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "choice") }
		domain, problem := tasktest.NumericText(choose, choose(0, 2) == 0)
		want := naive.NewNumeric(domain, problem).Solve(300)
		p := parse(t, domain, problem)
		for _, s := range numericSearches {
			a, err := Solve(context.Background(), p, Options{Search: search.Config{Search: s, Limits: search.Limits{Nodes: 20000}}})
			var diags pddl.Diagnostics
			if errors.As(err, &diags) && diags[0].Code == "unsupported-numeric-fluents" {
				refused++
				return
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s\n%s", s, err, domain, problem)
			}
			if !want.Decided || a.Status == search.Nodeout { // free steps can lead on without end
				continue
			}
			decided++
			switch {
			case a.Status == search.Unsupported:
				t.Fatalf("%s: %s %s\n%s\n%s", s, a.Status, a.Reason, domain, problem)
			case want.Solved != (a.Status == search.SolvedOptimally):
				t.Fatalf("%s: %s, solved by definition %v %v\n%s\n%s", s, a.Status, want.Solved, want.Plan, domain, problem)
			case want.Solved:
				solved++
				if !a.Cost.Equal(pddl.FromRat(want.Cost)) {
					t.Fatalf("%s: cost %s, by definition %s %v\n%s\n%s", s, a.Cost, want.Cost.RatString(), want.Plan, domain, problem)
				}
			}
		}
	})
	t.Logf("%d answers compared, %d with a plan; %d refused", decided, solved, refused)
	if solved < 20 {
		t.Errorf("only %d plans: the random tasks are no test", solved)
	}
}

func parse(t *rapid.T, domain, problem string) *pddl.Problem {
	d, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
	if d == nil {
		t.Fatal(ds, domain)
	}
	p, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), d, pddl.Options{})
	if p == nil {
		t.Fatal(ds, problem)
	}
	return p
}
