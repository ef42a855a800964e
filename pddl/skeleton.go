package pddl

import (
	"io"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// Token types of the skeleton.
const (
	skelOpen lexer.TokenType = iota + 1
	skelClose
	skelWord
	skelKeyword
	skelBlock
)

// skeletonDefinition is the lexer.Definition of the file grammar.
type skeletonDefinition struct{}

func (skeletonDefinition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Open": skelOpen, "Close": skelClose,
		"Word": skelWord, "Keyword": skelKeyword, "Block": skelBlock,
	}
}

func (d skeletonDefinition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(name, string(b))
}

func (skeletonDefinition) LexString(name, text string) (lexer.Lexer, error) {
	l := newSkeletonLexer(&collector{src: NewSource(name, text)})
	l.lex()
	return l, nil
}

// body is one section's text between its keyword and its closing parenthesis.
type body struct {
	open    int // the opening parenthesis
	keyword int // the colon of the keyword
	start   int // first byte after the keyword
	end     int // the closing parenthesis, or where the section must have ended
	closed  bool
	deep    bool // nested too deep to be read; reported already
	cut     bool // more of it follows after end; reported already
}

// section is a body with its keyword, as the readers get it.
type section struct {
	keyword string // lower case, with the colon
	body
}

// skeletonLexer cuts a text into the tokens of the skeleton. It repairs what it
// can (a missing parenthesis before the next section, stray words between
// sections) and reports it itself, so that the rest of the file is still checked.
type skeletonLexer struct {
	*collector
	text     string
	pos      int
	tokens   []lexer.Token
	at       int // next token to hand over
	bodies   []body
	torn     bool            // the last section ran into the end of the text
	spare    int             // closing parentheses allowed at the end, since earlier ones are missing
	afterRun bool            // the last section has just ended
	stray    bool            // text between sections has been reported since the last section
	resumed  bool            // a section went on after its closing parenthesis
	headless bool            // the head is beyond repair, and an error says so
	seen     map[string]bool // keywords of sections
	deep     bool            // the body just scanned was nested too deep
}

func newSkeletonLexer(c *collector) *skeletonLexer {
	l := &skeletonLexer{collector: c, text: c.src.Text, seen: map[string]bool{}}
	if hasBOM(l.text) {
		l.pos = len(bom)
	}
	return l
}

// Next implements lexer.Lexer.
func (l *skeletonLexer) Next() (lexer.Token, error) {
	if l.at == len(l.tokens) {
		return lexer.Token{Type: lexer.EOF, Pos: lexer.Position{Offset: len(l.text)}}, nil
	}
	l.at++
	return l.tokens[l.at-1], nil
}

func (l *skeletonLexer) emit(t lexer.TokenType, off, lim int) {
	v := l.text[off:lim]
	if t == skelWord || t == skelKeyword {
		v = fold(v)
	}
	l.tokens = append(l.tokens, lexer.Token{Type: t, Value: v, Pos: lexer.Position{Offset: off}})
}

// emitClose emits a closing parenthesis, at the end of the text where it is missing.
func (l *skeletonLexer) emitClose(off int) {
	l.tokens = append(l.tokens, lexer.Token{Type: skelClose, Value: ")", Pos: lexer.Position{Offset: off}})
}

// skip moves over white space and comments.
func (l *skeletonLexer) skip() bool {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case class[c]&classSpace != 0:
			l.pos++
		case c == ';':
			l.pos += commentLength(l.text[l.pos:])
		case class[c]&classBad != 0:
			size := blankAt(l.text, l.pos)
			if size == 0 {
				return true
			}
			l.illegal(l.text, l.pos)
			l.pos += size
		default:
			return true
		}
	}
	return false
}

// wordEnd returns the end of the word that begins at i.
func (l *skeletonLexer) wordEnd(i int) int {
	j := i
	for j < len(l.text) && (class[l.text[j]]&(classSpace|classDelim) == 0 || l.text[j] == '?') {
		if class[l.text[j]]&classBad != 0 {
			if blankAt(l.text, j) > 0 {
				break
			}
			_, size := utf8.DecodeRuneInString(l.text[j:])
			j += size
			continue
		}
		j++
	}
	return j
}

// lex emits all tokens. It reports false if the head is beyond repair, after an
// error of its own.
func (l *skeletonLexer) lex() bool {
	if !l.defines() {
		return false
	}
	define := l.lexHeader()
	if define >= 0 {
		l.lexSections(define)
	}
	return !l.headless
}

// keywordAfter returns the offset of the colon if the parenthesis at i opens a
// section, else -1.
func (l *skeletonLexer) keywordAfter(i int) int {
	save := l.pos
	defer func() { l.pos = save }()
	l.pos = i + 1
	if l.skip() && l.text[l.pos] == ':' {
		return l.pos
	}
	return -1
}

func (l *skeletonLexer) lexSections(define int) {
	closed := -1 // offset of the parenthesis that closed define
	for l.skip() {
		i := l.pos
		kw := -1
		switch c := l.text[i]; {
		case c == ')':
			if closed >= 0 {
				l.extraCloses()
			} else {
				closed = i
				l.pos++
			}
			continue
		case c == '(':
			kw = l.keywordAfter(i)
		}
		if closed >= 0 {
			if kw < 0 {
				l.errorHint(TextAfterEnd, i, max(l.wordEnd(i), i+1), l.secondHint(i), "text after the end of the definition")
				l.emitClose(closed)
				return
			}
			l.errorf(ExtraParen, closed, closed+1, "this parenthesis ends the definition, but more sections follow")
			closed, l.resumed = -1, true
		}
		if kw >= 0 {
			l.lexRun(i, kw)
			l.afterRun, l.stray = true, false
			continue
		}
		if !l.afterRun || !l.resume(i) {
			l.strayText(i)
		}
		l.afterRun = false
	}
	if closed < 0 {
		closed = len(l.text)
		if !l.torn && !l.resumed {
			l.errorf(UnclosedParen, define, define+1, "this parenthesis is never closed")
		}
	}
	l.emitClose(closed)
}

// lexRun emits the section whose parenthesis is at open, together with the sections
// directly after it that have the same keyword, may be repeated, or have been seen
// before: the number of kinds bounds the grammar's work.
func (l *skeletonLexer) lexRun(open, keyword int) {
	first := len(l.bodies)
	l.emit(skelOpen, open, open+1)
	l.emit(skelKeyword, keyword, l.wordEnd(keyword))
	for {
		kwEnd := l.wordEnd(keyword)
		name := fold(l.text[keyword:kwEnd])
		l.seen[name] = true
		l.deep = false
		end, ok := l.bodyEnd(kwEnd, name)
		l.bodies = append(l.bodies, body{open, keyword, kwEnd, end, ok, l.deep, false})
		l.pos = end
		if ok {
			l.pos++
		} else if end == len(l.text) {
			l.torn = true
		}
		save := l.pos
		if !l.skip() || l.text[l.pos] != '(' {
			l.pos = save
			break
		}
		open = l.pos
		if keyword = l.keywordAfter(open); keyword < 0 || l.startsRun(keyword) {
			l.pos = save
			break
		}
	}
	a, z := l.bodies[first], l.bodies[len(l.bodies)-1]
	l.emit(skelBlock, a.start, z.end)
	l.emitClose(z.end)
}

// startsRun reports whether the section with this keyword is the first of a kind that
// occurs once.
func (l *skeletonLexer) startsRun(keyword int) bool {
	name := fold(l.text[keyword:l.wordEnd(keyword)])
	rule, known := sectionRules[name]
	return known && !rule.many && !l.seen[name]
}

var bodyStop = [256]bool{'(': true, ')': true, ';': true, ':': true}

// bodyEnd returns the offset of the parenthesis that closes the section whose
// body begins at i. A body also ends where a new section begins inside it: there
// a closing parenthesis is missing, and the second result is false. In an action
// a keyword such as :effect inside an open formula closes that formula; the
// reader of the body sees the same and reports it.
func (l *skeletonLexer) bodyEnd(i int, keyword string) (int, bool) {
	text := l.text
	depth := 0
	for i < len(text) {
		c := text[i]
		if !bodyStop[c] {
			i++
			continue
		}
		switch c {
		case '(':
			if l.Stop() {
				return len(text), false
			}
			depth++
			if depth > MaxNesting {
				l.errorf(NestingTooDeep, i, i+1, "parentheses nested more than %d deep", MaxNesting)
				return l.skipDeep(i, depth)
			}
		case ')':
			if depth == 0 {
				return i, true
			}
			depth--
		case ';':
			i += commentLength(text[i:]) - 1
		case ':':
			if depth == 0 || !l.wordStart(i) {
				break
			}
			w := fold(text[i:l.wordEnd(i)])
			if open := l.openBefore(i); open >= 0 {
				if isSectionKeyword(w) {
					return open, false
				}
			} else if isBodyKeyword(keyword, w) {
				depth = 0
			}
		}
		i++
	}
	return len(text), false
}

// skipDeep finds the end of a section that is nested too deep to be read, and
// marks it so that no reader recurses into it.
func (l *skeletonLexer) skipDeep(i, depth int) (int, bool) {
	l.deep = true
	for i++; i < len(l.text); i++ {
		switch l.text[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth < 0 {
				return i, true
			}
		case ';':
			i += commentLength(l.text[i:]) - 1
		}
	}
	return len(l.text), false
}

// wordStart reports whether a word begins at i.
func (l *skeletonLexer) wordStart(i int) bool {
	return i == 0 || class[l.text[i-1]]&(classSpace|classDelim) != 0
}

// openBefore returns the offset of a parenthesis directly before i, or -1.
func (l *skeletonLexer) openBefore(i int) int {
	for i--; i >= 0; i-- {
		if c := l.text[i]; c == '(' {
			return i
		} else if class[c]&classSpace == 0 {
			break
		}
	}
	return -1
}

// sectionsOf returns the tree's sections one by one, in the order of the text.
func (l *skeletonLexer) sectionsOf(t *fileTree) []section {
	out := make([]section, 0, len(l.bodies))
	k := 0
	for _, s := range t.Sections {
		end := s.Body.Pos.Offset + len(s.Body.Value)
		for ; k < len(l.bodies) && l.bodies[k].end <= end; k++ {
			b := l.bodies[k]
			out = append(out, section{fold(l.text[b.keyword:b.start]), b})
		}
	}
	return out
}
