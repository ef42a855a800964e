package pddl

// typeSetter is a callback of typedList: items from..to-1 have type t.
type typeSetter func(from, to int, t TypeID)

// typedList reads NAME... - TYPE NAME... up to the closing parenthesis of the
// list opened at open (or to the end of the section when open is a section's).
// item reads one element and returns whether it was kept; set gives the type of
// elements from..to-1, counting only kept ones. It is not called for untyped elements.
func (r *reader) typedList(open int, inSection bool, item func() bool, set typeSetter) {
	n, from := 0, 0
	var h hyphens
	for {
		switch {
		case r.kind == tokClose:
			r.next()
			return
		case r.stuck():
			if !inSection || r.kind == tokKeyword {
				r.unclosed(open)
			}
			return
		case r.kind == tokWord && r.text[r.off] == '-' && r.isHyphen():
			placed := r.hyphen(&h, joinTypesHint)
			if t, ok := r.typeAfterHyphen(); ok && placed {
				set(from, n, t)
			}
			from = n
		default:
			h.items = true
			if item() {
				n++
			}
		}
	}
}

// hyphens is the state of a typed list being read: whether there are names before the
// next hyphen, and whether there has been a hyphen.
type hyphens struct{ items, typed bool }

const (
	joinTypesHint      = "write (either TYPE...) for several types"
	joinSupertypesHint = "give a supertype its own supertype separately: a - b b - c"
)

// hyphen reports the current hyphen if no name before it needs a type. If the list's
// first word only begins with a hyphen, resolving the type reports it.
func (r *reader) hyphen(h *hyphens, hint string) (placed bool) {
	placed = h.items
	switch {
	case placed:
	case h.typed:
		r.errorHint(UnexpectedToken, r.off, r.off+1, hint, "a second type in a row")
	case r.lim == r.off+1:
		r.errorHint(UnexpectedToken, r.off, r.lim, "a typed list is NAME... - TYPE", "a hyphen without a name before it")
	default:
		placed = true
	}
	h.items, h.typed = false, true
	return placed
}

// isHyphen reports whether the current word, which begins with a hyphen, is a hyphen
// or a hyphen glued to the type after it.
func (r *reader) isHyphen() bool {
	return r.lim == r.off+1 || !looksNumeric(r.spelling())
}

// typeAfterHyphen reads "- TYPE", and "-TYPE" with a warning.
func (r *reader) typeAfterHyphen() (TypeID, bool) {
	r.use(usesTyping, r.off)
	if r.lim > r.off+1 {
		r.warnf(HyphenGluedToType, r.off, r.lim, "put a space after the hyphen", "the hyphen is glued to the type after it: %s", quote(r.spelling()))
		r.off++
		return r.namedType()
	}
	r.next()
	return r.typeRef()
}

// typeRef reads a type: a name or (either NAME...).
func (r *reader) typeRef() (TypeID, bool) {
	switch r.kind {
	case tokWord:
		return r.namedType()
	case tokOpen:
		return r.eitherType()
	}
	r.errorf(UnexpectedToken, r.off, r.lim, "expected a type, found %s", r.found())
	if !r.stuck() && r.kind != tokClose {
		r.next()
	}
	return RootType, false
}

// namedType resolves the current word as a type.
func (r *reader) namedType() (TypeID, bool) {
	defer r.next()
	if r.dom == nil || r.bad() {
		return RootType, r.dom == nil
	}
	id, ok := r.idx.types.lookup(r.key())
	if !ok && r.spelling() == "-" {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a type, found a second hyphen")
		return RootType, false
	}
	if !ok {
		r.undeclared(UndeclaredType, "type", &r.idx.types)
		return RootType, false
	}
	return r.idx.typeAt[id], true
}

// eitherType reads (either NAME...).
func (r *reader) eitherType() (TypeID, bool) {
	open := r.off
	r.next()
	if r.kind != tokWord || r.key() != "either" {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected 'either' and types, found %s", r.found())
		r.skipList(open)
		return RootType, false
	}
	r.use(usesEither, open)
	r.next()
	var alts []TypeID
	ok := true
	for r.kind == tokWord {
		t, k := r.namedType()
		ok = ok && k
		alts = append(alts, t)
	}
	if len(alts) == 0 && r.kind == tokClose {
		r.errorf(WrongOperandCount, open, r.lim, "'either' without a type")
		ok = false
	}
	r.closeList(open)
	if !ok || r.dom == nil || len(alts) == 0 {
		return RootType, ok && r.dom == nil
	}
	return r.eitherOf(alts, open), true
}
