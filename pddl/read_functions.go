package pddl

// isOperator reports whether key heads formulas everywhere, so that no predicate
// can have this name.
func isOperator(key string) bool {
	switch key {
	case "and", "or", "not", "imply", "forall", "exists", "when", "preference", "<", ">", "<=", ">=", "either":
		return true
	}
	return false
}

// functionsSection reads (:functions ...), a typed list of declarations whose type
// is number or the type of an object fluent's values.
func (r *reader) functionsSection(s section) {
	if !r.enter(s) {
		return
	}
	from := len(r.dom.Functions)
	var h hyphens
	for r.kind != tokEOF && r.kind != tokKeyword {
		if r.kind == tokWord && r.text[r.off] == '-' {
			if !r.hyphen(&h, "a function has one value type: (f) - number (g) - number") {
				from = len(r.dom.Functions)
			}
			r.functionType(from)
			from = len(r.dom.Functions)
			continue
		}
		h.items = true
		spelling, key, at, params, ok := r.declaration("function")
		if !ok {
			continue
		}
		switch key {
		case "+", "-", "*", "/", "#t":
			r.errorf(ReservedName, at.off, at.lim, "%s is an operator and cannot name a function", quote(spelling))
			continue
		}
		id, fresh := r.idx.functions.insert(key)
		if !fresh {
			line, _ := r.src.LineCol(r.dom.Functions[id].Pos)
			r.errorf(DuplicateFunction, at.off, at.lim, "function %s is already declared on line %d", quote(spelling), line)
			continue
		}
		r.dom.Functions = append(r.dom.Functions, Function{Name: spelling, Pos: Pos(at.off), Params: params, Numeric: true})
		if key == "total-cost" && len(params) == 0 {
			r.idx.totalCost = id
		}
	}
	r.leave(s)
	if t := r.idx.totalCost; t >= 0 && !r.dom.Functions[t].Numeric {
		r.idx.totalCost = -1
	}
}

// functionType reads "- TYPE" after the functions from index from on.
func (r *reader) functionType(from int) {
	if r.lim == r.off+1 {
		r.next()
	} else {
		r.warnf(HyphenGluedToType, r.off, r.lim, "put a space after the hyphen", "the hyphen is glued to the type after it: %s", quote(r.spelling()))
		r.off++
	}
	if isWord(r, "number") {
		r.next()
		return
	}
	at := r.off
	t, ok := r.typeRef()
	if !ok {
		return
	}
	r.use(usesObjectFluents, at)
	for i := from; i < len(r.dom.Functions); i++ {
		r.dom.Functions[i].Numeric, r.dom.Functions[i].Type = false, t
	}
}
