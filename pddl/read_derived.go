package pddl

// derived reads (:derived (PREDICATE PARAMETERS) BODY).
func (r *reader) derived(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesDerived, s.open)
	ax := &Axiom{}
	r.schema, r.scope = &ax.Schema, r.scope[:0]
	open, ok := r.expectOpen("a derived predicate with its parameters")
	if !ok {
		return
	}
	name := r.here()
	if isWord(r, "not") {
		r.errorHint(UnexpectedToken, name.off, name.lim, "leave it out: a derived predicate is false wherever no rule makes it true",
			"a rule cannot derive a negation")
		return
	}
	ok = r.kind == tokWord && !r.bad()
	var id int32
	if ok {
		if id, ok = r.idx.predicates.lookup(r.key()); !ok {
			r.undeclared(UndeclaredPredicate, "predicate", &r.idx.predicates)
		}
		r.next()
	} else if !r.bad() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a predicate, found %s", r.found())
	}
	r.inHead = true
	_, ax.NumParams = r.variables(open)
	r.inHead = false
	same := r.repeated(ax)
	if ok {
		ok = r.axiomHead(ax, PredicateID(id), name)
	}
	ax.Body = r.condition(ctxPlain)
	r.leave(s)
	r.equate(ax, same)
	r.addAxiom(ax, ok)
}

// repeated returns, for each parameter of a head whose name occurs before in the head, its
// slot and that of the first.
func (r *reader) repeated(ax *Axiom) (same [][2]int) {
	for i := range ax.NumParams {
		if first := r.scope[i].slot; first != i {
			same = append(same, [2]int{i, first})
		}
	}
	return same
}

// equate gives the parameters that repeat a variable names of their own and requires in the
// body that they are equal to it: (:derived (p ?a ?a) B) means, as in Datalog,
// (:derived (p ?a ?a-2) (and (= ?a ?a-2) B)).
func (r *reader) equate(ax *Axiom, same [][2]int) {
	if len(same) == 0 || ax.Body == nil {
		return
	}
	taken := make(map[string]bool, len(ax.Vars))
	for _, v := range ax.Vars {
		taken[fold(v.Name)] = true
	}
	kids := make([]*Formula, 0, len(same)+1)
	for _, p := range same {
		v := &ax.Vars[p[0]]
		name := v.Name
		for n := 2; taken[fold(name)]; n++ {
			name = v.Name + "-" + itoa(n)
		}
		taken[fold(name)], v.Name = true, name
		f := r.newFormula(FormulaEqual, int(v.Pos))
		f.Args = r.terms.keep([]Term{VarTerm(p[1]), VarTerm(p[0])})
		kids = append(kids, f)
	}
	body := r.newFormula(FormulaAnd, int(ax.Body.Pos))
	body.Children = r.children.keep(append(kids, ax.Body))
	ax.Body = body
}

// axiomHead checks the head of a rule against the declaration of its predicate. A
// parameter of a wider type than the predicate's takes the predicate's type.
func (r *reader) axiomHead(ax *Axiom, id PredicateID, name span) bool {
	p := &r.dom.Predicates[id]
	ax.Name, ax.Pos, ax.Pred = r.text[name.off:name.lim], Pos(name.off), id
	if len(p.Params) != ax.NumParams {
		r.errorf(WrongArity, name.off, name.lim, "%s takes %s, found %d", quote(p.Name), count(len(p.Params), "argument"), ax.NumParams)
		return false
	}
	ok := true
	for i := range p.Params {
		v := &ax.Vars[i]
		switch {
		case r.dom.IsSubtype(v.Type, p.Params[i].Type):
		case r.dom.IsSubtype(p.Params[i].Type, v.Type):
			v.Type = p.Params[i].Type
		default:
			r.errorf(TypeMismatch, int(v.Pos), int(v.Pos)+len(v.Name), "%s is of type %s, but argument %d of %s must be %s",
				quote(v.Name), r.dom.TypeName(v.Type), i+1, quote(p.Name), r.dom.TypeName(p.Params[i].Type))
			ok = false
		}
	}
	return ok
}

func (r *reader) addAxiom(ax *Axiom, ok bool) {
	if ok && ax.Body != nil {
		r.dom.Axioms = append(r.dom.Axioms, ax)
	} else if ok {
		r.derivedPreds = append(r.derivedPreds, ax.Pred)
	}
}

// markDerived marks the predicates that rules define.
func (r *reader) markDerived() {
	for _, ax := range r.dom.Axioms {
		r.dom.Predicates[ax.Pred].Derived = true
	}
	for _, p := range r.derivedPreds {
		r.dom.Predicates[p].Derived = true
	}
}

// axiom reads PDDL 1.2's (:axiom :vars (...) :context F :implies (P ...)). Every
// argument of the implied atom must be a different variable.
func (r *reader) axiom(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesDerived, s.open)
	ax := &Axiom{}
	r.schema, r.scope = &ax.Schema, r.scope[:0]
	var head *Formula
	r.axiomVars(ax)
	r.parts(s, func(open int) { r.variables(open) }, []part{
		{":vars", r.skipValue},
		{":context", func() { ax.Body = r.condition(ctxPlain) }},
		{":implies", func() { head = r.formula(ctxPlain) }},
	})
	if head == nil {
		return
	}
	if ax.Body == nil {
		ax.Body = r.newFormula(FormulaTrue, s.open)
	}
	if head.Kind != FormulaAtom || !r.orderSlots(ax, head) {
		r.errorf(UnsupportedConstruct, int(head.Pos), int(head.Pos)+1, "an axiom must imply a predicate of distinct variables")
		return
	}
	name := span{int(head.Pos) + 1, int(head.Pos) + 1 + len(r.dom.Predicates[head.Pred].Name)}
	r.addAxiom(ax, r.axiomHead(ax, head.Pred, name))
}

// axiomVars reads the value of :vars, which may be anywhere in the axiom.
func (r *reader) axiomVars(ax *Axiom) {
	save := r.scanner
	for r.kind != tokEOF {
		if r.kind == tokKeyword && r.key() == ":vars" {
			r.next()
			if open, ok := r.expectOpen("a list of variables"); ok {
				_, ax.NumParams = r.variables(open)
			}
			break
		}
		r.next()
	}
	r.scanner = save
}

// orderSlots renumbers the variables of a PDDL 1.2 axiom so that the arguments of
// its head come first, in their order, and binds the other variables by a
// quantifier around the body. It reports false if the head repeats a variable or
// contains a constant.
func (r *reader) orderSlots(ax *Axiom, head *Formula) bool {
	n := len(ax.Vars)
	to := make([]int32, n)
	for i := range to {
		to[i] = -1
	}
	next := int32(0)
	for _, t := range head.Args {
		if !t.IsVar() || to[t.Slot()] >= 0 {
			return false
		}
		to[t.Slot()] = next
		next++
	}
	var free []int32
	for i := range to {
		if to[i] < 0 {
			if i < ax.NumParams {
				free = append(free, next)
			}
			to[i] = next
			next++
		}
	}
	vars := make([]Variable, n)
	for i, v := range ax.Vars {
		vars[to[i]] = v
	}
	ax.Vars, ax.NumParams = vars, len(head.Args)
	renumber(ax.Body, to)
	if len(free) > 0 {
		r.use(usesExistential, int(ax.Body.Pos))
		f := r.newFormula(FormulaExists, int(ax.Body.Pos))
		f.Bound, f.Children = free, []*Formula{ax.Body}
		ax.Body = f
	}
	return true
}

func renumberTerms(ts []Term, to []int32) {
	for i, t := range ts {
		if t.IsVar() {
			ts[i] = VarTerm(int(to[t.Slot()]))
		}
	}
}

func renumber(f *Formula, to []int32) {
	renumberTerms(f.Args, to)
	if f.Kind == FormulaObjectEqual && f.Value.IsVar() && f.Value != UndefinedTerm {
		f.Value = VarTerm(int(to[f.Value.Slot()]))
	}
	for i, b := range f.Bound {
		f.Bound[i] = to[b]
	}
	if f.Left != nil {
		renumberExpr(f.Left, to)
		renumberExpr(f.Right, to)
	}
	for _, c := range f.Children {
		renumber(c, to)
	}
}

func renumberExpr(e *NumExpr, to []int32) {
	renumberTerms(e.Args, to)
	for _, c := range e.Children {
		renumberExpr(c, to)
	}
}
