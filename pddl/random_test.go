package pddl

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// generator writes random but correct PDDL: every name is declared and every
// argument fits, so that reading it must succeed.
type generator struct {
	t      *rapid.T
	types  int
	preds  []int // number of parameters
	funcs  []int
	consts int
	vars   []string
	prefs  int
	depth  int
	nest   bool // object fluents may be terms
}

func (g *generator) pick(label string, n int) int { return rapid.IntRange(0, n-1).Draw(g.t, label) }

func (g *generator) space() string {
	return rapid.SampledFrom([]string{" ", " ", " ", "\n", "  ", "\t", " ; note (\n", "\r\n"}).Draw(g.t, "space")
}

func (g *generator) name(kind string, i int) string {
	n := fmt.Sprintf("%s%d", kind, i)
	if rapid.Bool().Draw(g.t, "upper") {
		return strings.ToUpper(n)
	}
	return n
}

func (g *generator) typeRef() string {
	switch g.pick("type", 5) {
	case 0:
		return ""
	case 1:
		return " - (either" + g.space() + g.name("t", g.pick("t", g.types)) + " " + g.name("t", g.pick("t", g.types)) + ")"
	case 2:
		return " - object"
	}
	return " - " + g.name("t", g.pick("t", g.types))
}

// term is any variable in scope or constant: types never exclude each other, since
// every type has the common subtype tall.
func (g *generator) term() string {
	if g.nest && g.pick("nest", 8) == 7 {
		return "(o0" + g.space() + g.term() + ")"
	}
	if len(g.vars) > 0 && g.pick("var", 4) > 0 {
		v := g.vars[g.pick("v", len(g.vars))]
		if rapid.Bool().Draw(g.t, "upper") {
			v = strings.ToUpper(v)
		}
		return v
	}
	return g.name("k", g.pick("k", g.consts))
}

func (g *generator) list(name string, n int) string {
	var b strings.Builder
	b.WriteString("(" + name)
	for range n {
		b.WriteString(g.space() + g.term())
	}
	b.WriteString(")")
	return b.String()
}

func (g *generator) atom() string {
	i := g.pick("pred", len(g.preds))
	return g.list(g.name("p", i), g.preds[i])
}

func (g *generator) fluent() string {
	i := g.pick("func", len(g.funcs))
	return g.list(g.name("f", i), g.funcs[i])
}

func (g *generator) number() string {
	return rapid.SampledFrom([]string{"0", "1", "-2", "0.50", "1e2", "3.25", "12345678901234567890", "-0.001"}).Draw(g.t, "number")
}

func (g *generator) expr() string {
	if g.depth <= 0 {
		return g.number()
	}
	g.depth--
	defer func() { g.depth++ }()
	switch g.pick("expr", 6) {
	case 0:
		return g.number()
	case 1, 2:
		return g.fluent()
	case 3:
		return "(- " + g.expr() + ")"
	}
	op := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(g.t, "op")
	return "(" + op + " " + g.expr() + g.space() + g.expr() + ")"
}

// bind runs f with some quantified variables in scope and returns their list.
func (g *generator) bind(f func() string) (vars, body string) {
	n := len(g.vars)
	var b strings.Builder
	for i := range 1 + g.pick("bound", 2) {
		v := fmt.Sprintf("?q%d", (n+i)%7) // names recur, so that inner ones hide outer ones
		b.WriteString(v + g.typeRef() + " ")
		g.vars = append(g.vars, v)
	}
	body = f()
	g.vars = g.vars[:n]
	return "(" + b.String() + ")", body
}

func (g *generator) formula() string {
	if g.depth <= 0 {
		return g.atom()
	}
	g.depth--
	defer func() { g.depth++ }()
	several := func(op string) string {
		var b strings.Builder
		b.WriteString("(" + op)
		for range g.pick("n", 4) {
			b.WriteString(g.space() + g.formula())
		}
		return b.String() + ")"
	}
	switch g.pick("formula", 10) {
	case 0:
		return several("and")
	case 1:
		return several("or")
	case 2:
		return "(not" + g.space() + g.formula() + ")"
	case 3:
		return "(imply " + g.formula() + g.space() + g.formula() + ")"
	case 4, 5:
		op := rapid.SampledFrom([]string{"forall", "exists"}).Draw(g.t, "quantifier")
		vars, body := g.bind(g.formula)
		return "(" + op + " " + vars + g.space() + body + ")"
	case 6:
		if g.nest && g.pick("undefined", 5) == 4 {
			return "(= (o0 " + g.term() + ") undefined)"
		}
		return "(= " + g.term() + " " + g.term() + ")"
	case 7:
		op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "="}).Draw(g.t, "comparison")
		return "(" + op + " " + g.expr() + " " + g.fluent() + ")"
	}
	return g.atom()
}

func (g *generator) effect() string {
	if g.depth <= 0 {
		return g.atom()
	}
	g.depth--
	defer func() { g.depth++ }()
	switch g.pick("effect", 7) {
	case 0:
		var b strings.Builder
		for range g.pick("n", 4) {
			b.WriteString(g.space() + g.effect())
		}
		return "(and" + b.String() + ")"
	case 1:
		return "(not " + g.atom() + ")"
	case 2:
		vars, body := g.bind(g.effect)
		return "(forall " + vars + g.space() + body + ")"
	case 3:
		return "(when " + g.formula() + g.space() + g.effect() + ")"
	case 4:
		if g.nest && g.pick("object", 3) == 2 {
			return "(assign (o0 " + g.term() + ") " + g.term() + ")"
		}
		op := rapid.SampledFrom([]string{"assign", "increase", "decrease", "scale-up", "scale-down"}).Draw(g.t, "op")
		return "(" + op + " " + g.fluent() + " " + g.expr() + ")"
	}
	return g.atom()
}

func (g *generator) timedEffect() string {
	at := func() string { return rapid.SampledFrom([]string{"(at start ", "(at end "}).Draw(g.t, "at") }
	switch g.pick("timed", 5) {
	case 0:
		return "(and " + g.timedEffect() + g.timedEffect() + ")"
	case 1:
		return "(when " + at() + g.formula() + ") " + at() + g.atom() + "))"
	case 2:
		vars, body := g.bind(g.timedEffect)
		return "(forall " + vars + body + ")"
	case 3:
		return "(increase " + g.fluent() + " (* #t " + g.number() + "))"
	}
	return at() + g.effect() + ")"
}

func (g *generator) timedCondition() string {
	switch g.pick("timed", 4) {
	case 0:
		return "(and " + g.timedCondition() + g.timedCondition() + ")"
	case 1:
		vars, body := g.bind(g.timedCondition)
		return "(forall " + vars + body + ")"
	}
	return rapid.SampledFrom([]string{"(at start ", "(at end ", "(over all "}).Draw(g.t, "at") + g.formula() + ")"
}

func (g *generator) constraint() string {
	f := g.formula
	switch g.pick("constraint", 8) {
	case 0:
		return "(and " + g.constraint() + g.constraint() + ")"
	case 1:
		vars, body := g.bind(g.constraint)
		return "(forall " + vars + body + ")"
	case 2:
		g.prefs++
		return fmt.Sprintf("(and (preference c%d (always %s)))", g.prefs, f())
	case 3:
		return "(within 5.5 " + f() + ")"
	case 4:
		return "(sometime-after " + f() + " " + f() + ")"
	case 5:
		return "(hold-during 1 2 " + f() + ")"
	case 6:
		return "(at end " + f() + ")"
	}
	return "(at-most-once " + f() + ")"
}

func (g *generator) params() string {
	var b strings.Builder
	g.vars = g.vars[:0]
	for i := range g.pick("params", 4) {
		v := fmt.Sprintf("?v%d", i)
		b.WriteString(v + g.typeRef() + g.space())
		g.vars = append(g.vars, v)
	}
	return b.String()
}

func (g *generator) domain() string {
	g.depth = 3
	g.types, g.consts = 1+g.pick("types", 4), 1+g.pick("consts", 3)
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format, args...); b.WriteString(g.space()) }
	w("(define (domain D)")
	w("(:requirements :adl :fluents :durative-actions)")
	w("(:types")
	for i := range g.types {
		if j := g.pick("parent", i+2) - 1; j >= 0 && j < i {
			w("t%d - t%d", i, j)
		} else {
			w("t%d - object", i)
		}
		w("tall - t%d", i)
	}
	w(")(:constants")
	for i := range g.consts {
		w("k%d - tall", i)
	}
	w(")(:predicates")
	for i := range 1 + g.pick("preds", 4) {
		n := g.pick("arity", 4)
		g.preds = append(g.preds, n)
		w("(p%d", i)
		for j := range n {
			w("?x%d%s", j, g.typeRef())
		}
		w(")")
	}
	w(")(:functions")
	for i := range 1 + g.pick("funcs", 2) {
		n := g.pick("arity", 3)
		g.funcs = append(g.funcs, n)
		w("(f%d", i)
		for j := range n {
			w("?x%d%s", j, g.typeRef())
		}
		w(") - number")
	}
	w("(o0 ?x) - tall)")
	g.nest = true
	for i := range g.pick("actions", 4) {
		w("(:action a%d :parameters (%s)", i, g.params())
		w(":precondition %s", g.formula())
		w(":effect %s)", g.effect())
	}
	g.nest = false
	for i := range g.pick("durative", 3) {
		w("(:durative-action d%d :parameters (%s)", i, g.params())
		w(":duration (and (>= ?duration %s) (at end (<= ?duration %s)))", g.number(), g.expr())
		w(":condition %s", g.timedCondition())
		w(":effect %s)", g.timedEffect())
	}
	g.vars = nil
	if rapid.Bool().Draw(g.t, "constraints") {
		w("(:constraints %s)", g.constraint())
	}
	w(")")
	return b.String()
}

func (g *generator) problem() string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format, args...); b.WriteString(g.space()) }
	g.vars = nil
	w("(define (problem P) (:domain d) (:objects")
	for i := range g.pick("objects", 4) {
		w("k%d - tall", g.consts+i)
	}
	w(") (:init")
	for range g.pick("facts", 8) {
		w("%s", g.atom())
	}
	for i, n := range g.funcs {
		if n == 0 {
			w("(= (f%d) %s)", i, g.number())
		}
	}
	for range g.pick("timed", 3) {
		w("(at %d %s) (at 2.5 (not %s))", g.pick("time", 9), g.atom(), g.atom())
	}
	g.nest = true
	w(") (:goal (and %s (preference g %s)))", g.formula(), g.formula())
	g.nest = false
	if rapid.Bool().Draw(g.t, "constraints") {
		w("(:constraints %s)", g.constraint())
	}
	w("(:metric minimize (+ (is-violated G) (total-time) %s)))", g.expr())
	return b.String()
}

// TestRandomDomains reads, prints and formats random correct inputs.
func TestRandomDomains(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := &generator{t: rt}
		text := g.domain()
		d, ds := ParseDomain(NewSource("domain.pddl", text), Options{})
		if d == nil {
			rt.Fatalf("%v\n%s", ds, text)
		}
		first := d.String()
		again, ds := ParseDomain(NewSource("printed", first), Options{})
		if again == nil || again.String() != first {
			rt.Fatalf("printing is not stable: %v\n%s", ds, first)
		}
		formatted, _ := Format(d.Source)
		twice, _ := Format(NewSource("formatted", formatted))
		again, ds = ParseDomain(NewSource("formatted", formatted), Options{})
		if again == nil || again.String() != first || twice != formatted || tokensOf(formatted) != tokensOf(text) {
			rt.Fatalf("formatting is not faithful: %v\n%s", ds, formatted)
		}
		text = g.problem()
		p, ds := ParseProblem(NewSource("problem.pddl", text), d, Options{})
		if p == nil {
			rt.Fatalf("%v\n%s", ds, text)
		}
		if ds := withoutDomain(p.Source); ds.HasErrors() {
			rt.Fatalf("errors if the domain has one: %v\n%s", ds, text)
		}
		first = p.String()
		pAgain, ds := ParseProblem(NewSource("printed", first), d, Options{})
		if pAgain == nil || pAgain.String() != first {
			rt.Fatalf("printing is not stable: %v\n%s", ds, first)
		}
	})
}
