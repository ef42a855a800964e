package rowjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"
)

// Value is a JSON value and where it begins in the file, or what is wrong with a line.
type Value struct {
	Raw       []byte
	Line, Col int // from 1; the column counts bytes
	Err       error
}

// Values reads JSON values that follow each other, one a line or over many lines.
type Values struct {
	in    *lineCounter
	dec   *json.Decoder
	from  int64 // where dec begins
	lines bool  // there was a value that is a line
}

// NewValues returns a reader of the values in r, which may begin with a byte order mark.
func NewValues(r io.Reader) *Values {
	in := bufio.NewReaderSize(r, 1<<16)
	x := &Values{in: &lineCounter{r: in}}
	if mark, _ := in.Peek(len(BOM)); string(mark) == BOM {
		_, _ = in.Discard(len(BOM))
	}
	x.dec = json.NewDecoder(x.in)
	return x
}

// Next returns the next value, or what is wrong before it; io.EOF at the end.
func (x *Values) Next() ([]Value, error) {
	var raw json.RawMessage
	err := x.dec.Decode(&raw)
	if err == nil {
		v := Value{Raw: raw}
		end := x.from + x.dec.InputOffset()
		v.Line, v.Col = x.in.place(end - int64(len(raw)))
		last, _ := x.in.place(end)
		x.lines = x.lines || last == v.Line
		return []Value{v}, nil
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return x.badLines(err)
}

// badLines skips what is no JSON, up to a line that is a row. All lines before it are bad
// rows; without one, and if there was none before, the file is no JSON Lines, and err,
// that of the reader, says where it goes wrong.
func (x *Values) badLines(err error) ([]Value, error) {
	at := x.from + x.dec.InputOffset()
	rest := bufio.NewReaderSize(io.MultiReader(x.dec.Buffered(), x.in), 1<<16)
	x.dec = json.NewDecoder(bytes.NewReader(nil)) // the end, but for what is found
	var bad []Value
	for {
		text, readErr := rest.ReadBytes('\n')
		row := bytes.TrimSpace(text)
		if len(bad) > 0 && len(row) > 0 && text[0] == '{' && json.Valid(row) {
			x.lines = true
			x.from, x.dec = at, json.NewDecoder(io.MultiReader(bytes.NewReader(text), rest))
			return bad, nil
		}
		if len(row) > 0 {
			v := Value{Raw: bytes.TrimRight(text, "\r\n"), Err: json.Unmarshal(row, new(any))}
			v.Line, v.Col = x.in.place(at)
			if v.Err == nil {
				v.Err = Errorf(CodeType, "", "the row is no object")
			}
			if len(bad) <= MaxFaults { // the others are more of the same
				bad = append(bad, v)
			}
		}
		at += int64(len(text))
		if readErr == nil {
			continue
		}
		if !errors.Is(readErr, io.EOF) {
			return nil, readErr
		}
		if !x.lines && len(bad) > 1 {
			bad[0].Err = Errorf(CodeJSON, "", "the text from here on is neither JSON Lines nor one JSON value: %s", Fault(err))
			bad = bad[:1]
		}
		return bad, nil
	}
}

// lineCounter knows where the lines begin of what was read through it.
type lineCounter struct {
	r      io.Reader
	n      int64
	begins []int64 // of the second line on
}

// Read implements io.Reader.
func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i := 0; i < n; {
		k := bytes.IndexByte(p[i:n], '\n')
		if k < 0 {
			break
		}
		i += k + 1
		c.begins = append(c.begins, c.n+int64(i))
	}
	c.n += int64(n)
	return n, err
}

// place returns the line and the byte in it of an offset, both from 1.
func (c *lineCounter) place(at int64) (line, col int) {
	k := sort.Search(len(c.begins), func(i int) bool { return c.begins[i] > at })
	if k == 0 {
		return 1, int(at) + 1
	}
	return k + 1, int(at-c.begins[k-1]) + 1
}
