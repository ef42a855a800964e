package pddl

import (
	"strings"
	"unicode/utf8"
)

// Limits of the readers. Input beyond them is refused at its place, so that no
// file can exhaust the stack or the memory of a later stage.
const (
	// MaxNesting is the deepest nesting of parentheses.
	MaxNesting = 10000
	// MaxNameLength is the longest name, in bytes.
	MaxNameLength = 1000
	// MaxParameters is the largest number of parameters of an action, predicate or
	// function, and of variables that are in scope at one place.
	MaxParameters = 1000
	// MaxTypes is the largest number of types of a domain.
	MaxTypes = 16384
)

// Character classes. A token other than a parenthesis is a run of characters
// that are neither space nor delimiter.
const (
	className  = 1 << iota // letters, digits, - and _
	classUpper             // upper-case letters: the name must be folded
	classDigit
	classOdd   // characters of numbers, operators and keywords, and others tolerated in names
	classBad   // any other character
	classSpace // blanks and line ends
	classDelim // ( ) ; ?
)

var class = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c == '-', c == '_':
			t[c] = className
		case c >= 'A' && c <= 'Z':
			t[c] = className | classUpper
		case c >= '0' && c <= '9':
			t[c] = className | classDigit
		case strings.IndexByte(" \t\n\r\f\v", byte(c)) >= 0:
			t[c] = classSpace
		case strings.IndexByte("();?", byte(c)) >= 0:
			t[c] = classDelim
		case c > ' ' && strings.IndexByte(".@+'!$%&*/^~=<>:#", byte(c)) >= 0:
			t[c] = classOdd
		default:
			t[c] = classBad
		}
	}
	return t
}()

// oddNameCharacters are the characters outside the standard that names may contain
// (with a warning), since those of benchmark files do.
const oddNameCharacters = ".@+'!$%&*/^~"

type tokenKind uint8

const (
	tokEOF     tokenKind = iota // end of the section
	tokOpen                     // (
	tokClose                    // )
	tokWord                     // a name, number or operator
	tokVar                      // ?name
	tokKeyword                  // :name
)

// scanner splits text[pos:end] into tokens. The current token is text[off:lim].
type scanner struct {
	*collector
	text string
	pos  int
	end  int

	kind tokenKind
	mix  uint8 // classes of the current word's characters, or-ed
	off  int
	lim  int
}

// next moves to the next token.
func (s *scanner) next() {
	text, i, end := s.text, s.pos, s.end
	if s.Stop() {
		i = end
	}
	for i < end {
		c := text[i]
		switch k := class[c]; {
		case k&classSpace != 0:
			i++
		case k&classDelim == 0:
			if s.word(i) {
				return
			}
			i = s.pos
		case c == '(':
			s.kind, s.off, s.lim, s.pos = tokOpen, i, i+1, i+1
			return
		case c == ')':
			s.kind, s.off, s.lim, s.pos = tokClose, i, i+1, i+1
			return
		case c == ';':
			i += commentLength(text[i:end])
		default:
			s.variable(i)
			return
		}
	}
	s.kind, s.off, s.lim, s.pos = tokEOF, end, end, end
}

// commentLength returns the length of the comment at the start of s, without its
// line end. A lone carriage return ends a comment too: otherwise a file with such line
// ends would lose all text after its first comment.
func commentLength(s string) int {
	n := strings.IndexByte(s, '\n')
	if n < 0 {
		n = len(s)
	}
	if r := strings.IndexByte(s[:n], '\r'); r >= 0 {
		return r
	}
	return n
}

// word reads the token that begins at i. It reports false if that is only a Unicode
// blank or an invisible character, which it has reported and skipped.
func (s *scanner) word(i int) bool {
	text, end := s.text[:s.end], s.end
	mix := uint8(0)
	j := i
	for j < end {
		k := class[text[j]]
		if k&(classSpace|classDelim|classBad) != 0 {
			break
		}
		mix |= k
		j++
	}
	s.kind, s.mix, s.off = tokWord, mix, i
	if j < end && class[text[j]]&classBad != 0 {
		if j = s.oddEnd(j); j == i {
			return s.blank(i)
		}
	}
	s.lim, s.pos = j, j
	if s.mix&(classOdd|classBad) != 0 {
		s.oddWord()
	}
	if j-i > MaxNameLength {
		s.longName()
	}
	return true
}

// blank reports and skips the blank at i.
func (s *scanner) blank(i int) bool {
	_, size := utf8.DecodeRuneInString(s.text[i:])
	s.illegal(s.text, i)
	s.lim, s.pos = i, i+size
	return false
}

// oddWord looks at a word with a character that is not allowed in standard names.
func (s *scanner) oddWord() {
	w := s.text[s.off:s.lim]
	if w[0] == ':' {
		s.kind = tokKeyword
		w = w[1:]
	}
	if i := strings.IndexFunc(w, illegalRune); i >= 0 {
		// Operators are words of their own; #t is the time of continuous effects.
		switch w {
		case "=", "<", ">", "<=", ">=", "#t", "#T":
			return
		}
		at := s.off + (s.lim - s.off - len(w)) + i
		s.mix |= classBad
		s.illegal(s.text, at)
	}
}

// oddEnd returns the end of the word whose character at j is not an ASCII character of
// words. A Unicode blank, such as the no-break space in text from web pages, was meant
// as a space: the word ends there. So it does before invisible characters at its end.
func (s *scanner) oddEnd(j int) int {
	for j < s.end {
		if c := s.text[j]; c < utf8.RuneSelf {
			if class[c]&(classSpace|classDelim) != 0 || class[c]&classBad != 0 && blankAt(s.text[:s.end], j) > 0 {
				break
			}
			s.mix |= class[c]
			j++
			continue
		}
		if blankAt(s.text[:s.end], j) > 0 {
			break
		}
		_, size := utf8.DecodeRuneInString(s.text[j:s.end])
		s.mix |= classBad
		j += size
	}
	return j
}

func illegalRune(r rune) bool {
	if r >= utf8.RuneSelf {
		return true
	}
	return class[r]&className == 0 && !strings.ContainsRune(oddNameCharacters, r)
}

// longName refuses a long word, unless it is a number, whose length has another
// limit.
func (s *scanner) longName() {
	if s.lim-s.off <= MaxDigits && isNumeral(s.spelling()) {
		return
	}
	s.tooLong()
}

// isNumeral reports whether w consists of the characters of numbers.
func isNumeral(w string) bool {
	return looksNumeric(w) && strings.Trim(w, "0123456789.+-eE") == ""
}

func (s *scanner) tooLong() {
	s.mix |= classBad
	s.errorf(NameTooLong, s.off, s.off, "a name of %d bytes; the longest allowed has %d", s.lim-s.off, MaxNameLength)
}

// variable reads the token that begins with the question mark at i.
func (s *scanner) variable(i int) {
	if !s.word(i + 1) {
		s.mix |= classBad
	}
	if s.kind == tokKeyword {
		s.mix |= classBad
		s.errorf(IllegalCharacter, i+1, i+2, "illegal character ':' in a name")
	}
	s.kind, s.off = tokVar, i
	if s.lim == i+1 {
		s.mix |= classBad
		s.errorf(UnexpectedToken, i, i+1, "a question mark without a variable name")
	}
}

// spelling is the text of the current token.
func (s *scanner) spelling() string { return s.text[s.off:s.lim] }

// key is the text of the current token in lower case.
func (s *scanner) key() string {
	if s.mix&classUpper != 0 {
		return fold(s.text[s.off:s.lim])
	}
	return s.text[s.off:s.lim]
}

// bad reports whether the current token has already been reported.
func (s *scanner) bad() bool {
	return s.mix&classBad != 0 && (s.kind == tokWord || s.kind == tokVar || s.kind == tokKeyword)
}

// found describes the current token for "expected X, found Y".
func (s *scanner) found() string {
	switch s.kind {
	case tokEOF:
		return "the end of the section"
	case tokOpen, tokClose:
		return "'" + s.spelling() + "'"
	}
	return quote(s.spelling())
}

// quote puts a piece of input into a message, cut if it is long.
func quote(t string) string { return "'" + shorten(t) + "'" }

func shorten(t string) string {
	if len(t) > 60 {
		return visible(strings.ToValidUTF8(t[:60], "") + "...")
	}
	return visible(t)
}

// looksNumeric reports whether w begins like a number: a digit, or a sign or
// point before one.
func looksNumeric(w string) bool {
	if w == "" {
		return false
	}
	if c := w[0]; c >= '0' && c <= '9' {
		return true
	}
	if len(w) > 1 && (w[0] == '-' || w[0] == '.' || w[0] == '+') {
		c := w[1]
		return c >= '0' && c <= '9' || c == '.' && len(w) > 2 && w[2] >= '0' && w[2] <= '9'
	}
	return false
}
