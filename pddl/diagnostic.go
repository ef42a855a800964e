package pddl

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/pace"
	"github.com/planproof/planproof/internal/rowjson"
)

// Severity of a diagnostic.
type Severity uint8

// Severities.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Code names a kind of diagnostic. docs/ERRORS.md lists them all.
type Code string

// Diagnostic is one located message about an input.
type Diagnostic struct {
	Severity Severity
	Code     Code
	Source   *Source
	Pos, End Pos // the offending text; End may equal Pos
	Message  string
	Hint     string // "" when none is known
}

// Diagnostics is a list of messages sorted by position. As an error its text is
// every message in full.
type Diagnostics []Diagnostic

// MaxDiagnostics bounds the messages kept for one file. When a file has more, the
// list ends with one of code "too-many-errors" that says how many were left out.
const MaxDiagnostics = 200

// LineCol returns the 1-based line and column of the diagnostic.
func (d *Diagnostic) LineCol() (line, col int) {
	if d.Source == nil {
		return 1, 1
	}
	return d.Source.LineCol(d.Pos)
}

// String writes the diagnostic on one line: file:line:col: error[code]: message.
func (d *Diagnostic) String() string {
	name := ""
	if d.Source != nil {
		name = d.Source.Name
	}
	line, col := d.LineCol()
	return fmt.Sprintf("%s:%d:%d: %s[%s]: %s", name, line, col, d.Severity, d.Code, d.Message)
}

// maxExcerpt is the longest part of a source line that a message shows, in
// characters. Generated files hold lines of many megabytes.
const maxExcerpt = 100

// Format writes the diagnostic's line, the source line with a caret under the
// offending text, and the hint.
func (d *Diagnostic) Format(w io.Writer) error {
	var b strings.Builder
	b.WriteString(d.String())
	b.WriteByte('\n')
	if d.Source != nil {
		d.excerpt(&b)
	}
	if d.Hint != "" {
		b.WriteString("  hint: " + d.Hint + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// excerpt writes a window of the source line around the place and the caret line.
// Tabs become single spaces and invisible characters dots, so that the caret is
// under its text on every terminal.
func (d *Diagnostic) excerpt(b *strings.Builder) {
	text := d.Source.Text
	_, col := d.LineCol()
	caret := min(col-1, maxExcerpt*2/3)
	start := min(int(d.Pos), len(text)) // moves back to the window's first byte
	for range caret {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 && hasBOM(text) {
		start = len(bom)
	}
	b.WriteString("  ")
	shown := 0
	for _, c := range text[start:] {
		if shown == maxExcerpt || c == '\n' || c == '\r' {
			break
		}
		switch {
		case c == '\t':
			c = ' '
		case isInvisible(c) || c == utf8.RuneError:
			c = '.'
		}
		b.WriteRune(c)
		shown++
	}
	b.WriteString("\n  " + strings.Repeat(" ", caret) + "^")
	if int(d.End) <= len(d.Source.Text) && d.End > d.Pos {
		span := d.Source.Text[d.Pos:min(int(d.End), int(d.Pos)+4*maxExcerpt)]
		if i := strings.IndexAny(span, "\r\n"); i >= 0 {
			span = span[:i]
		}
		if n := min(utf8.RuneCountInString(span), shown-caret); n > 1 {
			b.WriteString(strings.Repeat("~", n-1))
		}
	}
	b.WriteByte('\n')
}

// HasErrors reports whether any diagnostic is an error.
func (ds Diagnostics) HasErrors() bool {
	for i := range ds {
		if ds[i].Severity == Error {
			return true
		}
	}
	return false
}

// Errors returns the diagnostics that are errors.
func (ds Diagnostics) Errors() Diagnostics {
	var out Diagnostics
	for i := range ds {
		if ds[i].Severity == Error {
			out = append(out, ds[i])
		}
	}
	return out
}

// Err returns ds as an error if it holds an error, else nil.
func (ds Diagnostics) Err() error {
	if ds.HasErrors() {
		return ds
	}
	return nil
}

// FirstError returns the first error on one line, with its hint, and how many more there
// are; nil when there is none.
func (ds Diagnostics) FirstError() error {
	errs := ds.Errors()
	if len(errs) == 0 {
		return nil
	}
	text := errs[0].String()
	if h := errs[0].Hint; h != "" {
		text += " (" + h + ")"
	}
	if n := len(errs); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return errors.New(text)
}

// Error writes every diagnostic in full.
func (ds Diagnostics) Error() string {
	var b strings.Builder
	ds.Format(&b)
	return strings.TrimSuffix(b.String(), "\n")
}

// Format writes every diagnostic in full.
func (ds Diagnostics) Format(w io.Writer) error {
	for i := range ds {
		if err := ds[i].Format(w); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes the diagnostic as `check --json` lists it.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	name := ""
	if d.Source != nil {
		name = d.Source.Name
	}
	line, col := d.LineCol()
	return rowjson.AppendValue(nil, struct {
		Severity string `json:"severity"`
		Code     Code   `json:"code"`
		File     string `json:"file"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
		Message  string `json:"message"`
		Hint     string `json:"hint,omitempty"`
	}{d.Severity.String(), d.Code, name, line, col, d.Message, d.Hint})
}

// collector gathers the diagnostics of one source.
type collector struct {
	src     *Source
	strict  bool
	list    Diagnostics
	errors  int
	dropped int
	last    Pos
	meant   []string // sections that misspelt keywords probably meant: not reported as missing
	pace.Pace
}

// add keeps a message, or counts it when there are too many. Errors are never pushed
// out by warnings, which fill at most half of the room.
func (c *collector) add(sev Severity, code Code, pos, end int, hint, message string) {
	if c.drop(sev, pos) {
		return
	}
	c.list = append(c.list, Diagnostic{
		Severity: sev, Code: code, Source: c.src, Pos: Pos(pos), End: Pos(end), Message: message, Hint: hint,
	})
}

// drop counts a message and reports whether there is no room for it.
func (c *collector) drop(sev Severity, pos int) bool {
	if sev == Error {
		c.errors++
	}
	n := len(c.list)
	if n < MaxDiagnostics && (sev == Error || n < MaxDiagnostics/2) {
		return false
	}
	c.dropped++
	c.last = max(c.last, Pos(pos))
	return true
}

// errorf and its siblings format the message only if there is room for it: every one
// of a file's millions of facts may be wrong.
func (c *collector) errorf(code Code, pos, end int, format string, args ...any) {
	c.report(Error, code, pos, end, "", format, args)
}

func (c *collector) errorHint(code Code, pos, end int, hint, format string, args ...any) {
	c.report(Error, code, pos, end, hint, format, args)
}

func (c *collector) report(sev Severity, code Code, pos, end int, hint, format string, args []any) {
	if c.drop(sev, pos) {
		return
	}
	c.list = append(c.list, Diagnostic{
		Severity: sev, Code: code, Source: c.src, Pos: Pos(pos), End: Pos(end), Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// full reports whether more messages would only be counted, so that callers can
// save the cost of a hint.
func (c *collector) full() bool { return len(c.list) >= MaxDiagnostics }

// warnf reports a tolerated deviation: a warning, or an error when strict.
func (c *collector) warnf(code Code, pos, end int, hint, format string, args ...any) {
	sev := Warning
	if c.strict {
		sev = Error
	}
	c.report(sev, code, pos, end, hint, format, args)
}

// result returns the diagnostics sorted by position.
func (c *collector) result() Diagnostics {
	if c.dropped > 0 {
		sev := Warning
		if c.errors > 0 {
			sev = Error
		}
		c.list = append(c.list, Diagnostic{
			Severity: sev, Code: TooManyErrors, Source: c.src, Pos: c.last, End: c.last,
			Message: fmt.Sprintf("%d more errors and warnings in this file are not listed", c.dropped),
		})
	}
	sort.SliceStable(c.list, func(i, j int) bool {
		a, b := &c.list[i], &c.list[j]
		if (a.Code == TooManyErrors) != (b.Code == TooManyErrors) {
			return b.Code == TooManyErrors
		}
		return a.Pos < b.Pos
	})
	// A token that was looked at ahead of its turn may have been reported twice.
	c.list = slices.CompactFunc(c.list, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
	return c.list
}
