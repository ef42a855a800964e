package extract

import (
	"strings"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokWord   tokenKind = iota // letters, digits, '_', and '-' or an apostrophe inside
	tokNumber                  // digits only
	tokPunct                   // one byte
)

// token is a piece of a line. Markdown emphasis, back quotes and LaTeX commands are not tokens: they
// change how text looks, not what it says.
type token struct {
	start, end int32 // in the cleaned line
	word       int32 // vocabulary index of a word or number, or -1
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

// byteClass is the class of each byte.
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

// scanTable is what the scanner needs to know about each byte.
type scanTable struct {
	class [256]uint8
	word  [256]uint8 // wordDigit, wordLetter, or 0 for bytes that are in no word
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

// rawTable is for lines as they are, cleanTable for lines after cleanLine, in which only letters are
// beyond ASCII.
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

// scanToken reads a token of any kind at byte i and returns the byte after it. The token's end is 0 for
// white space. It returns false at a byte that cleanLine must replace first.
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

// isOdd reports whether scanLine would split a name into several tokens, as it does with forks-0-.
func isOdd(name string) bool {
	for i := 0; i < len(name); i++ {
		c := byteClass[name[i]]
		if c != classWord && !(c == classDash && i > 0 && i+1 < len(name) && byteClass[name[i+1]] == classWord) {
			return true
		}
	}
	return false
}

// oddName finds the longest odd name of the task at byte i, and returns its word and the byte after it,
// or -1. A name may contain signs that otherwise stand around words (l*1, c[1]); it ends before any
// such sign or at the end of a sentence.
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

// emphasised looks up a word without the underscores around it, which are then Markdown emphasis.
func (r *lexicon) emphasised(line string, start, end int, kind tokenKind) token {
	for start < end-1 && line[start] == '_' {
		start++
	}
	for end > start+1 && line[end-1] == '_' {
		end--
	}
	return token{int32(start), int32(end), r.lookup(line[start:end]), kind, 0}
}
