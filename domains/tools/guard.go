package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
)

// A Decision about a call that has not been made yet.
type Decision struct {
	Allow  bool
	Reason string // why not
	Repair string // what to do instead, "" if nobody knows
}

// Decide says whether a call can be made after others that have been. It takes time in their number: a prefix of a
// hundred calls is far below a millisecond.
func (r *Runner) Decide(before *Plan, call Step) Decision {
	steps := append(before.scored()[:len(before.scored()):len(before.scored())], call)
	if faults := r.Set.checkCall(steps[:len(steps)-1], &steps[len(steps)-1]); len(faults) > 0 {
		return Decision{Reason: faults[0].Message, Repair: faults[0].Repair}
	}
	var made []string
	for i := range steps {
		if r.Set.tool(steps[i].Name) == nil {
			return Decision{Reason: fmt.Sprintf("step %d of the history calls no known function", i+1)}
		}
		step, fault := r.bind(steps, i, made)
		if fault != nil {
			return Decision{Reason: fault.Message, Repair: fault.Repair}
		}
		if step != "" {
			made = append(made, step)
		}
	}
	v := r.validate(made)
	if f := v.Failure; f != nil && f.Step > 0 {
		return Decision{Reason: f.Message, Repair: r.repair(made[:f.Step-1], f)}
	}
	return Decision{Allow: true}
}

type guardJSON struct {
	ID      json.RawMessage `json:"id"`
	Call    json.RawMessage `json:"call"`
	History json.RawMessage `json:"history"`
}

// GuardRows answers rows {"id", "call", "history"} with {"id", "decision", "reason", "repair"}, each as soon as it is
// read. Without a history, the calls allowed so far are the history.
func (r *Runner) GuardRows(ctx context.Context, in io.Reader, w io.Writer, asJSON bool) (denied, faults int, err error) {
	out := bufio.NewWriter(w)
	history := &Plan{}
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: 1, MaxLine: maxRow, Finish: time.Second},
		func(_ context.Context, line *rowstream.Line) []byte {
			var row guardJSON
			d, fault := r.guardLine(line, &row, history)
			switch {
			case fault != nil:
				faults++
			case !d.Allow:
				denied++
			}
			return d.write(&row, line.Row, fault, asJSON)
		},
		func(text []byte) error { _, err := out.Write(text); return err }, out.Flush)
	return denied, faults, err
}

// GuardRow answers one row as [Runner.GuardRows] does, with JSON. The error says what is wrong with the row.
func (r *Runner) GuardRow(text []byte) ([]byte, error) {
	var row guardJSON
	d, err := r.guardLine(&rowstream.Line{Text: text}, &row, &Plan{})
	if err != nil {
		return nil, errors.New(rowjson.Fault(err))
	}
	return bytes.TrimSpace(d.write(&row, 1, nil, true)), nil
}

// Memory estimates the size of a Runner in bytes.
func (r *Runner) Memory() int64 {
	t := r.world.Task
	return 1<<16 + r.judge.Memory() + 1000*int64(t.Operators.Len()) + 400*int64(len(t.Variables))
}

func (r *Runner) guardLine(line *rowstream.Line, row *guardJSON, history *Plan) (d Decision, err error) {
	if line.Text == nil {
		return d, fmt.Errorf("%d bytes, more than %d", line.Length, maxRow)
	}
	if err := rowjson.Unmarshal(bytes.TrimRight(line.Text, "\r\n"), row, false); err != nil {
		return d, err
	}
	if !rowjson.Present(row.Call) {
		return d, fmt.Errorf("the row has no call")
	}
	call := ReadPlan(json.RawMessage("["+string(row.Call)+"]"), nil)
	if len(call.Steps) == 0 || call.Steps[0].written == "" && call.Steps[0].Args.names == nil {
		if other := ReadPlan(row.Call, nil); len(other.Steps) > 0 {
			call = other
		}
	}
	if len(call.Steps) != 1 {
		return d, fmt.Errorf("call: not one call of a function")
	}
	before := history
	if rowjson.Present(row.History) {
		if before = ReadPlan(row.History, nil); len(before.Faults) > 0 {
			return d, fmt.Errorf("history: %s", before.Faults[0])
		}
	}
	step := call.Steps[0]
	if n := len(before.Steps); n > 0 && step.ID <= before.Steps[n-1].ID {
		step.ID = before.Steps[n-1].ID + 1
	}
	if d = r.Decide(before, step); d.Allow && before == history {
		history.Steps = append(history.Steps, step)
	}
	return d, nil
}

func (d Decision) write(row *guardJSON, number int, fault error, asJSON bool) []byte {
	word := map[bool]string{true: "allow", false: "deny"}[d.Allow]
	if !asJSON {
		switch {
		case fault != nil:
			return fmt.Appendf(nil, "row %d: error: %s\n", number, rowjson.Fault(fault))
		case d.Allow:
			return []byte(word + "\n")
		case d.Repair == "":
			return fmt.Appendf(nil, "%s: %s\n", word, d.Reason)
		}
		return fmt.Appendf(nil, "%s: %s; %s\n", word, d.Reason, d.Repair)
	}
	b := rowjson.AppendRaw([]byte(`{"id":`), rowjson.Echo(row.ID))
	if fault != nil {
		return append(rowjson.AppendText(append(b, `,"error":`...), fmt.Sprintf("row %d: %s", number, rowjson.Fault(fault))), '}', '\n')
	}
	b = rowjson.AppendText(append(b, `,"decision":`...), word)
	if !d.Allow {
		b = rowjson.AppendText(append(b, `,"reason":`...), d.Reason)
		if d.Repair != "" {
			b = rowjson.AppendText(append(b, `,"repair":`...), d.Repair)
		}
	}
	return append(b, '}', '\n')
}
