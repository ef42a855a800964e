package lifted

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/pddltest"
)

// randomText draws a small task: two types, static and fluent predicates, all connectives and quantifiers, equality,
// parameters that nothing mentions, atoms that one step adds and deletes, and costs by static values.
type randomText struct {
	t     *rapid.T
	fresh int
}

func (g *randomText) pick(n int) int            { return rapid.IntRange(0, n-1).Draw(g.t, "") }
func (g *randomText) of(words ...string) string { return words[g.pick(len(words))] }

var randomPredicates = []string{"p 1", "q 1", "r 2", "at 2", "z 0", "s 1", "link 2"} // the last two are static

func (g *randomText) atom(scope []string, fluent bool) string {
	n := len(randomPredicates)
	if fluent {
		n -= 2
	}
	name, arity, _ := strings.Cut(randomPredicates[g.pick(n)], " ")
	for range arity[0] - '0' {
		name += " " + g.term(scope)
	}
	return "(" + name + ")"
}

func (g *randomText) term(scope []string) string {
	return g.of(append([]string{"a", "k"}, append(scope, scope...)...)...)
}

func (g *randomText) bind(scope []string) (list string, inner []string) {
	g.fresh++
	v := fmt.Sprintf("?v%d", g.fresh)
	return "(" + v + " - " + g.of("object", "ta", "tb", "(either ta tb)") + ")", append(append([]string{}, scope...), v)
}

func (g *randomText) condition(scope []string, depth int) string {
	if depth == 0 {
		switch g.pick(6) {
		case 0:
			return "(= " + g.term(scope) + " " + g.term(scope) + ")"
		case 1:
			return "(not " + g.atom(scope, false) + ")"
		}
		return g.atom(scope, false)
	}
	switch g.pick(6) {
	case 0:
		return "(or " + g.condition(scope, depth-1) + " " + g.condition(scope, 0) + ")"
	case 1:
		return "(not " + g.condition(scope, depth-1) + ")"
	case 2:
		return "(imply " + g.condition(scope, 0) + " " + g.condition(scope, depth-1) + ")"
	case 3:
		list, inner := g.bind(scope)
		return "(" + g.of("forall", "exists") + " " + list + " " + g.condition(inner, depth-1) + ")"
	}
	return "(and " + g.condition(scope, depth-1) + " " + g.condition(scope, depth-1) + " " + g.condition(scope, 0) + ")"
}

func (g *randomText) effect(scope []string, depth int) string {
	var b strings.Builder
	for range 1 + g.pick(3) {
		switch k := g.pick(10); {
		case k < 4:
			b.WriteString(g.atom(scope, true))
		case k < 7:
			b.WriteString("(not " + g.atom(scope, true) + ")")
		case k < 8 && depth > 0:
			b.WriteString("(when " + g.condition(scope, 1) + " " + g.effect(scope, depth-1) + ")")
		case depth > 0:
			list, inner := g.bind(scope)
			b.WriteString("(forall " + list + " " + g.effect(inner, depth-1) + ")")
		}
	}
	return "(and " + b.String() + ")"
}

func (g *randomText) draw() (domain, problem string) {
	var actions strings.Builder
	costs := g.pick(2) == 1
	for i := range 1 + g.pick(3) {
		var params string
		var scope []string
		for range g.pick(4) {
			var list string
			list, scope = g.bind(scope)
			params += " " + strings.Trim(list, "()")
			if strings.Contains(list, "either") {
				params += ")"
			}
		}
		effect := g.effect(scope, 2)
		if costs {
			effect = "(and " + effect + g.of("", "(increase (total-cost) 2)", "(increase (total-cost) (w "+g.term(scope)+"))",
				"(when "+g.condition(scope, 0)+" (increase (total-cost) 1.5))", "(increase (total-cost) (* 0.5 (w "+g.term(scope)+")))") + ")"
		}
		fmt.Fprintf(&actions, "(:action a%d :parameters (%s) :precondition %s :effect %s)\n", i, params, g.condition(scope, g.pick(3)), effect)
	}
	domain = `(define (domain d) (:requirements :adl :action-costs) (:types ta tb) (:constants a k - ta)
 (:predicates (p ?x) (q ?x) (r ?x ?y) (at ?x ?y) (z) (s ?x) (link ?x ?y)) (:functions (total-cost) (w ?x) - number)
` + actions.String() + ")"
	init := ""
	for range g.pick(10) {
		init += g.atom([]string{"b", "c", "d"}, false)
	}
	for _, o := range []string{"a", "b", "c", "k"} {
		if costs && g.pick(5) > 0 {
			init += fmt.Sprintf("(= (w %s) %s)", o, g.of("0", "1", "3", "0.25"))
		}
	}
	metric := ""
	if costs {
		metric = g.of("(:metric minimize (total-cost))", "(:metric minimize (+ 1 (* 2 (total-cost))))", "")
	}
	return domain, fmt.Sprintf("(define (problem x) (:domain d) (:objects b - ta c d - tb) (:init %s) (:goal (and %s %s)) %s)",
		init, g.condition([]string{"b", "c"}, g.pick(2)), g.atom([]string{"b", "c", "d"}, true), metric)
}

// TestRandomTasks compares with grounded search on random tasks.
func TestRandomTasks(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		domain, problem := (&randomText{t: rt}).draw()
		defer func() {
			if rt.Failed() {
				rt.Log(domain, "\n", problem)
			}
		}()
		_, p := pddltest.Parse(t, domain, problem)
		if agree(failing{t, rt}, p, 2000) {
			compared++
		}
	})
	if compared < 10 {
		t.Errorf("only %d tasks were compared", compared)
	}
}

// failing ends one random task, not the test.
type failing struct {
	testing.TB
	rt *rapid.T
}

func (f failing) Fatalf(format string, args ...any) { f.rt.Fatalf(format, args...) }
func (f failing) Fatal(args ...any)                 { f.rt.Fatal(args...) }
