package rowjson

import (
	"encoding/binary"
	"math/bits"
)

// maxScanDepth bounds the nesting of values that are read here; encoding/json goes deeper.
const maxScanDepth = 64

// ScanObject calls set with the members of an object, in order. It is false for a line that
// is not JSON, for names in anything but plain ASCII or given twice, and when set is false. The values are
// JSON, and parts of the line.
func ScanObject(line []byte, set func(name, value []byte) bool) bool {
	return ScanKnown(line, func([]byte) []byte { return nil }, set)
}

// ScanKnown is [ScanObject] for lines with long values that come again: known returns one that the text from the
// beginning of a value begins with and that ScanObject has found before, or nil. It must be a string with its quotes,
// an object or a list, and set gets it instead of the part of the line.
func ScanKnown(line []byte, known func(text []byte) []byte, set func(name, value []byte) bool) bool {
	i := SkipSpace(line, 0)
	if i >= len(line) || line[i] != '{' {
		return false
	}
	i = SkipSpace(line, i+1)
	if i < len(line) && line[i] == '}' {
		return SkipSpace(line, i+1) == len(line)
	}
	var names nameSet
	for {
		end := plainName(line, i)
		if end < 0 || !names.add(line[i+1:end-1]) {
			return false
		}
		name := line[i+1 : end-1]
		if i = SkipSpace(line, end); i >= len(line) || line[i] != ':' {
			return false
		}
		i = SkipSpace(line, i+1)
		value := known(line[i:])
		if end = i + len(value); value == nil {
			if end = checkedValue(line, i, 1); end < 0 {
				return false
			}
			value = line[i:end]
		}
		if !set(name, value) {
			return false
		}
		if i = SkipSpace(line, end); i >= len(line) {
			return false
		}
		switch line[i] {
		case '}':
			return SkipSpace(line, i+1) == len(line)
		case ',':
			i = SkipSpace(line, i+1)
		default:
			return false
		}
	}
}

// plainName returns the place after a name of ASCII letters and signs without escapes, -1
// if it is none.
func plainName(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ' || c == '\\' || c >= 0x80:
			return -1
		}
	}
	return -1
}

// checkedValue returns the place after the value that begins at i, -1 if none does or it
// is nested deeper than maxScanDepth, or has names in anything but plain ASCII or given
// twice. What it accepts is JSON.
func checkedValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxScanDepth {
		return -1
	}
	switch b[i] {
	case '"':
		return checkedString(b, i)
	case '{':
		return checkedObject(b, i, depth)
	case '[':
		return checkedList(b, i, depth)
	case 't':
		return literal(b, i, "true")
	case 'f':
		return literal(b, i, "false")
	case 'n':
		return literal(b, i, "null")
	}
	return checkedNumber(b, i)
}

func literal(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func checkedObject(b []byte, i, depth int) int {
	if i = SkipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	var names nameSet
	for {
		end := plainName(b, i)
		if end < 0 || !names.add(b[i+1:end-1]) {
			return -1
		}
		i = end
		if i = SkipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = checkedValue(b, SkipSpace(b, i+1), depth+1); i < 0 {
			return -1
		}
		if i = SkipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case '}':
			return i + 1
		case ',':
			i = SkipSpace(b, i+1)
		default:
			return -1
		}
	}
}

func checkedList(b []byte, i, depth int) int {
	if i = SkipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = checkedValue(b, i, depth+1); i < 0 {
			return -1
		}
		if i = SkipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ']':
			return i + 1
		case ',':
			i = SkipSpace(b, i+1)
		default:
			return -1
		}
	}
}

// checkedNumber follows the grammar of RFC 8259, section 6.
func checkedNumber(b []byte, i int) int {
	digits := func() bool {
		start := i
		for i < len(b) && '0' <= b[i] && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// checkedString returns the place after the string that begins at i, -1 if there is none
// with an end and proper escapes.
func checkedString(b []byte, i int) int {
	for i++; ; {
		if i = nextSpecial(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i++; i >= len(b) {
				return -1
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i++
			case 'u':
				if _, ok := hexRune(b, i+1); !ok {
					return -1
				}
				i += 5
			default:
				return -1
			}
		default:
			return -1 // a control character
		}
	}
}

// hexRune reads the four hexadecimal digits at i.
func hexRune(b []byte, i int) (r rune, ok bool) {
	if len(b)-i < 4 {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Eight bytes at once: a byte of x below n (at most 128) borrows from the byte above it, so
// that the lowest bit that is set stands for a real find.
const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

func bytesBelow(x, n uint64) uint64 { return (x - n*everyByte) &^ x & highBits }

// nextSpecial returns the place of the first quote, backslash or control character from i
// on, len(b) if there is none.
func nextSpecial(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if found := bytesBelow(x, ' ') | bytesBelow(x^'"'*everyByte, 1) | bytesBelow(x^'\\'*everyByte, 1); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' {
			return i
		}
	}
	return i
}
