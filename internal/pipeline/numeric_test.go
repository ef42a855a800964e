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
	one := func(t *rapid.T) {
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
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			one(t)
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

// TestNaiveDefinedness: the reference tells states apart by which fluents have a value, also those that only
// effects change: increasing one without a value fails.
func TestNaiveDefinedness(t *testing.T) {
	const domain = `(define (domain d) (:requirements :numeric-fluents) (:predicates (done)) (:functions (u))
		(:action begin :parameters () :effect (assign (u) 1))
		(:action end :parameters () :effect (and (increase (u) 1) (done))))`
	if got := naive.NewNumeric(domain, `(define (problem p) (:domain d) (:init) (:goal (done)))`).Solve(100); !got.Solved || len(got.Plan) != 2 {
		t.Errorf("%v %v", got.Solved, got.Plan)
	}
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

// TestNumericEdges: numbers without end, fluents without a value, effects that conflict.
func TestNumericEdges(t *testing.T) {
	for name, c := range map[string]struct {
		actions, goal string
		status        search.Status
		cost, reason  string
	}{
		"beyond 63 bits": {`(:action a :effect (and (scale-up (n) 1000) (increase (total-cost) 1)))`, `(= (n) -1)`,
			search.Unsupported, "", "values of fluents exceed 63 bits"},
		"a cheaper plan might pass beyond 63 bits": {`(:action a :effect (and (scale-up (n) 1000000) (increase (total-cost) 1)))
			(:action b :precondition (>= (n) 2000000000000000000) :effect (g))
			(:action c :effect (and (g) (increase (total-cost) 9)))`, `(g)`,
			search.Unsupported, "", "values of fluents exceed 63 bits"},
		"no cheaper plan can": {`(:action a :effect (and (scale-up (n) 1000000) (increase (total-cost) 1)))
			(:action c :effect (and (g) (increase (total-cost) 2)))`, `(and (g) (>= (n) 1))`, search.SolvedOptimally, "2", ""},
		"a difference of a missing value is none": {`(:action a :effect (and (assign (u) 5) (increase (total-cost) 3)))`, `(>= (- (u) (u)) 0)`,
			search.SolvedOptimally, "3", ""},
		"reading a missing value": {`(:action a :effect (and (assign (n) (u)) (increase (total-cost) 1))) (:action b :effect (and (assign (u) 7) (increase (total-cost) 1)))`,
			`(> (n) 6)`, search.SolvedOptimally, "2", ""},
		"assigning twice conflicts":   {`(:action a :effect (and (assign (n) 2) (when (g) (assign (n) 2)) (g)))`, `(and (g) (= (n) 2))`, search.SolvedOptimally, "0", ""},
		"and forbids the second step": {`(:action a :effect (and (assign (n) (+ (n) 1)) (when (g) (assign (n) (+ (n) 1))) (g)))`, `(= (n) 3)`, search.Unsolvable, "", ""},
		"fractions":                   {`(:action a :effect (and (increase (n) (/ 1 3)) (increase (total-cost) (/ 1 7))))`, `(= (n) 2)`, search.SolvedOptimally, "3/7", ""},
	} {
		p := read(t, "(define (domain d) (:requirements :adl :numeric-fluents) (:predicates (g)) (:functions (n) (u) (total-cost))\n"+c.actions+")",
			"(define (problem x) (:domain d) (:init (= (n) 1) (= (total-cost) 0)) (:goal "+c.goal+") (:metric minimize (total-cost)))")
		for _, s := range numericSearches {
			a, err := Solve(context.Background(), p, Options{Search: search.Config{Search: s}})
			switch {
			case err != nil:
				t.Errorf("%s by %s: %v", name, s, err)
			case a.Status != c.status || !strings.Contains(a.Reason, c.reason) || c.cost != "" && a.Cost.String() != c.cost:
				t.Errorf("%s by %s: %s %s %s, want %s %s %s", name, s, a.Status, a.Cost, a.Reason, c.status, c.cost, c.reason)
			}
		}
	}
}
