package grounder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
)

// TestHostileShapes: legal inputs made to be expensive end soon, with a task or at a
// limit.
func TestHostileShapes(t *testing.T) {
	testkit.Long(t)
	repeat := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	v := func(i int) string { return fmt.Sprintf(" ?x%d", i) }
	for _, c := range []struct{ name, domain, problem string }{
		{"a predicate of 900 equal arguments",
			`(:predicates (p` + repeat(900, v) + `) (q` + repeat(900, v) + `))
			 (:action a :parameters (?x ?y) :precondition (p` + strings.Repeat(" ?x", 900) + `)
			  :effect (and (q` + strings.Repeat(" ?x", 899) + ` ?y) (not (p` + strings.Repeat(" ?x", 900) + `)) (not (q` + strings.Repeat(" ?x", 898) + ` ?y ?y))))`,
			`(:objects o o2) (:init (p` + strings.Repeat(" o", 900) + `)) (:goal (q` + strings.Repeat(" o", 900) + `))`},
		{"400 parameters of which none is determined",
			`(:predicates (p ?x) (q)) (:action a :parameters (` + repeat(400, v) + `) :precondition (and` + repeat(400, func(i int) string { return " (p" + v(i) + ")" }) + `) :effect (q))`,
			`(:objects a b) (:init (p a) (p b)) (:goal (q))`},
		{"a chain of 300 atoms without an end",
			`(:predicates (e ?x ?y) (q)) (:action a :parameters (` + repeat(301, v) + `) :precondition (and` + repeat(300, func(i int) string { return " (e" + v(i) + v(i+1) + ")" }) + `) :effect (q))
			 (:action b :parameters (?x ?y) :precondition (e ?x ?y) :effect (e ?y ?x))`,
			`(:objects a b c d) (:init (e a b) (e b c) (e c d)) (:goal (q))`},
		{"a conjunction of 40 disjunctions",
			`(:predicates (p ?x) (q)) (:constants a b) (:action a :precondition (and` + strings.Repeat(" (or (p a) (not (p b)))", 40) + `) :effect (q)) (:action b :effect (p a))`,
			`(:init) (:goal (q))`},
		{"40 conditional adds against deletes on one variable",
			`(:predicates (at ?x) (c ?x ?y) (flag ?x)) (:action a :effect (and ` + repeat(40, func(i int) string {
				return fmt.Sprintf(" (when (and (flag o%d) (flag o%d)) (c o%d o%d))", i, i+1, i, i)
			}) +
				` (forall (?x ?y) (not (c ?x ?y)))))
			 (:action f :parameters (?x) :effect (flag ?x))`,
			`(:init) (:goal (c o3 o3))`},
		{"nested universal quantifiers over many objects",
			`(:predicates (e ?x ?y) (q)) (:action a :precondition (forall (?x ?y ?z ?w) (or (not (e ?x ?y)) (not (e ?z ?w)) (e ?x ?w))) :effect (q)) (:action b :parameters (?x ?y) :effect (e ?x ?y))`,
			`(:objects` + repeat(60, func(i int) string { return fmt.Sprintf(" n%d", i) }) + `) (:init) (:goal (q))`},
		{"a big power",
			`(:predicates (q)) (:functions (total-cost) (f)) (:action a :effect (and (q) (increase (total-cost) ` + strings.Repeat("(* (f) ", 500) + "(f)" + strings.Repeat(")", 500) + `)))`,
			`(:init (= (f) 1` + strings.Repeat("7", 900) + `)) (:goal (q)) (:metric minimize (total-cost))`},
		{"one action that sets 100,000 atoms of the goal", // took 150 s when candidates and relevance looked at all pairs
			`(:predicates` + repeat(100_000, func(i int) string { return fmt.Sprintf(" (p%d)", i) }) + `) (:action a :effect (and` + repeat(100_000, func(i int) string { return fmt.Sprintf(" (p%d)", i) }) + `))`,
			`(:init) (:goal (and` + repeat(100_000, func(i int) string { return fmt.Sprintf(" (p%d)", i) }) + `))`},
	} {
		t.Run(c.name, func(t *testing.T) {
			domain := c.domain
			if strings.Contains(domain, "o40") {
				domain = "(:constants" + repeat(41, func(i int) string { return fmt.Sprintf(" o%d", i) }) + ")" + domain
			}
			d, p := small(domain, c.problem)
			prob := parse(t, d, p)
			start := testkit.CPUTime()
			task, err := Ground(context.Background(), prob, Options{Time: time.Second, Memory: 1 << 30})
			if took := testkit.CPUTime() - start; took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			switch {
			case err == nil:
				checkTask(t, task)
			case !errors.Is(err, ErrLimit) && !strings.Contains(err.Error(), "error["):
				t.Error(err)
			}
			t.Logf("%v", err)
		})
	}
}
