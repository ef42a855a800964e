package grounder

import (
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
)

// numeric holds the static numeric fluents, the metric's coefficients of the others, and
// the state variables of those that something else reads (fluents.go). A fluent of the
// metric only accumulates, and its increases are action costs.
type numeric struct {
	changed []bool // by function: some action changes it
	assigns []bool // ... by assign
	sets    []bool // ... by assign, scale-up or scale-down
	reads   []bool // by function: a condition or an effect reads it
	tracked []bool // by function: it has state variables
	values  []valueTable

	ids         []relation // by function: instances that something reads or changes
	first       [][]int32  // their fluents, -1 for one that never has a value
	fluents     []fluent
	atoms       map[string]int32 // of comparisons
	comparisons []compared
	kept        []bool // by fluent: relevant to the goal; nil before that is known

	metric   bool
	perStep  pddl.Number                  // coefficient of total-time
	constant pddl.Number                  // the metric of the empty plan
	weight   map[pddl.FunctionID]*weights // coefficients of fluents in the metric
}

type valueTable struct {
	rel  relation
	vals []pddl.Number
	pos  []pddl.Pos
}

type weights struct {
	rel  relation
	coef []pddl.Number
}

func (g *grounder) loadValues() {
	for i := range g.num.values {
		g.num.values[i].rel.arity = len(g.dom.Functions[i].Params)
	}
	init := &g.prob.Init.Values
	for i := range init.Len() {
		g.tick()
		f, args, v := init.Fluent(i)
		t := &g.num.values[f]
		if k, added := t.rel.add(args); added {
			t.vals, t.pos = append(t.vals, v), append(t.pos, init.Pos[i])
		} else {
			t.vals[k] = v
		}
	}
	for f := range g.dom.Functions {
		if t := &g.num.values[f]; g.isTotalCost(pddl.FunctionID(f)) && t.rel.n == 0 {
			t.rel.add(nil)
			t.vals, t.pos = append(t.vals, pddl.Number{}), append(t.pos, 0)
		}
	}
	for f, w := range g.num.weight {
		t := &g.num.values[f]
		for k := range w.rel.n {
			row := t.rel.find(w.rel.row(int32(k)))
			if row < 0 {
				g.refuse(g.prob.Source, g.prob.Metric.Pos, UndefinedMetric,
					fmt.Sprintf("the metric reads (%s), which has no initial value", g.dom.Functions[f].Name))
				continue
			}
			g.num.constant = g.num.constant.Add(w.coef[k].Mul(t.vals[row]))
		}
	}
}

// isTotalCost reports whether f is the fluent in which action costs accumulate. Without
// an initial value it starts at 0.
func (g *grounder) isTotalCost(f pddl.FunctionID) bool {
	return len(g.dom.Functions[f].Params) == 0 && strings.EqualFold(g.dom.Functions[f].Name, "total-cost")
}

// defined returns the initial value of a ground fluent.
func (g *grounder) defined(f pddl.FunctionID, args []pddl.Term, env []pddl.ObjectID) (pddl.Number, bool) {
	var key [16]pddl.ObjectID
	t := &g.num.values[f]
	k := t.rel.find(groundArgs(key[:0], args, env))
	if k < 0 {
		return pddl.Number{}, false
	}
	return t.vals[k], true
}

// eval computes an expression of static fluents. It reports false if that is undefined.
func (g *grounder) eval(e *pddl.NumExpr, env []pddl.ObjectID) (pddl.Number, bool) {
	switch e.Kind {
	case pddl.NumConst:
		return e.Value, true
	case pddl.NumFluent:
		return g.defined(e.Func, e.Args, env)
	}
	v, ok := g.eval(e.Children[0], env)
	if e.Kind == pddl.NumNeg {
		return v.Neg(), ok
	}
	for _, c := range e.Children[1:] {
		w, defined := g.eval(c, env)
		if ok = ok && defined; !ok {
			return v, false
		}
		v, ok = arithmetic(e.Kind, v, w)
		g.boundNumber(v, e.Pos)
	}
	return v, ok
}

// arithmetic applies an operator. It reports false for a division by zero and for kinds
// that are not operators of two numbers.
func arithmetic(k pddl.NumKind, v, w pddl.Number) (pddl.Number, bool) {
	switch k {
	case pddl.NumAdd:
		return v.Add(w), true
	case pddl.NumSub:
		return v.Sub(w), true
	case pddl.NumMul:
		return v.Mul(w), true
	case pddl.NumDiv:
		return v.Div(w)
	}
	return v, false
}

// maxNumberBits bounds exact numbers: repeated multiplication of long literals
// would otherwise fill the memory.
const maxNumberBits = 1 << 20

func (g *grounder) boundNumber(v pddl.Number, pos pddl.Pos) {
	if _, small := v.Int64(); small {
		return
	}
	if r := v.Rat(); r.Num().BitLen()+r.Denom().BitLen() > maxNumberBits {
		g.refuse(g.dom.Source, pos, NumberTooLarge, "the value of this expression has more than a million bits")
		g.sortDiagnostics()
		panic(bailout{g.diags})
	}
}

// compare evaluates a comparison of static fluents. With an undefined side it is
// false, negated or not.
func (g *grounder) compare(f *pddl.Formula, neg bool, env []pddl.ObjectID) bool {
	a, ok := g.eval(f.Left, env)
	if !ok {
		return false
	}
	b, ok := g.eval(f.Right, env)
	if !ok {
		return false
	}
	return f.Cmp.Holds(a.Cmp(b)) != neg
}

// definedSides reports whether both sides of a comparison have a value.
func (g *grounder) definedSides(f *pddl.Formula, env []pddl.ObjectID) bool {
	_, ok := g.eval(f.Left, env)
	if ok {
		_, ok = g.eval(f.Right, env)
	}
	return ok
}

// readMetric turns the metric into coefficients, or refuses it.
func (g *grounder) readMetric() {
	m := g.prob.Metric
	if m == nil {
		return
	}
	if m.Maximize {
		g.refuse(g.prob.Source, m.Pos, UnsupportedMaximize, "maximising a metric is not supported: costs are minimised")
		return
	}
	g.num.metric = true
	g.num.weight = make(map[pddl.FunctionID]*weights)
	g.linear(m.Expr, pddl.Int(1))
}

// linear adds factor * e to the coefficients.
func (g *grounder) linear(e *pddl.NumExpr, factor pddl.Number) {
	switch e.Kind {
	case pddl.NumConst:
		g.num.constant = g.num.constant.Add(factor.Mul(e.Value))
	case pddl.NumFluent:
		w := g.num.weight[e.Func]
		if w == nil {
			w = &weights{rel: relation{arity: len(e.Args)}}
			g.num.weight[e.Func] = w
		}
		if k, added := w.rel.add(groundArgs(nil, e.Args, nil)); added {
			w.coef = append(w.coef, factor)
		} else {
			w.coef[k] = w.coef[k].Add(factor)
		}
	case pddl.NumTotalTime:
		g.num.perStep = g.num.perStep.Add(factor)
	case pddl.NumNeg:
		g.linear(e.Children[0], factor.Neg())
	case pddl.NumAdd:
		for _, c := range e.Children {
			g.linear(c, factor)
		}
	case pddl.NumSub:
		g.linear(e.Children[0], factor)
		for _, c := range e.Children[1:] {
			g.linear(c, factor.Neg())
		}
	case pddl.NumMul, pddl.NumDiv:
		g.product(e, factor)
	case pddl.NumIsViolated:
		g.refuse(g.prob.Source, e.Pos, UnsupportedPreferences, "is-violated in the metric is not supported, like preferences")
	default:
		g.refuse(g.prob.Source, e.Pos, UnsupportedMetric, "this metric is not a sum of fluents with constant factors")
	}
}

// product handles a product or quotient with at most one factor that is not constant.
func (g *grounder) product(e *pddl.NumExpr, factor pddl.Number) {
	var rest *pddl.NumExpr
	for i, c := range e.Children {
		v, constant := constantValue(c)
		switch {
		case constant && (e.Kind == pddl.NumMul || i == 0):
			factor = factor.Mul(v)
		case constant:
			q, ok := factor.Div(v)
			if !ok {
				g.refuse(g.prob.Source, c.Pos, UndefinedMetric, "the metric divides by zero")
				return
			}
			factor = q
		case rest == nil && (e.Kind == pddl.NumMul || i == 0):
			rest = c
		default:
			g.refuse(g.prob.Source, c.Pos, UnsupportedMetric, "this metric is not a sum of fluents with constant factors")
			return
		}
	}
	if rest == nil {
		rest = &pddl.NumExpr{Kind: pddl.NumConst, Value: pddl.Int(1)}
	}
	g.linear(rest, factor)
}

// constantValue evaluates an expression of constants only.
func constantValue(e *pddl.NumExpr) (pddl.Number, bool) {
	if e.Kind == pddl.NumConst {
		return e.Value, true
	}
	if len(e.Children) == 0 {
		return pddl.Number{}, false
	}
	v, ok := constantValue(e.Children[0])
	if !ok {
		return v, false
	}
	if e.Kind == pddl.NumNeg {
		return v.Neg(), true
	}
	for _, c := range e.Children[1:] {
		w, ok := constantValue(c)
		if ok {
			v, ok = arithmetic(e.Kind, v, w)
		}
		if !ok {
			return v, false
		}
	}
	return v, true
}
