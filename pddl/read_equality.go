package pddl

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
	if isWord(r, "undefined") {
		r.next()
		o.term, o.isTerm = UndefinedTerm, true
		return o, true
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

// operandOrSkip reads an operand; before a closing parenthesis it returns the zero
// operand.
func (r *reader) operandOrSkip() (operand, bool) {
	if r.kind == tokClose || r.stuck() {
		return operand{}, false
	}
	return r.operand()
}

// equal builds the equality of two operands.
func (r *reader) equal(open int, a, b operand) *Formula {
	switch {
	case r.dom == nil: // nobody knows what the names stand for
		return r.newFormula(FormulaTrue, open)
	case (a.term == UndefinedTerm || b.term == UndefinedTerm) && a.fluent == nil && b.fluent == nil:
		r.errorf(TypeMismatch, open, open+1, "'undefined' can only be compared with an object fluent")
		return nil
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
		f := r.newFormula(FormulaEqual, open)
		f.Args = r.terms.keep([]Term{
			r.valueOf(a.fluent.Func, a.fluent.Args, int(a.fluent.Pos)), r.valueOf(b.fluent.Func, b.fluent.Args, int(b.fluent.Pos))})
		return f
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
