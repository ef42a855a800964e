package rowjson

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// Tokens reads a JSON text token by token, for readers that say where in the text a fault is.
type Tokens struct {
	text  string
	start int // of the JSON, after a byte order mark
	dec   *json.Decoder
}

// ErrEnd is the error of [Tokens] where the text ends too early.
var ErrEnd = errors.New("the text ends too early")

// NewTokens returns a reader of a text, which may begin with a byte order mark.
func NewTokens(text string) *Tokens {
	body := strings.TrimPrefix(text, BOM)
	t := &Tokens{text: text, start: len(text) - len(body), dec: json.NewDecoder(strings.NewReader(body))}
	t.dec.UseNumber()
	return t
}

// Next returns the next token and its bytes text[from:to]. A token is a string, a [json.Number], a bool, nil or a
// [json.Delim]; commas and colons are passed. The error is [ErrEnd], with from at the end of the text, or says what
// is no JSON at from.
func (t *Tokens) Next() (tok json.Token, from, to int, err error) {
	from = t.skipSigns()
	tok, err = t.dec.Token()
	return t.done(tok, from, err)
}

// Skip passes the next value. Its bytes are text[from:to], and errors are those of Next.
func (t *Tokens) Skip() (from, to int, err error) {
	from = t.skipSigns()
	var value json.RawMessage
	err = t.dec.Decode(&value)
	_, from, to, err = t.done(nil, from, err)
	return from, to, err
}

// More reports whether the object or list that is being read has another member.
func (t *Tokens) More() bool { return t.dec.More() }

// At is the place after the last token.
func (t *Tokens) At() int { return t.start + int(t.dec.InputOffset()) }

// Rest returns the text after the last token without the white space before it, and its place.
func (t *Tokens) Rest() (rest string, at int) {
	rest = strings.TrimLeft(t.text[t.At():], " \t\r\n")
	return rest, len(t.text) - len(rest)
}

func (t *Tokens) skipSigns() int {
	at := t.At()
	return at + len(t.text[at:]) - len(strings.TrimLeft(t.text[at:], " \t\r\n,:"))
}

func (t *Tokens) done(tok json.Token, from int, err error) (json.Token, int, int, error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err, from = ErrEnd, len(t.text)
	}
	return tok, from, t.At(), err
}

// SyntaxAt returns the byte at which a text stops being one JSON value; false if it is one.
func SyntaxAt(text []byte) (at int, bad bool) {
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(text, new(any)), &syntax) {
		return max(0, min(len(text), int(syntax.Offset)-1)), true
	}
	return 0, false
}

// Valid reports whether a text is one JSON value.
func Valid(text []byte) bool { return json.Valid(text) }

// IsNumber reports whether a text is a JSON number.
func IsNumber(text string) bool {
	return checkedNumber([]byte(text), 0) == len(text)
}
