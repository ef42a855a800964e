package rltrain

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// maxScanDepth bounds the nesting of values that are read here; encoding/json goes deeper.
const maxScanDepth = 64

// scan reads a line in one pass, as encoding/json would into the members of w. It is false,
// and w of no use, for a line that is not JSON or in any way unusual: a member that comes
// twice, a name in other letters or with escapes, a value of another kind. encoding/json
// then decides what that is, or what is wrong with it. Values point into the line.
func (w *wireRow) scan(line []byte) bool {
	i := skipSpace(line, 0)
	if i >= len(line) || line[i] != '{' {
		return false
	}
	i = skipSpace(line, i+1)
	if i < len(line) && line[i] == '}' {
		return skipSpace(line, i+1) == len(line)
	}
	for {
		end := plainName(line, i)
		if end < 0 {
			return false
		}
		name := line[i+1 : end-1]
		if i = skipSpace(line, end); i >= len(line) || line[i] != ':' {
			return false
		}
		i = skipSpace(line, i+1)
		if end = checkedValue(line, i, 1); end < 0 || !w.set(name, line[i:end]) {
			return false
		}
		if i = skipSpace(line, end); i >= len(line) {
			return false
		}
		switch line[i] {
		case '}':
			return skipSpace(line, i+1) == len(line)
		case ',':
			i = skipSpace(line, i+1)
		default:
			return false
		}
	}
}

// set gives a member its value, which is JSON.
func (w *wireRow) set(name, value []byte) bool {
	switch string(name) {
	case "reward":
		return setText(&w.Reward, value)
	case "domain":
		return setText(&w.Domain, value)
	case "problem":
		return setText(&w.Problem, value)
	case "domain_text":
		return setText(&w.DomainText, value)
	case "problem_text":
		return setText(&w.ProblemText, value)
	case "finish":
		return setText(&w.Finish, value)
	case "constrained_decoding":
		return setBool(&w.Constrained, value)
	case "step_rewards":
		return setBool(&w.StepRewards, value)
	}
	if raw := w.raw(name); raw != nil {
		if *raw != nil {
			return false // the member for the second time
		}
		*raw = value
		return true
	}
	// Another column. encoding/json takes names in other letters for the same.
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			lower := bytes.ToLower(name)
			return w.raw(lower) == nil && !isTextMember(lower)
		}
	}
	return true
}

// raw returns the place of a member that is kept as it came, nil if name is none.
func (w *wireRow) raw(name []byte) *json.RawMessage {
	switch string(name) {
	case "id":
		return &w.ID
	case "request_id":
		return &w.RequestID
	case "task":
		return &w.Task
	case "response":
		return &w.Response
	case "completion":
		return &w.Completion
	case "group":
		return &w.Group
	case "items":
		return &w.Items
	case "gold":
		return &w.Gold
	case "budget":
		return &w.Budget
	case "ping":
		return &w.Ping
	case "mask":
		return &w.Mask
	}
	return nil
}

// isTextMember reports whether name is a member that is no [json.RawMessage].
func isTextMember(name []byte) bool {
	switch string(name) {
	case "reward", "domain", "problem", "domain_text", "problem_text", "finish", "constrained_decoding", "step_rewards":
		return true
	}
	return false
}

// setText reads a string; null leaves what is there, as it does in encoding/json.
func setText(to *string, value []byte) bool {
	if value[0] == 'n' {
		return true
	}
	if value[0] != '"' || *to != "" {
		return false
	}
	s, err := stringValue(value)
	*to = s
	return err == nil
}

func setBool(to *bool, value []byte) bool {
	switch {
	case value[0] == 'n':
		return true
	case *to || value[0] != 't' && value[0] != 'f':
		return false
	}
	*to = value[0] == 't'
	return true
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
// is nested deeper than maxScanDepth. What it accepts is JSON.
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
	if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return -1
		}
		if i = checkedString(b, i); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
			return -1
		}
		if i = checkedValue(b, skipSpace(b, i+1), depth+1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case '}':
			return i + 1
		case ',':
			i = skipSpace(b, i+1)
		default:
			return -1
		}
	}
}

func checkedList(b []byte, i, depth int) int {
	if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = checkedValue(b, i, depth+1); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case ']':
			return i + 1
		case ',':
			i = skipSpace(b, i+1)
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
