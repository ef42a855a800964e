package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
)

// maxRow is the longest row that is read, in bytes.
const maxRow = 64 << 20

// Options of [ScoreRows].
type Options struct {
	JSON bool
	// Compat, if set, adds what T-Eval's evaluator would answer.
	Compat *Compat
	// Details adds the measure by dependency, and what could not be read.
	Details bool
	Workers int // 0 is one per processor
}

// Totals are sums of measures over rows, for their averages.
type Totals struct {
	Rows, Parsed, Errors int
	Name, Call           [3]float64 // precision, recall, F1
}

type rowJSON struct {
	Case       json.RawMessage `json:"case"`
	ID         json.RawMessage `json:"id"`
	Prediction json.RawMessage `json:"prediction"`
	Gold       json.RawMessage `json:"ground_truth"`
	Meta       struct {
		Type  string   `json:"prompt_type"`
		Names []string `json:"API_list"`
	} `json:"meta"`
}

type answered struct {
	text       []byte
	fault      bool
	parsed     bool
	name, call Measure
}

// ScoreRows scores the rows {"case", "prediction", "ground_truth"} of JSON Lines and writes for each, in order, {"case",
// "exact_name", "exact_call"}, each with precision, recall and f1. A row that cannot be read is answered with its error.
func ScoreRows(ctx context.Context, in io.Reader, w io.Writer, o Options) (Totals, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	totals := Totals{}
	err := rowstream.Run(ctx, in, rowstream.Options{Workers: o.Workers, MaxLine: maxRow, Finish: time.Second},
		func(_ context.Context, line *rowstream.Line) answered { return o.answer(line) },
		func(a answered) error {
			totals.add(&a)
			_, err := out.Write(a.text)
			return err
		}, out.Flush)
	return totals, err
}

func (o *Options) answer(line *rowstream.Line) (a answered) {
	var row rowJSON
	defer func() {
		if x := recover(); x != nil {
			a = o.failed(&row, line.Row, fmt.Errorf("internal error (please report it): %v", x))
		}
	}()
	if line.Text == nil {
		return o.failed(&row, line.Row, fmt.Errorf("%d bytes, more than %d", line.Length, maxRow))
	}
	if err := rowjson.Unmarshal(bytes.TrimRight(line.Text, "\r\n"), &row, false); err != nil {
		return o.failed(&row, line.Row, err)
	}
	if !rowjson.Present(row.Gold) {
		return o.failed(&row, line.Row, errors.New("the row has no ground_truth"))
	}
	var names []string
	if row.Meta.Type == "str" {
		if names = row.Meta.Names; len(names) == 0 {
			return o.failed(&row, line.Row, errors.New("meta.API_list: a prediction in prose needs the names of the functions"))
		}
	}
	gold := ReadPlan(row.Gold, nil)
	if len(gold.Faults) > 0 {
		return o.failed(&row, line.Row, fmt.Errorf("ground_truth: %s", gold.Faults[0]))
	}
	return o.score(&row, line.Row, ReadPlan(row.Prediction, names), gold)
}

func (o *Options) failed(row *rowJSON, number int, err error) answered {
	text := fmt.Sprintf("row %d: %s", number, rowjson.Fault(err))
	if !o.JSON {
		return answered{fault: true, text: fmt.Appendf(nil, "%-32s error: %s\n", row.label(number), text)}
	}
	b := rowjson.AppendRaw([]byte(`{"case":`), row.name())
	return answered{fault: true, text: append(rowjson.AppendText(append(b, `,"error":`...), text), '}', '\n')}
}

func (r *rowJSON) name() json.RawMessage {
	if r.Case == nil {
		return rowjson.Echo(r.ID)
	}
	return rowjson.Echo(r.Case)
}

func (r *rowJSON) label(number int) string {
	if name := r.name(); len(name) > 0 {
		return strings.Trim(string(name), `"`)
	}
	return fmt.Sprintf("row %d", number)
}

func (o *Options) score(row *rowJSON, number int, predicted, gold *Plan) answered {
	a := answered{parsed: len(predicted.Steps) > 0, name: ByName(predicted, gold), call: ByCall(predicted, gold)}
	if !o.JSON {
		a.text = fmt.Appendf(nil, "%-32s names %s, calls %s\n", row.label(number), a.name, a.call)
		for _, f := range predicted.Faults {
			if o.Details {
				a.text = fmt.Appendf(a.text, "    %s\n", f)
			}
		}
		return a
	}
	b := rowjson.AppendRaw([]byte(`{"case":`), row.name())
	b = a.name.appendJSON(append(b, `,"exact_name":`...))
	b = a.call.appendJSON(append(b, `,"exact_call":`...))
	if o.Details {
		b = ByDependency(predicted, gold).appendJSON(append(b, `,"dependency":`...))
		b = rowjson.AppendTexts(append(b, `,"unread":`...), append([]string{}, predicted.Faults...))
	}
	if o.Compat != nil {
		b = append(b, `,"upstream":`...)
		if m, err := o.Compat.Score(predicted, gold); err != nil {
			b = append(rowjson.AppendText(append(b, `{"judge_error":`...), err.Error()), '}')
		} else {
			b = m.appendJSON(b)
		}
	}
	a.text = append(b, '}', '\n')
	return a
}

func (m Measure) appendJSON(b []byte) []byte {
	b = rowjson.AppendFloat(append(b, `{"precision":`...), m.Precision())
	b = rowjson.AppendFloat(append(b, `,"recall":`...), m.Recall())
	return append(rowjson.AppendFloat(append(b, `,"f1":`...), m.F1()), '}')
}

// String writes "P 0.667 R 1.000 F1 0.800".
func (m Measure) String() string {
	return fmt.Sprintf("P %.3f R %.3f F1 %.3f", m.Precision(), m.Recall(), m.F1())
}

func (t *Totals) add(a *answered) {
	if a.fault {
		t.Errors++
		return
	}
	t.Rows++
	if a.parsed {
		t.Parsed++
	}
	for i, f := range []func(Measure) float64{Measure.Precision, Measure.Recall, Measure.F1} {
		t.Name[i] += f(a.name)
		t.Call[i] += f(a.call)
	}
}

// WriteText writes the averages over all rows.
func (t *Totals) WriteText(w io.Writer) error {
	n := float64(max(t.Rows, 1))
	_, err := fmt.Fprintf(w, "%d plans, %d parsed, %d with errors\naverage over plans: names P %.3f R %.3f F1 %.3f, calls P %.3f R %.3f F1 %.3f\n",
		t.Rows, t.Parsed, t.Errors, t.Name[0]/n, t.Name[1]/n, t.Name[2]/n, t.Call[0]/n, t.Call[1]/n, t.Call[2]/n)
	return err
}
