package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// tokenKind tells what a token is.
type tokenKind uint8

const (
	tokWord   tokenKind = iota // letters, digits, '_', and '-' or an apostrophe inside
	tokNumber                  // digits only
	tokPunct                   // one byte
)

// token is a piece of a line. Markdown emphasis, back quotes and LaTeX commands
// are no tokens: they change how text looks, not what it says.
type token struct {
	start, end int32 // in the cleaned line
	word       int32 // vocabulary index of a word or number, -1 for none
	kind       tokenKind
	punct      byte
}

const (
	classSpace uint8 = iota
	classPunct
	classDash  // joins words when letters follow, else punctuation
	classDirty // not ASCII, or a backslash: the line is cleaned first
	classWord
)

// byteClass sorts bytes for the scanner.
var byteClass = func() (c [256]uint8) {
	for i := range c {
		c[i] = classPunct
	}
	for i := 0; i <= ' '; i++ {
		c[i] = classSpace
	}
	for _, b := range "*`~$\x7f" { // emphasis, code, strike-through, LaTeX maths
		c[b] = classSpace
	}
	for b := 'a'; b <= 'z'; b++ {
		c[b] = classWord
		c[b-'a'+'A'] = classWord
	}
	for b := '0'; b <= '9'; b++ {
		c[b] = classWord
	}
	c['_'] = classWord
	c['-'], c['\''] = classDash, classDash
	c['\\'], c[0x1b] = classDirty, classDirty
	for i := 0x80; i <= 0xff; i++ {
		c[i] = classDirty
	}
	return
}()

// scanTable is what the scanner has to know about each byte.
type scanTable struct {
	class [256]uint8
	word  [256]uint8 // bits of a byte that words are made of, 0 for another
}

const (
	wordDigit  uint8 = 1
	wordLetter uint8 = 2 // or a sign within a word
)

func newScanTable(class [256]uint8) *scanTable {
	t := &scanTable{class: class}
	for i, c := range class {
		switch {
		case c != classWord:
		case '0' <= i && i <= '9':
			t.word[i] = wordDigit
		default:
			t.word[i] = wordLetter
		}
	}
	return t
}

// rawTable is for lines as they come, cleanTable for cleaned ones, where letters that
// are not ASCII are left.
var (
	rawTable   = newScanTable(byteClass)
	cleanTable = func() *scanTable {
		c := byteClass
		for i := 0x80; i <= 0xff; i++ {
			c[i] = classWord
		}
		return newScanTable(c)
	}()
)

// scanToken reads the token at byte i, of any kind, and returns the byte after it; the
// token's end is 0 for white space. It returns false at a byte for cleanLine.
func (r *lexicon) scanToken(line string, i int, table *scanTable) (t token, end int, ok bool) {
	if r.odd {
		if w, end := r.oddName(line, i); w >= 0 {
			return token{int32(i), int32(end), w, tokWord, 0}, end, true
		}
	}
	switch table.class[line[i]] {
	case classSpace:
		return token{}, i + 1, true
	case classPunct, classDash:
		return token{int32(i), int32(i + 1), -1, tokPunct, line[i]}, i + 1, true
	case classDirty:
		return token{}, i, false
	}
	end, kind := table.wordEnd(line, i)
	if end < len(line) && table.class[line[end]] == classDirty {
		return token{}, i, false
	}
	w := r.lookup(line[i:end])
	if w < 0 && (line[i] == '_' || line[end-1] == '_') {
		return r.emphasised(line, i, end, kind), end, true
	}
	return token{int32(i), int32(end), w, kind, 0}, end, true
}

// wordEnd returns where the word at byte i ends, and its kind.
func (t *scanTable) wordEnd(line string, i int) (int, tokenKind) {
	seen := uint8(0)
	for i+8 <= len(line) { // letters and digits, eight at a time
		x := load8(line[i:])
		letters := lettersIn(x)
		if letters|digitsIn(x) != highBits {
			break
		}
		if letters != 0 {
			seen = wordLetter
		}
		i += 8
	}
	for {
		for i < len(line) {
			w := t.word[line[i]]
			if w == 0 {
				break
			}
			seen |= w
			i++
		}
		if i+1 >= len(line) || t.class[line[i]] != classDash || t.word[line[i+1]] == 0 {
			break
		}
		seen |= wordLetter
		i++
	}
	if seen&wordLetter != 0 {
		return i, tokWord
	}
	return i, tokNumber
}

// isOdd tells whether a name is more than one token to scanLine, as forks-0- is.
func isOdd(name string) bool {
	for i := 0; i < len(name); i++ {
		c := byteClass[name[i]]
		if c != classWord && !(c == classDash && i > 0 && i+1 < len(name) && byteClass[name[i+1]] == classWord) {
			return true
		}
	}
	return false
}

// oddName finds the longest of the task's odd names at byte i, where a word can begin, and
// returns the byte after it; -1 for none. A name may hold signs that otherwise stand around
// words (l*1, c[1]): what ends it is any such sign, or the end of a sentence.
func (r *lexicon) oddName(line string, i int) (int32, int) {
	if i > 0 && strings.IndexByte(aroundWords, line[i-1]) < 0 || strings.IndexByte(aroundWords, line[i]) >= 0 {
		return -1, 0
	}
	most := min(len(line), i+min(r.longestOdd, maxOddName))
	end := i
	for end < most && strings.IndexByte(" \t()", line[end]) < 0 {
		end++
	}
	for ; end > i; end-- {
		if !endsWord(line[end:]) {
			continue
		}
		if w := r.lookup(line[i:end]); w >= 0 && r.info[w].odd {
			return w, end
		}
	}
	return -1, 0
}

// aroundWords are the signs that can stand next to an odd name.
const aroundWords = " \t()[]{}\",;'`*"

// endsWord reports whether an odd name can end before rest: at a sign around words, or at
// signs that end a sentence and nothing after them.
func endsWord(rest string) bool {
	rest = strings.TrimLeft(rest, ".:!?")
	return rest == "" || strings.IndexByte(aroundWords, rest[0]) >= 0
}

// maxOddName bounds the length of odd names that are looked for.
const maxOddName = 1 << 10

// emphasised looks up a word that the vocabulary does not have with the underscores
// around it: these are markdown emphasis.
func (r *lexicon) emphasised(line string, start, end int, kind tokenKind) token {
	for start < end-1 && line[start] == '_' {
		start++
	}
	for end > start+1 && line[end-1] == '_' {
		end--
	}
	return token{int32(start), int32(end), r.lookup(line[start:end]), kind, 0}
}

// cleanLine replaces typographic signs by the ASCII signs that mean the same and
// removes LaTeX: \text{object\_2} becomes {object_2}.
func cleanLine(line string) string {
	var b strings.Builder
	b.Grow(len(line))
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == '\\':
			i++
			j := i
			for j < len(line) && byteClass[line[j]] == classWord && line[j] < 0x80 && line[j] != '_' && (line[j] < '0' || line[j] > '9') {
				j++
			}
			if brokenLine(line[i:j]) {
				b.WriteString(". ")
				i++
			} else if j > i { // a command
				b.WriteByte(' ')
				i = j
			} else if i < len(line) && strings.IndexByte(`\()[],;:!`, line[i]) >= 0 {
				b.WriteByte(' ') // \( b \) is b
				i++
			}
		case c >= 0x80:
			if n := controlSequence(line[i:]); n > 0 {
				b.WriteByte(' ')
				i += n
				continue
			}
			if p, n := typographic(line[i:]); n > 0 {
				if p == 0 {
					i += n // invisible
					continue
				}
				if p == '-' && n == 3 && line[i+2] >= 0x92 { // a dash never joins words
					b.WriteString(" - ")
				} else {
					b.WriteByte(p)
				}
				i += n
				continue
			}
			_, n := utf8.DecodeRuneInString(line[i:])
			if n == 1 {
				b.WriteByte(' ') // no letter
			} else {
				b.WriteString(line[i : i+n])
			}
			i += n
		case c == 0x1b:
			b.WriteByte(' ')
			i += max(1, controlSequence(line[i:]))
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// brokenLine tells whether what looks like a LaTeX command is a line's end that was
// escaped once too often, and the line after it: "pick up a\nstack a b".
func brokenLine(command string) bool {
	return strings.HasPrefix(command, "n") && !slices.Contains(commandsInN, command)
}

// commandsInN are LaTeX's commands that begin with n and can stand in an answer.
var commandsInN = []string{"nabla", "ne", "nearrow", "neg", "neq", "newline", "newpage", "ngeq", "ni", "nleq", "nobreak", "noindent", "nolimits", "nonumber", "normalsize", "not", "notag", "notin", "nrightarrow", "nu", "numberline", "nwarrow"}

// maxControl bounds a control sequence of a terminal.
const maxControl = 64

// controlSequence returns the length of the terminal's control sequence that s
// begins with, 0 for none: ESC [ 2 J, and ESC ] up to a bell.
func controlSequence(s string) int {
	i := 0
	switch {
	case strings.HasPrefix(s, "\x1b["):
		i = 2
	case strings.HasPrefix(s, "\xc2\x9b"):
		i = 2
	case strings.HasPrefix(s, "\x1b]"):
		if k := strings.IndexByte(s[:min(len(s), maxControl)], 7); k > 0 {
			return k + 1
		}
		return 2
	case s[0] == 0x1b && len(s) > 1 && byteClass[s[1]] == classWord:
		return 2
	default:
		return 0
	}
	for i < len(s) && i < maxControl && s[i] >= 0x20 && s[i] < 0x40 {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] < 0x7f {
		i++
	}
	return i
}

// typographic maps a multi-byte sign at the start of s to the ASCII byte that
// means the same here, 0 for a sign that does not show, and returns its length; 0
// when s begins with a letter.
func typographic(s string) (byte, int) {
	if _, n := utf8.DecodeRuneInString(s); n == 1 {
		return 0, 0 // no letter at all
	}
	if len(s) >= 2 && s[0] == 0xc2 {
		switch c := s[1]; {
		case c < 0xa0:
			return ' ', 2 // control characters
		case c == 0xa0:
			return ' ', 2 // no-break space
		case c == 0xad:
			return 0, 2 // soft hyphen
		case c == 0xb7:
			return '-', 2 // middle dot
		case c == 0xab || c == 0xbb:
			return '"', 2
		}
	}
	if strings.HasPrefix(s, "\xcd\x8f") || strings.HasPrefix(s, "\xd8\x9c") {
		return 0, 2 // joiners and marks of direction
	}
	if len(s) >= 4 && s[0] == 0xf0 && s[1] == 0x9f {
		return ' ', 4 // pictures
	}
	if len(s) >= 4 && s[0] == 0xf3 && s[1] == 0xa0 {
		return 0, 4 // tags
	}
	if len(s) < 3 {
		return 0, 0
	}
	switch t := s[2]; s[:2] {
	case "\xe2\x80":
		return punctuation(t)
	case "\xe2\x81":
		if t >= 0xa0 && t <= 0xaf {
			return 0, 3 // word joiner, marks of direction
		}
	case "\xe1\xa0":
		if t == 0x8e {
			return 0, 3
		}
	case "\xe2\x86", "\xe2\x87", "\xe2\x9e":
		return '>', 3 // arrows
	case "\xe2\x9d":
		if t == 0xa8 || t == 0xa9 {
			return '(' + t - 0xa8, 3
		}
		return ' ', 3
	case "\xe2\x9c", "\xe2\x98", "\xe2\x96", "\xe2\x97", "\xe2\x83":
		return ' ', 3 // check marks, crosses, squares, circles, key caps
	case "\xe2\x9f":
		if t >= 0xa6 && t <= 0xaf {
			return "<>"[t&1], 3 // brackets
		}
		return '>', 3
	case "\xe3\x80":
		switch {
		case t == 0x80:
			return ' ', 3
		case t <= 0x82:
			return ",."[t-0x81], 3
		case t >= 0x88 && t <= 0x9b && t != 0x92 && t != 0x93:
			return "[]"[t&1], 3
		}
	case "\xef\xbc":
		if t > 0x80 {
			return t - 0x60, 3 // wide forms of ASCII
		}
	case "\xef\xbd":
		if t < 0x9f {
			return t - 0x20, 3
		}
	case "\xef\xb8":
		if t <= 0x8f {
			return 0, 3 // variation selectors
		}
		return ' ', 3
	case "\xef\xbb":
		if t == 0xbf {
			return 0, 3 // byte order mark
		}
	}
	return 0, 0
}

// punctuation maps the signs U+2000 to U+203F.
func punctuation(t byte) (byte, int) {
	switch {
	case t >= 0x8b && t <= 0x8f || t >= 0xaa && t <= 0xae:
		return 0, 3 // zero-width marks
	case t < 0x8b || t >= 0xa8 && t <= 0xaf:
		return ' ', 3
	case t <= 0x95 || t == 0xa2:
		return '-', 3 // hyphens, dashes, bullet
	case t == 0x98 || t == 0x99:
		return '\'', 3
	case t == 0x9c || t == 0x9d:
		return '"', 3
	case t == 0xa6:
		return '.', 3 // ellipsis
	}
	return 0, 0
}
