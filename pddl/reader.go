package pddl

import (
	"strings"
)

// reader turns section bodies into the tables and trees of a Domain or Problem.
//
// Every read method starts at the first token of its construct and ends at the token
// after it. On an error it reports the error, skips to the end of the list it is in
// and returns a zero value; callers carry on, so that one pass reports all errors of
// a file.
type reader struct {
	scanner
	dom          *Domain // being read, or the problem's; nil when only syntax is checked
	idx          *domainIndex
	objects      *symtab  // ObjectIDs by name
	objs         []Object // by ObjectID
	usage        *usage
	shared       bool // others use dom too: unshare before changing it
	typesFull    bool
	derivedPreds []PredicateID // heads of rules whose bodies had errors

	// The context of the formula being read.
	schema    *Schema
	scope     []scopeVar // visible variables, innermost last
	durative  bool       // inside a durative action
	inProcess bool       // inside a process
	declaring bool       // inside (:predicates ...) or (:functions ...)
	inHead    bool       // inside the head of a (:derived ...) rule
	effectAt  int        // the keyword :effect of the action being read
	inMetric  bool       // inside the metric
	sawTime   bool       // #t was read
	negated   bool       // under an odd number of negations
	flat      string     // where object fluents are not supported as terms, else ""
	nested    []nestedFluent
	bound     *Formula         // what literal made last
	lets      map[*Effect]bool // what primitive has made in this action
	fresh     map[string]int   // names given to nested fluents, by the name they began with
	prefs     *symtab          // names of preferences
	torn      bool             // an unclosed list of this section has been reported

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

// leave reports text at the end of a section that should not be there.
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

// joinHint is the hint for a list that follows a complete condition or effect.
func (r *reader) joinHint() string {
	if r.kind == tokOpen {
		return "join several conditions or effects with (and ...)"
	}
	return ""
}

// unclosed reports that the list opened at open is not closed, once per section: of
// several open lists it names the innermost.
func (r *reader) unclosed(open int) {
	if !r.torn {
		r.torn = true
		r.errorf(UnclosedParen, open, open+1, "this parenthesis is not closed before %s", r.foundEnd())
	}
}

// foundEnd describes the current token, which ends all open lists, or the text after
// a section that is not closed.
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
// section, or a keyword, which never occurs in a formula.
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

// openNegated reads a not from its head on, up to the predicate of the atom inside, and
// returns the offset of the atom's parenthesis.
func (r *reader) openNegated(open int) (int, bool) {
	r.next()
	inner, ok := r.expectOpen("an atom")
	if !ok {
		r.skipList(open)
		return 0, false
	}
	if r.kind != tokWord {
		r.errorf(UnexpectedToken, r.off, r.lim, "expected a predicate, found %s", r.found())
		r.skipList(inner)
		r.closeList(open)
		return 0, false
	}
	return inner, true
}

// span is a piece of the text.
type span struct{ off, lim int }

// here is the span of the current token.
func (r *reader) here() span { return span{r.off, r.lim} }

// count writes "1 argument", "2 arguments".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

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
