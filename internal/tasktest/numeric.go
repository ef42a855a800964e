package tasktest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
)

// numericText draws parts of a random numeric task.
type numericText struct {
	choose Choose
	simple bool
}

// NumericText makes a random numeric task as PDDL text, with few enough states for a naive
// planner: two objects, fluents with and without initial values, linear conditions and
// effects of all kinds. A simple one has only constant increases, decreases and
// assignments.
func NumericText(choose Choose, simple bool) (domain, problem string) {
	g := &numericText{choose, simple}
	var d strings.Builder
	d.WriteString("(define (domain n) (:requirements :adl :numeric-fluents)\n (:constants a b)\n (:predicates (p ?x) (q))\n (:functions (total-cost) (spent) (n) (m) (f ?x) (u ?x) (w ?x))\n")
	for i := range choose(2, 4) {
		fmt.Fprintf(&d, " (:action act%d :parameters (?x)\n  :precondition (and %s %s)\n  :effect (and %s %s %s%s))\n", i,
			g.condition(2), g.bound(), g.effect(2), g.effect(1), g.effect(1), g.cost())
	}
	d.WriteString(")")
	var p strings.Builder
	p.WriteString("(define (problem n1) (:domain n)\n (:init (= (total-cost) 0) (= (spent) 1)")
	for _, f := range []string{"(n)", "(m)", "(f a)", "(f b)", "(w a)", "(w b)", "(u a)"} {
		if f == "(u a)" && choose(0, 1) == 0 {
			continue
		}
		fmt.Fprintf(&p, " (= %s %s)", f, g.number())
	}
	for _, f := range []string{"(p a)", "(p b)", "(q)"} {
		if choose(0, 2) == 0 {
			p.WriteString(" " + f)
		}
	}
	goal := fmt.Sprintf("(and (%s %s %s) %s)", g.of(">=", ">", "<=", "="), g.linear(), g.of("4", "3", "5", "2", "1.5", "-2", "7"), g.condition(1))
	metric := ""
	switch choose(0, 3) {
	case 0:
		metric = "(:metric minimize (total-cost))"
	case 1:
		metric = "(:metric minimize (+ (* 2 (total-cost)) (/ (spent) 3) 1))"
	}
	p.WriteString(")\n (:goal " + strings.ReplaceAll(goal, "?x", "b") + ")\n " + metric + ")")
	return d.String(), p.String()
}

func (g *numericText) of(options ...string) string { return options[g.choose(0, len(options)-1)] }

func (g *numericText) number() string {
	return g.of("0", "1", "2", "3", "-1", "-2", "0.5", "4", "1")
}

func (g *numericText) fluent() string {
	return g.of("(n)", "(m)", "(f ?x)", "(f a)", "(n)", "(u ?x)")
}

// linear is an expression over fluents.
func (g *numericText) linear() string {
	switch g.choose(0, 6) {
	case 0:
		return fmt.Sprintf("(+ %s %s)", g.fluent(), g.fluent())
	case 1:
		return fmt.Sprintf("(- (* %s %s) %s)", g.number(), g.fluent(), g.fluent())
	case 2:
		return fmt.Sprintf("(- %s (w ?x))", g.fluent())
	case 3:
		return fmt.Sprintf("(/ %s (w ?x))", g.fluent())
	}
	return g.fluent()
}

func (g *numericText) compare(x string) string {
	return strings.ReplaceAll(fmt.Sprintf("(%s %s %s)", g.of(">=", "<=", ">", "<", "=", ">="), g.linear(), g.number()), "?x", x)
}

func (g *numericText) condition(depth int) string {
	switch k := g.choose(0, 9); {
	case depth > 0 && k == 0:
		return fmt.Sprintf("(or %s %s)", g.condition(depth-1), g.condition(depth-1))
	case depth > 0 && k == 1:
		return fmt.Sprintf("(not %s)", g.condition(depth-1))
	case depth > 0 && k == 2:
		return fmt.Sprintf("(forall (?y) (or %s (p ?y)))", g.compare("?y"))
	case depth > 0 && k == 3:
		return fmt.Sprintf("(exists (?y) (and %s (not (p ?y))))", g.compare("?y"))
	case k < 7:
		return g.compare("?x")
	}
	return g.of("(p ?x)", "(q)", "(p a)", "(not (p ?x))")
}

// bound keeps most values small.
func (g *numericText) bound() string {
	return "(<= (+ (n) (m) (f a)) 6) (>= (n) -3) (>= (m) -3) (<= (f ?x) 4) (>= (f ?x) -3)"
}

func (g *numericText) effect(depth int) string {
	switch k := g.choose(0, 11); {
	case depth > 0 && k == 0:
		return fmt.Sprintf("(when %s %s)", g.condition(1), g.effect(0))
	case depth > 0 && k == 1:
		return fmt.Sprintf("(forall (?y) (when (p ?y) %s))", strings.ReplaceAll(g.effect(0), "?x", "?y"))
	case k < 3:
		return g.of("(p ?x)", "(q)", "(not (p ?x))", "(p a)")
	case k < 5:
		return fmt.Sprintf("(assign %s %s)", g.fluent(), g.number())
	case k < 7 && !g.simple:
		return fmt.Sprintf("(%s %s %s)", g.of("increase", "assign", "decrease"), g.fluent(), g.linear())
	case k == 7 && !g.simple:
		return fmt.Sprintf("(%s %s %s)", g.of("scale-up", "scale-down"), g.fluent(), g.of("2", "-1", "0", "1"))
	}
	return fmt.Sprintf("(%s %s %s)", g.of("increase", "increase", "decrease"), g.fluent(), g.of("1", "2", "0.5", "(w ?x)", "3"))
}

func (g *numericText) cost() string {
	out := ""
	if g.choose(0, 3) > 0 {
		out += " (increase (total-cost) " + g.of("1", "2", "0", "0.5", "7") + ")"
	}
	if g.choose(0, 3) == 0 {
		out += " (increase (spent) " + g.of("1", "3", "0.5") + ")"
	}
	return out
}

// Parse reads a task.
func Parse(tb testing.TB, domain, problem string) *pddl.Problem {
	tb.Helper()
	dom, ds := pddl.ParseDomain(pddl.NewSource("domain.pddl", domain), pddl.Options{})
	if dom == nil {
		tb.Fatal(ds)
	}
	prob, ds := pddl.ParseProblem(pddl.NewSource("problem.pddl", problem), dom, pddl.Options{})
	if prob == nil {
		tb.Fatal(ds)
	}
	return prob
}

// GroundNumeric reads and grounds a numeric task.
func GroundNumeric(tb testing.TB, domain, problem string) *grounder.Task {
	tb.Helper()
	task, err := grounder.Ground(context.Background(), Parse(tb, domain, problem), grounder.Options{NumericFluents: true})
	if err != nil {
		tb.Fatal(err)
	}
	return task
}
