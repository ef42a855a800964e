package pddl

import (
	"slices"

	"github.com/planproof/planproof/internal/spell"
)

// part is a part of an action, KEYWORD VALUE, with the reader of its value. Parts come
// in any order; :parameters is read first, since the others refer to it.
type part struct {
	keyword string
	read    func()
}

// parts reads the rest of a section as keyword-value pairs.
func (r *reader) parts(s section, params func(open int), known []part, unsupported ...string) {
	var seen []string
	preRead := false
	if r.kind != tokKeyword && r.kind != tokEOF {
		r.noKeyword(known)
	}
	if r.kind == tokKeyword && r.key() != ":parameters" {
		preRead = r.parametersAhead(params)
	}
	for r.kind == tokKeyword {
		key := r.key()
		at := r.here()
		r.torn = false
		r.next()
		if slices.Contains(seen, key) {
			r.errorf(DuplicateSection, at.off, at.lim, "a second %s", key)
			r.skipValue()
			continue
		}
		seen = append(seen, key)
		if key == ":parameters" {
			if preRead {
				r.skipValue()
			} else if open, ok := r.expectOpen("a list of parameters"); ok {
				params(open)
			} else {
				r.bareVariables()
			}
			continue
		}
		if key == ":effect" {
			r.effectAt = at.off
		}
		r.part(key, at, known, unsupported)
		if r.kind != tokKeyword && r.kind != tokEOF {
			r.errorHint(UnexpectedToken, r.off, r.lim, r.joinHint(), "expected a keyword or the end of the section, found %s", r.found())
			r.skipValue()
		}
	}
	r.leave(s)
}

func (r *reader) part(key string, at span, known []part, unsupported []string) {
	names := []string{":parameters"}
	for _, p := range known {
		if p.keyword == key {
			p.read()
			return
		}
		names = append(names, p.keyword)
	}
	for _, u := range unsupported {
		if u == key {
			r.errorf(UnsupportedSection, at.off, at.lim, "%s is not supported", key)
			r.skipValue()
			return
		}
	}
	hint := ""
	if n := spell.Nearest(key, names); n != "" {
		hint = "did you mean " + n + "?"
	}
	r.errorHint(UnknownSection, at.off, at.lim, hint, "unknown keyword %s", quote(r.text[at.off:at.lim]))
	r.skipValue()
}

// bareVariables skips a parameter list that lacks its parentheses (already reported)
// and declares its variables, so that their uses are not reported as well.
func (r *reader) bareVariables() {
	for ; !r.stuck(); r.next() {
		if r.kind == tokVar && len(r.scope) < MaxParameters {
			r.scope = append(r.scope, scopeVar{r.key(), len(r.schema.Vars)})
			r.schema.Vars = append(r.schema.Vars, Variable{Name: r.spelling(), Pos: Pos(r.off)})
		}
	}
}

// noKeyword reports and skips text before the first keyword.
func (r *reader) noKeyword(known []part) {
	hint := ""
	for _, p := range append([]part{{keyword: ":parameters"}}, known...) {
		if r.kind == tokWord && p.keyword == ":"+r.key() {
			hint = "did you mean " + p.keyword + "?"
		}
	}
	if !r.bad() {
		r.errorHint(UnexpectedToken, r.off, r.lim, hint, "expected a keyword such as :parameters, found %s", r.found())
	}
	r.skipValue()
}

// skipValue skips to the next keyword or the end of the section.
func (r *reader) skipValue() {
	for !r.stuck() {
		r.next()
	}
}

// parametersAhead reads the parameters from further on in the section.
func (r *reader) parametersAhead(params func(open int)) bool {
	save := r.scanner
	defer func() { r.scanner = save }()
	quiet := collector{src: r.src} // errors before them are reported when they are read
	r.collector = &quiet
	for r.kind != tokEOF {
		if r.kind == tokKeyword && r.key() == ":parameters" {
			r.collector = save.collector
			r.next()
			open, ok := r.expectOpen("a list of parameters")
			if ok {
				params(open)
			}
			return true
		}
		r.next()
	}
	return false
}
