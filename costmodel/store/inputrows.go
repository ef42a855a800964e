package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
)

// maxRow bounds a row of JSON Lines in bytes.
const maxRow = 256 << 20

// inputRow is a row of JSON Lines that names a task.
type inputRow struct {
	ID          json.RawMessage `json:"id"`
	Name        json.RawMessage `json:"name"` // in place of an id: rows of planproof generate
	IDs         []string        `json:"ids"`  // the same of a row that Export has written
	Domain      string          `json:"domain"`
	Problem     string          `json:"problem"`
	DomainText  *string         `json:"domain_text"`
	ProblemText *string         `json:"problem_text"`
	Task        string          `json:"task"`
	Schedule    *string         `json:"schedule"`
}

// Rows reads tasks from JSON Lines: {"id","domain","problem"} with file names, or with
// text under "domain_text" and "problem_text", or "task" with the name of a bundled task; and
// optionally "schedule". A row without an id is named by its "name", the first of its
// "ids", its problem file, its task or its line. A row that cannot be read is an Input with an Err; place names the file in
// messages. The sequence ends with an Input with an Err if r fails.
func Rows(r io.Reader, place string) iter.Seq[Input] {
	return func(yield func(Input) bool) {
		for line, text := range lines(r) {
			if text.err == nil && len(bytes.TrimSpace(text.data)) == 0 {
				continue
			}
			in := Input{Name: fmt.Sprintf("line %d", line), Err: text.err}
			if in.Err == nil {
				in, in.Err = readRow(text.data, in.Name)
			}
			if in.Err != nil {
				in.Err = fmt.Errorf("%s:%d: %w", place, line, in.Err)
			}
			if !yield(in) {
				return
			}
		}
	}
}

func readRow(data []byte, name string) (Input, error) {
	in := Input{Name: name}
	if !utf8.Valid(data) { // else two ids could become one
		return in, errors.New("the row is not UTF-8")
	}
	var row inputRow
	if err := rowjson.Unmarshal(data, &row, false); err != nil {
		return in, errors.New(rowjson.Fault(err))
	}
	in.DomainFile, in.ProblemFile, in.DomainText, in.ProblemText = row.Domain, row.Problem, row.DomainText, row.ProblemText
	id, err := rowID("id", row.ID)
	if err == nil && id == "" {
		id, err = rowID("name", row.Name)
	}
	if id == "" && len(row.IDs) > 0 {
		id = row.IDs[0]
	}
	switch {
	case err != nil:
		return in, err
	case id != "":
		in.Name = id
	case row.Task != "":
		in.Name = row.Task
	case strings.TrimSuffix(row.Problem, ".pddl") != "":
		in.Name = strings.TrimSuffix(row.Problem, ".pddl")
	}
	if err := checkName(in.Name); err != nil {
		return in, err
	}
	if row.Schedule != nil {
		s, err := costmodel.ParseAny(*row.Schedule)
		if err != nil {
			return in, err
		}
		in.Schedules = []costmodel.Schedule{s}
	}
	return in, row.source(&in)
}

// source checks that the row names exactly one domain and one problem.
func (row *inputRow) source(in *Input) error {
	given := func(file string, text *string) bool { return file != "" || text != nil }
	dom, prob := given(row.Domain, row.DomainText), given(row.Problem, row.ProblemText)
	if strings.HasPrefix(row.Task, "sha256:") && dom && prob {
		row.Task = "" // rows of planproof export name the hash of their texts there
	}
	switch {
	case row.Task != "" && (dom || prob):
		return errors.New("task stands for both domain and problem: give one or the other")
	case row.Task != "":
		in.Load = func() (*pddl.Source, *pddl.Source, error) { return domains.Load(row.Task) }
		return nil
	case !dom && !prob:
		return errors.New("the row names no task: it needs domain and problem, or domain_text and problem_text")
	case !dom:
		return errors.New("the row lacks domain or domain_text")
	case !prob:
		return errors.New("the row lacks problem or problem_text")
	case row.Domain == "-" || row.Problem == "-":
		return errors.New("a row names files: it cannot name standard input by -")
	case row.Domain != "" && row.DomainText != nil:
		return errors.New("the row has both domain and domain_text")
	case row.Problem != "" && row.ProblemText != nil:
		return errors.New("the row has both problem and problem_text")
	}
	return nil
}

// rowID reads an id: a string or a number.
func rowID(member string, raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var s string
	if rowjson.Unmarshal(raw, &s, false) == nil {
		return s, nil
	}
	var n json.Number
	if err := rowjson.Unmarshal(raw, &n, false); err != nil {
		return "", errors.New(member + " is neither a string nor a number")
	}
	return n.String(), nil
}

// line is a line of a stream, or why it could not be read.
type line struct {
	data []byte
	err  error
}

// lines reads a stream line by line, numbered from 1. A line that is too long is an error
// and is skipped; an error of reading is the last line.
func lines(r io.Reader) iter.Seq2[int, line] {
	return func(yield func(int, line) bool) {
		b := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			data, err := readLine(b)
			if n == 1 {
				data = bytes.TrimPrefix(data, []byte(rowjson.BOM))
			}
			switch {
			case err == io.EOF && len(data) == 0:
				return
			case err == io.EOF || err == nil || errors.Is(err, errLongRow):
				out := line{data: data}
				if errors.Is(err, errLongRow) {
					out = line{err: err}
				}
				if !yield(n, out) || err == io.EOF {
					return
				}
			default:
				yield(n, line{err: err})
				return
			}
		}
	}
}

var errLongRow = fmt.Errorf("the row is longer than %d MB", maxRow>>20)

func readLine(b *bufio.Reader) ([]byte, error) {
	var data []byte
	long := false
	for {
		part, err := b.ReadSlice('\n')
		if long = long || len(data)+len(part) > maxRow; !long {
			data = append(data, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if long && (err == nil || err == io.EOF) {
			return nil, errLongRow
		}
		return data, err
	}
}
