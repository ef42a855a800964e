package extract

import (
	"math/bits"
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
	bits       lineBits // of the word
}

// lineBits says what the words of a line can stand for, so that nothing else is looked for in it.
type lineBits uint32

const (
	hasStep      lineBits = 1 << iota // a word that a step may begin with
	hasObject                         // an object, or a noun that may make a name
	hasClaim                          // a word that a claim begins with
	hasClaimEnd                       // a word that a claim ends with
	hasRole                           // a word that gives a heading a role
	hasBracket                        // an opening bracket
	hasOption                         // a word that names one of several plans
	hasTag                            // <, with which a tag may begin
	hasLabel                          // a sign that ends labels
	hasIs                             // "is", "are" and the like
	hasTimes                          // a word that says how often
	hasDenial                         // a word without which nothing is denied
	hasVerdict                        // a word that denies or asserts
	hasPlace                          // a word without which no sentence changes the plan
	hasAlter                          // a word that may change the part that such a sentence names
	hasMention                        // a word that begins a phrase of headings that only mention what stands below them
	hasSuppose                        // a word of supposeWords or sayingWords
	hasElse                           // "or", "if", "not", or a word of elseWords
	hasStop                           // a sign that ends a sentence
	hasComma                          // a comma
	hasCompare                        // a word of comparatives
	hasWhole                          // a word that names the plan or the task
	hasUnreal                         // a word of unrealWords
	hasNotes                          // a word of noteWords or retellWords
	hasOrders                         // a word of orderWords
	hasCondition                      // a word of ifWords
	hasRenews                         // a word of renewWords, newPlanWords or aboveWords
	hasJump                           // a word of jumpWords
	hasLead                           // a word of classLead
	hasNeed                           // a word of needs, lapses or changedWords, or "optional"
)

// Classes of bytes; those of words are bits.
const (
	classSpace uint8 = iota
	classPunct
	classDash  // joins words when letters follow, else punctuation
	classDirty // not ASCII, a backslash, or ~: the line is cleaned first
	classDigit
	classWord   uint8 = 8
	classBeyond uint8 = 16 // a letter beyond ASCII
)

// byteClass is the class of each byte of a line as it is, cleanClass that of a line after cleanLine, in which only
// letters are beyond ASCII.
var byteClass, cleanClass = func() (c, clean [256]uint8) {
	for i := range c {
		switch b := byte(i); {
		case b >= 0x80 || b == '\\' || b == 0x1b || b == '~':
			c[i] = classDirty
		case b <= ' ' || strings.IndexByte("*`$\x7f", b) >= 0: // emphasis, code, LaTeX maths
			c[i] = classSpace
		case '0' <= b && b <= '9':
			c[i] = classDigit
		case 'a' <= b|0x20 && b|0x20 <= 'z' || b == '_':
			c[i] = classWord
		case b == '-' || b == '\'':
			c[i] = classDash
		default:
			c[i] = classPunct
		}
		if clean[i] = c[i]; i >= 0x80 {
			clean[i] = classBeyond
		} else if i == '~' {
			clean[i] = classSpace // strike-through
		}
	}
	return
}()

// signs is a set of signs; no set has 0, which stands for a word (lineReader.punct).
type signs [256]bool

func signsIn(text string) (set signs) {
	for i := range len(text) {
		set[text[i]] = true
	}
	return set
}

// scanLine splits the line text[:size] into tokens, for which it uses the room of toks, and looks words up in the
// vocabulary. Articles are left out. What follows the line in text begins with a space or a sign; it is there so that the
// last words can be read in eight bytes too. scanLine returns false at a byte that cleanLine must replace first.
func (r *lexicon) scanLine(text string, size int, toks []token, class *[256]uint8) ([]token, lineBits, bool) {
	line := text[:size]
	toks = tokenRoom(toks, size)
	count, seen := 0, lineBits(0)
	slots, shift, odd := r.words.slots, r.words.shift, r.odd
	last := len(text) - 8 // most words can be read in eight bytes
	if odd {
		last = -1
	}
	for i := 0; i < len(line); {
		c := line[i]
		kinds := class[c]
		if kinds == classWord && i <= last { // most words have at most seven letters and nothing else
			x := load8(text[i : i+8])
			low := x&^highBits | smallLetters
			ends := (low+(0x7f-'z')*everyByte|^(low+(0x80-'a')*everyByte)|x)&highBits | 1<<63
			n := bits.TrailingZeros64(ends) & 0x38
			if next := class[byte(x>>n)]; next <= classPunct {
				key := low & (ends&-ends>>7 - 1)
				k := home(key, shift)
				s := &slots[k]
				for s.key != key && s.key != 0 {
					k = (k + 1) & uint32(len(slots)-1)
					s = &slots[k]
				}
				start, end := i, i+n/8
				if i = end; next == classSpace {
					i++
				}
				if s.word != r.article {
					toks[count] = token{int32(start), int32(end), s.word, tokWord, 0, s.bits}
					count++
					seen |= s.bits
				}
				continue
			}
		}
		if kinds <= classDash && !odd {
			toks[count] = token{int32(i), int32(i + 1), -1, tokPunct, c, signBits[c]}
			count += int(kinds+1) / 2 // but not for white space
			seen |= signBits[c]
			if i++; i < len(text) && text[i] == ' ' {
				i++
			}
			continue
		}
		t := &toks[count]
		if i = r.otherToken(t, line, i, class); i < 0 {
			return toks[:0], 0, false
		}
		if t.end > 0 && t.word != r.article {
			count++
			seen |= t.bits
		}
	}
	return toks[:count], seen, true
}

// tokenRoom returns room for a token per byte of a line, that of toks if it is enough.
func tokenRoom(toks []token, size int) []token {
	const least = 64 // most lines have fewer tokens
	if cap(toks) < size {
		return make([]token, size+least)
	}
	return toks[:cap(toks)]
}

// otherToken reads what stands at byte start into t: a word of any letters and signs, or whatever stands there if the
// task has odd names. It returns the byte at which to continue, -1 if a byte must be replaced first. White space is a
// token that ends at byte 0.
func (r *lexicon) otherToken(t *token, line string, start int, class *[256]uint8) (next int) {
	if r.odd {
		if w, end := r.oddName(line, start); w >= 0 {
			*t = token{int32(start), int32(end), w, tokWord, 0, r.bits[w]}
			return end
		}
	}
	switch c := line[start]; class[c] {
	case classSpace:
		t.end = 0
		return start + 1
	case classPunct, classDash:
		*t = token{int32(start), int32(start + 1), -1, tokPunct, c, signBits[c]}
		return start + 1
	case classDirty:
		return -1
	}
	end, kinds := wordEnd(line, start, class)
	if kinds == classDirty {
		return -1
	}
	if next = end; next < len(line) && line[next] == ' ' {
		next++
	}
	w, wordBits := int32(-1), lineBits(0)
	if end-start <= 8 && len(line) >= 8 && kinds < classBeyond {
		w, wordBits = r.words.findKey(letterKey(line, start, end))
	} else {
		w, wordBits = r.wordBits(line[start:end])
	}
	if w < 0 && (line[start] == '_' || line[end-1] == '_') {
		start, end = withoutEmphasis(line, start, end)
		w, wordBits = r.wordBits(line[start:end])
	}
	kind := tokWord
	if kinds == classDigit {
		kind = tokNumber
	} else if w < 0 && kinds&classDigit != 0 {
		wordBits = hasTimes // x2
	}
	t.start, t.end, t.word, t.kind, t.punct, t.bits = int32(start), int32(end), w, kind, 0, wordBits
	return next
}

// wordBits returns the index of a word in any case, or -1, and what it can stand for.
func (r *lexicon) wordBits(word string) (int32, lineBits) {
	w := r.lookup(word)
	if w < 0 {
		return w, 0
	}
	return w, r.bits[w]
}

// signBits is what the signs of a line say of it.
var signBits = [256]lineBits{'(': hasBracket, '[': hasBracket, '{': hasBracket, '<': hasTag, ':': hasLabel, '=': hasLabel, '>': hasLabel, '|': hasLabel, '.': hasStop, '!': hasStop, '?': hasStop, ',': hasComma}

// wordEnd returns the end of the word at byte start and the classes of its bytes, classDirty if one must be replaced.
func wordEnd(line string, start int, class *[256]uint8) (end int, kinds uint8) {
	kinds = class[line[start]]
	for end = start + 1; end < len(line); end++ {
		k := class[line[end]]
		if k >= classDigit {
			kinds |= k
			continue
		}
		if k == classDirty {
			return end, classDirty
		}
		if k != classDash || end+1 == len(line) || class[line[end+1]] < classDigit {
			break
		}
		kinds |= classWord
	}
	return end, kinds
}

// letterKey returns the key of a word of up to eight bytes in a line of at least eight.
func letterKey(line string, start, end int) uint64 {
	rest := uint(64-8*(end-start)) & 63
	if start+8 <= len(line) {
		return (load8(line[start:]) | smallLetters) << rest >> rest
	}
	return (load8(line[len(line)-8:]) | smallLetters) << uint(8*(len(line)-end)&63) >> rest
}

// withoutEmphasis returns the bounds of a word without underscores around it.
func withoutEmphasis(line string, start, end int) (int, int) {
	for start < end-1 && line[start] == '_' {
		start++
	}
	for end > start+1 && line[end-1] == '_' {
		end--
	}
	return start, end
}

// isOdd reports whether scanLine would split a name into several tokens, as it does with forks-0-.
func isOdd(name string) bool {
	for i := 0; i < len(name); i++ {
		c := byteClass[name[i]]
		if c < classDigit && !(c == classDash && i > 0 && i+1 < len(name) && byteClass[name[i+1]] >= classDigit) {
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
		rest := strings.TrimLeft(line[end:], ".:!?") // the end of a sentence
		if rest != "" && strings.IndexByte(aroundWords, rest[0]) < 0 {
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

// maxOddName bounds the length of odd names that are looked for.
const maxOddName = 1 << 10
