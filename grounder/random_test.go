package grounder

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// randomTask draws a small task as PDDL text: typed objects, static and fluent
// predicates, derived ones in two strata, all logical connectives, conditional and
// universal effects, constants, costs with undefined values.
type randomTask struct {
	t     *rapid.T
	fresh int
	head  int // inside rules: the predicate being defined, else -1
	moves bool
	// numbers is the percentage of atoms that are comparisons.
	numbers int
	// objects is the percentage of terms that are object fluents.
	objects int
}

var (
	randomObjects = []struct{ name, typ string }{{"a", "ta"}, {"b", "ta"}, {"c", "tb"}, {"k", "ta"}}
	randomPreds   = []struct {
		name  string
		arity int
	}{{"p", 1}, {"q", 1}, {"r", 2}, {"at", 2}, {"z", 0}}
	randomStatic  = []string{"s", "link"}
	staticArity   = []int{1, 2}
	randomDerived = []struct {
		name  string
		arity int
	}{{"d0", 1}, {"d1", 0}, {"d2", 1}}
)

type scopeVar struct{ name, typ string }

func (g *randomTask) pick(n int, label string) int { return rapid.IntRange(0, n-1).Draw(g.t, label) }
func (g *randomTask) chance(percent int) bool      { return g.pick(100, "chance") < percent }

func (g *randomTask) term(scope []scopeVar) string {
	if g.objects > 0 && g.chance(g.objects) {
		if g.chance(30) {
			return "(c)"
		}
		return "(o " + g.term(scope) + ")"
	}
	if len(scope) == 0 || g.chance(12) {
		if len(scope) == 0 {
			return randomObjects[g.pick(len(randomObjects), "object")].name
		}
		return "k"
	}
	return scope[g.pick(len(scope), "var")].name
}

func (g *randomTask) terms(scope []scopeVar, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(" " + g.term(scope))
	}
	return b.String()
}

func (g *randomTask) newVar() scopeVar {
	g.fresh++
	return scopeVar{fmt.Sprintf("?v%d", g.fresh), []string{"object", "ta", "tb"}[g.pick(3, "type")]}
}

// atom draws an atom that a condition may use; neg is its sign.
func (g *randomTask) atom(scope []scopeVar, neg bool) string {
	if g.numbers > 0 && g.chance(g.numbers) {
		op := []string{"=", "<", "<=", ">", ">="}[g.pick(5, "comparison")]
		return "(" + op + " " + g.number(scope, 2) + " " + g.number(scope, 1) + ")"
	}
	switch k := g.pick(10, "atom"); {
	case k < 6:
		p := randomPreds[g.pick(len(randomPreds), "pred")]
		return "(" + p.name + g.terms(scope, p.arity) + ")"
	case k < 8:
		i := g.pick(2, "static")
		return "(" + randomStatic[i] + g.terms(scope, staticArity[i]) + ")"
	case k < 9:
		if g.objects > 0 && g.chance(30) {
			return "(= (o " + g.term(scope) + ") undefined)"
		}
		return "(=" + g.terms(scope, 2) + ")"
	}
	n := len(randomDerived)
	if g.head >= 0 { // only lower ones, and itself without negation
		n = g.head
		if !neg {
			n++
		}
	}
	if n == 0 {
		return "(z)"
	}
	d := randomDerived[g.pick(n, "derived")]
	return "(" + d.name + g.terms(scope, d.arity) + ")"
}

// number draws an expression, which may read an undefined value or divide by zero.
func (g *randomTask) number(scope []scopeVar, depth int) string {
	switch k := g.pick(8, "number"); {
	case k < 2:
		return fmt.Sprint(g.pick(3, "constant"))
	case k < 5 || depth == 0:
		return "(w " + g.term(scope) + ")"
	case k == 5:
		return "(f)"
	case k == 6:
		return "(+ " + g.number(scope, depth-1) + " " + g.number(scope, depth-1) + ")"
	}
	return "(/ " + g.number(scope, depth-1) + " " + g.number(scope, depth-1) + ")"
}

func (g *randomTask) formula(scope []scopeVar, depth int, neg bool) string {
	k := g.pick(12, "formula")
	if depth == 0 {
		k = g.pick(5, "leaf")
	}
	switch k {
	case 0, 1, 2, 3:
		return g.atom(scope, neg)
	case 4:
		return "(not " + g.atom(scope, !neg) + ")"
	case 5, 6, 7:
		return "(and " + g.formula(scope, depth-1, neg) + " " + g.formula(scope, depth-1, neg) + ")"
	case 8:
		return "(or " + g.formula(scope, depth-1, neg) + " " + g.formula(scope, depth-1, neg) + ")"
	case 9:
		return "(imply " + g.formula(scope, depth-1, !neg) + " " + g.formula(scope, depth-1, neg) + ")"
	case 10:
		v := g.newVar()
		return "(exists (" + v.name + " - " + v.typ + ") " + g.formula(append(scope[:len(scope):len(scope)], v), depth-1, neg) + ")"
	}
	if g.chance(30) {
		return "(not " + g.formula(scope, depth-1, !neg) + ")"
	}
	v := g.newVar()
	return "(forall (" + v.name + " - " + v.typ + ") " + g.formula(append(scope[:len(scope):len(scope)], v), depth-1, neg) + ")"
}

func (g *randomTask) effect(scope []scopeVar, depth int, costs bool) string {
	k := g.pick(10, "effect")
	if depth == 0 {
		k = g.pick(6, "simple effect")
	}
	if g.objects > 0 && k < 6 && g.chance(40) {
		value := g.term(scope)
		if g.chance(15) {
			value = "undefined"
		}
		if g.chance(30) {
			return "(assign (c) " + value + ")"
		}
		return "(assign (o " + g.term(scope) + ") " + value + ")"
	}
	p := randomPreds[g.pick(len(randomPreds), "changed")]
	atom := "(" + p.name + g.terms(scope, p.arity) + ")"
	switch {
	case k < 3:
		return atom
	case k < 5:
		return "(not " + atom + ")"
	case k == 5:
		if !costs {
			return atom
		}
		if g.chance(50) {
			return fmt.Sprintf("(increase (total-cost) %d)", g.pick(4, "cost"))
		}
		if g.numbers > 0 {
			return "(increase (total-cost) " + g.number(scope, 1) + ")"
		}
		return "(increase (total-cost) (w " + g.term(scope) + "))"
	case k < 8:
		return "(when " + g.formula(scope, 1, false) + " " + g.effect(scope, depth-1, costs) + ")"
	case k == 8:
		v := g.newVar()
		return "(forall (" + v.name + " - " + v.typ + ") " + g.effect(append(scope[:len(scope):len(scope)], v), depth-1, costs) + ")"
	}
	return "(and " + g.effect(scope, depth-1, costs) + " " + g.effect(scope, depth-1, costs) + ")"
}

// move draws an action of the kind that gives rise to invariants: it replaces atoms that
// its precondition requires by others, mostly over the same variables, sometimes under a
// condition or for all objects.
func (g *randomTask) move() (pre, eff string, params string) {
	var scope []scopeVar
	for range 1 + g.pick(3, "params") {
		v := g.newVar()
		scope = append(scope, v)
		params += v.name + " - " + v.typ + " "
	}
	fluent := func(scope []scopeVar) string {
		p := randomPreds[g.pick(len(randomPreds), "pred")]
		return "(" + p.name + g.terms(scope, p.arity) + ")"
	}
	var taken []string
	for range 1 + g.pick(2, "taken") {
		taken = append(taken, fluent(scope))
	}
	pre = "(and " + strings.Join(taken, " ")
	if g.chance(30) {
		pre += " (not " + fluent(scope) + ")"
	}
	if g.chance(30) {
		pre += " (not (=" + g.terms(scope, 2) + "))"
	}
	if g.chance(30) {
		pre += " " + g.formula(scope, 1, false)
	}
	pre += ")"
	eff = "(and"
	wrap := func(inner func(scope []scopeVar) string) string {
		switch k := g.pick(10, "wrap"); {
		case k == 0:
			return "(when " + g.formula(scope, 1, false) + " " + inner(scope) + ")"
		case k == 1:
			v := g.newVar()
			wide := append(scope[:len(scope):len(scope)], v)
			e := inner(wide)
			if g.chance(70) {
				return "(forall (" + v.name + " - " + v.typ + ") (when " + fluent(wide) + " " + e + "))"
			}
			return "(forall (" + v.name + " - " + v.typ + ") " + e + ")"
		}
		return inner(scope)
	}
	for _, a := range taken {
		if g.chance(85) {
			eff += " " + wrap(func([]scopeVar) string { return "(not " + a + ")" })
		}
	}
	for range 1 + g.pick(2, "given") {
		eff += " " + wrap(func(s []scopeVar) string {
			if g.chance(30) {
				a := fluent(s)
				return "(and " + a + " (not " + fluent(s) + "))"
			}
			return fluent(s)
		})
	}
	return pre, eff + ")", params
}

func (g *randomTask) params(most int) (string, []scopeVar) {
	var b strings.Builder
	var scope []scopeVar
	for range g.pick(most+1, "params") {
		v := g.newVar()
		scope = append(scope, v)
		fmt.Fprintf(&b, "%s - %s ", v.name, v.typ)
	}
	return b.String(), scope
}

// draw returns domain and problem.
func (g *randomTask) draw() (domain, problem string) {
	var b strings.Builder
	costs := g.chance(40)
	if g.chance(60) {
		g.numbers = 25
	}
	if g.chance(40) {
		g.objects = 15
	}
	b.WriteString("(define (domain random)\n(:requirements :adl :derived-predicates :fluents)\n(:types ta tb - object)\n(:constants a b k - ta c - tb)\n(:predicates")
	decl := func(name string, arity int) {
		b.WriteString(" (" + name)
		for i := range arity {
			fmt.Fprintf(&b, " ?x%d", i)
		}
		b.WriteString(")")
	}
	for _, p := range randomPreds {
		decl(p.name, p.arity)
	}
	for i, s := range randomStatic {
		decl(s, staticArity[i])
	}
	for _, d := range randomDerived {
		decl(d.name, d.arity)
	}
	b.WriteString(")\n(:functions (total-cost) (w ?x) (f) - number (o ?x) (c) - object)\n")
	for i, d := range randomDerived {
		for range 1 + g.pick(2, "rules") {
			g.head = i
			var scope []scopeVar
			params := ""
			if d.arity > 0 {
				v := g.newVar()
				v.typ = "object"
				scope, params = []scopeVar{v}, " "+v.name+" - object"
			}
			fmt.Fprintf(&b, "(:derived (%s%s) %s)\n", d.name, params, g.formula(scope, 2, false))
		}
	}
	g.head = -1
	g.moves = g.chance(60)
	for i := range 1 + g.pick(3, "actions") {
		if g.moves && g.chance(85) {
			pre, eff, params := g.move()
			fmt.Fprintf(&b, "(:action act%d :parameters (%s)\n  :precondition %s\n  :effect %s)\n", i, params, pre, eff)
			continue
		}
		params, scope := g.params(2)
		fmt.Fprintf(&b, "(:action act%d :parameters (%s)\n  :precondition %s\n  :effect (and %s %s))\n", i, params,
			g.formula(scope, 2, false), g.effect(scope, 2, costs), g.effect(scope, 1, costs))
	}
	b.WriteString(")\n")
	return b.String(), g.problem(costs)
}

func (g *randomTask) problem(costs bool) string {
	var b strings.Builder
	b.WriteString("(define (problem x) (:domain random)\n(:init (= (total-cost) 0)")
	fact := func(name string, arity, percent int) {
		var rec func(args string, n int)
		rec = func(args string, n int) {
			if n == 0 {
				if g.chance(percent) {
					b.WriteString(" (" + name + args + ")")
				}
				return
			}
			for _, o := range randomObjects {
				rec(args+" "+o.name, n-1)
			}
		}
		rec("", arity)
	}
	percent := 25
	if g.moves {
		percent = 8
	}
	for _, p := range randomPreds {
		fact(p.name, p.arity, percent)
	}
	for i, s := range randomStatic {
		fact(s, staticArity[i], 50)
	}
	for _, o := range randomObjects {
		if g.chance(70) {
			fmt.Fprintf(&b, " (= (w %s) %d)", o.name, g.pick(4, "weight"))
		}
	}
	if g.chance(50) {
		b.WriteString(" (= (f) 1)")
	}
	if g.objects > 0 {
		for _, o := range append(randomObjects, struct{ name, typ string }{}) {
			fluent := "(o " + o.name + ")"
			if o.name == "" {
				fluent = "(c)"
			}
			if g.chance(70) {
				fmt.Fprintf(&b, " (= %s %s)", fluent, randomObjects[g.pick(len(randomObjects), "value")].name)
			}
		}
	}
	goal := g.formula(nil, 2, false)
	if g.chance(50) {
		goal = "(and"
		for range 1 + g.pick(3, "goals") {
			p := randomPreds[g.pick(len(randomPreds), "goal")]
			atom := "(" + p.name + g.terms(nil, p.arity) + ")"
			if g.chance(25) {
				atom = "(not " + atom + ")"
			}
			goal += " " + atom
		}
		goal += ")"
	}
	fmt.Fprintf(&b, ")\n(:goal %s)", goal)
	if costs {
		b.WriteString("\n(:metric minimize (total-cost))")
	}
	b.WriteString(")\n")
	return b.String()
}
