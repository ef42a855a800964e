package rowjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Codes of what is wrong with a row, in docs/ERRORS.md.
const (
	CodeJSON      = "bad-json"
	CodeType      = "wrong-json-type"
	CodeUnknown   = "unknown-member"
	CodeMissing   = "missing-member"
	CodeRepeated  = "repeated-member"
	CodeDuplicate = "duplicate-row"
	CodeValue     = "bad-value"
	CodeTooLong   = "row-too-long"
	CodeGold      = "wrong-gold" // contradicted by the task
	CodeHash      = "wrong-hash" // that of other texts
	CodeFile      = "unreadable-file"
)

// RowError is what is wrong with a member of a row, or with the row as a whole.
type RowError struct {
	Code string
	// Member is its path, such as "gold.cost"; "" for the whole row. A member that is not
	// there stands for the innermost one around it that is.
	Member string
	Err    error
}

// Error implements error.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// Errorf makes a RowError.
func Errorf(code, member, format string, args ...any) error {
	return &RowError{code, member, fmt.Errorf(format, args...)}
}

// At places an error that has no place yet at a member; nil stays nil.
func At(code, member string, err error) error {
	var placed *RowError
	if err == nil || errors.As(err, &placed) {
		return err
	}
	return &RowError{code, member, err}
}

// Within places an error about an object at the member that holds the object.
func Within(member string, err error) error {
	placed := (*RowError)(nil)
	if !errors.As(err, &placed) {
		return At(CodeValue, member, err)
	}
	return &RowError{placed.Code, join(member, placed.Member), placed.Err}
}

// Prefix puts words before those of an error, which keeps its place.
func Prefix(words string, err error) error {
	out := &RowError{Code: CodeValue, Err: fmt.Errorf("%s%s", words, Fault(err))}
	if placed := (*RowError)(nil); errors.As(err, &placed) {
		out.Code, out.Member = placed.Code, placed.Member
	} else if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		out.Code, out.Member = CodeType, kind.Field
	}
	return out
}

// Unmarshal reads a row, whose text is one JSON value and nothing else, into v. Names of
// members match exactly, unlike in encoding/json, and none may be given twice in an object
// that v looks into. Other errors are those of encoding/json, and v then holds what could
// be read. A strict row has no members that v does not.
func Unmarshal(row []byte, v any, strict bool) error {
	if !strict {
		text, _, twice := exactNames(row, reflect.TypeOf(v))
		if err := json.Unmarshal(text, v); err != nil {
			return err
		}
		return twice
	}
	n, err := Decode(row, v, true)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return json.Unmarshal(row, new(any)) // says the same with a place
	}
	if err == nil && len(bytes.TrimSpace(row[n:])) > 0 {
		return json.Unmarshal(row, new(any)) // says what stands there
	}
	return err
}

// Decode is Unmarshal for the value that a text begins with. It returns the place after it.
func Decode(text []byte, v any, strict bool) (n int, err error) {
	text, hidden, twice := exactNames(text, reflect.TypeOf(v))
	dec := json.NewDecoder(bytes.NewReader(text))
	if strict {
		dec.DisallowUnknownFields()
	}
	if err = dec.Decode(v); err == nil {
		return int(dec.InputOffset()), twice
	}
	if _, unknown := unknownMember(err); unknown && hidden != "" {
		err = fmt.Errorf("json: unknown field %q", hidden) // the words of encoding/json
	}
	return 0, err
}

// IsRepeated reports whether an error is that a name is given twice. Callers that word errors
// about a member pass it on as it is.
func IsRepeated(err error) bool {
	var placed *RowError
	return errors.As(err, &placed) && placed.Code == CodeRepeated
}

// MaxFaults bounds the bad rows that are named; the others are counted.
const MaxFaults = 20

// Faults collects what is wrong with the rows of a file.
type Faults struct {
	list []string
	more int
}

// Add notes an error about the row that begins in a line of the file, at a byte of it
// (both from 1). The row is its text, which may go over several lines, or nil.
func (f *Faults) Add(name string, line, col int, row []byte, err error) {
	f.AddWithin(name, line, col, row, 0, row, err)
}

// AddWithin is Add for a row that is a part of a text, from a byte of it on. Line and col
// are those of the text.
func (f *Faults) AddWithin(name string, line, col int, text []byte, from int, row []byte, err error) {
	if len(f.list) == MaxFaults {
		f.more++
		return
	}
	at, code := place(row, err)
	at = min(at+from, len(text))
	before := text[:at]
	if n := bytes.Count(before, []byte("\n")); n > 0 {
		line, col = line+n, 1
		before = before[bytes.LastIndexByte(before, '\n')+1:]
	}
	f.list = append(f.list, fmt.Sprintf("%s:%d:%d: error[%s]: %s\n%s", name, line, col+utf8.RuneCount(before), code, Fault(err), excerpt(text, at)))
}

// Err returns the faults as an error, nil for none.
func (f *Faults) Err() error {
	if len(f.list) == 0 {
		return nil
	}
	return f
}

// Error implements error: all faults, with their lines.
func (f *Faults) Error() string {
	text := strings.TrimSuffix(strings.Join(f.list, ""), "\n")
	if f.more > 0 {
		text += fmt.Sprintf("\nand %d more", f.more)
	}
	return text
}

// place returns the byte of a row that an error is about, and the error's code.
func place(row []byte, err error) (int, string) {
	var placed *RowError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &placed):
		return member(row, placed.Member), placed.Code
	case errors.As(err, &syntax):
		at := int(syntax.Offset)
		if at > 0 && !strings.Contains(syntax.Error(), "unexpected end") {
			at-- // the offset is that behind the character
		}
		return min(at, len(bytes.TrimRight(row, " \t\r\n"))), CodeJSON
	case errors.As(err, &kind):
		return member(row, kind.Field), CodeType
	}
	if name, ok := unknownMember(err); ok {
		return max(bytes.Index(row, []byte(name)), 0), CodeUnknown
	}
	return member(row, ""), CodeValue
}

// unknownMember returns the quoted name in encoding/json's error about a member that the
// row should not have, which has no type of its own.
func unknownMember(err error) (string, bool) {
	return strings.CutPrefix(err.Error(), "json: unknown field ")
}

// member returns the byte where the name of a member stands, or of the innermost one on
// its path that is there; the row's first byte for none.
func member(row []byte, path string) int {
	at := len(row) - len(bytes.TrimLeft(row, " \t\r\n"))
	names := strings.Split(path, ".")
	dec := json.NewDecoder(bytes.NewReader(row))
	for path != "" && len(names) > 0 {
		if t, err := dec.Token(); err != nil || t != json.Delim('{') {
			break
		}
		found := false
		for dec.More() && !found {
			from := int(dec.InputOffset())
			name, err := dec.Token()
			if err != nil {
				return at
			}
			if text, _ := name.(string); text == names[0] {
				at, found = from+max(bytes.IndexByte(row[from:], '"'), 0), true
				break
			}
			var skip json.RawMessage
			if dec.Decode(&skip) != nil {
				return at
			}
		}
		if !found {
			break
		}
		names = names[1:]
	}
	return at
}

// maxExcerpt is the longest part of a row that is shown, in characters.
const maxExcerpt = 100

// excerpt is a window of the row's line around a place, and a caret below it.
func excerpt(row []byte, at int) string {
	if len(row) == 0 { // it is not there any more
		return ""
	}
	line := row[bytes.LastIndexByte(row[:at], '\n')+1:]
	caret := at - (len(row) - len(line))
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	caret = min(caret, len(line))
	before, after := []rune(string(line[:caret])), []rune(string(line[caret:min(len(line), caret+4*maxExcerpt)]))
	before = before[max(0, len(before)-maxExcerpt*2/3):]
	after = after[:min(len(after), maxExcerpt-len(before))]
	shown := strings.Map(func(c rune) rune {
		switch {
		case c == '\t':
			return ' '
		case c < ' ' || c == 0x7f || c == utf8.RuneError:
			return '.'
		}
		return c
	}, string(before)+string(after))
	return "  " + shown + "\n  " + strings.Repeat(" ", len(before)) + "^\n"
}
