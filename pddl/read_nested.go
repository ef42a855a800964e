package pddl

import "slices"

// Object fluents as terms (PDDL 3.1). A literal with a term such as (in ?a) is read as one
// about a variable that has the fluent's value:
//
//	(at (in ?a) ?x)            (exists (?in) (and (= (in ?a) ?in) (at ?in ?x)))
//	(not (at (in ?a) ?x))      (not (forall (?in) (imply (= (in ?a) ?in) (at ?in ?x))))
//	(= (in ?a) (in ?b))        (exists (?in ?in-2) (and (= (in ?a) ?in) (= (in ?b) ?in-2) (= ?in ?in-2)))
//	(assign (in ?a) (in ?b))   (forall (?in) (when (= (in ?b) ?in) (assign (in ?a) ?in)))
//
// so no later stage has to know of such terms. A fluent without a value satisfies neither
// the literal nor its negation; a step whose effect reads one is inapplicable, so the
// precondition of the action requires a value.

// nestedFluent is a fluent used as a term; the variable in slot has its value.
type nestedFluent struct {
	slot int
	fn   FunctionID
	args []Term
	pos  int
}

// nestedTerm reads a fluent as a term, whose parenthesis is the current token.
func (r *reader) nestedTerm() (Term, bool) {
	open := r.off
	r.next()
	if r.dom == nil {
		r.skipList(open)
		return 0, true
	}
	if r.kind != tokWord {
		if !r.stuck() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected an object fluent, found %s", r.found())
		}
		r.skipList(open)
		return 0, false
	}
	id, ok := r.idx.functions.lookup(r.key())
	if _, isPred := r.idx.predicates.lookup(r.key()); !ok && isPred {
		r.errorHint(UndeclaredFunction, r.off, r.lim, "only an object fluent can be an argument", "predicate %s is used as an object", quote(r.spelling()))
		r.skipList(open)
		return 0, false
	}
	if !ok {
		r.undeclared(UndeclaredFunction, "function", &r.idx.functions)
		r.skipList(open)
		return 0, false
	}
	if r.dom.Functions[id].Numeric {
		r.errorf(TypeMismatch, r.off, r.lim, "the values of %s are numbers, not objects", quote(r.spelling()))
		r.skipList(open)
		return 0, false
	}
	if r.flat != "" {
		r.errorf(NestedObjectFluent, open, r.lim, "an object fluent is not supported as a term in %s", r.flat)
		r.skipList(open)
		return 0, false
	}
	r.use(usesObjectFluents, open)
	fn, args, ok := r.fluent(open)
	return r.valueOf(fn, args, open), ok
}

// valueOf returns a variable for the value of a fluent.
func (r *reader) valueOf(fn FunctionID, args []Term, pos int) Term {
	f := &r.dom.Functions[fn]
	slot := len(r.schema.Vars)
	r.schema.Vars = append(r.schema.Vars, Variable{Name: r.freshName("?" + f.Name), Type: f.Type, Pos: Pos(pos), Fluent: true})
	r.nested = append(r.nested, nestedFluent{slot, fn, args, pos})
	return VarTerm(slot)
}

// freshName returns a name that no variable has that could be meant here.
func (r *reader) freshName(base string) string {
	if r.fresh == nil {
		r.fresh = map[string]int{}
	}
	key := fold(base)
	for n := r.fresh[key] + 1; ; n++ { // not from 1: a hostile literal has a million terms
		name := base
		if n > 1 {
			name += "-" + itoa(n)
		}
		k := fold(name)
		if n > 1 && r.fresh[k] > 0 || slices.ContainsFunc(r.scope, func(v scopeVar) bool { return v.key == k }) {
			continue
		}
		r.fresh[k] = 1
		r.fresh[key] = n
		return name
	}
}

// takeNested returns the variables of the fluents nested since mark, and the equations that
// give them their values.
func (r *reader) takeNested(mark int) (bound []int32, equations []*Formula) {
	for _, n := range r.nested[mark:] {
		f := r.newFormula(FormulaObjectEqual, n.pos)
		f.Func, f.Args, f.Value = n.fn, n.args, VarTerm(n.slot)
		bound, equations = append(bound, int32(n.slot)), append(equations, f)
	}
	r.nested = r.nested[:mark]
	clear(r.fresh)
	return bound, equations
}

// literal binds the fluents nested in a literal since mark, as its polarity requires.
func (r *reader) literal(mark int, lit *Formula) *Formula {
	if len(r.nested) == mark {
		return lit
	}
	bound, equations := r.takeNested(mark)
	if lit == nil {
		return nil
	}
	pos := int(lit.Pos)
	f := r.newFormula(FormulaExists, pos)
	body := r.newFormula(FormulaAnd, pos)
	body.Children = append(equations, lit)
	if r.negated {
		f.Kind, body.Kind = FormulaForall, FormulaImply
		body.Children = []*Formula{r.conjunction(pos, equations), lit}
	}
	f.Bound, f.Children = bound, []*Formula{body}
	r.bound = f
	return f
}

func (r *reader) conjunction(pos int, fs []*Formula) *Formula {
	if len(fs) == 1 {
		return fs[0]
	}
	f := r.newFormula(FormulaAnd, pos)
	f.Children = fs
	return f
}

// primitive binds the fluents nested in an effect since mark.
func (r *reader) primitive(mark int, e *Effect) *Effect {
	if len(r.nested) == mark {
		return e
	}
	bound, equations := r.takeNested(mark)
	if e == nil {
		return nil
	}
	when := r.newEffect(EffectWhen, int(e.Pos))
	when.Condition, when.Children = r.conjunction(int(e.Pos), equations), []*Effect{e}
	all := r.newEffect(EffectForall, int(e.Pos))
	all.Bound, all.Children = bound, []*Effect{when}
	if r.lets == nil {
		r.lets = map[*Effect]bool{}
	}
	r.lets[all] = true
	return all
}

// demandValues adds to the precondition that the fluents nested in effects have values,
// wherever the effects fire.
func (r *reader) demandValues(a *Action) {
	if len(r.lets) == 0 {
		return
	}
	if d := r.demand(a.Effect); d != nil {
		d = r.copyFormula(d, map[int32]int32{})
		if a.Precondition.Kind == FormulaTrue {
			a.Precondition = d
		} else {
			f := r.newFormula(FormulaAnd, int(a.Precondition.Pos))
			f.Children = []*Formula{a.Precondition, d}
			a.Precondition = f
		}
	}
	clear(r.lets)
}

func (r *reader) demand(e *Effect) *Formula {
	if r.lets[e] {
		values := e.Children[0].Condition
		if values.Kind == FormulaObjectEqual {
			undefined := *values
			undefined.Value = UndefinedTerm
			f := r.newFormula(FormulaNot, int(values.Pos))
			f.Children = []*Formula{&undefined}
			return f
		}
		f := r.newFormula(FormulaExists, int(values.Pos))
		f.Bound, f.Children = e.Bound, []*Formula{values}
		return f
	}
	var all []*Formula
	for _, c := range e.Children {
		if d := r.demand(c); d != nil {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil
	}
	d := r.conjunction(int(e.Pos), all)
	switch e.Kind {
	case EffectForall:
		f := r.newFormula(FormulaForall, int(e.Pos))
		f.Bound, f.Children = e.Bound, []*Formula{d}
		return f
	case EffectWhen:
		f := r.newFormula(FormulaImply, int(e.Pos))
		f.Children = []*Formula{e.Condition, d}
		return f
	}
	return d
}

// copyFormula copies a formula with slots of its own for the variables that it binds.
func (r *reader) copyFormula(f *Formula, to map[int32]int32) *Formula {
	c := r.newFormula(f.Kind, int(f.Pos))
	*c = *f
	term := func(t Term) Term {
		if t.IsVar() && t != UndefinedTerm {
			if s, ok := to[int32(t.Slot())]; ok {
				return VarTerm(int(s))
			}
		}
		return t
	}
	terms := func(ts []Term) []Term {
		ts = slices.Clone(ts)
		for i := range ts {
			ts[i] = term(ts[i])
		}
		return ts
	}
	var expr func(e *NumExpr) *NumExpr
	expr = func(e *NumExpr) *NumExpr {
		if e == nil {
			return nil
		}
		x := *e
		x.Args, x.Children = terms(e.Args), slices.Clone(e.Children)
		for i := range x.Children {
			x.Children[i] = expr(x.Children[i])
		}
		return &x
	}
	c.Bound = slices.Clone(f.Bound)
	for i, s := range f.Bound {
		to[s] = int32(len(r.schema.Vars))
		c.Bound[i] = to[s]
		r.schema.Vars = append(r.schema.Vars, r.schema.Vars[s])
	}
	c.Args, c.Left, c.Right, c.Children = terms(f.Args), expr(f.Left), expr(f.Right), slices.Clone(f.Children)
	if f.Kind == FormulaObjectEqual {
		c.Value = term(f.Value)
	}
	for i := range c.Children {
		c.Children[i] = r.copyFormula(c.Children[i], to)
	}
	return c
}

// flat reads something in which object fluents are not supported as terms.
func flat[T any](r *reader, where string, read func(*reader) T) T {
	r.flat = where
	defer func() { r.flat = "" }()
	return read(r)
}
