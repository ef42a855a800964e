package pddl

func (r *reader) newExpr(k NumKind, pos int) *NumExpr {
	e := r.exprs.new()
	e.Kind, e.Pos = k, Pos(pos)
	return e
}

// numOperands reads numeric expressions up to the closing parenthesis of the list
// opened at open and pushes them on numStack. It reports whether all were valid.
func (r *reader) numOperands(open int) bool {
	ok := true
	for r.kind != tokClose {
		if r.stuck() {
			r.unclosed(open)
			return false
		}
		e := r.numExpr()
		ok = ok && e != nil
		r.numStack = append(r.numStack, e)
	}
	r.next()
	return ok
}

// isDuration reports whether the current token is ?duration and means the
// duration of the durative action being read: a parameter of that name hides it.
func (r *reader) isDuration() bool {
	if !r.durative || r.key() != "?duration" {
		return false
	}
	for _, v := range r.scope {
		if v.key == "?duration" {
			return false
		}
	}
	return true
}

// numExpr reads a numeric expression. It returns nil after an error.
func (r *reader) numExpr() *NumExpr {
	switch r.kind {
	case tokVar:
		if r.isDuration() {
			e := r.newExpr(NumDuration, r.off)
			r.next()
			return e
		}
		if !r.durative && r.key() == "?duration" {
			r.errorf(MisplacedDuration, r.off, r.lim, "?duration is only allowed in a durative action")
		} else if !r.bad() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected a number, found variable %s", quote(r.spelling()))
		}
		r.next()
		return nil
	case tokWord:
		return r.numWord()
	case tokOpen:
		return r.numList()
	}
	r.errorf(UnexpectedToken, r.off, r.lim, "expected a number, found %s", r.found())
	return nil
}

// numWord reads a literal, #t, total-time or a function without parentheses.
func (r *reader) numWord() *NumExpr {
	w := r.spelling()
	if looksNumeric(w) {
		off := r.off
		v, ok := r.number()
		if !ok {
			return nil
		}
		e := r.newExpr(NumConst, off)
		e.Value = v
		return e
	}
	key := r.key()
	switch {
	case key == "#t":
		e := r.newExpr(NumTime, r.off)
		r.sawTime = true
		if !r.durative && !r.inProcess {
			r.errorf(MisplacedContinuous, r.off, r.lim, "#t is only allowed in a continuous effect of a durative action")
			e = nil
		}
		r.next()
		return e
	case key == "total-time" && r.inMetric:
		e := r.newExpr(NumTotalTime, r.off)
		r.next()
		return e
	}
	name := r.here()
	if r.dom == nil {
		r.next()
		return r.newExpr(NumFluent, name.off)
	}
	id, ok := r.idx.functions.lookup(key)
	if !ok {
		r.undeclared(UndeclaredFunction, "function", &r.idx.functions)
		r.next()
		return nil
	}
	r.next()
	f := &r.dom.Functions[id]
	if len(f.Params) > 0 {
		r.errorf(WrongArity, name.off, name.lim, "%s takes %s, found 0", quote(w), count(len(f.Params), "argument"))
		return nil
	}
	e := r.newExpr(NumFluent, name.off)
	e.Func = FunctionID(id)
	return r.numericFluent(e, name)
}

// numericFluent checks that the values of e's function are numbers.
func (r *reader) numericFluent(e *NumExpr, name span) *NumExpr {
	if r.dom != nil && !r.dom.Functions[e.Func].Numeric {
		r.errorf(TypeMismatch, name.off, name.lim, "the values of %s are objects, not numbers", quote(r.text[name.off:name.lim]))
		return nil
	}
	return e
}

// numList reads an arithmetic expression or a fluent.
func (r *reader) numList() *NumExpr {
	open := r.off
	r.next()
	if r.kind != tokWord {
		if !r.stuck() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected an operator or a function, found %s", r.found())
		}
		r.skipList(open)
		return nil
	}
	switch key := r.key(); key {
	case "+":
		return r.arithmetic(NumAdd, open, key)
	case "-":
		return r.arithmetic(NumSub, open, key)
	case "*":
		return r.arithmetic(NumMul, open, key)
	case "/":
		return r.arithmetic(NumDiv, open, key)
	case "total-time":
		if r.inMetric {
			e := r.newExpr(NumTotalTime, open)
			r.next()
			r.closeList(open)
			return e
		}
	case "is-violated":
		if r.inMetric {
			return r.isViolated(open)
		}
	}
	name := r.here()
	e := r.newExpr(NumFluent, open)
	var ok bool
	if e.Func, e.Args, ok = r.fluent(open); !ok {
		return nil
	}
	return r.numericFluent(e, name)
}

// arithmetic reads an operator from its head on.
func (r *reader) arithmetic(k NumKind, open int, name string) *NumExpr {
	r.next()
	base := len(r.numStack)
	ok := r.numOperands(open)
	e := r.newExpr(k, open)
	e.Children = r.numbers.keep(r.numStack[base:])
	r.numStack = r.numStack[:base]
	if !ok {
		return nil
	}
	n := len(e.Children)
	switch {
	case n == 0, k == NumDiv && n != 2:
		want := 1
		if k == NumDiv {
			want = 2
		}
		r.errorf(WrongOperandCount, open, open+1, "'%s' takes %s, found %d", name, count(want, "number"), n)
		return nil
	case k == NumSub && n == 1:
		e.Kind = NumNeg
	}
	return e
}

// fluent reads the rest of a fluent, from the function's name on.
func (r *reader) fluent(open int) (FunctionID, []Term, bool) {
	name := r.here()
	var params []Variable
	id := int32(0)
	if r.dom != nil {
		var ok bool
		id, ok = r.idx.functions.lookup(r.key())
		if !ok {
			r.undeclared(UndeclaredFunction, "function", &r.idx.functions)
			r.skipList(open)
			return 0, nil, false
		}
		params = r.dom.Functions[id].Params
	}
	r.next()
	args, ok := r.arguments(open, name, params)
	return FunctionID(id), args, ok
}

// isViolated reads (is-violated NAME) from its head on.
func (r *reader) isViolated(open int) *NumExpr {
	r.use(usesPreferences, open)
	r.next()
	e := r.newExpr(NumIsViolated, open)
	if r.kind != tokWord {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected the name of a preference, found %s", r.found())
		r.skipList(open)
		return nil
	}
	e.Name = r.spelling()
	if r.prefs != nil && r.dom != nil {
		if _, ok := r.prefs.lookup(r.key()); !ok {
			r.undeclared(UndeclaredPreference, "preference", r.prefs)
			e = nil
		}
	}
	r.next()
	r.closeList(open)
	return e
}
