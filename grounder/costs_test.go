package grounder

import (
	"fmt"
	"strings"
	"testing"
)

// TestCosts checks the costs of operators, as "name cost [conditional costs]", in units of
// the problem.
func TestCosts(t *testing.T) {
	const head = `(:constants o1 o2) (:predicates (p) (q) (r ?x)) (:functions (total-cost) (w ?x) (fuel) (other ?x))`
	for _, c := range []struct {
		name, actions, init, metric string
		want                        string
	}{
		{"no metric: every step costs 1", `(:action a :effect (and (p) (increase (total-cost) 7)))`, ``, ``, "1 0 | (a) 1"},
		{"several increases add up", `(:action a :effect (and (p) (increase (total-cost) 7) (increase (total-cost) 3)))`, ``,
			`(total-cost)`, "10 0 | (a) 1"},
		{"decimals and a common unit", `(:action a :effect (and (p) (increase (total-cost) 0.5))) (:action b :effect (and (p) (increase (total-cost) 1.25)))`, ``,
			`(total-cost)`, "0.25 0 | (a) 2 | (b) 5"},
		{"beyond 63 bits, if multiples are small", `(:action a :effect (and (p) (increase (total-cost) 36893488147419103232))) (:action b :effect (and (p) (increase (total-cost) 18446744073709551616)))`, ``,
			`(total-cost)`, "18446744073709551616 0 | (a) 2 | (b) 1"},
		{"free actions", `(:action a :effect (p))`, ``, `(total-cost)`, "1 0 | (a) 0"},
		{"static fluents, undefined ones forbid the step", `(:action a :parameters (?x) :effect (and (p) (increase (total-cost) (* 2 (w ?x)))))`, `(= (w o1) 3)`,
			`(total-cost)`, "6 0 | (a o1) 1"},
		{"division by zero forbids the step", `(:action a :parameters (?x) :effect (and (p) (increase (total-cost) (/ 6 (w ?x)))))`, `(= (w o1) 0) (= (w o2) 4)`,
			`(total-cost)`, "1.5 0 | (a o2) 1"},
		{"conditional", `(:action a :effect (and (p) (increase (total-cost) 4) (when (q) (increase (total-cost) 6)))) (:action b :effect (q))`, ``,
			`(total-cost)`, "2 0 | (a) 2 [q]3 | (b) 0"},
		{"conditional on a disjunction counts once", `(:action a :effect (and (p) (when (or (q) (r o1)) (increase (total-cost) 6)))) (:action b :effect (and (q) (r o1)))`, ``,
			`(total-cost)`, "6 0 | (a) 0 [new-axiom@0]1 | (b) 0"},
		{"universal counts each", `(:action a :effect (and (p) (forall (?x) (increase (total-cost) (w ?x)))))`, `(= (w o1) 3) (= (w o2) 4)`,
			`(total-cost)`, "7 0 | (a) 1"},
		{"undefined under a condition forbids the condition", `(:action a :effect (and (p) (when (q) (increase (total-cost) (w o1))))) (:action b :effect (not (q)))`, `(q)`,
			`(total-cost)`, "1 0 | (a) 0 pre{!q} | (b) 0"},
		{"linear metric", `(:action a :effect (and (p) (increase (total-cost) 4) (increase (fuel) 3)))`, `(= (fuel) 10)`,
			`(+ (* 2 (total-cost)) (/ (fuel) 3) 1)`, "9 13/3 | (a) 1"},
		{"total-time counts steps", `(:action a :effect (and (p) (increase (total-cost) 4)))`, ``,
			`(+ (total-cost) (* 2 (total-time)))`, "6 0 | (a) 1"},
		{"decrease by a negative amount", `(:action a :effect (and (p) (decrease (total-cost) (- 5))))`, ``, `(total-cost)`, "5 0 | (a) 1"},
		{"other numeric effects do not matter", `(:action a :parameters (?x) :effect (and (p) (increase (other ?x) 3) (assign (fuel) (w ?x))))`, `(= (other o1) 0) (= (other o2) 0) (= (w o1) 1)`,
			`(total-cost)`, "1 0 | (a o1) 0"},
		{"but increasing an undefined fluent forbids the step", `(:action a :parameters (?x) :effect (and (p) (increase (other ?x) 3)))`, `(= (other o2) 1)`,
			`(total-cost)`, "1 0 | (a o2) 0"},
		{"static comparisons", `(:action a :parameters (?x) :precondition (and (> (w ?x) 1) (not (= (w ?x) 3))) :effect (p))`, `(= (w o1) 3) (= (w o2) 2)`,
			`(total-cost)`, "1 0 | (a o2) 0"},
		{"an undefined comparison is false, negated too", `(:action a :parameters (?x) :precondition (not (> (w ?x) 1)) :effect (p)) (:action b :precondition (or (> (w o2) 1) (not (p))) :effect (p))`, `(= (w o1) 0)`,
			`(total-cost)`, "1 0 | (a o1) 0 | (b) 0 pre{!p}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			metric := ""
			if c.metric != "" {
				metric = "(:metric minimize " + c.metric + ")"
			}
			task, err := groundText(t, head+c.actions, "(:init "+c.init+") (:goal (p))"+metric, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkTask(t, task)
			if got := costText(task); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func costText(t *Task) string {
	name := func(f Fact) string {
		s := t.Variables[f.Var].Values[f.Val]
		s = strings.TrimSuffix(strings.Replace(strings.TrimPrefix(s, "Atom "), "NegatedAtom ", "!", 1), "()")
		return s
	}
	s := t.CostUnit.String() + " " + t.CostBase.String()
	for i := range t.Operators.Len() {
		op := t.Operators.At(i)
		s += fmt.Sprintf(" | %s %d", t.OperatorName(OperatorID(i)), op.Cost)
		for _, c := range op.CondCosts {
			var names []string
			for _, f := range c.Cond {
				names = append(names, name(f))
			}
			s += fmt.Sprintf(" [%s]%d", strings.Join(names, ","), c.Cost)
		}
		for _, f := range op.Pre {
			s += " pre{" + name(f) + "}"
		}
	}
	return s
}
