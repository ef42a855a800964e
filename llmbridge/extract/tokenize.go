package extract

import "math/bits"

// lineBits says what the words of a line can stand for, so that nothing else is looked for in it.
type lineBits uint8

const (
	hasStep    lineBits = 1 << iota // a word that a step may begin with
	hasObject                       // an object, or a noun that may make a name
	hasClaim                        // a word that a claim begins with
	hasRole                         // a word that gives a heading a role
	hasBracket                      // an opening bracket
	leftOut                         // an article: no token
)

// scanLine splits the line text[:size] into tokens, which it writes to toks from its start, and looks
// words up in the vocabulary. Articles are left out. It returns false at a byte that cleanLine must
// replace first. The text after the line must not continue its last word.
func (r *lexicon) scanLine(text string, size int, toks []token, table *scanTable) ([]token, lineBits, bool) {
	line := text[:size]
	var seen lineBits
	plain := table == rawTable && !r.odd && len(text) >= 8
	toks = toks[:cap(toks)]
	n := 0
	for i := 0; i < size; {
		if n == len(toks) {
			toks = append(toks, make([]token, max(64, len(toks)))...)
		}
		if plain {
			var more lineBits
			i, n, more = r.scanPlain(text, size, i, toks, n)
			seen |= more
			if i >= size || n == len(toks) {
				continue
			}
		}
		t, end, ok := r.scanToken(line, i, table)
		if !ok {
			return toks[:0], 0, false
		}
		if i = end; t.end == 0 || t.word == r.article {
			continue
		}
		if t.word >= 0 {
			seen |= r.bits[t.word]
		} else {
			seen |= bracketBits[t.punct]
		}
		toks[n] = t
		n++
	}
	return toks[:n], seen, true
}

// scanPlain does the work of scanLine from byte i and token n on for as long as the words are short: up
// to eight letters, digits and underscores, as most words are. It loads eight bytes at once, computes
// where the word ends, and uses the loaded bytes as the key in the vocabulary. It stops at any other
// kind of word and when toks is full. The text must have eight bytes or more. It makes no calls, so
// that its variables stay in registers.
func (r *lexicon) scanPlain(text string, size, i int, toks []token, n int) (int, int, lineBits) {
	slots, shift, keys, wordBits := r.words.slots, r.words.shift, r.words.keys, r.bits
	mask := uint32(len(slots) - 1)
	var seen lineBits
	for i < size && n < len(toks) {
		var x uint64
		if i+8 <= len(text) {
			x = load8(text[i:])
		} else {
			x = load8(text[len(text)-8:]) >> (8 * (i + 8 - len(text)))
		}
		c := byte(x)
		if class := byteClass[c]; class != classWord {
			if class == classSpace {
				i++
				continue
			}
			if class == classDirty {
				break
			}
			seen |= bracketBits[c]
			t := &toks[n]
			t.start, t.end, t.word, t.kind, t.punct = int32(i), int32(i+1), -1, tokPunct, c
			n++
			if i++; byte(x>>8) == ' ' {
				i++
			}
			continue
		}
		digits := digitsIn(x)
		word := digits | lettersIn(x)
		word |= dashesIn(x) & (word >> 8) // a sign before a letter or digit joins words
		others := word ^ highBits
		width := bits.TrailingZeros64(others) / 8
		end := i + width
		if end < size && byteClass[text[end]] > classPunct {
			break
		}
		first := (others&-others)>>7 - 1 // the bytes of the word
		key := (x | smallLetters) & first
		w := int32(-1)
		for h, tag := homeAndTag(key, shift); ; h++ {
			s := slots[h&mask]
			if s == 0 {
				break
			}
			if k := s&mask - 1; (s^tag)&^mask == 0 && keys[k] == key {
				w = int32(k)
				break
			}
		}
		if w >= 0 {
			b := wordBits[w]
			if b&leftOut != 0 {
				i = end
				continue
			}
			seen |= b
		} else if c == '_' || text[end-1] == '_' {
			break
		}
		kind := tokNumber
		if first&highBits&^digits != 0 {
			kind = tokWord
		}
		t := &toks[n]
		t.start, t.end, t.word, t.kind, t.punct = int32(i), int32(end), w, kind, 0
		n++
		if i = end; i < size && text[i] == ' ' {
			i++ // as after most words
		}
	}
	return i, n, seen &^ leftOut
}

// bracketBits has the bits that opening brackets add to a line.
var bracketBits = [256]lineBits{'(': hasBracket, '[': hasBracket, '{': hasBracket}

// lettersIn, digitsIn and dashesIn test eight bytes at once and set the highest bit of each byte that is
// an ASCII letter or underscore, a digit, or a hyphen or apostrophe. The trick: adding 0x80-a to a
// byte below 0x80 sets its highest bit exactly if the byte is at least a.

func lettersIn(x uint64) uint64 {
	low, small := x&^highBits, (x|smallLetters)&^highBits
	letter := (small + (0x80-'a')*eachByte) &^ (small + (0x7f-'z')*eachByte)
	return (letter | ^((low ^ '_'*eachByte) + 0x7f*eachByte)) &^ x & highBits
}

func digitsIn(x uint64) uint64 {
	low := x &^ highBits
	return (low + (0x80-'0')*eachByte) &^ (low + (0x7f-'9')*eachByte) &^ x & highBits
}

func dashesIn(x uint64) uint64 {
	low := x &^ highBits
	return ^(((low ^ '-'*eachByte) + 0x7f*eachByte) & ((low ^ '\''*eachByte) + 0x7f*eachByte)) &^ x & highBits
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)
