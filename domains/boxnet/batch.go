package boxnet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
)

// Optimum is the answer to an instance.
type Optimum struct {
	// Steps is the least number of steps, -1 if there is no plan or none was found.
	Steps int
	// Proved reports whether Steps is certain, or that there is no plan.
	Proved bool
}

// BatchOptions of CheckBatch.
type BatchOptions struct {
	Reading Reading
	// JSON asks for JSON Lines instead of a line for people per row.
	JSON bool
	// Workers is the number of rows answered at the same time; 0 is one per processor.
	Workers int
	// Optimum answers rows of kind instance. A limit that came first is no error.
	Optimum func(ctx context.Context, in *Instance, reading Reading) (Optimum, error)
}

// BatchStats counts the rows answered so far.
type BatchStats struct {
	Yes    int // legal, valid, solved
	No     int // not legal, not valid, without a plan
	Limits int // a limit came before the answer
	Errors int // not answered: bad rows
}

// maxRow is the longest row that is read, in bytes.
const maxRow = 16 << 20

// CheckBatch answers rows of JSON Lines, in order. A row holds an instance (map, robots, objects),
// an id and a kind:
//
//	step      a step under "step": {"id", "legal", "reason"}
//	plan      a plan under "plan": {"id", "valid", "reason", "step"}
//	instance  {"id", "optimal_steps", "proved"}; optimal_steps is null if there is no plan
//
// Every answer ends with the reading. A row that cannot be read is answered with {"id", "error"}.
func CheckBatch(ctx context.Context, in io.Reader, out io.Writer, opt BatchOptions) (BatchStats, error) {
	b := &batch{BatchOptions: opt}
	w := bufio.NewWriter(out)
	err := rowstream.Run(ctx, in, rowstream.Options{Workers: opt.Workers, MaxLine: maxRow}, b.answer,
		func(text []byte) error {
			_, err := w.Write(text)
			return err
		}, w.Flush)
	return BatchStats{int(b.yes.Load()), int(b.no.Load()), int(b.limits.Load()), int(b.errors.Load())}, err
}

type batch struct {
	BatchOptions
	yes, no, limits, errors atomic.Int64
}

// row holds the members of a row that are read here.
type row struct {
	kind           string
	id, step, plan json.RawMessage
}

// readRow reads a row as far as that is possible. A step may name a robot twice, which is no
// fault of the row; apart from steps and plans no name may be given twice.
func readRow(raw []byte) (r row, err error) {
	if !rowjson.Valid(raw) || raw[0] != '{' {
		return r, rowjson.Unmarshal(raw, new(struct{}), false) // says what is wrong, and where
	}
	err = rowjson.EachMember(raw, func(name string, value []byte) (err error) {
		switch name {
		case "id":
			r.id = value
		case "step":
			r.step = value
			return nil
		case "plan":
			r.plan = value
			return nil
		case "kind":
			if r.kind, err = rowjson.String(value); err != nil {
				return rowjson.Errorf(rowjson.CodeType, name, "kind is %s, not a string", clip(value))
			}
		}
		return rowjson.Within(name, rowjson.Check(value))
	})
	return r, err
}

// Answers, with their members in the order of output.
type (
	stepAnswer struct {
		ID      json.RawMessage `json:"id"`
		Legal   bool            `json:"legal"`
		Reason  Reason          `json:"reason"`
		Reading Reading         `json:"reading"`
	}
	planAnswer struct {
		ID      json.RawMessage `json:"id"`
		Valid   bool            `json:"valid"`
		Reason  Reason          `json:"reason"`
		Step    int             `json:"step"`
		Reading Reading         `json:"reading"`
	}
	instanceAnswer struct {
		ID      json.RawMessage `json:"id"`
		Steps   *int            `json:"optimal_steps"`
		Proved  bool            `json:"proved"`
		Reading Reading         `json:"reading"`
	}
	errorAnswer struct {
		ID    json.RawMessage `json:"id"`
		Error string          `json:"error"`
	}
)

func (b *batch) answer(ctx context.Context, line *rowstream.Line) (text []byte) {
	var r row
	var err error
	defer func() {
		if x := recover(); x != nil {
			text = b.refuse(r.id, line, nil, fmt.Errorf("internal error (please report it): %v", x))
		}
	}()
	raw := bytes.TrimSpace(line.Text)
	if line.Text == nil {
		return b.refuse(nil, line, nil, rowjson.Errorf(rowjson.CodeTooLong, "", "the row has %d bytes, more than %d", line.Length, maxRow))
	}
	r, err = readRow(raw)
	if err != nil {
		return b.refuse(r.id, line, raw, err)
	}
	var answer any
	var words string
	switch r.kind {
	case "step":
		answer, words, err = b.step(&r, raw)
	case "plan":
		answer, words, err = b.plan(&r, raw)
	case "instance":
		answer, words, err = b.instance(ctx, &r, raw)
	case "":
		err = rowjson.Errorf(rowjson.CodeMissing, "", `the row has no member "kind": step, plan or instance`)
	default:
		err = rowjson.Errorf(rowjson.CodeValue, "kind", "kind is step, plan or instance, not %q", clip([]byte(r.kind)))
	}
	if err != nil {
		return b.refuse(r.id, line, raw, err)
	}
	if b.JSON {
		return append(rowjson.Append(nil, answer), '\n')
	}
	return fmt.Appendf(nil, "%s: %s\n", label(r.id, line), words)
}

// read reads the instance of a row, for which there must be the reading.
func (b *batch) read(raw []byte, targets bool) (*Instance, error) {
	in, err := ReadInstance(raw, targets)
	if err != nil {
		return nil, err
	}
	return in, in.CheckReading(b.Reading)
}

func (b *batch) step(r *row, raw []byte) (any, string, error) {
	in, err := b.read(raw, false)
	if err != nil {
		return nil, "", err
	}
	if !rowjson.Present(r.step) {
		return nil, "", rowjson.Errorf(rowjson.CodeMissing, "", `the row has no member "step"`)
	}
	a := stepAnswer{ID: rowID(r.id), Reading: b.Reading}
	words := "legal"
	step, err := ReadStep(r.step)
	if err != nil {
		if a.Reason = syntaxReason(err); a.Reason == Unreadable {
			a.Reason += Reason(": " + err.Error())
		}
		words = "not legal: " + err.Error()
	} else {
		j := NewJudge(in, b.Reading)
		if f := j.Step(j.Start(), step, new(Scratch)); f != nil {
			a.Reason, words = f.Reason, "not legal: "+f.Words(step)
		}
	}
	a.Legal = a.Reason == ""
	b.note(a.Legal)
	return a, words, nil
}

func (b *batch) plan(r *row, raw []byte) (any, string, error) {
	in, err := b.read(raw, true)
	if err != nil {
		return nil, "", err
	}
	if !rowjson.Present(r.plan) {
		return nil, "", rowjson.Errorf(rowjson.CodeMissing, "", `the row has no member "plan"`)
	}
	res := NewJudge(in, b.Reading).JudgeText(r.plan)
	a := planAnswer{rowID(r.id), res.Verdict.Valid, res.Reason, res.Step, b.Reading}
	words := fmt.Sprintf("valid: %d steps", res.Verdict.Executed)
	if f := res.Verdict.Failure; f != nil {
		words = "not valid: " + f.Message
		if a.Reason == Unreadable {
			a.Reason += Reason(": " + f.Message)
		}
	}
	b.note(a.Valid)
	return a, words, nil
}

func (b *batch) instance(ctx context.Context, r *row, raw []byte) (any, string, error) {
	in, err := b.read(raw, true)
	if err != nil {
		return nil, "", err
	}
	best, err := b.Optimum(ctx, in, b.Reading)
	if err != nil {
		return nil, "", err
	}
	a := instanceAnswer{ID: rowID(r.id), Proved: best.Proved, Reading: b.Reading}
	words := ""
	switch {
	case best.Steps >= 0:
		a.Steps, words = &best.Steps, fmt.Sprintf("optimal: %d steps", best.Steps)
		b.note(true)
	case best.Proved:
		words = "there is no plan"
		b.note(false)
	default:
		words = "a limit came first"
		b.limits.Add(1)
	}
	return a, words, nil
}

func (b *batch) note(yes bool) {
	if yes {
		b.yes.Add(1)
	} else {
		b.no.Add(1)
	}
}

// refuse answers a row that cannot be read.
func (b *batch) refuse(id json.RawMessage, line *rowstream.Line, raw []byte, err error) []byte {
	b.errors.Add(1)
	if b.JSON {
		text := fmt.Sprintf("row %d: %s", line.Row, rowjson.Fault(err))
		return append(rowjson.Append(nil, errorAnswer{rowID(id), text}), '\n')
	}
	var faults rowjson.Faults
	faults.Add("row", line.Number, 1, raw, err)
	return append([]byte(faults.Err().Error()), '\n')
}

// rowID is an id as it goes into an answer.
func rowID(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || !rowjson.Valid(id) {
		return rowjson.Null
	}
	return id
}

// label is what people see of a row's id; its number if it has none.
func label(id json.RawMessage, line *rowstream.Line) string {
	if !rowjson.Present(id) {
		return fmt.Sprintf("row %d", line.Row)
	}
	return string(bytes.Trim(id, `"`))
}
