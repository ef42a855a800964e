package pddl

// duration reads a duration constraint; () leaves the duration free.
func (r *reader) duration() *Formula {
	if r.kind != tokOpen {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a duration constraint, found %s", r.found())
		r.skipValue()
		return nil
	}
	open := r.off
	if r.emptyList() {
		r.use(usesDurationInequalities, open)
		return r.newFormula(FormulaTrue, open)
	}
	r.next()
	if r.kind != tokWord {
		r.badDuration(open)
		return nil
	}
	switch key := r.key(); key {
	case "and":
		return r.durationAnd(open)
	case "=", "<=", ">=", "<", ">":
		return r.durationBound(open, key)
	default:
		kind, ok := r.timeSpecifier(key)
		if !ok || kind == FormulaOverAll {
			r.badDuration(open)
			return nil
		}
		f := r.newFormula(kind, open)
		c := r.duration()
		r.closeList(open)
		if c == nil {
			return nil
		}
		f.Children = r.children.keep([]*Formula{c})
		return f
	}
}

func (r *reader) badDuration(open int) {
	r.errorf(BadDuration, open, open+1, "a duration constraint is (= ?duration VALUE), (<= ...), (>= ...) or a conjunction of these")
	r.skipList(open)
}

func (r *reader) durationAnd(open int) *Formula {
	r.next()
	base := len(r.kidStack)
	ok := true
	for r.kind != tokClose && !r.stuck() {
		if r.kind != tokOpen {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected a duration constraint, found %s", r.found())
			r.next()
			ok = false
			continue
		}
		if c := r.duration(); c != nil {
			r.kidStack = append(r.kidStack, c)
		} else {
			ok = false
		}
	}
	r.closeList(open)
	f := r.newFormula(FormulaAnd, open)
	f.Children = r.children.keep(r.kidStack[base:])
	r.kidStack = r.kidStack[:base]
	if !ok {
		return nil
	}
	if len(f.Children) == 0 {
		f.Kind = FormulaTrue
	}
	return f
}

func (r *reader) durationBound(open int, key string) *Formula {
	f := r.newFormula(FormulaCompare, open)
	switch key {
	case "<=":
		f.Cmp = CompareLessEqual
	case ">=":
		f.Cmp = CompareGreaterEqual
	case "<":
		f.Cmp = CompareLess
	case ">":
		f.Cmp = CompareGreater
	}
	if key != "=" {
		r.use(usesDurationInequalities, open)
	}
	r.next()
	base := len(r.numStack)
	defer func() { r.numStack = r.numStack[:base] }()
	if !r.numOperands(open) {
		return nil
	}
	got := r.numStack[base:]
	if len(got) != 2 || got[0].Kind != NumDuration {
		r.errorf(BadDuration, open, open+1, "a duration constraint is (%s ?duration VALUE)", key)
		return nil
	}
	f.Left, f.Right = got[0], got[1]
	return f
}
