// Package randomsas writes small random ground tasks, for tests of search:
//
//	choices of the test library ─► Text ─► translator output ─► grounder.ReadSAS
//
// Tasks are small enough to enumerate and rich in what may go wrong: operators of cost 0,
// operators that are never applicable or change nothing, contradictory conditional effects
// on one variable, layers of axioms with negation, unreachable goals.
package randomsas

import (
	"fmt"
	"strings"
)

// Options selects the language features.
type Options struct {
	Axioms, ConditionalEffects bool
	MaxCost                    int // costs are 0 to MaxCost
}

// Text returns a task. choose(lo, hi) picks an integer from lo to hi; it is the only
// source of randomness, so that a property-testing library can shrink the task.
func Text(choose func(lo, hi int) int, opt Options) string {
	g := &generator{choose: choose, opt: opt}
	return g.text()
}

type generator struct {
	choose func(lo, hi int) int
	opt    Options
	size   []int // of the variables; derived ones come last and are binary
	layer  []int // -1 for state variables
	b      strings.Builder
}

func (g *generator) text() string {
	for i, n := 0, g.choose(1, 5); i < n; i++ {
		g.size, g.layer = append(g.size, g.choose(1, 4)), append(g.layer, -1)
	}
	state := len(g.size)
	if g.opt.Axioms {
		for i, n, l := 0, g.choose(0, 4), 0; i < n; i++ {
			l += g.choose(0, 1)
			g.size, g.layer = append(g.size, 2), append(g.layer, l)
		}
	}
	g.line("begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n%d", len(g.size))
	for v, n := range g.size {
		g.line("begin_variable\nvar%d\n%d\n%d", v, g.layer[v], n)
		for x := 0; x < n; x++ {
			g.line("Atom v%d-%d()", v, x)
		}
		g.line("end_variable")
	}
	g.line("0\nbegin_state")
	for v, n := range g.size {
		if v < state {
			g.line("%d", g.choose(0, n-1))
		} else {
			g.line("1") // the default of a derived variable
		}
	}
	goal := g.facts(0, len(g.size), 1, 3)
	g.line("end_state\nbegin_goal\n%d", len(goal))
	g.list(goal)
	g.line("end_goal")
	ops := g.choose(0, 12)
	g.line("%d", ops)
	for i := 0; i < ops; i++ {
		g.operator(i, state)
	}
	g.axioms(state)
	return g.b.String()
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, format+"\n", args...)
}

// facts picks facts on distinct variables between from and to, sorted by variable.
func (g *generator) facts(from, to, least, most int) [][2]int {
	var out [][2]int
	n := g.choose(least, most)
	for v := from; v < to && len(out) < n; v++ {
		if g.choose(0, 1) == 1 || to-v <= n-len(out) {
			out = append(out, [2]int{v, g.choose(0, g.size[v]-1)})
		}
	}
	return out
}

func (g *generator) list(facts [][2]int) {
	for _, f := range facts {
		g.line("%d %d", f[0], f[1])
	}
}

// operator writes an operator: some preconditions as prevail conditions, some as the old
// value of an effect.
func (g *generator) operator(i, state int) {
	pre := g.facts(0, len(g.size), 0, 3)
	old := map[int]int{}
	for _, f := range pre {
		old[f[0]] = f[1]
	}
	var effects []string
	affected := map[int]bool{}
	for k, n := 0, g.choose(0, 3); k < n; k++ {
		v := g.choose(0, state-1)
		val := g.choose(0, g.size[v]-1)
		var cond [][2]int
		if g.opt.ConditionalEffects && g.choose(0, 1) == 1 {
			cond = g.facts(0, len(g.size), 1, 2)
		} else if affected[v] {
			continue // two unconditional effects on one variable
		}
		before := -1
		if x, ok := old[v]; ok && len(cond) == 0 {
			before = x
		}
		affected[v] = affected[v] || len(cond) == 0
		text := fmt.Sprint(len(cond))
		for _, f := range cond {
			text += fmt.Sprintf(" %d %d", f[0], f[1])
		}
		effects = append(effects, fmt.Sprintf("%s %d %d %d", text, v, before, val))
	}
	var prevail [][2]int
	for _, f := range pre {
		if !affected[f[0]] {
			prevail = append(prevail, f)
		}
	}
	g.line("begin_operator\no%d\n%d", i, len(prevail))
	g.list(prevail)
	g.line("%d", len(effects))
	for _, e := range effects {
		g.line("%s", e)
	}
	g.line("%d\nend_operator", g.choose(0, g.opt.MaxCost))
}

// axioms writes rules that derive value 0. Bodies use state variables, derived variables
// of the same layer positively, and those of lower layers either way.
func (g *generator) axioms(state int) {
	var rules []string
	for v := state; v < len(g.size); v++ {
		for k, n := 0, g.choose(0, 3); k < n; k++ {
			var body []string
			for _, f := range g.facts(0, len(g.size), 0, 3) {
				switch l := g.layer[f[0]]; {
				case l > g.layer[v] || f[0] == v:
					continue
				case l == g.layer[v]:
					f[1] = 0
				}
				body = append(body, fmt.Sprintf("%d %d\n", f[0], f[1]))
			}
			rules = append(rules, fmt.Sprintf("begin_rule\n%d\n%s%d 1 0\nend_rule", len(body), strings.Join(body, ""), v))
		}
	}
	g.line("%d", len(rules))
	for _, r := range rules {
		g.line("%s", r)
	}
}
