package pddl

import (
	"strings"

	"github.com/planproof/planproof/internal/spell"
)

// variables reads the typed variables of a parameter list or quantifier opened at
// open into the schema's slots and the scope, and returns the slots.
func (r *reader) variables(open int) (first, n int) {
	first = len(r.schema.Vars)
	r.typedList(open, false, func() bool {
		if r.kind != tokVar {
			r.notVariable()
			return false
		}
		if len(r.scope) >= MaxParameters {
			r.errorf(TooManyParameters, r.off, r.lim, "more than %d variables in a list or in scope", MaxParameters)
			r.skipVariables()
			return false
		}
		key := r.key()
		dup, slot := false, len(r.schema.Vars)
		for _, v := range r.scope[len(r.scope)-n:] {
			if v.key == key {
				dup = true
				if r.inHead {
					slot = v.slot
				}
			}
		}
		switch {
		case dup && r.bad():
		case dup && r.declaring:
			// In a declaration the names are only comments.
			r.warnf(DuplicateParameter, r.off, r.lim, "", "parameter %s is declared twice in one list", quote(r.spelling()))
		case dup && r.inHead:
			r.warnf(DuplicateParameter, r.off, r.lim, "", "variable %s occurs twice in the head: the rule derives only atoms whose arguments here are equal", quote(r.spelling()))
		case dup:
			r.errorf(DuplicateParameter, r.off, r.lim, "variable %s is declared twice in one list", quote(r.spelling()))
		}
		r.scope = append(r.scope, scopeVar{key, slot})
		r.schema.Vars = append(r.schema.Vars, Variable{Name: r.spelling(), Pos: Pos(r.off)})
		n++
		r.next()
		return true
	}, func(from, to int, t TypeID) {
		for i := from; i < to; i++ {
			r.schema.Vars[first+i].Type = t
		}
	})
	return first, n
}

// skipVariables skips the rest of a list that is too long.
func (r *reader) skipVariables() {
	for r.kind == tokVar || r.kind == tokWord {
		r.next()
	}
}

// notVariable reports and skips a token where a variable is expected.
func (r *reader) notVariable() {
	hint := ""
	if r.kind == tokWord {
		hint = "variables begin with a question mark"
	}
	if !r.bad() {
		r.errorHint(UnexpectedToken, r.off, r.lim, hint, "expected a variable, found %s", r.found())
	}
	open := r.off
	wasOpen := r.kind == tokOpen
	r.next()
	if wasOpen {
		r.skipList(open)
	}
}

// term reads an object or a variable.
func (r *reader) term() (Term, bool) {
	switch r.kind {
	case tokVar:
		return r.varTerm()
	case tokWord:
		if r.dom == nil || r.bad() {
			r.next()
			return 0, r.dom == nil
		}
		id, ok := r.objects.lookup(r.key())
		if !ok {
			r.undeclared(UndeclaredObject, "object", r.objects)
		}
		r.next()
		return Term(id), ok
	case tokOpen:
		return r.nestedTerm()
	}
	r.errorf(UnexpectedToken, r.off, r.lim, "expected an object or a variable, found %s", r.found())
	return 0, false
}

// varTerm resolves the current token, a variable.
func (r *reader) varTerm() (Term, bool) {
	defer r.next()
	key := r.key()
	for i := len(r.scope) - 1; i >= 0; i-- {
		if r.scope[i].key == key {
			return VarTerm(r.scope[i].slot), true
		}
	}
	if r.bad() {
		return 0, false
	}
	hint := ""
	if !r.full() {
		names := make([]string, len(r.scope))
		for i, v := range r.scope {
			names[len(names)-1-i] = v.key
		}
		if n := spell.Nearest(key, names); n != "" {
			hint = "did you mean " + quote(n) + "?"
		}
	}
	r.errorHint(UndeclaredVariable, r.off, r.lim, hint, "undeclared variable %s", quote(r.spelling()))
	return 0, false
}

// arguments reads the terms of an atom or fluent up to the closing parenthesis and
// checks their number and types against params. name is the token of its name.
func (r *reader) arguments(open int, name span, params []Variable) ([]Term, bool) {
	base := len(r.termStack)
	defer func() { r.termStack = r.termStack[:base] }()
	n, ok := 0, true
	for r.kind != tokClose {
		if r.stuck() {
			r.unclosed(open)
			return nil, false
		}
		off, lim := r.off, r.lim
		t, k := r.term()
		if r.text[off] == '(' {
			lim = off + len(strings.TrimRight(r.text[off:r.off], " \t\r\n"))
		}
		if k && n < len(params) && r.dom != nil {
			k = r.checkType(t, params[n].Type, off, lim, name, n)
		}
		ok = ok && k
		r.termStack = append(r.termStack, t)
		n++
	}
	r.next()
	if r.dom != nil && n != len(params) {
		r.errorf(WrongArity, name.off, name.lim, "%s takes %s, found %d", quote(r.text[name.off:name.lim]), count(len(params), "argument"), n)
		return nil, false
	}
	return r.terms.keep(r.termStack[base:]), ok
}

// typeOf returns the declared type of a term.
func (r *reader) typeOf(t Term) TypeID {
	if t.IsVar() {
		return r.schema.Vars[t.Slot()].Type
	}
	return r.objs[t].Type
}

// checkType checks that term t, written at off, may be the argument number n of
// name, whose declared type is want.
func (r *reader) checkType(t Term, want TypeID, off, lim int, name span, n int) bool {
	have := r.typeOf(t)
	if have == want || want == RootType || r.dom.IsSubtype(have, want) {
		return true
	}
	what := quote(r.text[off:lim])
	of := quote(r.text[name.off:name.lim])
	if !t.IsVar() || !r.dom.typesMeet(have, want) {
		r.errorf(TypeMismatch, off, lim, "%s is of type %s, but argument %d of %s must be %s", what, r.dom.TypeName(have), n+1, of, r.dom.TypeName(want))
		return false
	}
	r.warnf(LooseType, off, lim, "", "%s is of type %s, wider than %s, the type of argument %d of %s", what, r.dom.TypeName(have), r.dom.TypeName(want), n+1, of)
	return true
}

// popScope forgets the innermost n variables.
func (r *reader) popScope(n int) { r.scope = r.scope[:len(r.scope)-n] }
