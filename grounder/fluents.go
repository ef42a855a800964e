package grounder

import (
	"math/big"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// Numeric state variables (Options.NumericFluents). A function is tracked if actions change
// it and something reads it, or if they do more than add to it; functions that only
// accumulate are costs (numeric.go). Expressions become sums of ground fluents with
// rational factors as soon as an instance is known: static fluents are numbers then.

// fluent is a ground instance of a tracked function.
type fluent struct {
	fn      pddl.FunctionID
	args    []pddl.ObjectID
	value   pddl.Number // initially
	defined bool        // initially
	pos     pddl.Pos    // of the value in the problem
}

// sum is constant + the sum of factor * fluent, by ascending fluent. A factor is 0 only for
// a fluent that may lack a value: the sum is undefined where it does.
type sum struct {
	terms    []sumTerm
	constant pddl.Number
}

type sumTerm struct {
	fluent int32
	factor pddl.Number
}

// track decides which functions have numeric state variables.
func (g *grounder) track() {
	n := &g.num
	n.reads, n.tracked = make([]bool, len(g.dom.Functions)), make([]bool, len(g.dom.Functions))
	n.ids = make([]relation, len(g.dom.Functions))
	n.first = make([][]int32, len(g.dom.Functions))
	for _, a := range g.dom.Actions {
		g.scanReads(a.Precondition)
		g.scanEffectReads(a.Effect)
	}
	for _, a := range g.dom.Axioms {
		g.scanReads(a.Body)
	}
	g.scanReads(g.prob.Goal.Formula)
	for f := range n.tracked {
		n.tracked[f] = n.changed[f] && (n.reads[f] || n.sets[f])
		n.ids[f].arity = len(g.dom.Functions[f].Params)
	}
}

func (g *grounder) scanReads(f *pddl.Formula) {
	if f.Kind == pddl.FormulaCompare {
		g.scanExpr(f.Left)
		g.scanExpr(f.Right)
	}
	for _, c := range f.Children {
		g.scanReads(c)
	}
}

func (g *grounder) scanEffectReads(e *pddl.Effect) {
	switch e.Kind {
	case pddl.EffectWhen:
		g.scanReads(e.Condition)
	case pddl.EffectNumeric:
		g.scanExpr(e.Value)
	}
	for _, c := range e.Children {
		g.scanEffectReads(c)
	}
}

func (g *grounder) scanExpr(e *pddl.NumExpr) {
	if e.Kind == pddl.NumFluent {
		g.num.reads[e.Func] = true
	}
	for _, c := range e.Children {
		g.scanExpr(c)
	}
}

// readsChanged reports whether an expression reads a function that actions change.
func (g *grounder) readsChanged(e *pddl.NumExpr) bool {
	return e.Kind == pddl.NumFluent && g.num.changed[e.Func] || slices.ContainsFunc(e.Children, g.readsChanged)
}

// checkLinear refuses products of fluents that actions change, and divisions by them.
func (g *grounder) checkLinear(src *pddl.Source, e *pddl.NumExpr) {
	changing := 0
	for i, c := range e.Children {
		if !g.readsChanged(c) {
			continue
		}
		changing++
		if e.Kind == pddl.NumMul && changing > 1 || e.Kind == pddl.NumDiv && i > 0 {
			g.refuse(src, c.Pos, UnsupportedNumeric,
				"grounding supports linear expressions only, no products of fluents that actions change and no divisions by them")
			return
		}
	}
}

// fluentID numbers a ground instance of a tracked function. It returns -1 for one that
// never has a value.
func (g *grounder) fluentID(f pddl.FunctionID, args []pddl.ObjectID) int32 {
	n := &g.num
	k, added := n.ids[f].add(args)
	if !added {
		return n.first[f][k]
	}
	x := fluent{fn: f, args: slices.Clone(args)}
	if row := n.values[f].rel.find(args); row >= 0 {
		x.value, x.defined, x.pos = n.values[f].vals[row], true, n.values[f].pos[row]
	}
	id := int32(-1)
	if x.defined || n.assigns[f] {
		id = int32(len(n.fluents))
		n.fluents = append(n.fluents, x)
		g.checkSize(&g.atomCount)
	}
	n.first[f] = append(n.first[f], id)
	return id
}

// linear instantiates an expression. It reports false if that never has a value.
func (g *grounder) linearSum(e *pddl.NumExpr, env []pddl.ObjectID) (sum, bool) {
	if !g.readsChanged(e) {
		v, ok := g.eval(e, env)
		return sum{constant: v}, ok
	}
	if e.Kind == pddl.NumFluent {
		var key [16]pddl.ObjectID
		id := g.fluentID(e.Func, groundArgs(key[:0], e.Args, env))
		return sum{terms: []sumTerm{{id, pddl.Int(1)}}}, id >= 0
	}
	s, ok := g.linearSum(e.Children[0], env)
	if !ok {
		return s, false
	}
	if e.Kind == pddl.NumNeg {
		return g.scaled(s, pddl.Int(-1)), true
	}
	for _, c := range e.Children[1:] {
		d, ok := g.linearSum(c, env)
		if !ok {
			return s, false
		}
		switch e.Kind {
		case pddl.NumAdd:
			s = g.added(s, d)
		case pddl.NumSub:
			s = g.added(s, g.scaled(d, pddl.Int(-1)))
		case pddl.NumMul:
			if len(s.terms) == 0 {
				s, d = d, s
			}
			s = g.scaled(s, d.constant)
		case pddl.NumDiv:
			inverse, ok := pddl.Int(1).Div(d.constant)
			if !ok {
				return s, false
			}
			s = g.scaled(s, inverse)
		}
		g.boundNumber(s.constant, e.Pos)
		for _, t := range s.terms {
			g.boundNumber(t.factor, e.Pos)
		}
	}
	return s, true
}

func (g *grounder) scaled(s sum, k pddl.Number) sum {
	out := sum{constant: s.constant.Mul(k)}
	for _, t := range s.terms {
		out.terms = g.append(out.terms, sumTerm{t.fluent, t.factor.Mul(k)})
	}
	return out
}

func (g *grounder) added(a, b sum) sum {
	out := sum{constant: a.constant.Add(b.constant)}
	for i, j := 0, 0; i < len(a.terms) || j < len(b.terms); {
		switch {
		case j == len(b.terms) || i < len(a.terms) && a.terms[i].fluent < b.terms[j].fluent:
			out.terms = append(out.terms, a.terms[i])
			i++
		case i == len(a.terms) || b.terms[j].fluent < a.terms[i].fluent:
			out.terms = append(out.terms, b.terms[j])
			j++
		default:
			out.terms = g.append(out.terms, sumTerm{a.terms[i].fluent, a.terms[i].factor.Add(b.terms[j].factor)})
			i, j = i+1, j+1
		}
	}
	return out
}

// append leaves a term of factor 0 out, unless its fluent may lack a value.
func (g *grounder) append(terms []sumTerm, t sumTerm) []sumTerm {
	if t.factor.Sign() == 0 && g.num.fluents[t.fluent].defined {
		return terms
	}
	return append(terms, t)
}

// undefinable lists the fluents of sums that have no value initially.
func (g *grounder) undefinable(sums ...sum) []int32 {
	var out []int32
	for _, s := range sums {
		for _, t := range s.terms {
			if !g.num.fluents[t.fluent].defined {
				out = append(out, t.fluent)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// coprime multiplies a sum such that all its numbers are integers without a common divisor.
func coprime(s sum) sum {
	den, num := big.NewInt(1), new(big.Int)
	each := func(f func(*pddl.Number)) {
		for i := range s.terms {
			f(&s.terms[i].factor)
		}
		f(&s.constant)
	}
	s.terms = slices.Clone(s.terms)
	each(func(n *pddl.Number) {
		d := n.Rat().Denom()
		den.Mul(den, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, den, d)))
	})
	each(func(n *pddl.Number) {
		r := n.Rat()
		num.GCD(nil, nil, num, new(big.Int).Abs(new(big.Int).Mul(r.Num(), new(big.Int).Quo(den, r.Denom()))))
	})
	if num.Sign() == 0 {
		return s
	}
	k := pddl.FromRat(new(big.Rat).SetFrac(den, num))
	each(func(n *pddl.Number) { *n = n.Mul(k) })
	return s
}

// fluentName writes a ground fluent, "(fuel t1)".
func (g *grounder) fluentName(f *fluent) string {
	var b strings.Builder
	b.WriteString("(" + strings.ToLower(g.dom.Functions[f.fn].Name))
	for _, o := range f.args {
		b.WriteString(" " + strings.ToLower(g.prob.Objects[o].Name))
	}
	return b.String() + ")"
}
