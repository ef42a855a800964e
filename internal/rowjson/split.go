package rowjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// Requests of 4,096 completions are megabytes of JSON, most of it in strings. They are
// taken apart here: a pass over the whole that jumps from quote to quote finds where the
// items begin, and each item is read by the worker that scores it. What is not a plain
// string, number or list goes to encoding/json, so that both agree on what is JSON;
// FuzzDecodeCall holds them to that.

var ErrSyntax = errors.New("not JSON")

// SkipSpace returns the place of the first byte from i on that is not white space.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipString returns the place after the string that begins at i, -1 if it does not end.
func skipString(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		back := i
		for b[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i + 1
		}
	}
}

// skipValue returns the place after the value that begins at i, -1 if it does not end. The
// value itself is not checked: whoever uses it does.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				if i = skipString(b, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	start := i
	for i < len(b) && !strings.ContainsRune(",]} \n\r\t", rune(b[i])) {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// EachMember calls visit with the members of the object b, which white space may
// surround, in order. Values have not been checked. A name given twice is an error, a
// [RowError] with CodeRepeated; others are ErrSyntax or those of visit.
func EachMember(b []byte, visit func(name string, value []byte) error) error {
	i := SkipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return ErrSyntax
	}
	i = SkipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return atEnd(b, i+1)
	}
	var names nameSet
	for {
		if i >= len(b) || b[i] != '"' {
			return ErrSyntax
		}
		end := skipString(b, i)
		if end < 0 {
			return ErrSyntax
		}
		name, err := nameText(b[i:end])
		if err != nil {
			return err
		}
		if !names.add(name) {
			return repeated("", name)
		}
		if i = SkipSpace(b, end); i >= len(b) || b[i] != ':' {
			return ErrSyntax
		}
		i = SkipSpace(b, i+1)
		if end = skipValue(b, i); end < 0 {
			return ErrSyntax
		}
		if err := visit(string(name), b[i:end]); err != nil {
			return err
		}
		if i = SkipSpace(b, end); i >= len(b) {
			return ErrSyntax
		}
		switch b[i] {
		case '}':
			return atEnd(b, i+1)
		case ',':
			i = SkipSpace(b, i+1)
		default:
			return ErrSyntax
		}
	}
}

// Elements splits the list b. At most max elements are wanted: more are counted,
// not returned. The elements have not been checked.
func Elements[T ~[]byte](b []byte, max int) (list []T, n int, err error) {
	i := SkipSpace(b, 1)
	if i < len(b) && b[i] == ']' {
		return nil, 0, atEnd(b, i+1)
	}
	for {
		end := skipValue(b, i)
		if end < 0 {
			return nil, n, ErrSyntax
		}
		if n++; n <= max {
			list = append(list, b[i:end])
		}
		if i = SkipSpace(b, end); i >= len(b) {
			return nil, n, ErrSyntax
		}
		switch b[i] {
		case ']':
			return list, n, atEnd(b, i+1)
		case ',':
			i = SkipSpace(b, i+1)
		default:
			return nil, n, ErrSyntax
		}
	}
}

func atEnd(b []byte, i int) error {
	if SkipSpace(b, i) != len(b) {
		return ErrSyntax
	}
	return nil
}

// String reads a string. Bytes that are not UTF-8 are left to encoding/json.
func String(raw []byte) (string, error) {
	if n := len(raw) - 1; n > 0 && raw[0] == '"' && raw[n] == '"' && nextSpecial(raw, 1) == n && utf8.Valid(raw) {
		return string(raw[1:n]), nil
	}
	text, err := AppendString(make([]byte, 0, len(raw)), raw)
	if err != nil {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(text), len(text)), nil // nobody else has text
}

// AppendString appends to b what [String] returns.
func AppendString(b, raw []byte) ([]byte, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return b, ErrSyntax
	}
	in := raw[1 : len(raw)-1]
	if !utf8.Valid(in) {
		text, err := slowString(raw)
		return append(b, text...), err
	}
	for at := 0; ; {
		next := nextSpecial(in, at)
		b = append(b, in[at:next]...)
		if next == len(in) {
			return b, nil
		}
		if in[next] == '"' { // the caller took it for a part of the string
			b, at = append(b, '"'), next+1
			continue
		}
		if in[next] < ' ' || next+1 == len(in) {
			return b, ErrSyntax
		}
		at = next + 2
		switch c := in[next+1]; {
		case c == 'u':
			r, n := escapedRune(in[next:])
			if n == 0 {
				return b, ErrSyntax
			}
			at = next + n
			b = utf8.AppendRune(b, r)
		case unescaped[c] == 0:
			return b, ErrSyntax
		default:
			b = append(b, unescaped[c])
		}
	}
}

// unescaped is what a sign after a backslash stands for, 0 for one that is no escape.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// escapedRune reads an escape by number and its length, 0 if it is none: two of them if
// they are the halves of one character (RFC 8259, section 7). A half alone is U+FFFD.
func escapedRune(in []byte) (r rune, n int) {
	r, ok := hexRune(in, 2)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(in) > 7 && in[6] == '\\' && in[7] == 'u' {
		if half, ok := hexRune(in, 8); ok {
			if r = utf16.DecodeRune(r, half); r != utf8.RuneError {
				return r, 12
			}
		}
	}
	return utf8.RuneError, 6
}

func slowString(raw []byte) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", ErrSyntax
	}
	return s, nil
}

// Compact checks a value that is passed on and takes white space out of it. Errors are those
// of [Check].
func Compact(raw []byte) (json.RawMessage, error) {
	if !Present(raw) {
		return Null, nil
	}
	if err := Check(raw); err != nil {
		return nil, err
	}
	if !utf8.Valid(raw) {
		raw = Echo(raw)
	}
	if raw[0] != '{' && raw[0] != '[' {
		return raw, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, ErrSyntax
	}
	return b.Bytes(), nil
}

// Present reports whether a member is there and not null.
func Present[T ~[]byte](m T) bool { return len(m) > 0 && string(m) != "null" }

// Null is the JSON of an absent id.
var Null = json.RawMessage("null")
