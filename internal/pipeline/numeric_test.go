package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// TestNumericTasks: tasks of the kinds that real planners use, with their optima.
func TestNumericTasks(t *testing.T) {
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join("testdata", "numeric", name+".pddl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, want := range map[string]string{"sailing-1": "8", "drone-1": "11", "factory-1": "14"} {
		kind, _, _ := strings.Cut(name, "-")
		domain, problem := text(kind+"-domain"), text(name)
		if n := naive.NewNumeric(domain, problem).Solve(3000); !n.Solved || n.Cost.RatString() != want {
			t.Errorf("%s: by definition %v %v", name, n.Cost, n.Plan)
		}
		for _, s := range numericSearches {
			a, err := Solve(context.Background(), read(t, domain, problem), Options{Search: search.Config{Search: s}})
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != search.SolvedOptimally || a.Cost.String() != want {
				t.Errorf("%s by %s: %s %s, want %s", name, s, a.Status, a.Cost, want)
			}
		}
	}
}
