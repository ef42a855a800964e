package pddl

// fctx is the context of a formula, which decides which operators may head it.
type fctx uint8

const (
	ctxPlain      fctx = 0
	ctxPreference fctx = 1 << iota // preferences are allowed
	ctxTimed                       // time specifiers are required (durative conditions)
	ctxConstraint                  // trajectory constraints are required
	ctxInside                      // below a trajectory constraint
)

func (r *reader) newFormula(k FormulaKind, pos int) *Formula {
	f := r.formulas.new()
	f.Kind, f.Pos = k, Pos(pos)
	return f
}

// formula reads a condition. It returns nil after an error.
func (r *reader) formula(ctx fctx) *Formula {
	open, ok := r.openForm("a condition")
	if !ok {
		return nil
	}
	switch r.kind {
	case tokWord:
		return r.list(open, ctx)
	case tokClose:
		r.errorHint(EmptyCondition, open, r.lim, "write (and) for the condition that is always true", "an empty condition")
		r.next()
		return nil
	}
	r.noHead(open)
	return nil
}

// openForm passes the parenthesis that begins a condition or an effect, as what says, and returns its place. It is false
// after an error.
func (r *reader) openForm(what string) (open int, ok bool) {
	if r.kind == tokOpen {
		open = r.off
		r.next()
		return open, true
	}
	if r.bareOperator(what) {
		return 0, false
	}
	if !r.bad() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected %s, found %s", what, r.found())
	}
	if r.kind == tokWord || r.kind == tokVar {
		r.next()
	}
	return 0, false
}

// noHead reports a form that begins with neither an operator nor a predicate, and passes it.
func (r *reader) noHead(open int) {
	if !r.stuck() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected an operator or a predicate, found %s", r.found())
	}
	r.skipList(open)
}

// list reads a formula whose head is the current word.
func (r *reader) list(open int, ctx fctx) *Formula {
	key := r.key()
	switch key {
	case "and":
		return r.connective(FormulaAnd, open, ctx)
	case "forall":
		if ctx&(ctxTimed|ctxConstraint) == 0 {
			r.use(usesUniversal, open)
		}
		return r.quantified(FormulaForall, open, ctx)
	case "preference":
		return r.preference(open, ctx)
	}
	switch {
	case ctx&ctxTimed != 0:
		return r.timed(open, key)
	case ctx&ctxConstraint != 0:
		return r.trajectory(open, key)
	}
	ctx &^= ctxPreference
	mark := len(r.nested)
	switch key {
	case "or":
		r.use(usesDisjunctive, open)
		return r.connective(FormulaOr, open, ctx)
	case "not":
		return r.negation(open, ctx)
	case "imply":
		r.use(usesDisjunctive, open)
		f := r.connective(FormulaImply, open, ctx)
		if f != nil && len(f.Children) != 2 {
			r.errorf(WrongOperandCount, open, open+1, "'imply' takes 2 conditions, found %d", len(f.Children))
			return nil
		}
		return f
	case "exists":
		r.use(usesExistential, open)
		return r.quantified(FormulaExists, open, ctx)
	case "=":
		return r.literal(mark, r.equality(open))
	case "<":
		return r.literal(mark, r.comparison(open, CompareLess))
	case "<=":
		return r.literal(mark, r.comparison(open, CompareLessEqual))
	case ">":
		return r.literal(mark, r.comparison(open, CompareGreater))
	case ">=":
		return r.literal(mark, r.comparison(open, CompareGreaterEqual))
	}
	return r.literal(mark, r.atom(open, ctx))
}

// atom reads a predicate and its arguments.
func (r *reader) atom(open int, ctx fctx) *Formula {
	pred, args, ok := r.predicate(open, ctx)
	if !ok {
		return nil
	}
	f := r.newFormula(FormulaAtom, open)
	f.Pred, f.Args = pred, args
	return f
}

// predicate reads the rest of an atom, from its name on.
func (r *reader) predicate(open int, ctx fctx) (PredicateID, []Term, bool) {
	name := r.here()
	var params []Variable
	id := int32(0)
	if r.timeInside() {
		where := "is not allowed here"
		if !r.durative {
			where = "is only allowed in a durative action"
		}
		r.errorf(MisplacedTimeSpec, name.off, name.lim, "a time specifier %s", where)
		r.skipList(open)
		return 0, nil, false
	}
	if r.dom != nil {
		var ok bool
		id, ok = r.idx.predicates.lookup(r.key())
		if !ok {
			r.notPredicate(ctx)
			r.skipList(open)
			return 0, nil, false
		}
		params = r.dom.Predicates[id].Params
	}
	r.next()
	args, ok := r.arguments(open, name, params)
	return PredicateID(id), args, ok
}

// notPredicate reports the current word, which heads a formula but is not a
// predicate, with the likeliest reason.
func (r *reader) notPredicate(ctx fctx) {
	key := r.key()
	_, isTrajectory := trajectoryOps[key]
	switch {
	case isTrajectory && ctx&ctxInside != 0:
		r.errorf(UnsupportedConstruct, r.off, r.lim, "nested trajectory constraints are not supported")
	case isTrajectory:
		r.errorf(MisplacedConstraint, r.off, r.lim, "%s is only allowed in (:constraints ...)", quote(key))
	case key == "over" || key == "at":
		r.errorf(MisplacedTimeSpec, r.off, r.lim, "a time specifier is only allowed in a durative action")
	case key == "when":
		r.errorHint(UnexpectedToken, r.off, r.lim, whenHint, "'when' is only allowed in effects")
	case foreignOperators[key] != "":
		r.errorHint(UndeclaredPredicate, r.off, r.lim, foreignOperators[key], "undeclared predicate %s", quote(r.spelling()))
	default:
		r.undeclared(UndeclaredPredicate, "predicate", &r.idx.predicates)
	}
}

const whenHint = "use (imply ...) in conditions"

// foreignOperators are operators of other languages, with hints at PDDL's.
var foreignOperators = map[string]string{
	"implies": "did you mean 'imply'?", "if": "did you mean 'imply'?",
	"iff": "write (and (imply A B) (imply B A))", "xor": "write (or (and A (not B)) (and B (not A)))",
	"all": "did you mean 'forall'?", "exist": "did you mean 'exists'?", "some": "did you mean 'exists'?",
}

// bareOperator reports an operator without its parenthesis, such as the `and` of
// (:goal and (p) (q)), and skips to the end of the list around it.
func (r *reader) bareOperator(what string) bool {
	key := r.key()
	if r.kind != tokWord || !isOperator(key) {
		return false
	}
	hint := "put parentheses around it: (" + key + " ...)"
	if key == "when" && what == "a condition" {
		hint = "'when' is only allowed in effects: " + whenHint
	}
	r.errorHint(UnexpectedToken, r.off, r.lim, hint, "expected %s, found %s", what, r.found())
	for !r.stuck() && r.kind != tokClose {
		r.skipOne()
	}
	return true
}

// connective reads an and, or or imply from its head on.
func (r *reader) connective(k FormulaKind, open int, ctx fctx) *Formula {
	r.next()
	base := len(r.kidStack)
	ok := true
	for r.kind != tokClose {
		if r.stuck() {
			r.unclosed(open)
			break
		}
		antecedent := k == FormulaImply && len(r.kidStack) == base
		r.negated = r.negated != antecedent
		c := r.formula(ctx)
		r.negated = r.negated != antecedent
		if c != nil {
			r.kidStack = append(r.kidStack, c)
		} else {
			ok = false
		}
	}
	if r.kind == tokClose {
		r.next()
	}
	f := r.newFormula(k, open)
	f.Children = r.children.keep(r.kidStack[base:])
	r.kidStack = r.kidStack[:base]
	if !ok {
		return nil
	}
	if k == FormulaAnd && len(f.Children) == 0 {
		f.Kind = FormulaTrue
	}
	return f
}

// operands reads exactly n formulas and the closing parenthesis into f.
func (r *reader) operands(f *Formula, open, n int, name string, ctx fctx) *Formula {
	base := len(r.kidStack)
	ok := true
	for r.kind != tokClose && !r.stuck() {
		c := r.formula(ctx)
		ok = ok && c != nil
		r.kidStack = append(r.kidStack, c)
	}
	if got := len(r.kidStack) - base; ok && got != n && !r.stuck() {
		r.errorf(WrongOperandCount, open, open+1, "'%s' takes %s, found %d", name, count(n, "condition"), got)
		ok = false
	}
	r.closeList(open)
	f.Children = r.children.keep(r.kidStack[base:])
	r.kidStack = r.kidStack[:base]
	if !ok || len(f.Children) != n {
		return nil
	}
	return f
}

// negation reads a not from its head on.
func (r *reader) negation(open int, ctx fctx) *Formula {
	r.next()
	r.negated = !r.negated
	f := r.operands(r.newFormula(FormulaNot, open), open, 1, "not", ctx)
	r.negated = !r.negated
	if f != nil {
		kind := f.Children[0].Kind
		if f.Children[0] == r.bound {
			kind = FormulaAtom
		}
		switch kind {
		case FormulaAtom:
			r.use(usesNegative, open)
		case FormulaEqual, FormulaCompare, FormulaObjectEqual:
		default:
			r.use(usesDisjunctive, open)
		}
	}
	return f
}

// quantifierList reads the variables of a quantifier.
func (r *reader) quantifierList(open int) (bound []int32, n int, ok bool) {
	list, ok := r.expectOpen("a list of variables")
	if !ok {
		r.skipList(open)
		return nil, 0, false
	}
	first, n := r.variables(list)
	bound = make([]int32, n)
	for i := range bound {
		bound[i] = int32(first + i)
	}
	return bound, n, true
}

// quantified reads a forall or exists from its head on.
func (r *reader) quantified(k FormulaKind, open int, ctx fctx) *Formula {
	name := r.key()
	r.next()
	bound, n, ok := r.quantifierList(open)
	if !ok {
		return nil
	}
	f := r.newFormula(k, open)
	f.Bound = bound
	f = r.operands(f, open, 1, name, ctx)
	r.popScope(n)
	return f
}

// preference reads (preference [NAME] CONDITION) from its head on.
func (r *reader) preference(open int, ctx fctx) *Formula {
	if ctx&ctxPreference == 0 {
		r.errorf(MisplacedPreference, open, r.lim, "a preference is not allowed here")
		r.skipList(open)
		return nil
	}
	r.use(usesPreferences, open)
	r.next()
	f := r.newFormula(FormulaPreference, open)
	if r.kind == tokWord {
		f.Name = r.spelling()
		if r.prefs != nil {
			r.prefs.insert(r.key())
		}
		r.next()
	}
	return r.operands(f, open, 1, "preference", ctx&^ctxPreference)
}
