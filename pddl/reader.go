package pddl

import (
	"strings"

	"github.com/planproof/planproof/internal/spell"
)

// reader turns section bodies into the tables and trees of a Domain or Problem.
//
// Every read method starts with the current token on the first token of what it
// reads and leaves it on the token after. When something is wrong it reports
// that, skips to the end of the list it is in, and returns a zero value; callers
// carry on, so that one pass reports all errors of a file.
type reader struct {
	scanner
	dom          *Domain // being read, or the problem's; nil when only syntax is checked
	idx          *domainIndex
	objects      *symtab  // ObjectIDs by name
	objs         []Object // by ObjectID
	usage        *usage
	shared       bool // dom belongs to others as well: unshare before changing it
	typesFull    bool
	derivedPreds []PredicateID // heads of rules whose bodies had errors

	// What the formula being read stands in.
	schema    *Schema
	scope     []scopeVar // visible variables, innermost last
	durative  bool       // inside a durative action
	declaring bool       // inside (:predicates ...) or (:functions ...)
	effectAt  int        // the keyword :effect of the action being read
	inMetric  bool       // inside the metric
	sawTime   bool       // #t was read
	prefs     *symtab    // names of preferences
	torn      bool       // an unclosed list of this section has been reported

	formulas slab[Formula]
	effects  slab[Effect]
	exprs    slab[NumExpr]
	terms    slab[Term]
	children slab[*Formula]
	branches slab[*Effect]
	numbers  slab[*NumExpr]

	termStack []Term
	kidStack  []*Formula
	effStack  []*Effect
	numStack  []*NumExpr
}

type scopeVar struct {
	key  string
	slot int
}

// slab hands out values from chunks, so that a tree of a million nodes costs a
// few thousand allocations.
type slab[T any] struct {
	free []T
	size int
}

func (s *slab[T]) room(n int) {
	if len(s.free) < n {
		s.size = max(min(2*s.size, 1024), 8, n)
		s.free = make([]T, s.size)
	}
}

func (s *slab[T]) new() *T {
	s.room(1)
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// keep returns a copy of xs in the slab; nil for none.
func (s *slab[T]) keep(xs []T) []T {
	n := len(xs)
	if n == 0 {
		return nil
	}
	s.room(n)
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, xs)
	return out
}

// enter starts reading a section's body.
func (r *reader) enter(s section) bool {
	r.pos, r.end = s.start, s.end
	r.torn = false
	if s.deep {
		return false
	}
	r.next()
	return true
}

// leave reports what is left in a section after it should have ended.
func (r *reader) leave(s section) {
	if r.kind != tokEOF {
		if !r.torn {
			r.errorHint(UnexpectedToken, r.off, r.lim, r.joinHint(), "unexpected %s at the end of %s", r.found(), s.keyword)
		}
		return
	}
	if !s.closed {
		r.unclosed(s.open)
	}
}

// joinHint is the hint for a list that stands after a complete condition or effect.
func (r *reader) joinHint() string {
	if r.kind == tokOpen {
		return "several conditions or effects are joined by (and ...)"
	}
	return ""
}

// unclosed reports the list opened at open, once for each section: when several
// are open, the innermost is the one named.
func (r *reader) unclosed(open int) {
	if !r.torn {
		r.torn = true
		r.errorf(UnclosedParen, open, open+1, "this parenthesis is not closed before %s", r.foundEnd())
	}
}

// foundEnd describes the current token, which ends all open lists: at the end of a
// section that is not closed, what follows.
func (r *reader) foundEnd() string {
	if r.kind != tokEOF {
		return r.found()
	}
	after := scanner{collector: &collector{src: r.src}, text: r.text, pos: r.end, end: len(r.text)}
	if after.next(); after.kind == tokOpen {
		after.next()
	}
	switch after.kind {
	case tokEOF:
		return "the end of the text"
	case tokKeyword:
		return after.found()
	}
	return r.found()
}

// stuck reports whether the current token ends all open lists: the end of the
// section, or a keyword, which never stands inside a formula.
func (r *reader) stuck() bool { return r.kind == tokEOF || r.kind == tokKeyword }

// closeList reads the parenthesis that ends the list opened at open.
func (r *reader) closeList(open int) {
	switch {
	case r.kind == tokClose:
		r.next()
	case r.stuck():
		r.unclosed(open)
	default:
		r.errorf(UnexpectedToken, r.off, r.lim, "expected ')', found %s", r.found())
		r.skipList(open)
	}
}

// skipList skips to the end of the list opened at open.
func (r *reader) skipList(open int) {
	for depth := 0; ; r.next() {
		switch {
		case r.kind == tokOpen:
			depth++
		case r.kind == tokClose:
			if depth == 0 {
				r.next()
				return
			}
			depth--
		case r.stuck():
			r.unclosed(open)
			return
		}
	}
}

// expectOpen reads an opening parenthesis and returns its offset.
func (r *reader) expectOpen(what string) (int, bool) {
	if r.kind != tokOpen {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected %s, found %s", what, r.found())
		return 0, false
	}
	off := r.off
	r.next()
	return off, true
}

// name reads a declared name and returns its spelling and key. It warns of names
// outside the standard.
func (r *reader) name(what string) (spelling, key string, ok bool) {
	if r.kind != tokWord {
		if !r.bad() {
			r.errorf(UnexpectedToken, r.off, r.lim, "expected the name of %s %s, found %s", article(what), what, r.found())
		}
		return "", "", false
	}
	spelling, key = r.spelling(), r.key()
	if !r.bad() {
		r.checkName(spelling, what)
	}
	return spelling, key, true
}

func article(noun string) string {
	if strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an"
	}
	return "a"
}

// checkName warns if the current token, being declared, is no standard name.
func (r *reader) checkName(w, what string) {
	c := w[0]
	if len(w) > MaxNameLength {
		r.tooLong() // a numeral
		return
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		if r.mix&classOdd != 0 {
			r.warnf(OddName, r.off, r.lim, "", "%s %s holds characters other than letters, digits, '-' and '_'", what, quote(w))
		}
		return
	}
	if c >= '0' && c <= '9' {
		r.warnf(NameBeginsDigit, r.off, r.lim, "", "%s %s begins with a digit", what, quote(w))
		return
	}
	r.warnf(OddName, r.off, r.lim, "", "%s %s does not begin with a letter", what, quote(w))
}

// undeclared reports the current token as a name that nothing declares.
func (r *reader) undeclared(code Code, what string, known *symtab) {
	if r.bad() {
		return
	}
	hint := ""
	if !r.full() {
		if n := spell.Nearest(r.spelling(), known.keys); n != "" {
			hint = "did you mean " + quote(r.declaredAs(n, known)) + "?"
		}
	}
	r.errorHint(code, r.off, r.lim, hint, "undeclared %s %s", what, quote(r.spelling()))
}

// declaredAs returns the spelling with which the key of a table was declared.
func (r *reader) declaredAs(key string, known *symtab) string {
	id, _ := known.lookup(key)
	switch {
	case r.dom == nil:
	case known == &r.idx.types:
		return r.dom.Types[r.idx.typeAt[id]].Name
	case known == &r.idx.predicates:
		return r.dom.Predicates[id].Name
	case known == &r.idx.functions:
		return r.dom.Functions[id].Name
	case known == r.objects:
		return r.objs[id].Name
	}
	return key
}

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
		dup := false
		for _, v := range r.scope[len(r.scope)-n:] {
			dup = dup || v.key == key
		}
		switch {
		case dup && r.bad():
		case dup && r.declaring:
			// In a declaration the names are mere comments.
			r.warnf(DuplicateParameter, r.off, r.lim, "", "parameter %s is declared twice in one list", quote(r.spelling()))
		case dup:
			r.errorf(DuplicateParameter, r.off, r.lim, "variable %s is declared twice in one list", quote(r.spelling()))
		}
		r.scope = append(r.scope, scopeVar{key, len(r.schema.Vars)})
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

// notVariable reports and skips a token where a variable should stand.
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
		open := r.off
		r.next()
		r.errorf(NestedObjectFluent, open, r.lim, "an object fluent nested as a term is not supported")
		r.skipList(open)
		return 0, false
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

// span is a piece of the text.
type span struct{ off, lim int }

// here is the span of the current token.
func (r *reader) here() span { return span{r.off, r.lim} }

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

// count writes "1 argument", "2 arguments".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

// popScope forgets the innermost n variables.
func (r *reader) popScope(n int) { r.scope = r.scope[:len(r.scope)-n] }

// number reads a numeric literal.
func (r *reader) number() (Number, bool) {
	if r.kind != tokWord || !looksNumeric(r.spelling()) {
		if !r.bad() {
			r.errorf(BadNumber, r.off, r.lim, "expected a number, found %s", r.found())
		}
		if r.kind == tokWord || r.kind == tokVar || r.kind == tokOpen {
			r.skipOne()
		}
		return Number{}, false
	}
	v, ok := ParseNumber(r.spelling())
	if !ok && !r.bad() {
		r.errorf(BadNumber, r.off, r.lim, "%s is not a number that can be read exactly", quote(r.spelling()))
	}
	r.next()
	return v, ok
}

// isWord reports whether the current token is the word w.
func isWord(r *reader, w string) bool { return r.kind == tokWord && strings.EqualFold(r.spelling(), w) }
