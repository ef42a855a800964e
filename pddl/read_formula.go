package pddl

// fctx says what a formula stands in, and so which operators may head it.
type fctx uint8

const (
	ctxPlain      fctx = 0
	ctxPreference fctx = 1 << iota // a preference may stand here
	ctxTimed                       // time specifiers are demanded (durative conditions)
	ctxConstraint                  // trajectory constraints are demanded
	ctxInside                      // below a trajectory constraint
)

// operator is an entry of the table of formula heads.
type operator struct {
	kind FormulaKind
	args int // operands; -1 for any number
	nums int // leading numbers (trajectory constraints)
}

// trajectoryOps are the operators of PDDL 3.0 that head a constraint; `at end` is
// read apart.
var trajectoryOps = map[string]operator{
	"always":          {FormulaAlways, 1, 0},
	"sometime":        {FormulaSometime, 1, 0},
	"within":          {FormulaWithin, 1, 1},
	"at-most-once":    {FormulaAtMostOnce, 1, 0},
	"sometime-after":  {FormulaSometimeAfter, 2, 0},
	"sometime-before": {FormulaSometimeBefore, 2, 0},
	"always-within":   {FormulaAlwaysWithin, 2, 1},
	"hold-during":     {FormulaHoldDuring, 1, 2},
	"hold-after":      {FormulaHoldAfter, 1, 1},
}

func (r *reader) newFormula(k FormulaKind, pos int) *Formula {
	f := r.formulas.new()
	f.Kind, f.Pos = k, Pos(pos)
	return f
}

// formula reads a condition. It returns nil after an error.
func (r *reader) formula(ctx fctx) *Formula {
	if r.kind != tokOpen {
		if !r.bad() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected a condition, found %s", r.found())
		}
		if r.kind == tokWord || r.kind == tokVar {
			r.next()
		}
		return nil
	}
	open := r.off
	r.next()
	switch r.kind {
	case tokWord:
		return r.list(open, ctx)
	case tokClose:
		r.errorHint(EmptyCondition, open, r.lim, "write (and) for the condition that is always true", "an empty condition")
		r.next()
		return nil
	}
	if !r.stuck() {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected an operator or a predicate, found %s", r.found())
	}
	r.skipList(open)
	return nil
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
		return r.equality(open)
	case "<":
		return r.comparison(open, CompareLess)
	case "<=":
		return r.comparison(open, CompareLessEqual)
	case ">":
		return r.comparison(open, CompareGreater)
	case ">=":
		return r.comparison(open, CompareGreaterEqual)
	}
	return r.atom(open, ctx)
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
		where := "may not stand here"
		if !r.durative {
			where = "may only stand in a durative action"
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

// notPredicate reports the current word, which heads a formula but is no
// predicate, with the likeliest reason.
func (r *reader) notPredicate(ctx fctx) {
	key := r.key()
	_, isTrajectory := trajectoryOps[key]
	switch {
	case isTrajectory && ctx&ctxInside != 0:
		r.errorf(UnsupportedConstruct, r.off, r.lim, "nested trajectory constraints are not supported")
	case isTrajectory:
		r.errorf(MisplacedConstraint, r.off, r.lim, "%s may only stand in (:constraints ...)", quote(key))
	case key == "over" || key == "at":
		r.errorf(MisplacedTimeSpec, r.off, r.lim, "a time specifier may only stand in a durative action")
	case key == "when":
		r.errorHint(UnexpectedToken, r.off, r.lim, "use (imply ...) in conditions", "'when' may only stand in effects")
	default:
		r.undeclared(UndeclaredPredicate, "predicate", &r.idx.predicates)
	}
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
		if c := r.formula(ctx); c != nil {
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
	f := r.operands(r.newFormula(FormulaNot, open), open, 1, "not", ctx)
	if f != nil {
		switch f.Children[0].Kind {
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
		r.errorf(MisplacedPreference, open, r.lim, "a preference may not stand here")
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

// timed reads (at start F), (at end F) or (over all F) from its head on.
func (r *reader) timed(open int, key string) *Formula {
	kind, ok := r.timeSpecifier(key)
	if !ok {
		r.errorf(MissingTimeSpecifier, open, r.lim, "a condition of a durative action needs (at start ...), (over all ...) or (at end ...)")
		r.skipList(open)
		return nil
	}
	return r.operands(r.newFormula(kind, open), open, 1, timeNames[kind], ctxPlain)
}

// timeSpecifier reads the two words of a time specifier if the current word, whose
// key is given, begins one.
func (r *reader) timeSpecifier(key string) (FormulaKind, bool) {
	if key != "at" && key != "over" {
		return 0, false
	}
	save := r.scanner
	r.next()
	kind := FormulaTrue
	if r.kind == tokWord {
		switch second := r.key(); {
		case key == "at" && second == "start":
			kind = FormulaAtStart
		case key == "at" && second == "end":
			kind = FormulaAtEnd
		case key == "over" && second == "all":
			kind = FormulaOverAll
		}
	}
	if kind == FormulaTrue {
		r.scanner = save
		return 0, false
	}
	r.next()
	return kind, true
}

// timeInside reports whether the list whose head is the current word is a time
// specifier with a list below it, which is no atom of a predicate at or over.
func (r *reader) timeInside() bool {
	if w := r.spelling(); len(w) != 2 && len(w) != 4 {
		return false
	}
	save := r.scanner
	_, ok := r.timeSpecifier(r.key())
	ok = ok && r.kind == tokOpen
	r.scanner = save
	return ok
}

// trajectory reads a trajectory constraint from its head on.
func (r *reader) trajectory(open int, key string) *Formula {
	op, ok := trajectoryOps[key]
	if !ok {
		if kind, ok := r.timeSpecifier(key); ok && kind == FormulaAtEnd {
			return r.operands(r.newFormula(kind, open), open, 1, "at end", ctxInside)
		}
		r.errorf(MisplacedConstraint, open, r.lim, "expected a trajectory constraint such as (always ...) or (sometime ...), found %s", r.found())
		r.skipList(open)
		return nil
	}
	r.next()
	f := r.newFormula(op.kind, open)
	for i := 0; i < op.nums; i++ {
		at := r.here()
		v, ok := r.number()
		if !ok {
			r.skipList(open)
			return nil
		}
		if v.Sign() < 0 {
			r.errorf(NegativeTime, at.off, at.lim, "a negative time")
		}
		f.Bounds[i] = v
	}
	return r.operands(f, open, op.args, key, ctxInside)
}

// operand is one side of an equality, which may be a term, a number or an object
// fluent. A word such as 1 may be both a number and the name of an object.
type operand struct {
	term   Term
	isTerm bool
	num    *NumExpr
	fluent *Formula // FormulaObjectEqual without its Value
	span
}

// operand reads one side of an equality.
func (r *reader) operand() (o operand, ok bool) {
	o.span = r.here()
	switch r.kind {
	case tokVar:
		if r.isDuration() {
			o.num = r.numExpr()
			return o, o.num != nil
		}
		o.term, ok = r.varTerm()
		o.isTerm = true
		return o, ok
	case tokWord:
		return r.wordOperand()
	case tokOpen:
		return r.listOperand()
	}
	r.errorf(UnexpectedToken, r.off, r.lim, "expected a term or a number, found %s", r.found())
	return o, false
}

func (r *reader) wordOperand() (o operand, ok bool) {
	o.span = r.here()
	if r.dom == nil {
		r.next()
		o.isTerm = true
		return o, true
	}
	if id, found := r.objects.lookup(r.key()); found {
		o.term, o.isTerm = Term(id), true
		if looksNumeric(r.spelling()) {
			if v, ok := ParseNumber(r.spelling()); ok {
				o.num = r.newExpr(NumConst, r.off)
				o.num.Value = v
			}
		}
		r.next()
		return o, true
	}
	if _, isFunc := r.idx.functions.lookup(r.key()); isFunc || looksNumeric(r.spelling()) || r.spelling() == "#t" {
		o.num = r.numExpr()
		return o, o.num != nil
	}
	o.term, ok = r.term()
	o.isTerm = true
	return o, ok
}

func (r *reader) listOperand() (o operand, ok bool) {
	o.span = r.here()
	save := r.scanner
	open := r.off
	r.next()
	if r.dom != nil && r.kind == tokWord {
		if id, found := r.idx.functions.lookup(r.key()); found && !r.dom.Functions[id].Numeric {
			r.use(usesObjectFluents, open)
			f := r.newFormula(FormulaObjectEqual, open)
			f.Func, f.Args, ok = r.fluent(open)
			o.fluent = f
			return o, ok
		}
	}
	r.scanner = save
	o.num = r.numExpr()
	return o, o.num != nil
}

// equality reads (= A B) from its head on.
func (r *reader) equality(open int) *Formula {
	r.next()
	a, okA := r.operandOrSkip()
	b, okB := r.operandOrSkip()
	if r.kind != tokClose && !r.stuck() || r.kind == tokClose && (a.lim == 0 || b.lim == 0) {
		r.errorf(WrongOperandCount, open, open+1, "'=' takes 2 operands")
		r.skipList(open)
		return nil
	}
	r.closeList(open)
	if !okA || !okB {
		return nil
	}
	return r.equal(open, a, b)
}

// operandOrSkip reads an operand if there is one, and the zero operand before a
// closing parenthesis.
func (r *reader) operandOrSkip() (operand, bool) {
	if r.kind == tokClose || r.stuck() {
		return operand{}, false
	}
	return r.operand()
}

// equal builds the equality of two operands.
func (r *reader) equal(open int, a, b operand) *Formula {
	switch {
	case a.isTerm && b.isTerm:
		r.use(usesEquality, open)
		f := r.newFormula(FormulaEqual, open)
		f.Args = r.terms.keep([]Term{a.term, b.term})
		return f
	case a.num != nil && b.num != nil:
		r.use(usesNumericFluents, open)
		f := r.newFormula(FormulaCompare, open)
		f.Cmp, f.Left, f.Right = CompareEqual, a.num, b.num
		return f
	case a.fluent != nil && b.fluent != nil:
		r.errorf(NestedObjectFluent, b.off, b.lim, "an object fluent nested as a term is not supported")
		return nil
	case a.fluent != nil && b.isTerm:
		a.fluent.Value = b.term
		return a.fluent
	case b.fluent != nil && a.isTerm:
		b.fluent.Value = a.term
		b.fluent.Pos = Pos(open)
		return b.fluent
	}
	r.errorf(TypeMismatch, open, open+1, "'=' compares a number with an object")
	return nil
}

// comparison reads (OP A B) from its head on.
func (r *reader) comparison(open int, op CompareOp) *Formula {
	r.use(usesNumericFluents, open)
	name := r.spelling()
	r.next()
	f := r.newFormula(FormulaCompare, open)
	f.Cmp = op
	base := len(r.numStack)
	defer func() { r.numStack = r.numStack[:base] }()
	if !r.numOperands(open) {
		return nil
	}
	got := r.numStack[base:]
	if len(got) != 2 {
		r.errorf(WrongOperandCount, open, open+1, "'%s' takes 2 numbers, found %d", name, len(got))
		return nil
	}
	f.Left, f.Right = got[0], got[1]
	return f
}

var timeNames = map[FormulaKind]string{FormulaAtStart: "at start", FormulaAtEnd: "at end", FormulaOverAll: "over all"}
