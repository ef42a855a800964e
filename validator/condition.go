package validator

import (
	"slices"

	"github.com/planproof/planproof/pddl"
)

// cond is a condition on its way from a formula to nodes: in negation normal
// form, with quantifiers as (possibly negated) existential blocks.
type cond struct {
	op   op
	neg  bool
	pol  bool
	f    *pddl.Formula
	kids []*cond
	vars []int32 // opExists: slots
	body *cond   // opExists: the body that explains a universal quantifier
	free []int32 // slots that occur freely, sorted; nil until computed
	// split counts how often the quantifier has been distributed over a disjunction.
	split int
}

// explained is the depth down to which universal quantifiers also keep their body in
// positive form, from which reasons are collected. Each level may double the code below
// it, so the bound keeps the code linear in the text.
const explained = 8

// build brings f, or its negation if pol is false, into negation normal form. Bodies for
// explanations are kept down to the given depth of quantifiers.
func (c *compiler) build(f *pddl.Formula, pol bool, explain int) *cond {
	if f == nil || c.Stop() {
		return &cond{op: opTrue, pol: true}
	}
	x := &cond{f: f, pol: pol, neg: !pol}
	switch f.Kind {
	case pddl.FormulaTrue:
		return truth(pol, f)
	case pddl.FormulaAtom:
		x.op = c.atomOp(&c.j.preds[f.Pred])
	case pddl.FormulaEqual:
		x.op = opEqual
	case pddl.FormulaCompare:
		x.op = opCompare
	case pddl.FormulaObjectEqual:
		x.op = opObject
	case pddl.FormulaAnd, pddl.FormulaOr:
		return c.buildList(f, pol, explain)
	case pddl.FormulaNot:
		return c.build(f.Children[0], !pol, explain)
	case pddl.FormulaImply:
		x.neg, x.op = false, opImply
		antecedent := 0 // a false antecedent is not a reason
		if !pol {
			x.op, antecedent = opAnd, explain
		}
		x.kids = []*cond{c.build(f.Children[0], !pol, antecedent), c.build(f.Children[1], pol, explain)}
		return junction(x)
	case pddl.FormulaExists, pddl.FormulaForall:
		return c.buildQuantifier(f, pol, explain)
	default:
		panic("validator: unsupported formula reached the compiler")
	}
	return x
}

func truth(v bool, f *pddl.Formula) *cond {
	if v {
		return &cond{op: opTrue, pol: true, f: f}
	}
	return &cond{op: opFalse, pol: false, f: f}
}

func (c *compiler) atomOp(p *pred) op {
	switch {
	case p.derived:
		return opDerived
	case p.fluent && p.dense:
		return opFluent
	case p.fluent:
		return opSparseFluent
	case p.dense:
		return opStatic
	}
	return opSparseStatic
}

func (c *compiler) buildList(f *pddl.Formula, pol bool, explain int) *cond {
	x := &cond{op: opAnd, f: f, pol: pol}
	if (f.Kind == pddl.FormulaAnd) != pol {
		x.op = opOr
	}
	x.kids = make([]*cond, len(f.Children))
	for i, k := range f.Children {
		x.kids[i] = c.build(k, pol, explain)
	}
	return junction(x)
}

// junction flattens nested conjunctions and disjunctions, and drops operands without
// influence.
func junction(x *cond) *cond {
	unit, zero := opTrue, opFalse
	if x.op != opAnd {
		unit, zero = opFalse, opTrue
	}
	if x.op == opImply {
		switch a, b := x.kids[0], x.kids[1]; {
		case a.op == opFalse: // the antecedent is true
			return b
		case a.op == opTrue || b.op == opTrue:
			return truth(true, x.f)
		}
		return x
	}
	var kids []*cond
	for _, k := range x.kids {
		switch {
		case k.op == unit:
		case k.op == zero:
			return &cond{op: zero, f: x.f, pol: x.pol}
		case k.op == x.op:
			kids = append(kids, k.kids...)
		default:
			kids = append(kids, k)
		}
	}
	switch len(kids) {
	case 0:
		return &cond{op: unit, f: x.f, pol: x.pol}
	case 1:
		return kids[0]
	}
	x.kids = kids
	return x
}

// mergeAtMost bounds the variables of a block that is merged from nested quantifiers:
// planning a block takes time proportional to variables times guards.
const mergeAtMost = 64

// buildQuantifier turns both quantifiers into an existential block: a universal
// one is the negation of "some binding breaks the body".
func (c *compiler) buildQuantifier(f *pddl.Formula, pol bool, explain int) *cond {
	all := f.Kind == pddl.FormulaForall
	x := &cond{op: opExists, f: f, pol: pol, neg: all == pol}
	inner := c.build(f.Children[0], !all, 0)
	x.vars = append([]int32(nil), f.Bound...)
	x.kids = []*cond{inner}
	if inner.op == opAnd {
		x.kids = inner.kids
	}
	if all && pol && explain > 0 {
		x.body = c.build(f.Children[0], true, explain-1)
	}
	// An inner existential of the conjunction may be searched together with this one.
	for i := 0; i < len(x.kids); {
		k := x.kids[i]
		if k.op != opExists || k.neg || len(x.vars)+len(k.vars) > mergeAtMost {
			i++
			continue
		}
		x.vars = append(x.vars, k.vars...)
		x.kids = append(append(append([]*cond(nil), x.kids[:i]...), k.kids...), x.kids[i+1:]...)
	}
	return x
}

// freeSlots returns the slots that occur freely in x, sorted.
func (x *cond) freeSlots() []int32 {
	if x.free != nil {
		return x.free
	}
	out := []int32{}
	term := func(t pddl.Term) {
		if t.IsVar() && t != pddl.UndefinedTerm {
			out = append(out, int32(t.Slot()))
		}
	}
	expr := func(e *pddl.NumExpr) {
		walkExpr(e, func(e *pddl.NumExpr) {
			for _, t := range e.Args {
				term(t)
			}
		})
	}
	if len(x.kids) == 0 && x.f != nil {
		for _, t := range x.f.Args {
			term(t)
		}
		if x.op == opObject {
			term(x.f.Value)
		}
		expr(x.f.Left)
		expr(x.f.Right)
	}
	for _, k := range x.kids {
		out = append(out, k.freeSlots()...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(x.vars) > 0 {
		bound := slices.Sorted(slices.Values(x.vars))
		out = slices.DeleteFunc(out, func(s int32) bool {
			_, found := slices.BinarySearch(bound, s)
			return found
		})
	}
	x.free = slices.Clip(out)
	return x.free
}

// list stores node or effect numbers and returns their span.
func (c *compiler) list(ids []int32) span {
	from := int32(len(c.j.kids))
	c.j.kids = append(c.j.kids, ids...)
	return span{from, int32(len(c.j.kids))}
}

// terms stores terms and returns their span.
func (c *compiler) terms(ts []pddl.Term) span {
	from := int32(len(c.j.terms))
	for _, t := range ts {
		c.j.terms = append(c.j.terms, int32(t))
	}
	return span{from, int32(len(c.j.terms))}
}

// address compiles the id of a dense atom or value: a constant plus a stride for
// each variable.
func (c *compiler) address(base int32, d *dims, args []pddl.Term) (int32, span) {
	from := int32(len(c.j.coefs))
	for i, t := range args {
		if t.IsVar() {
			base -= d.lo[i] * d.stride[i]
			c.j.coefs = append(c.j.coefs, coef{int32(t.Slot()), d.stride[i]})
		} else {
			base += (int32(t) - d.lo[i]) * d.stride[i]
		}
	}
	return base, span{from, int32(len(c.j.coefs))}
}

// emit writes x to the node array and returns its number.
func (c *compiler) emit(x *cond) int32 {
	j := c.j
	if c.Stop() {
		x = &cond{op: opTrue, pol: true}
	}
	n := node{op: x.op, neg: x.neg, pol: x.pol, source: x.f, body: -1}
	switch x.op {
	case opFluent, opStatic, opSparseFluent, opSparseStatic, opDerived:
		p := &j.preds[x.f.Pred]
		n.sym, n.args = int32(x.f.Pred), c.terms(x.f.Args)
		if p.dense {
			n.base, n.coef = c.address(p.base, &p.dims, x.f.Args)
		}
	case opEqual:
		n.args = c.terms(x.f.Args)
	case opCompare:
		n.cmp, n.left, n.right = x.f.Cmp, c.expr(x.f.Left), c.expr(x.f.Right)
	case opObject:
		n.sym = int32(x.f.Func)
		n.args = c.terms(append(append([]pddl.Term(nil), x.f.Args...), x.f.Value))
		if f := &j.fns[x.f.Func]; f.dense {
			n.base, n.coef = c.address(f.base, &f.dims, x.f.Args)
		}
	case opAnd, opOr, opImply:
		ids := make([]int32, len(x.kids))
		for i, k := range x.kids {
			ids[i] = c.emit(k)
		}
		n.kids = c.list(ids)
	case opExists:
		if y := c.distribute(x); y != nil {
			return c.emit(y)
		}
		n.sym = c.block(x.vars, x.kids, -1)
		if x.body != nil {
			n.body = c.emit(x.body)
		}
	}
	j.nodes = append(j.nodes, n)
	return int32(len(j.nodes) - 1)
}

// expr compiles a numeric expression.
func (c *compiler) expr(e *pddl.NumExpr) int32 {
	j := c.j
	x := expr{op: e.Kind, value: e.Value, source: e}
	switch e.Kind {
	case pddl.NumConst:
		x.bits = exactBits(e.Value)
	case pddl.NumFluent:
		f := &j.fns[e.Func]
		x.fn, x.fluent, x.dense, x.args = int32(e.Func), f.fluent, f.dense, c.terms(e.Args)
		if f.dense {
			x.base, x.coef = c.address(f.base, &f.dims, e.Args)
		}
	case pddl.NumIsViolated:
		x.fn = c.preference(e.Name)
	default:
		ids := make([]int32, len(e.Children))
		for i, k := range e.Children {
			ids[i] = c.expr(k)
		}
		x.kids = c.list(ids)
	}
	j.exprs = append(j.exprs, x)
	return int32(len(j.exprs) - 1)
}
