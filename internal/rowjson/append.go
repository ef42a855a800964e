package rowjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendText appends a string as encoding/json writes it without escaping <, > and &.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return appendEncoded(b, s, i)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendEncoded is AppendText for a string that is plain only before i. Line ends are the
// most of what is not.
func appendEncoded(b []byte, s string, i int) []byte {
	b = append(b, '"')
	start := 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			b = append(append(b, s[start:i]...), '\\', 'n')
		case c == '"' || c == '\\':
			b = append(append(b, s[start:i]...), '\\', c)
		case c < ' ' || c >= 0x80: // whatever encoding/json makes of the rest
			b = append(b, s[start:i]...)
			text := Append(nil, s[i:])
			return append(b, text[1:]...)
		default:
			continue
		}
		start = i + 1
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// AppendTexts appends a list of strings, null for nil.
func AppendTexts(b []byte, list []string) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendText(b, s)
	}
	return append(b, ']')
}

// Echo returns a copy of a value that a row is answered with, such as its id: with U+FFFD
// for each byte that is not UTF-8, as encoding/json reads strings, so that the answer is
// JSON whatever the row was. nil stays nil.
func Echo(raw json.RawMessage) json.RawMessage {
	if utf8.Valid(raw) {
		return bytes.Clone(raw)
	}
	out := make(json.RawMessage, 0, len(raw)+8)
	for _, c := range string(raw) {
		out = utf8.AppendRune(out, c)
	}
	return out
}

// AppendRaw appends a value that is JSON, without white space around its parts; null for an
// absent one.
func AppendRaw(b []byte, raw json.RawMessage) []byte {
	switch {
	case len(raw) == 0:
		return append(b, "null"...)
	case raw[0] != '{' && raw[0] != '[':
		return append(b, raw...)
	}
	text := bytes.NewBuffer(b)
	if err := json.Compact(text, raw); err != nil {
		return append(b, "null"...)
	}
	return text.Bytes()
}

// AppendFloat appends a finite number in the shortest form that reads back as the same
// double, as encoding/json writes it.
func AppendFloat(b []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -1<<53 && i < 1<<53 && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, i, 10)
	}
	text, err := json.Marshal(f)
	if err != nil { // not finite: rewards are finite by their specs
		return append(b, "null"...)
	}
	return append(b, text...)
}

// Append is [AppendValue] with null for what has no JSON.
func Append(b []byte, v any) []byte {
	if text, err := AppendValue(b, v); err == nil {
		return text
	}
	return append(b, "null"...)
}

// AppendValue appends any value by encoding/json. It does not escape <, > and &, which plans are full of.
func AppendValue(b []byte, v any) ([]byte, error) {
	text := bytes.NewBuffer(b)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return b, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'}), nil
}

// Escaped returns the JSON of any value with <, > and & escaped. Keys, addresses and data sets that were made of these
// bytes must stay what they are; everything new takes [AppendValue].
func Escaped(v any) ([]byte, error) { return json.Marshal(v) }

// Indented returns the JSON of any value over lines, for files that people read.
func Indented(v any) ([]byte, error) { return json.MarshalIndent(v, "", " ") }

// WriteLine writes any value as one line of JSON, in one write.
func WriteLine(w io.Writer, v any) error {
	line, err := AppendValue(nil, v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// WriteLines writes values as JSON Lines.
func WriteLines[T any](w io.Writer, list []T) error {
	var line []byte
	for i := range list {
		var err error
		if line, err = AppendValue(line[:0], &list[i]); err != nil {
			return err
		}
		if _, err = w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// A Row is written as JSON, or as text for people.
type Row interface {
	fmt.Stringer
	AppendJSON(b []byte) []byte
}

// WriteRows makes rows one after the other and writes a line for each. done is called with their number so far.
func WriteRows[R Row](w io.Writer, count int, asJSON bool, done func(int), row func(i int) (R, error)) error {
	for i := range count {
		r, err := row(i)
		if err != nil {
			return err
		}
		text := []byte(r.String())
		if asJSON {
			text = r.AppendJSON(nil)
		}
		if _, err := w.Write(append(text, '\n')); err != nil {
			return err
		}
		done(i + 1)
	}
	return nil
}
