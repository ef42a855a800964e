package costmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// BadSchedule is the code of a fault in a schedule file.
const BadSchedule pddl.Code = "bad-schedule"

// ReadSchedule reads a schedule file in one of two forms. The text form has entries
// name=cost as [ParseSchedule] reads them, separated by line ends or commas; `#` and `;`
// begin comments. The other form is one JSON object of names and costs, which are numbers
// or strings that hold a number: {"pick-up": 1, "*": "1/3"}. JSON numbers are exact too.
//
// All faults are reported, each at its place; then the schedule is empty. A file without
// any entry is a fault: it would change nothing without a word.
func ReadSchedule(src *pddl.Source) (Schedule, pddl.Diagnostics) {
	r := scheduleReader{src: src, s: Schedule{costs: map[string]pddl.Number{}}}
	body := strings.TrimPrefix(src.Text, "\ufeff")
	start := len(src.Text) - len(body)
	switch {
	case len(src.Text) > maxScheduleLength:
		r.fault(0, 0, "", fmt.Sprintf("a schedule of %d bytes: at most %d are read", len(src.Text), maxScheduleLength))
	case strings.HasPrefix(strings.TrimLeft(body, " \t\r\n"), "{"):
		r.object()
	default:
		r.lines(start)
	}
	if len(r.diags) == 0 && r.s.Empty() {
		r.fault(0, 0, "write entries like put-down=20, one on a line", "the schedule has no entry")
	}
	if len(r.diags) > 0 {
		return Schedule{}, r.diags
	}
	return r.s, nil
}

type scheduleReader struct {
	src   *pddl.Source
	s     Schedule
	diags pddl.Diagnostics
	full  bool
}

// fault keeps a message; a file of faults has as many as [pddl.MaxDiagnostics].
func (r *scheduleReader) fault(from, to int, hint, message string) {
	if r.full {
		return
	}
	code := BadSchedule
	if len(r.diags) == pddl.MaxDiagnostics-1 {
		r.full, code, hint, message = true, pddl.TooManyErrors, "", "more errors of this file are not listed"
	}
	r.diags = append(r.diags, pddl.Diagnostic{
		Severity: pddl.Error, Code: code, Source: r.src, Pos: pddl.Pos(from), End: pddl.Pos(to), Message: message, Hint: hint,
	})
}

// lines reads the text form from an offset on.
func (r *scheduleReader) lines(at int) {
	text := r.src.Text
	for at < len(text) {
		end := at + strings.IndexAny(text[at:]+"\n", "\n\r")
		line := text[at:end]
		if i := strings.IndexAny(line, "#;"); i >= 0 {
			line = line[:i]
		}
		if strings.TrimSpace(line) != "" {
			// A comma at the end of a line separates its entry from the next line's.
			for entry := range strings.SplitSeq(strings.TrimSuffix(strings.TrimRight(line, " \t"), ","), ",") {
				r.entry(at, entry)
				at += len(entry) + 1
			}
		}
		at = end + 1
	}
}

func (r *scheduleReader) entry(at int, entry string) {
	name, value, found := strings.Cut(entry, "=")
	nameAt, nameEnd := trimmed(at, name)
	name = r.src.Text[nameAt:nameEnd]
	if !found || !isScheduleName(name) {
		from, to := trimmed(at, entry)
		r.fault(from, to, "", fmt.Sprintf("%q is not name=cost", clip(r.src.Text[from:to])))
		return
	}
	valueAt, valueEnd := trimmed(at+len(entry)-len(value), value)
	r.set(name, nameAt, nameEnd, r.src.Text[valueAt:valueEnd], valueAt, valueEnd)
}

// trimmed returns where the text at an offset begins and ends without its blanks.
func trimmed(at int, text string) (from, to int) {
	const blanks = " \t"
	inner := strings.Trim(text, blanks)
	from = at + len(text) - len(strings.TrimLeft(text, blanks))
	if inner == "" {
		from = at
	}
	return from, from + len(inner)
}

func (r *scheduleReader) set(name string, nameAt, nameEnd int, value string, valueAt, valueEnd int) {
	switch ofName, fault := r.s.add(name, value); {
	case fault == "":
	case ofName:
		r.fault(nameAt, nameEnd, "", fault)
	default:
		r.fault(valueAt, valueEnd, "a cost is an integer, a decimal or a fraction, and not negative", fault)
	}
}

// object reads the JSON form.
func (r *scheduleReader) object() {
	in := rowjson.NewTokens(r.src.Text)
	// token returns the next token and its place; false after a fault.
	token := func() (tok json.Token, from, to int, ok bool) {
		tok, from, to, err := in.Next()
		if err == rowjson.ErrEnd {
			err = errors.New("the object is not closed")
		}
		if err != nil {
			r.fault(from, from, "", "not a JSON object of costs: "+err.Error())
		}
		return tok, from, to, err == nil
	}
	if _, _, _, ok := token(); !ok { // the brace that the caller has seen
		return
	}
	for {
		tok, nameAt, nameEnd, ok := token()
		if !ok {
			return
		}
		if tok == json.Delim('}') {
			break
		}
		name := tok.(string) // the decoder accepts nothing else here
		tok, valueAt, valueEnd, ok := token()
		if !ok {
			return
		}
		var value string
		switch v := tok.(type) {
		case json.Number:
			value = v.String()
		case string:
			value = strings.TrimSpace(v)
		default:
			r.fault(valueAt, valueEnd, "", fmt.Sprintf("the cost of %s is neither a number nor a string", clip(name)))
			if _, nested := v.(json.Delim); nested {
				return
			}
			continue
		}
		if name = strings.TrimSpace(name); !isScheduleName(name) || strings.ContainsAny(name, ",=") {
			r.fault(nameAt, nameEnd, "", fmt.Sprintf("%q is no name of an action", clip(name)))
			continue
		}
		r.set(name, nameAt, nameEnd, value, valueAt, valueEnd)
	}
	if rest, from := in.Rest(); rest != "" {
		r.fault(from, from+1, "", "more text after the JSON object")
	}
}
