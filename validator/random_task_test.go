package validator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// gen writes random small tasks as text: types with a hierarchy, constants, static
// and fluent predicates, numeric and object fluents, layered derived predicates
// with recursion, every kind of condition and effect.
type gen struct {
	t    *rapid.T
	vars int // counter for fresh variables
	// derived says up to which layer derived predicates may be used, positively and
	// negatively.
	layer int
	level int  // of the language
	flat  bool // no object fluents as terms, which effects of durative actions cannot have
	plain bool // no object fluents at all, and every number has an initial value
}

// atoms reports whether tasks have atoms only.
func (g *gen) atoms() bool { return g.level == levelClassical }

type scopeVar struct{ name, typ string }

func (g *gen) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "") }

func (g *gen) oneOf(s ...string) string { return s[g.pick(len(s))] }

var genTypes = []string{"t1", "t2", "t3", "object"}

// genSub lists the types that a type includes: t2 is a t1.
var genSub = map[string][]string{"t1": {"t1", "t2"}, "t2": {"t2"}, "t3": {"t3"}, "object": {"t1", "t2", "t3", "object"}}

var genPreds = []struct {
	name  string
	args  []string
	layer int // of a derived predicate; 0 is a base predicate
}{
	{"p0", nil, 0}, {"p1", []string{"t1"}, 0}, {"p2", []string{"t1", "t3"}, 0}, {"e", []string{"object", "object"}, 0},
	{"s1", []string{"t1"}, 0}, {"s2", []string{"object", "object"}, 0}, {"s3", []string{"t1", "t3", "object"}, 0},
	{"d1", []string{"t1"}, 1}, {"d2", []string{"object", "object"}, 2}, {"d3", []string{"object"}, 2}, {"d4", []string{"t1", "object"}, 3},
}

var genFuncs = []struct {
	name string
	args []string
}{{"f0", nil}, {"f1", []string{"t1"}}, {"f2", []string{"object", "t1"}}}

// arg returns a term of a type from the scope or the constants.
func (g *gen) arg(typ string, scope []scopeVar) string {
	if typ == "t1" && !g.flat && !g.plain && !g.atoms() && g.pick(10) == 9 { // an object fluent as a term
		return "(o1 " + g.arg("t1", scope) + ")"
	}
	var fit []string
	for _, v := range scope {
		for _, s := range genSub[typ] {
			if v.typ == s {
				fit = append(fit, v.name)
			}
		}
	}
	switch typ {
	case "t1":
		fit = append(fit, "c1", "c2")
	case "t2":
		fit = append(fit, "c2")
	case "t3":
		fit = append(fit, "c3")
	default:
		fit = append(fit, "c1", "c3")
	}
	return fit[g.pick(len(fit))]
}

func (g *gen) apply(name string, args []string, scope []scopeVar) string {
	b := "(" + name
	for _, t := range args {
		b += " " + g.arg(t, scope)
	}
	return b + ")"
}

func (g *gen) atom(scope []scopeVar, neg bool) string {
	for {
		p := genPreds[g.pick(len(genPreds))]
		// In the body of layer l: positive atoms up to l, negative ones below l.
		if p.layer > g.layer || neg && p.layer == g.layer && p.layer > 0 {
			continue
		}
		return g.apply(p.name, p.args, scope)
	}
}

func (g *gen) fluent(scope []scopeVar) string {
	f := genFuncs[g.pick(len(genFuncs))]
	return g.apply(f.name, f.args, scope)
}

func (g *gen) expr(scope []scopeVar, depth int) string {
	if depth == 0 || g.pick(2) == 0 {
		if g.pick(2) == 0 {
			return g.oneOf("0", "1", "2", "0.5", "3")
		}
		return g.fluent(scope)
	}
	a, b := g.expr(scope, depth-1), g.expr(scope, depth-1)
	switch g.pick(5) {
	case 0:
		return "(+ " + a + " " + b + ")"
	case 1:
		return "(- " + a + " " + b + ")"
	case 2:
		return "(* " + a + " " + b + ")"
	case 3:
		return "(- " + a + ")"
	}
	return "(/ " + a + " " + b + ")"
}

func (g *gen) fresh(scope []scopeVar, n int) (string, []scopeVar) {
	var decl string
	out := append([]scopeVar(nil), scope...)
	for range n {
		g.vars++
		v := scopeVar{fmt.Sprintf("?v%d", g.vars), genTypes[g.pick(len(genTypes))]}
		decl += " " + v.name + " - " + v.typ
		out = append(out, v)
	}
	return strings.TrimSpace(decl), out
}

func (g *gen) formula(scope []scopeVar, depth int, neg bool) string {
	kind := g.pick(11)
	if depth == 0 {
		kind = g.pick(5)
	}
	switch kind {
	case 0, 1:
		return g.atom(scope, neg)
	case 2:
		return "(= " + g.arg("object", scope) + " " + g.arg("object", scope) + ")"
	case 3:
		if g.atoms() {
			return g.atom(scope, neg)
		}
		return "(" + g.oneOf("=", "<", "<=", ">", ">=") + " " + g.expr(scope, 1) + " " + g.expr(scope, 0) + ")"
	case 4:
		if g.plain || g.atoms() {
			return g.atom(scope, neg)
		}
		return "(= (o1 " + g.arg("t1", scope) + ") " + g.arg("t1", scope) + ")"
	case 5:
		return "(not " + g.formula(scope, depth-1, !neg) + ")"
	case 6:
		return "(imply " + g.formula(scope, depth-1, !neg) + " " + g.formula(scope, depth-1, neg) + ")"
	case 7, 8:
		op, b := g.oneOf("and", "or"), ""
		for range 1 + g.pick(3) {
			b += " " + g.formula(scope, depth-1, neg)
		}
		return "(" + op + b + ")"
	}
	op := g.oneOf("exists", "forall")
	decl, inner := g.fresh(scope, 1+g.pick(2))
	body := g.formula(inner, depth-1, neg)
	if g.pick(2) == 1 { // a guard that an index may answer
		guard := g.guard(inner[len(scope):], inner)
		if op == "exists" {
			body = "(and " + guard + " " + body + ")"
		} else {
			body = "(imply " + guard + " " + body + ")"
		}
	}
	return "(" + op + " (" + decl + ") " + body + ")"
}

// guard is an atom of a base predicate, preferably over the given variables.
func (g *gen) guard(fresh, scope []scopeVar) string {
	p := genPreds[2+g.pick(5)]
	b := "(" + p.name
	for _, t := range p.args {
		v := fresh[g.pick(len(fresh))]
		if slices.Contains(genSub[t], v.typ) && g.pick(3) > 0 {
			b += " " + v.name
		} else {
			b += " " + g.arg(t, scope)
		}
	}
	return b + ")"
}

func (g *gen) effect(scope []scopeVar, depth int) string {
	kind := g.pick(9)
	if depth == 0 {
		kind = g.pick(6)
	}
	base := func() string {
		p := genPreds[g.pick(4)]
		return g.apply(p.name, p.args, scope)
	}
	switch kind {
	case 0, 1:
		return base()
	case 2:
		return "(not " + base() + ")"
	case 3:
		if g.atoms() {
			return base()
		}
		return "(" + g.oneOf("assign", "increase", "decrease", "scale-up", "scale-down", "increase") + " " + g.fluent(scope) + " " + g.expr(scope, 1) + ")"
	case 4:
		if g.atoms() {
			return "(increase (total-cost) " + g.oneOf("1", "2", "0.25") + ")"
		}
		return "(increase (total-cost) " + g.oneOf("1", "2", "(f0)", "0.25") + ")"
	case 5:
		if g.plain || g.atoms() {
			return base()
		}
		return "(assign (o1 " + g.arg("t1", scope) + ") " + g.oneOf(g.arg("t1", scope), "undefined") + ")"
	case 6:
		return "(when " + g.formula(scope, 1, false) + " " + g.effect(scope, depth-1) + ")"
	case 7:
		decl, inner := g.fresh(scope, 1+g.pick(2))
		e := g.effect(inner, depth-1)
		if g.plain { // VAL refuses a numeric effect below a quantifier otherwise
			e = "(and" + " " + g.joined(e) + ")"
		}
		if g.pick(2) == 1 {
			e = "(when " + g.guard(inner[len(scope):], inner) + " " + e + ")"
		}
		return "(forall (" + decl + ") " + e + ")"
	}
	b := ""
	for range g.pick(4) {
		b += " " + g.joined(g.effect(scope, depth-1))
	}
	return "(and" + b + ")"
}

// joined is an effect as a part of a conjunction: VAL 3c7a1f3 crashes on conjunctions in conjunctions.
func (g *gen) joined(e string) string {
	if inner, ok := strings.CutPrefix(e, "(and"); ok && g.plain {
		return strings.TrimSuffix(inner, ")")
	}
	return e
}

const genHead = `(define (domain random)
 (:requirements :adl :typing :fluents :object-fluents :derived-predicates :action-costs :negative-preconditions
  :durative-actions :duration-inequalities :continuous-effects :timed-initial-literals :constraints :preferences)
 (:types t1 t3 - object t2 - t1)
 (:constants c1 - t1 c2 - t2 c3 - t3)
 (:predicates (p0) (p1 ?x - t1) (p2 ?x - t1 ?y - t3) (e ?x ?y - object) (s1 ?x - t1) (s2 ?x ?y - object) (s3 ?x - t1 ?y - t3 ?z - object)
  (d1 ?x - t1) (d2 ?x ?y - object) (d3 ?x - object) (d4 ?x - t1 ?y - object))
 (:functions (f0) (f1 ?x - t1) (f2 ?x - object ?y - t1) (c0) (c1 ?x - t3) (total-cost) - number (o1 ?x - t1) - t1)
`

var functionsOfHead = regexp.MustCompile(`\(:functions .*\)`)

// domain writes a domain and returns the parameter types of its actions.
func (g *gen) domain() (text string, params [3][]string) {
	var b strings.Builder
	switch {
	case g.atoms():
		b.WriteString(functionsOfHead.ReplaceAllString(genHead, "(:functions (total-cost))"))
	case g.plain:
		b.WriteString(strings.NewReplacer(" - number (o1 ?x - t1) - t1", "", ":object-fluents ", "").Replace(genHead))
	default:
		b.WriteString(genHead)
	}
	for _, p := range genPreds[7:] {
		for range 1 + g.pick(2) {
			var scope []scopeVar
			decl := ""
			if !g.plain && len(p.args) == 2 && g.pick(3) == 2 { // a variable twice
				v := scopeVar{"?x0", p.args[0]}
				g.layer = p.layer
				fmt.Fprintf(&b, " (:derived (%s ?x0 - %s ?x0 - %s) %s)\n", p.name, p.args[0], p.args[1], g.formula([]scopeVar{v}, 2, false))
				continue
			}
			for i, t := range p.args {
				if !g.plain && g.pick(3) == 2 { // a rule for a part of the type
					t = genSub[t][g.pick(len(genSub[t]))]
				}
				v := scopeVar{fmt.Sprintf("?x%d", i), t}
				scope = append(scope, v)
				decl += " " + v.name + " - " + v.typ
			}
			g.layer = p.layer
			fmt.Fprintf(&b, " (:derived (%s%s) %s)\n", p.name, decl, g.formula(scope, 2, false))
		}
	}
	b.WriteString(" (:derived (d2 ?x0 - object ?x1 - object) (or (e ?x0 ?x1) (exists (?z - object) (and (e ?x0 ?z) (d2 ?z ?x1)))))\n")
	g.layer = 4
	for a := range params {
		decl, scope := g.fresh(nil, g.pick(3))
		for _, v := range scope {
			params[a] = append(params[a], v.typ)
		}
		fmt.Fprintf(&b, " (:action a%d :parameters (%s)", a, decl)
		if g.plain || g.pick(3) > 0 {
			fmt.Fprintf(&b, " :precondition %s", g.formula(scope, 3, false))
		}
		fmt.Fprintf(&b, "\n  :effect (and %s %s))\n", g.joined(g.effect(scope, 2)), g.joined(g.effect(scope, 2)))
	}
	b.WriteString(")\n")
	return b.String(), params
}
