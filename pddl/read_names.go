package pddl

import (
	"strings"

	"github.com/planproof/planproof/internal/spell"
)

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

// checkName warns if the current token, being declared, is not a standard name.
func (r *reader) checkName(w, what string) {
	c := w[0]
	if len(w) > MaxNameLength {
		r.tooLong() // a numeral
		return
	}
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		if r.mix&classOdd != 0 {
			r.warnf(OddName, r.off, r.lim, "", "%s %s contains characters other than letters, digits, '-' and '_'", what, quote(w))
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
