package validator

import (
	"fmt"
	"strings"
)

// plusDomain adds processes and events to a domain. Most events make their own condition
// false, so that plans get on.
func (g *gen) plusDomain(domain string) string {
	var b strings.Builder
	g.layer, g.flat = 4, true
	for k := range g.pick(3) {
		decl, scope := g.fresh(nil, g.pick(2))
		fmt.Fprintf(&b, " (:process r%d :parameters (%s) :precondition %s :effect %s)\n", k, decl, g.world(scope),
			g.quantify(scope, func(s []scopeVar) string {
				if g.pick(3) == 0 {
					return "(and " + g.rate(s) + " " + g.rate(s) + ")"
				}
				return g.rate(s)
			}))
	}
	for k := range 1 + g.pick(3) {
		decl, scope := g.fresh(nil, g.pick(2))
		cond, effect := g.world(scope), g.effect(scope, 1)
		switch g.pick(8) {
		case 0: // as it comes
		case 1, 2:
			cond, effect = "(and "+g.oneOf("(>= (c0) 2)", "(> (c0) 2)", "(>= (c0) 0.75)")+" "+cond+")", "(and (assign (c0) "+g.oneOf("0", "-1", "(f0)")+") (increase (f0) 1))"
		case 3:
			cond, effect = "(and "+cond+" (ev0))", "(and (not (ev0)) "+effect+")"
		default:
			ev := "(ev0)"
			if decl != "" && g.pick(2) == 0 {
				ev = "(ev1 " + scope[0].name + ")"
			}
			cond, effect = "(and "+cond+" (not "+ev+"))", "(and "+ev+" "+effect+")"
		}
		fmt.Fprintf(&b, " (:event n%d :parameters (%s) :precondition %s :effect %s)\n", k, decl, cond, effect)
	}
	domain = strings.Replace(domain, "(:predicates", "(:predicates (ev0) (ev1 ?x - object)", 1)
	return strings.TrimSuffix(strings.TrimSpace(domain), ")") + b.String() + ")\n"
}

// world is a condition of a process or an event.
func (g *gen) world(scope []scopeVar) string {
	switch g.pick(4) {
	case 0:
		return g.often(scope)
	case 1:
		return "(and " + g.moving(scope) + " " + g.often(scope) + ")"
	}
	return g.moving(scope)
}

func (g *gen) rate(s []scopeVar) string {
	f := g.oneOf("(c0)", "(c0)", "(c1 "+g.arg("t3", s)+")")
	if g.plain {
		return "(" + g.oneOf("increase", "increase", "decrease") + " " + f + " " + g.oneOf("#t", "(* #t 2)", "(* 0.5 #t)") + ")"
	}
	return "(" + g.oneOf("increase", "increase", "decrease") + " " + f + " " + g.oneOf("#t", "(* #t 2)", "(* 0.5 #t)", "(* #t "+g.fluent(s)+")") + ")"
}
