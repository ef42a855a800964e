package rowjson

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLiteral bounds the nesting of a literal.
const maxLiteral = 64

// ReadLiteral reads a value that is written as a Python literal ({'x': [1, None]}, with either kind of quotes, tuples
// and trailing commas) or as JSON, and returns it as JSON. Some data sets keep answers in this form, since they were
// printed by Python. Names of members must be strings.
func ReadLiteral(text string) (json.RawMessage, error) {
	l := literalReader{text: text}
	l.space()
	if err := l.value(0); err != nil {
		return nil, err
	}
	if l.space(); l.at < len(text) {
		return nil, l.fault("text after the value")
	}
	return l.out, nil
}

// maxTries bounds the places of a text at which [FindList] looks for a list, and maxReads how often it reads a text.
const (
	maxTries = 1000
	maxReads = 4
)

// FindList returns the first list in a text that is wanted, as JSON or as a Python literal with anything around it, and
// whether there is one. Lists that are not wanted are passed over. It takes time in the length of the text: of lists
// that never end, only the first few are tried.
func FindList(text string, wanted func(list json.RawMessage) bool) bool {
	budget := maxReads*len(text) + 1
	at := strings.IndexByte(text, '[')
	for tries := 0; at >= 0 && tries < maxTries && budget > 0; tries++ {
		l := literalReader{text: text[at:]}
		err := l.value(0)
		if err == nil && wanted(l.out) {
			return true
		}
		budget -= l.at
		if at++; err == nil {
			at += l.at - 1
		}
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return false
		}
		at += next
	}
	return false
}

type literalReader struct {
	text string
	at   int
	out  []byte
}

func (l *literalReader) fault(what string) error {
	return Errorf(CodeJSON, "", "%s at character %d", what, utf8.RuneCountInString(l.text[:l.at])+1)
}

func (l *literalReader) space() {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
}

// next reports whether the next sign is c, and passes it then.
func (l *literalReader) next(c byte) bool {
	l.space()
	if l.at < len(l.text) && l.text[l.at] == c {
		l.at++
		return true
	}
	return false
}

func (l *literalReader) value(depth int) error {
	if depth > maxLiteral {
		return l.fault("nested too deep")
	}
	if l.at >= len(l.text) {
		return l.fault("no value")
	}
	switch c := l.text[l.at]; c {
	case '{':
		return l.members(depth)
	case '[':
		return l.list(']', depth)
	case '(':
		return l.list(')', depth)
	case '\'', '"':
		s, err := l.quoted()
		l.out = AppendText(l.out, s)
		return err
	}
	return l.word()
}

func (l *literalReader) members(depth int) error {
	l.at++
	l.out = append(l.out, '{')
	for n := 0; !l.next('}'); n++ {
		if n > 0 {
			l.out = append(l.out, ',')
		}
		if l.at >= len(l.text) || l.text[l.at] != '\'' && l.text[l.at] != '"' {
			return l.fault("no name of a member")
		}
		name, err := l.quoted()
		if err != nil {
			return err
		}
		l.out = append(AppendText(l.out, name), ':')
		if !l.next(':') {
			return l.fault("no colon after a name")
		}
		if l.space(); l.at < len(l.text) {
			err = l.value(depth + 1)
		} else {
			err = l.fault("no value")
		}
		if err != nil {
			return err
		}
		if !l.next(',') && !l.ahead('}') {
			return l.fault("neither a comma nor a brace")
		}
	}
	l.out = append(l.out, '}')
	return nil
}

func (l *literalReader) list(end byte, depth int) error {
	l.at++
	l.out = append(l.out, '[')
	for n := 0; !l.next(end); n++ {
		if n > 0 {
			l.out = append(l.out, ',')
		}
		if err := l.value(depth + 1); err != nil {
			return err
		}
		if !l.next(',') && !l.ahead(end) {
			return l.fault("neither a comma nor the end of a list")
		}
	}
	l.out = append(l.out, ']')
	return nil
}

func (l *literalReader) ahead(c byte) bool {
	l.space()
	return l.at < len(l.text) && l.text[l.at] == c
}

// quoted reads a string in either kind of quotes.
func (l *literalReader) quoted() (string, error) {
	quote := l.text[l.at]
	l.at++
	var s strings.Builder
	for l.at < len(l.text) {
		c := l.text[l.at]
		switch {
		case c == quote:
			l.at++
			return s.String(), nil
		case c == '\\':
			l.escape(&s)
		default:
			s.WriteByte(c)
			l.at++
		}
	}
	return "", l.fault("a string without its end")
}

// escape reads what follows a backslash. Python keeps a backslash that escapes nothing.
func (l *literalReader) escape(s *strings.Builder) {
	rest := l.text[l.at:]
	if high, ok := hexRune([]byte(rest[:min(len(rest), 6)]), 2); ok && rest[1] == 'u' {
		l.at += 6
		if low, ok := hexRune([]byte(l.text[l.at:min(len(l.text), l.at+6)]), 2); ok && utf16.IsSurrogate(high) {
			if both := utf16.DecodeRune(high, low); both != utf8.RuneError && strings.HasPrefix(l.text[l.at:], `\u`) {
				high = both
				l.at += 6
			}
		}
		s.WriteRune(high)
		return
	}
	value, _, tail, err := strconv.UnquoteChar(rest, 0)
	switch {
	case len(rest) > 1 && strings.IndexByte(`'"/`, rest[1]) >= 0:
		s.WriteByte(rest[1])
		l.at += 2
	case err != nil:
		s.WriteByte('\\')
		l.at++
	default:
		l.at += len(rest) - len(tail)
		s.WriteRune(value)
	}
}

// word reads a number or a constant.
func (l *literalReader) word() error {
	begin := l.at
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n,:]})([{'\"", l.text[l.at]) < 0 {
		l.at++
	}
	word := l.text[begin:l.at]
	switch word {
	case "None", "null":
		l.out = append(l.out, "null"...)
		return nil
	case "True", "true":
		l.out = append(l.out, "true"...)
		return nil
	case "False", "false":
		l.out = append(l.out, "false"...)
		return nil
	}
	number, ok := pythonNumber(word)
	if !ok {
		l.at = begin
		return l.fault(fmt.Sprintf("%.20q is no value", word))
	}
	l.out = append(l.out, number...)
	return nil
}

// pythonNumber returns a number of Python in JSON's form: "+1", "1_000", ".5" and "1." are none there.
func pythonNumber(word string) (string, bool) {
	s := strings.TrimPrefix(strings.ReplaceAll(word, "_", ""), "+")
	sign := ""
	if rest, minus := strings.CutPrefix(s, "-"); minus {
		sign, s = "-", rest
	}
	whole, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		whole, exponent = s[:i], s[i:]
	}
	whole, fraction, point := strings.Cut(whole, ".")
	if whole == "" && fraction == "" {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if point && fraction == "" {
		fraction = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	number := sign + whole + exponent
	return number, IsNumber(number)
}
