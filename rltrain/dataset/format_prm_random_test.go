package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/search"
)

// randomTask writes a task whose actions have what goes wrong: steps that cost nothing, that
// only take something away, that change nothing of what the goal depends on, negative and
// disjunctive conditions, conditional effects, derived facts, ways that lead nowhere.
func randomTask(rng *rand.Rand) (domain, problem string) {
	facts := []string{"(p)", "(q)", "(r)", "(s)", "(on ?x)", "(off ?x)"}
	literal := func(from []string) string {
		f := from[rng.IntN(len(from))]
		if rng.IntN(3) == 0 {
			return "(not " + f + ")"
		}
		return f
	}
	several := func(least, most int, one func() string) string {
		out := "(and"
		for range least + rng.IntN(most-least+1) {
			out += " " + one()
		}
		return out + ")"
	}
	tested := append([]string{"(some)"}, facts...)
	condition := func() string {
		if rng.IntN(4) == 0 {
			return fmt.Sprintf("(or %s %s)", literal(tested), literal(tested))
		}
		return literal(tested)
	}
	changed := func() string {
		if rng.IntN(5) == 0 {
			return fmt.Sprintf("(when %s %s)", literal(tested), literal(facts))
		}
		return literal(facts)
	}
	var d strings.Builder
	d.WriteString("(define (domain random)\n (:predicates (p) (q) (r) (s) (some) (on ?x) (off ?x))\n (:functions (total-cost))\n")
	d.WriteString(" (:derived (some) (or (and (p) (q)) (exists (?y) (and (on ?y) (off ?y)))))\n")
	for i := range 3 + rng.IntN(3) {
		fmt.Fprintf(&d, " (:action a%d :parameters (?x) :precondition %s\n  :effect (and %s (increase (total-cost) %d)))\n",
			i, several(0, 2, condition), several(1, 3, changed), rng.IntN(4))
	}
	d.WriteString(")")
	ground := []string{"(p)", "(q)", "(r)", "(s)", "(on a)", "(on b)", "(off a)", "(off b)"}
	init := ""
	for _, f := range ground {
		if rng.IntN(3) == 0 {
			init += " " + f
		}
	}
	ground = append(ground, "(some)")
	problem = fmt.Sprintf("(define (problem w) (:domain random) (:objects a b)\n (:init (= (total-cost) 0)%s)\n (:goal %s)\n (:metric minimize (total-cost)))",
		init, several(1, 3, func() string { return literal(ground) }))
	return d.String(), problem
}

// Labels of random walks on random tasks against the planner that shares no code with planproof.
func TestLabelsAgainstNaivePlanner(t *testing.T) {
	testkit.Long(t)
	tasks, steps, dead, dear := 0, 0, 0, 0
	seeds := uint64(40)
	if os.Getenv("PLANPROOF_LONG") == "1" {
		seeds = 2000
	}
	for seed := range seeds {
		rng := seeded.Rand(seed, "labels")
		domain, problem := randomTask(rng)
		simple := naive.New(domain, problem)
		away := simple.Distances(100_000)
		best, solvable := away[simple.Key(simple.Initial())]
		prob := parseTask(t, domain, problem)
		judges := map[StepLabels]*stepJudge{}
		for _, labels := range []StepLabels{ExecutableSteps, SolvableSteps, OptimalSteps} {
			j, err := newStepJudge(context.Background(), prob, labels, search.Limits{})
			if labels != ExecutableSteps && !solvable {
				if !errors.Is(err, errNoDistances) {
					t.Fatalf("a task without a plan: %v\n%s\n%s", err, domain, problem)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, domain, problem)
			}
			judges[labels] = j
		}
		tasks++
		for range 12 {
			var plan []string
			at := simple.Initial()
			for range rng.IntN(7) {
				names, next := simple.Successors(at)
				if len(names) == 0 || rng.IntN(12) == 0 {
					plan = append(plan, fmt.Sprintf("(a%d %c)", rng.IntN(3), 'a'+rng.IntN(2)))
					continue
				}
				k := rng.IntN(len(names))
				plan, at = append(plan, names[k]), next[k]
			}
			executed, _, goal, _ := simple.Run(plan)
			valid := goal && executed == len(plan)
			for labels, j := range judges {
				got, err := j.label(plan, judgeSteps(j.judge, plan).Valid)
				if err != nil {
					t.Fatalf("%v\n%s\n%s\n%v", err, domain, problem, plan)
				}
				right := true
				for i := range plan {
					_, cost, _, key := simple.Run(plan[:i+1])
					left, alive := away[key]
					right = right && i < executed && (labels == ExecutableSteps || alive) && (labels != OptimalSteps || cost+left == best)
					if got[i] != right {
						t.Fatalf("seed %d: %q of step %d of %v: %v, want %v\n%s\n%s", seed, labels, i+1, plan, got[i], right, domain, problem)
					}
					steps++
					if i < executed && !right && labels == SolvableSteps {
						dead++
					} else if i < executed && !right {
						dear++
					}
				}
				if got[len(plan)] != (right && valid) {
					t.Fatalf("seed %d: %q of the end of %v: %v, want %v\n%s\n%s", seed, labels, plan, got[len(plan)], right && valid, domain, problem)
				}
			}
		}
	}
	t.Logf("%d tasks, %d labels, %d of dead ends, %d of detours", tasks, steps, dead, dear)
	if dead < 20 || dear < 100 {
		t.Errorf("%d steps lead to dead ends and %d are dear: too few to tell", dead, dear)
	}
}
