package pddl

// isAssignment reports whether the current word, the name of an assignment operator,
// is one here: it is if a fluent follows or no predicate has this name.
func (r *reader) isAssignment() bool {
	if r.dom == nil {
		return true
	}
	if _, isPred := r.idx.predicates.lookup(r.key()); !isPred {
		return true
	}
	save := r.scanner
	r.next()
	open := r.kind == tokOpen
	r.scanner = save
	return open
}

// assignment reads (OP FLUENT VALUE) from its head on.
func (r *reader) assignment(open int, op AssignOp, ctx ectx) *Effect {
	opName := r.spelling()
	r.next()
	e := r.newEffect(EffectNumeric, open)
	e.Op = op
	ok := r.assigned(e, open)
	if !ok {
		return nil
	}
	if r.dom != nil && !r.dom.Functions[e.Func].Numeric {
		return r.assignObject(e, open, ctx, opName)
	}
	r.sawTime = false
	if r.kind == tokClose {
		r.errorf(WrongOperandCount, open, open+1, "'%s' takes a fluent and a value", opName)
		r.next()
		return nil
	}
	if r.stuck() {
		r.unclosed(open)
		return nil
	}
	value := r.here()
	e.Value = r.numExpr()
	if e.Value == nil && r.kind == tokClose {
		r.next()
		return nil
	}
	r.closeList(open)
	if e.Value == nil || !r.checkTimeOf(e, ctx, open, value) {
		return nil
	}
	r.numericEffectUse(e, open)
	r.checkCost(e, value)
	return e
}

// assigned reads the fluent that an assignment changes.
func (r *reader) assigned(e *Effect, open int) bool {
	if r.kind == tokWord { // a function of no parameters, without parentheses
		name := r.here()
		x := r.numWord()
		if x != nil && x.Kind == NumFluent {
			e.Func = x.Func
			return true
		}
		if x != nil {
			r.errorf(UnexpectedToken, name.off, name.lim, "expected a fluent, found %s", quote(r.text[name.off:name.lim]))
		}
		r.skipList(open)
		return false
	}
	inner, ok := r.expectOpen("a fluent")
	if !ok {
		r.skipList(open)
		return false
	}
	if r.kind != tokWord {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a function, found %s", r.found())
		r.skipList(inner)
		r.skipList(open)
		return false
	}
	if e.Func, e.Args, ok = r.fluent(inner); !ok {
		if !r.stuck() {
			r.skipList(open)
		}
		return false
	}
	return true
}

// assignObject reads the value of an assignment to an object fluent.
func (r *reader) assignObject(e *Effect, open int, ctx ectx, opName string) *Effect {
	r.use(usesObjectFluents, open)
	e.Kind = EffectAssignObject
	f := &r.dom.Functions[e.Func]
	if e.Op != OpAssign {
		r.errorf(TypeMismatch, open, open+1, "'%s' needs a numeric fluent, but the values of %s are objects", opName, quote(f.Name))
		r.skipList(open)
		return nil
	}
	if ctx == effProcess {
		return r.notContinuous(open)
	}
	if ctx == effTimed {
		r.errorf(MissingTimeSpecifier, open, open+1, "an effect of a durative action needs (at start ...) or (at end ...)")
		r.skipList(open)
		return nil
	}
	if r.kind == tokClose || r.stuck() {
		r.errorf(WrongOperandCount, open, open+1, "'assign' takes a fluent and a value")
		r.closeList(open)
		return nil
	}
	if isWord(r, "undefined") {
		e.Object = UndefinedTerm
		r.next()
		r.closeList(open)
		return e
	}
	at := r.here()
	t, ok := r.term()
	if ok {
		e.Object = t
		if have := r.typeOf(t); !r.dom.typesMeet(have, f.Type) {
			r.errorf(TypeMismatch, at.off, at.lim, "%s is of type %s, but %s must be %s", quote(r.text[at.off:at.lim]), r.dom.TypeName(have), quote(f.Name), r.dom.TypeName(f.Type))
			ok = false
		}
	}
	r.closeList(open)
	if !ok {
		return nil
	}
	return e
}

// checkTimeOf checks the use of #t in a numeric effect and marks continuous ones.
func (r *reader) checkTimeOf(e *Effect, ctx ectx, open int, value span) bool {
	switch {
	case ctx == effProcess && !r.sawTime:
		r.badContinuous(open)
		return false
	case ctx != effTimed && ctx != effProcess && r.sawTime:
		r.errorf(MisplacedContinuous, value.off, value.lim, "#t is only allowed in an effect without a time specifier")
		return false
	case ctx == effTimed && !r.sawTime:
		r.errorf(MissingTimeSpecifier, open, open+1, "an effect of a durative action needs (at start ...) or (at end ...), or a value with #t")
		return false
	case ctx == effTimed, ctx == effProcess:
		r.use(usesContinuousEffects, open)
		e.Continuous = true
		if e.Op != OpIncrease && e.Op != OpDecrease || !linearInTime(e.Value) {
			r.badContinuous(open)
			return false
		}
	}
	return true
}

// linearInTime reports whether e is #t, (* #t VALUE) or (* VALUE #t), where VALUE
// does not depend on #t.
func linearInTime(e *NumExpr) bool {
	if e.Kind == NumTime {
		return true
	}
	if e.Kind != NumMul || len(e.Children) != 2 {
		return false
	}
	a, b := e.Children[0], e.Children[1]
	return a.Kind == NumTime && !usesTime(b) || b.Kind == NumTime && !usesTime(a)
}

func usesTime(e *NumExpr) bool {
	if e.Kind == NumTime {
		return true
	}
	for _, c := range e.Children {
		if usesTime(c) {
			return true
		}
	}
	return false
}
