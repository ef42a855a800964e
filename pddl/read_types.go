package pddl

import "sort"

// pendingType is an occurrence of a type whose supertype is still to come.
type pendingType struct {
	id TypeID
	at span
}

// typesSection reads (:types ...). A type that only occurs on the right of a hyphen is
// declared by that.
func (r *reader) typesSection(s section) {
	if !r.enter(s) {
		return
	}
	r.use(usesTyping, s.open)
	var pending []pendingType
	var h hyphens
	for r.kind != tokEOF {
		switch {
		case r.kind == tokWord && r.text[r.off] == '-':
			placed := r.hyphen(&h, joinSupertypesHint)
			if r.lim > r.off+1 {
				r.warnf(HyphenGluedToType, r.off, r.lim, "put a space after the hyphen", "the hyphen is glued to the type after it: %s", quote(r.spelling()))
				r.off++
			} else {
				r.next()
			}
			super, ok := r.supertype()
			for _, t := range pending {
				if ok && placed {
					r.addParent(t, super)
				}
			}
			pending = pending[:0]
		case r.kind == tokWord:
			h.items = true
			at := r.here()
			_, key, _ := r.name("type")
			if !r.bad() {
				if t, ok := r.declareType(key, at); ok {
					pending = append(pending, pendingType{t, at})
				}
			}
			r.next()
		default:
			if r.kind == tokKeyword {
				r.leave(s)
				return
			}
			r.errorf(UnexpectedToken, r.off, r.lim, "expected a type, found %s", r.found())
			open, wasOpen := r.off, r.kind == tokOpen
			r.next()
			if wasOpen {
				r.skipList(open)
			}
		}
	}
	r.leave(s)
}

// declareType returns the id of the named type, new or known.
func (r *reader) declareType(key string, at span) (TypeID, bool) {
	if id, ok := r.idx.types.lookup(key); ok {
		return r.idx.typeAt[id], true
	}
	if len(r.dom.Types) >= MaxTypes {
		r.tooManyTypes(at)
		return RootType, false
	}
	return r.newType(key, Type{Name: r.text[at.off:at.lim], Pos: Pos(at.off)}), true
}

func (r *reader) newType(key string, t Type) TypeID {
	id := TypeID(len(r.dom.Types))
	r.dom.Types = append(r.dom.Types, t)
	r.idx.types.insert(key)
	r.idx.typeAt = append(r.idx.typeAt, id)
	return id
}

func (r *reader) tooManyTypes(at span) {
	if !r.typesFull {
		r.typesFull = true
		r.errorf(TooManyTypes, at.off, at.lim, "more than %d types", MaxTypes)
	}
}

// supertype reads the right side of a hyphen in (:types ...).
func (r *reader) supertype() (TypeID, bool) {
	switch r.kind {
	case tokWord:
		defer r.next()
		if r.bad() {
			return RootType, false
		}
		if r.spelling() == "-" {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected a type, found a second hyphen")
			return RootType, false
		}
		return r.declareType(r.key(), r.here())
	case tokOpen:
		open := r.off
		r.next()
		if !isWord(r, "either") {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected 'either' and types, found %s", r.found())
			r.skipList(open)
			return RootType, false
		}
		r.next()
		r.use(usesEither, open)
		r.warnf(EitherSupertype, open, open+1, "list the type once for each supertype to make it a subtype of all",
			"a supertype (either ...) is read as the union of its types, not as several supertypes")
		var alts []TypeID
		ok := true
		for r.kind == tokWord {
			if r.bad() {
				ok = false
			} else if t, k := r.declareType(r.key(), r.here()); k {
				alts = append(alts, t)
			}
			r.next()
		}
		r.closeList(open)
		if !ok || len(alts) == 0 {
			return RootType, false
		}
		return r.eitherOf(alts, open), true
	}
	r.errorf(UnexpectedToken, r.off, r.lim, "expected a type, found %s", r.found())
	if !r.stuck() {
		r.next()
	}
	return RootType, false
}

// addParent makes super a direct supertype of the type that p names.
func (r *reader) addParent(p pendingType, super TypeID) {
	t := p.id
	if t == RootType {
		if super != RootType {
			r.errorf(TypeCycle, p.at.off, p.at.lim, "'object' is the root of all types and has no supertype")
		}
		return
	}
	ps := r.dom.Types[t].Parents
	for _, p := range ps {
		if p == super {
			return
		}
	}
	r.dom.Types[t].Parents = append(ps, super)
}

// eitherOf returns the union of the given types; it keeps the slice. A problem that
// needs a union its domain lacks gets its own copy of the domain's type table, since
// others share the domain.
func (r *reader) eitherOf(alts []TypeID, open int) TypeID {
	sort.Slice(alts, func(i, j int) bool { return alts[i] < alts[j] })
	n := 0
	for i, a := range alts {
		if i == 0 || a != alts[n-1] {
			alts[n] = a
			n++
		}
	}
	alts = alts[:n]
	if alts[0] == RootType || n == 1 {
		return alts[0]
	}
	key := make([]byte, 0, 4*n)
	for _, a := range alts {
		key = append(key, byte(a), byte(a>>8), byte(a>>16), byte(a>>24))
	}
	if t, ok := r.idx.either[string(key)]; ok {
		return t
	}
	if len(r.dom.Types) >= MaxTypes {
		r.tooManyTypes(span{open, open + 1})
		return RootType
	}
	if r.shared {
		r.unshare()
	}
	t := TypeID(len(r.dom.Types))
	r.dom.Types = append(r.dom.Types, Type{Pos: Pos(open), Either: alts})
	r.idx.either[string(key)] = t
	return t
}

// unshare gives the problem being read a domain of its own, to which types can be added.
func (r *reader) unshare() {
	d, x := *r.dom, *r.idx
	d.Types = append([]Type(nil), d.Types...)
	x.either = make(map[string]TypeID, len(r.idx.either)+1)
	for k, t := range r.idx.either {
		x.either[k] = t
	}
	d.index = &x
	r.dom, r.idx, r.shared = &d, &x, false
}

// finishTypes makes the root the supertype of types without one, refuses cycles and builds
// the matrices of supertypes.
func (r *reader) finishTypes() {
	types := r.dom.Types
	order := r.typeOrder()
	m := newTypeMatrix(len(types))
	for _, t := range order {
		w := m.row(t)
		if alts := types[t].Either; alts != nil {
			copy(w, m.row(alts[0]))
			for _, a := range alts[1:] {
				for i, b := range m.row(a) {
					w[i] &= b
				}
			}
			r.idx.unions = append(r.idx.unions, t)
		} else {
			for _, p := range types[t].Parents {
				for i, b := range m.row(p) {
					w[i] |= b
				}
			}
		}
		m.set(t, RootType)
		m.set(t, t)
	}
	r.idx.full, r.idx.declared = m, m
	if len(r.idx.unions) > 0 {
		r.idx.full = typeMatrix{append([]uint64(nil), m.bits...), m.words}
		r.closeUnions(order)
	}
}

// closeUnions adds what follows from the meaning of unions: a subtype of an
// alternative is a subtype of the union, and a common supertype of all alternatives
// is a supertype of the union. In the given order a type comes after its declared
// supertypes and a union after its alternatives.
func (r *reader) closeUnions(order []TypeID) {
	types, full := r.dom.Types, &r.idx.full
	for _, t := range order {
		for _, e := range r.idx.unions {
			below := false
			if alts := types[t].Either; alts != nil {
				below = true
				for _, a := range alts {
					below = below && full.has(a, e)
				}
			} else {
				for _, a := range types[e].Either {
					below = below || full.has(t, a)
				}
				for _, u := range r.idx.unions {
					below = below || r.idx.declared.has(t, u) && full.has(u, e)
				}
			}
			if below {
				full.set(t, e)
			}
		}
	}
}

// typeOrder returns the types with every supertype before its subtypes. An edge
// that closes a cycle is reported and dropped.
func (r *reader) typeOrder() []TypeID {
	types := r.dom.Types
	state := make([]uint8, len(types)) // 0 new, 1 on the path, 2 done
	order := make([]TypeID, 0, len(types))
	var path []TypeID
	var visit func(t TypeID)
	visit = func(t TypeID) {
		state[t] = 1
		path = append(path, t)
		below := types[t].Parents
		if types[t].Either != nil {
			below = types[t].Either
		}
		kept := below[:0:0]
		for _, p := range below {
			if state[p] == 1 {
				r.typeCycle(path, p)
				if types[t].Either != nil {
					kept = append(kept, RootType)
				}
				continue
			}
			if state[p] == 0 {
				visit(p)
			}
			kept = append(kept, p)
		}
		if types[t].Either != nil {
			types[t].Either = kept
		} else {
			if len(kept) == 0 && t != RootType {
				kept = append(kept, RootType)
			}
			types[t].Parents = kept
		}
		path = path[:len(path)-1]
		state[t] = 2
		order = append(order, t)
	}
	visit(RootType)
	for t := range types {
		if state[t] == 0 {
			visit(TypeID(t))
		}
	}
	return order
}

// typeCycle reports the cycle from p along the path back to p.
func (r *reader) typeCycle(path []TypeID, p TypeID) {
	i := len(path) - 1
	for path[i] != p {
		i--
	}
	msg := ""
	for n, t := range path[i:] {
		if n == 8 {
			msg += "... - "
			break
		}
		msg += r.dom.TypeName(t) + " - "
	}
	at := int(r.dom.Types[p].Pos)
	hint := ""
	if i == len(path)-1 {
		hint = "every name before the dash gets the type after it: leave " + quote(r.dom.TypeName(p)) + " out before the dash"
	}
	r.errorHint(TypeCycle, at, at+len(r.dom.Types[p].Name), hint, "types form a cycle: %s%s", msg, r.dom.TypeName(p))
}
