package secondjudge

import (
	"math/big"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// required reports whether a constraint holds; its preferences are counted instead if hard.
func (x *run) required(f *pddl.Formula, env []int, hard bool) bool {
	switch f.Kind {
	case pddl.FormulaTrue:
		return true
	case pddl.FormulaAnd:
		ok := true
		for _, k := range f.Children {
			ok = x.required(k, env, hard) && ok
		}
		return ok
	case pddl.FormulaForall:
		ok := true
		x.over(x.vars, f.Bound, env, func() { ok = x.required(f.Children[0], env, hard) && ok })
		return ok
	case pddl.FormulaPreference:
		if !x.required(f.Children[0], env, false) {
			x.violated[strings.ToLower(f.Name)]++
		}
		return true
	}
	return x.holds(f, env)
}

// holds decides a constraint over the whole trajectory, by the definitions of Gerevini and
// Long (2005).
func (x *run) holds(f *pddl.Formula, env []int) bool {
	n := len(x.stages)
	is := func(k, i int) bool { return x.eval(x.stages[i].closed, f.Children[k], env) == yes }
	some := func(from, to int, test func(i int) bool) bool {
		for i := from; i < to; i++ {
			if test(i) {
				return true
			}
		}
		return false
	}
	every := func(test func(i int) bool) bool { return !some(0, n, func(i int) bool { return !test(i) }) }
	at := func(i int) *big.Rat { return x.stages[i].time }
	a, b := f.Bounds[0].Rat(), f.Bounds[1].Rat()
	switch f.Kind {
	case pddl.FormulaAlways:
		return every(func(i int) bool { return is(0, i) })
	case pddl.FormulaSometime:
		return some(0, n, func(i int) bool { return is(0, i) })
	case pddl.FormulaAtEnd:
		return is(0, n-1)
	case pddl.FormulaWithin:
		return some(0, n, func(i int) bool { return is(0, i) && at(i).Cmp(a) <= 0 })
	case pddl.FormulaAtMostOnce:
		// After a state with it and a later one without it, it never holds again.
		return every(func(i int) bool {
			return !is(0, i) || !some(0, i, func(j int) bool { return is(0, j) && some(j, i, func(k int) bool { return !is(0, k) }) })
		})
	case pddl.FormulaSometimeAfter:
		return every(func(i int) bool { return !is(0, i) || some(i, n, func(j int) bool { return is(1, j) }) })
	case pddl.FormulaSometimeBefore:
		return every(func(i int) bool { return !is(0, i) || some(0, i, func(j int) bool { return is(1, j) }) })
	case pddl.FormulaAlwaysWithin:
		return every(func(i int) bool {
			limit := new(big.Rat).Add(at(i), a)
			return !is(0, i) || some(i, n, func(j int) bool { return is(1, j) && at(j).Cmp(limit) <= 0 })
		})
	case pddl.FormulaHoldDuring:
		if a.Cmp(b) >= 0 {
			return true
		}
		return is(0, x.current(a)) && every(func(i int) bool { return at(i).Cmp(a) < 0 || at(i).Cmp(b) >= 0 || is(0, i) })
	case pddl.FormulaHoldAfter:
		return is(0, x.current(a)) && every(func(i int) bool { return at(i).Cmp(a) < 0 || is(0, i) })
	}
	panic("secondjudge: unexpected constraint")
}

// current is the last stage that has come about by a time.
func (x *run) current(t *big.Rat) int {
	k := 0
	for i := range x.stages {
		if x.stages[i].time.Cmp(t) <= 0 {
			k = i
		}
	}
	return k
}
