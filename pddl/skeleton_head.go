package pddl

import (
	"strings"
)

// maxHeaderTokens bounds what is handed to the grammar before the first section;
// a well-formed header has seven tokens.
const maxHeaderTokens = 16

// headHint is the hint for every error in a head.
const headHint = "a file is (define (domain NAME) SECTION...) or (define (problem NAME) SECTION...)"

// defines reports whether the text begins with (define; if not, it adds an error at
// the first other token.
func (l *skeletonLexer) defines() bool {
	save := l.pos
	defer func() { l.pos = save }()
	end := l.pos + 1
	if l.skip() && l.text[l.pos] == '(' {
		l.pos++
		if l.skip() && l.text[l.pos] != '(' && l.text[l.pos] != ')' {
			end = l.wordEnd(l.pos)
			if strings.EqualFold(l.text[l.pos:end], "define") {
				return true
			}
		}
	} else if l.pos < len(l.text) {
		end = max(l.wordEnd(l.pos), l.pos+1)
	}
	what := "the end of the text"
	if l.pos < len(l.text) {
		end = max(end, l.pos+1)
		what = quote(l.text[l.pos:end])
	} else {
		end = l.pos
	}
	l.errorHint(MalformedFile, l.pos, end, headHint, "expected (define ..., found %s", what)
	return false
}

// lexHeader emits the tokens before the first section: (define (domain NAME). It
// returns the offset of define's parenthesis, or -1 if there is none.
func (l *skeletonLexer) lexHeader() int {
	define, depth, inner := -1, 0, 0
	for len(l.tokens) < maxHeaderTokens && l.skip() {
		switch c := l.text[l.pos]; {
		case c == '(':
			if depth > 0 {
				kw := l.keywordAfter(l.pos)
				if kw >= 0 && depth == 2 && l.headNamed() {
					l.errorf(UnclosedParen, inner, inner+1, "this parenthesis is not closed before %s", quote(l.text[kw:l.wordEnd(kw)]))
					l.emitClose(l.pos)
					l.spare++
					return define
				}
				if kw >= 0 && depth == 1 {
					return define
				}
			}
			if define < 0 {
				define = l.pos
			}
			inner = l.pos
			depth++
			l.emit(skelOpen, l.pos, l.pos+1)
			l.pos++
		case c == ')':
			depth--
			if depth == 0 {
				return define // an empty definition: lexSections emits this one
			}
			l.emit(skelClose, l.pos, l.pos+1)
			l.pos++
			if depth == 1 {
				return define
			}
		default:
			j := l.wordEnd(l.pos)
			l.emit(skelWord, l.pos, j)
			l.pos = j
		}
	}
	if depth == 2 && l.headNamed() && l.pos == len(l.text) {
		l.headless = true
		l.errorf(UnclosedParen, inner, inner+1, "this parenthesis is never closed")
	}
	return -1
}

// headNamed reports whether the tokens so far are ( define ( WORD NAME.
func (l *skeletonLexer) headNamed() bool {
	return len(l.tokens) == 5 && l.tokens[2].Type == skelOpen && l.tokens[3].Type == skelWord && l.tokens[4].Type == skelWord
}
