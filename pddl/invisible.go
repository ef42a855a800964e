package pddl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isBlank reports whether r is a blank outside ASCII.
func isBlank(r rune) bool { return r >= utf8.RuneSelf && unicode.IsSpace(r) }

// isInvisible reports whether r shows nothing on a screen, and is no white space: a control
// character, a zero-width character or a mark of direction. Nobody finds one in a message
// that only repeats it.
func isInvisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' && class[r]&classSpace == 0 || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !isBlank(r) ||
		r == '\u2800' // an empty Braille cell
}

// blankAt returns the size of the character at offset i if it separates words though it
// should not be there: a blank outside ASCII, or an invisible character with no letter
// directly after it. Else it returns 0.
func blankAt(text string, i int) int {
	r, size := utf8.DecodeRuneInString(text[i:])
	if isBlank(r) {
		return size
	}
	if !isInvisible(r) {
		return 0
	}
	if i+size < len(text) && class[text[i+size]]&(classSpace|classDelim) == 0 {
		if next, _ := utf8.DecodeRuneInString(text[i+size:]); !isBlank(next) && !isInvisible(next) {
			return 0
		}
	}
	return size
}

// illegal reports the character at offset at, which is not allowed in a name.
func (c *collector) illegal(text string, at int) {
	r, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case isBlank(r):
		c.errorHint(IllegalCharacter, at, at+size, "type a space here", "illegal character %U, which looks like a space", r)
	case r == utf8.RuneError && size <= 1:
		c.errorf(IllegalCharacter, at, at+1, "illegal byte 0x%02x", text[at])
	case r == 0x1a:
		c.errorHint(IllegalCharacter, at, at+size, "delete it", "illegal control character %U, which ended files under DOS", r)
	case r < ' ' || r == 0x7f:
		c.errorHint(IllegalCharacter, at, at+size, "delete it", "illegal control character %U", r)
	case isInvisible(r):
		c.errorHint(IllegalCharacter, at, at+size, "delete it", "illegal character %U, which is invisible", r)
	default:
		c.errorf(IllegalCharacter, at, at+size, "illegal character %q in a name", r)
	}
}

// visible writes invisible characters by their code points.
func visible(t string) string {
	if strings.IndexFunc(t, isInvisible) < 0 {
		return t
	}
	var b strings.Builder
	for _, r := range t {
		if isInvisible(r) {
			fmt.Fprintf(&b, "<%U>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
