package secondjudge

import (
	"math/big"
	"sort"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// between lets time pass until a moment: it tests what must hold over the open interval and
// changes fluents at their rates. It returns the earliest faults and their time.
func (x *run) between(to *big.Rat) ([]Fault, *big.Rat) {
	from := x.now
	rates := x.flow
	var faults []Fault
	var earliest *big.Rat
	consider := func(v truth, at *big.Rat, d *doing) {
		if v == yes || earliest != nil && at.Cmp(earliest) > 0 {
			return
		}
		if earliest == nil || at.Cmp(earliest) < 0 {
			earliest, faults = at, nil
		}
		faults = append(faults, Fault{map[truth]string{no: "invariant", unknown: "numeric"}[v], x.rank[d.step]})
	}
	for _, p := range x.points(from, to, rates) {
		closed := x.close(x.at(rates, from, p.sample))
		for _, d := range x.running {
			consider(x.lasts(closed, d), p.named, d)
		}
	}
	if earliest != nil {
		return faults, earliest
	}
	x.state = x.at(rates, from, to)
	return nil, nil
}

// rates returns the change of each fluent per time unit, and the steps without one.
func (x *run) rates() (map[string]*big.Rat, []Fault) {
	out := map[string]*big.Rat{}
	for _, d := range x.running {
		x.vars, x.dur = d.action.Vars, x.plan.Steps[d.step].Duration.Rat()
		if !x.changes(d.action.Effect, d.env, out) {
			return nil, []Fault{{"numeric", x.rank[d.step]}}
		}
	}
	return out, nil
}

// slope is the value of an expression per unit of #t: the expression with #t as 1.
func (x *run) slope(e *pddl.NumExpr, env []int) *big.Rat {
	if e.Kind == pddl.NumTime {
		return big.NewRat(1, 1)
	}
	v := big.NewRat(1, 1)
	for _, k := range e.Children {
		w := big.NewRat(1, 1)
		if k.Kind != pddl.NumTime {
			w = x.number(x.state, k, env)
		}
		if w == nil {
			return nil
		}
		v.Mul(v, w)
	}
	return v
}

// at is the state at a later time.
func (x *run) at(rates map[string]*big.Rat, from, to *big.Rat) *state {
	if len(rates) == 0 {
		return x.state
	}
	s := &state{x.state.atoms, map[string]*big.Rat{}}
	for k, v := range x.state.values {
		s.values[k] = v
		if r := rates[k]; r != nil {
			d := new(big.Rat).Sub(to, from)
			s.values[k] = d.Mul(d, r).Add(d, v)
		}
	}
	return s
}

// point is a time at which conditions are tested, and the time at which a fault found there
// begins.
type point struct{ sample, named *big.Rat }

// lasts evaluates the condition over all of a step, and breaks its wishes over all.
func (x *run) lasts(closed *state, d *doing) truth {
	x.vars, x.dur = d.action.Vars, x.plan.Steps[d.step].Duration.Rat()
	for i := range d.wishes {
		w := &d.wishes[i]
		w.broken = w.broken || x.part(closed, w.f.Children[0], w.env, pddl.FormulaOverAll) != yes
	}
	for i := range d.waiting {
		for _, c := range d.waiting[i].conds {
			if x.part(closed, c, d.waiting[i].env, pddl.FormulaOverAll) != yes {
				d.waiting[i].gone = true
			}
		}
	}
	return x.part(closed, d.action.Condition, d.env, pddl.FormulaOverAll)
}

// points covers the open interval: each root of a comparison, and a time between two of
// them, where no comparison changes.
func (x *run) points(from, to *big.Rat, rates map[string]*big.Rat) (out []point) {
	if to.Cmp(from) <= 0 || len(x.running) == 0 {
		return nil
	}
	cuts := []*big.Rat{from}
	if len(rates) > 0 {
		cuts = append(cuts, x.roots(from, to, rates)...)
	}
	cuts = append(cuts, to)
	sort.Slice(cuts, func(a, b int) bool { return cuts[a].Cmp(cuts[b]) < 0 })
	for i := 0; i+1 < len(cuts); i++ {
		if i > 0 {
			out = append(out, point{cuts[i], cuts[i]})
		}
		if cuts[i].Cmp(cuts[i+1]) < 0 {
			middle := new(big.Rat).Add(cuts[i], cuts[i+1])
			out = append(out, point{middle.Mul(middle, big.NewRat(1, 2)), cuts[i]})
		}
	}
	return out
}

// roots finds where a comparison in a condition of a running step, of a process or event, or in
// a rule changes: between the values at both ends of the interval it is linear. Formulas without
// a fluent that changes are passed over, whatever their quantifiers; each root is named once.
func (x *run) roots(from, to *big.Rat, rates map[string]*big.Rat) (out []*big.Rat) {
	a, b := x.at(rates, from, from), x.at(rates, from, to)
	moving := x.movingFunctions(rates)
	seen := map[string]bool{}
	compare := func(f *pddl.Formula, env []int) {
		l, m := x.number(a, f.Left, env), x.number(a, f.Right, env)
		n, o := x.number(b, f.Left, env), x.number(b, f.Right, env)
		if l == nil || m == nil || n == nil || o == nil {
			return
		}
		start, end := new(big.Rat).Sub(l, m), new(big.Rat).Sub(n, o)
		if start.Sign()*end.Sign() >= 0 {
			return
		}
		part := new(big.Rat).Quo(start, new(big.Rat).Sub(start, end))
		part.Mul(part, new(big.Rat).Sub(to, from)).Add(part, from)
		if key := part.RatString(); !seen[key] {
			seen[key] = true
			out = append(out, part)
		}
	}
	var visit func(f *pddl.Formula, env []int)
	visit = func(f *pddl.Formula, env []int) {
		if f == nil || !speaksOf(f, moving) {
			return
		}
		if f.Kind == pddl.FormulaCompare {
			compare(f, env)
		}
		x.over(x.vars, f.Bound, env, func() {
			for _, k := range f.Children {
				visit(k, env)
			}
		})
	}
	var effect func(e *pddl.Effect, env []int)
	effect = func(e *pddl.Effect, env []int) {
		x.over(x.vars, e.Bound, env, func() {
			visit(e.Condition, env)
			for _, k := range e.Children {
				effect(k, env)
			}
		})
	}
	for _, d := range x.running {
		x.vars, x.dur = d.action.Vars, x.plan.Steps[d.step].Duration.Rat()
		visit(d.action.Condition, d.env)
		effect(d.action.Effect, d.env)
	}
	for _, n := range append(x.naturals(x.d.Processes), x.naturals(x.d.Events)...) {
		x.vars = n.a.Vars
		visit(n.a.Precondition, n.env)
	}
	for _, r := range x.d.Axioms {
		if x.vars = r.Vars; speaksOf(r.Body, moving) {
			x.bindings(r.Vars, r.NumParams, func(env []int) { visit(r.Body, env) })
		}
	}
	return out
}

// movingFunctions returns the functions that have a value which changes at these rates.
func (x *run) movingFunctions(rates map[string]*big.Rat) map[pddl.FunctionID]bool {
	out := map[pddl.FunctionID]bool{}
	for key, rate := range rates {
		name, _, _ := strings.Cut(key, " ")
		for i := range x.d.Functions {
			if rate.Sign() != 0 && strings.EqualFold(x.d.Functions[i].Name, name) {
				out[pddl.FunctionID(i)] = true
			}
		}
	}
	return out
}

// speaksOf reports whether a comparison in f reads one of the functions.
func speaksOf(f *pddl.Formula, functions map[pddl.FunctionID]bool) (yes bool) {
	for _, e := range []*pddl.NumExpr{f.Left, f.Right} {
		eachExpr(e, func(e *pddl.NumExpr) {
			yes = yes || e.Kind == pddl.NumFluent && functions[e.Func]
		})
	}
	for _, k := range f.Children {
		yes = yes || speaksOf(k, functions)
	}
	return yes
}
