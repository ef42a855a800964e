package validator

import (
	"fmt"
	"strings"
)

// The levels of the language that random tasks come from.
const (
	levelClassical = iota // with derived predicates, action costs and time stamps, without other numbers
	levelNumeric          // with numbers and object fluents
	levelTimed            // durative actions and timed literals
	levelPreferences
	levelContinuous
	levelPlus // with processes and events
	levels
)

var levelNames = [levels]string{"classical", "numeric", "durative", "constraints and preferences", "continuous", "processes and events"}

// moving is a comparison of a fluent that may change continuously.
func (g *gen) moving(scope []scopeVar) string {
	f := "(c0)"
	if g.pick(2) == 0 {
		f = "(c1 " + g.arg("t3", scope) + ")"
	}
	other := g.oneOf("1", "2", "(f0)", "(c0)", "(+ (c0) 1)", "(* 2 (c0))")
	return "(" + g.oneOf("<", "<=", ">", ">=", "=") + " " + f + " " + other + ")"
}

// often is a condition that often holds, so that plans get on.
func (g *gen) often(scope []scopeVar) string {
	if g.level >= levelContinuous && g.pick(2) == 0 {
		if g.pick(3) == 0 {
			return "(" + g.oneOf("or", "and") + " " + g.moving(scope) + " " + g.moving(scope) + ")"
		}
		return g.moving(scope)
	}
	switch g.pick(4) {
	case 0:
		return g.formula(scope, 1, false)
	case 1:
		return "(not " + g.atom(scope, true) + ")"
	case 2:
		return "(or " + g.atom(scope, false) + " (not " + g.atom(scope, true) + "))"
	}
	return "(>= " + g.fluent(scope) + " 0)"
}

// quantify puts a forall around what body writes, now and then.
func (g *gen) quantify(scope []scopeVar, body func([]scopeVar) string) string {
	if g.pick(4) > 0 {
		return body(scope)
	}
	decl, inner := g.fresh(scope, 1)
	return "(forall (" + decl + ") " + body(inner) + ")"
}

func (g *gen) timedCondition(scope []scopeVar) string {
	if g.plain { // VAL reads no quantifier around a time specifier in a condition
		return "(" + g.oneOf("at start", "over all", "at end") + " " + g.quantify(scope, g.often) + ")"
	}
	at := func(scope []scopeVar) string {
		return "(" + g.oneOf("at start", "over all", "at end") + " " + g.often(scope) + ")"
	}
	if g.level == levelPreferences && g.pick(2) == 0 {
		return g.quantify(scope, func(s []scopeVar) string { return "(preference " + g.oneOf("x", "y") + " " + at(s) + ")" })
	}
	return g.quantify(scope, at)
}

func (g *gen) timedEffect(scope []scopeVar) string {
	if g.plain {
		return g.plainTimedEffect(scope)
	}
	end := func(s []scopeVar) string { return "(at end " + g.effect(s, 1) + ")" }
	switch g.pick(6) {
	case 0, 1:
		return g.quantify(scope, func(s []scopeVar) string { return "(at start " + g.effect(s, 1) + ")" })
	case 2:
		return g.quantify(scope, end)
	case 3:
		return g.quantify(scope, func(s []scopeVar) string {
			return "(when (and (at start " + g.often(s) + ") (" + g.oneOf("over all", "at end", "at start") + " " + g.often(s) + ")) " + end(s) + ")"
		})
	case 4:
		return "(at end (increase (f0) (* 2 ?duration)))"
	}
	if g.level < levelContinuous {
		return end(scope)
	}
	return g.quantify(scope, func(s []scopeVar) string {
		f := g.oneOf("(c0)", "(c1 "+g.arg("t3", s)+")")
		return "(" + g.oneOf("increase", "decrease") + " " + f + " " + g.oneOf("#t", "(* #t 2)", "(* 0.5 #t)", "(* #t "+g.fluent(s)+")") + ")"
	})
}

// plainTimedEffect is a timed effect as VAL reads it: quantifiers and conditions stand outside of
// time specifiers, and rates are numbers.
func (g *gen) plainTimedEffect(scope []scopeVar) string {
	base := func(s []scopeVar) string {
		p := genPreds[g.pick(4)]
		return g.oneOf(g.apply(p.name, p.args, s), "(not "+g.apply(p.name, p.args, s)+")", "(increase "+g.fluent(s)+" 1)", "(assign "+g.fluent(s)+" 2)")
	}
	at := func(s []scopeVar) string { return "(" + g.oneOf("at start", "at end") + " " + base(s) + ")" }
	switch g.pick(5) {
	case 0:
		return "(when (at start " + g.often(scope) + ") (" + g.oneOf("at start", "at end") + " " + base(scope) + "))"
	case 1:
		return "(when (at end " + g.often(scope) + ") (at end " + base(scope) + "))"
	case 2:
		if g.level >= levelContinuous {
			return "(" + g.oneOf("increase", "decrease") + " " + g.oneOf("(c0)", "(c1 "+g.arg("t3", scope)+")") + " " + g.oneOf("#t", "(* #t 2)", "(* 0.5 #t)") + ")"
		}
	case 3:
		return g.quantify(scope, at)
	}
	return at(scope)
}

// timedDomain adds durative actions to a domain and returns their parameter types.
func (g *gen) timedDomain() (text string, params [3][]string) {
	var b strings.Builder
	g.layer, g.flat = 4, true
	bounds := []string{"(= ?duration 2)", "(>= ?duration 0)", "(and (>= ?duration 0) (<= ?duration 3))", "(= ?duration (f0))", "()", "(at end (<= ?duration 3))", "(< ?duration 3)", "(= ?duration (/ 10 3))"}
	least := 0 // conditions
	if g.plain {
		bounds, least = bounds[:4], 1
	}
	for a := range params {
		decl, scope := g.fresh(nil, g.pick(3))
		for _, v := range scope {
			params[a] = append(params[a], v.typ)
		}
		fmt.Fprintf(&b, " (:durative-action w%d :parameters (%s) :duration %s\n  :condition (and", a, decl,
			g.oneOf(bounds...))
		for range least + g.pick(3) {
			b.WriteString(" " + g.timedCondition(scope))
		}
		b.WriteString(")\n  :effect (and")
		for range 1 + g.pick(3) {
			b.WriteString(" " + g.timedEffect(scope))
		}
		b.WriteString("))\n")
	}
	if g.level == levelPreferences {
		b.WriteString(" (:action pref :parameters (?x - t1) :precondition " + g.quantify([]scopeVar{{"?x", "t1"}}, func(s []scopeVar) string {
			return "(preference " + g.oneOf("x", "z") + " " + g.often(s) + ")"
		}) + " :effect (p0))\n")
	}
	return b.String(), params
}

func (g *gen) trajectory(scope []scopeVar) string {
	one := func() string { return g.often(scope) }
	n := func() string { return g.oneOf("0", "1", "2", "2.5", "4") }
	switch g.pick(10) {
	case 0:
		return "(always " + one() + ")"
	case 1:
		return "(sometime " + one() + ")"
	case 2:
		return "(at end " + one() + ")"
	case 3:
		return "(within " + n() + " " + one() + ")"
	case 4:
		return "(at-most-once " + one() + ")"
	case 5:
		return "(sometime-after " + one() + " " + one() + ")"
	case 6:
		return "(sometime-before " + one() + " " + one() + ")"
	case 7:
		return "(always-within " + n() + " " + one() + " " + one() + ")"
	case 8:
		return "(hold-during " + n() + " " + n() + " " + one() + ")"
	}
	return "(hold-after " + n() + " " + one() + ")"
}

// timedProblem changes a random problem for the level.
func (g *gen) timedProblem(problem string) string {
	g.layer = 4
	var init, rest strings.Builder
	for range g.pick(3) {
		lit := g.apply("p1", []string{"t1"}, nil)
		init.WriteString(" (at " + g.oneOf("0", "1", "2", "2.5") + " " + g.oneOf(lit, "(not "+lit+")", "(not (p0))", "(= (f0) 2)") + ")")
	}
	for _, f := range []string{"(c0)", "(c1 c3)", "(c1 x3)"} {
		if strings.HasSuffix(f, "x3)") || g.level < levelContinuous {
			continue
		}
		if g.plain || g.pick(5) > 0 {
			init.WriteString(" (= " + f + " " + g.oneOf("0", "1", "2") + ")")
		}
	}
	if g.level == levelPreferences {
		rest.WriteString("\n (:constraints (and")
		for range g.pick(3) {
			rest.WriteString(" " + g.quantify(nil, func(s []scopeVar) string {
				if g.pick(2) == 0 {
					return "(preference " + g.oneOf("x", "y", "z") + " " + g.quantify(s, g.trajectory) + ")"
				}
				return g.trajectory(s)
			}))
		}
		rest.WriteString("))\n (:metric minimize (+ (total-time) (* 10 (is-violated x)) (* 100 (is-violated y)) (is-violated z)))")
		var metric bool
		if problem, _, metric = strings.Cut(problem, "\n (:metric"); !metric {
			problem = strings.TrimSuffix(strings.TrimSpace(problem), ")")
		}
		goals := g.quantify(nil, func(s []scopeVar) string { return "(preference x " + g.often(s) + ")" })
		problem = strings.Replace(problem, "(:goal ", "(:goal (and (preference y (p0)) (preference z (not (p0))) "+goals+" ", 1) + ")" + rest.String() + ")"
	}
	if g.pick(2) == 0 && strings.Contains(problem, "(:goal ") && g.level != levelPreferences {
		problem = problem[:strings.Index(problem, "(:goal ")] + "(:goal (and)) (:metric minimize (+ (total-time) (f0))))"
	}
	return strings.Replace(problem, "(:init", "(:init"+init.String(), 1)
}

// timedPlan writes a plan with durations.
func (g *gen) timedPlan(params, timed [3][]string) string {
	var b strings.Builder
	args := func(types []string) {
		for _, typ := range types {
			o := g.pick(len(genObjects))
			for i := 0; !genFits(o, typ) && i < 30; i++ {
				o = g.pick(len(genObjects))
			}
			b.WriteString(" " + genObjects[o])
		}
		b.WriteString(")")
	}
	for range g.pick(6) {
		b.WriteString(g.oneOf("0", "0.5", "1", "1.5", "2", "2.5", "3", "4") + ": ")
		switch a := g.pick(3); g.pick(3) {
		case 0:
			fmt.Fprintf(&b, "(a%d", a)
			args(params[a])
		case 1:
			if g.level == levelPreferences {
				b.WriteString("(pref")
				args([]string{"t1"})
				break
			}
			fallthrough
		default:
			fmt.Fprintf(&b, "(w%d", a)
			args(timed[a])
			if g.plain || g.pick(40) > 0 {
				b.WriteString(" [" + g.oneOf("2", "2", "1", "0", "0.5", "3", "3.3", "3.333", "4") + "]")
			}
		}
		b.WriteString("\n")
	}
	if g.level == levelPlus && !g.plain && (b.Len() == 0 || g.pick(2) == 0) {
		b.WriteString(g.oneOf("4", "5.5", "9") + ": @PlanEND\n")
	}
	return b.String()
}
