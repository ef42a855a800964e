package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/rowstream"
)

// JudgeRows executes the plan under "prediction" of each row and writes {"case", "success", "verdict", "faults",
// "repair"}. It counts the plans that succeed, those that do not, and the rows that could not be read.
func (r *Runner) JudgeRows(ctx context.Context, in io.Reader, w io.Writer, o Options) (good, bad, faults int, err error) {
	out := bufio.NewWriterSize(w, 1<<16)
	var yes, no, broken atomic.Int64
	err = rowstream.Run(ctx, in, rowstream.Options{Workers: o.Workers, MaxLine: maxRow, Finish: time.Second},
		func(_ context.Context, line *rowstream.Line) (text []byte) {
			var row rowJSON
			defer func() {
				if x := recover(); x != nil {
					broken.Add(1)
					text = o.failed(&row, line.Row, fmt.Errorf("internal error (please report it): %v", x)).text
				}
			}()
			if err := readJudged(line, &row); err != nil {
				broken.Add(1)
				return o.failed(&row, line.Row, err).text
			}
			p := ReadPlan(row.Prediction, nil)
			j := r.Judge(p)
			if j.Success() && len(p.Faults) == 0 {
				yes.Add(1)
			} else {
				no.Add(1)
			}
			return j.write(&row, line.Row, p, o.JSON)
		},
		func(text []byte) error { _, err := out.Write(text); return err }, out.Flush)
	return int(yes.Load()), int(no.Load()), int(broken.Load()), err
}

func readJudged(line *rowstream.Line, row *rowJSON) error {
	if line.Text == nil {
		return fmt.Errorf("%d bytes, more than %d", line.Length, maxRow)
	}
	if err := rowjson.Unmarshal(bytes.TrimRight(line.Text, "\r\n"), row, false); err != nil {
		return err
	}
	if row.Prediction == nil {
		return errors.New("the row has no prediction")
	}
	return nil
}

func (j *Judgement) write(row *rowJSON, number int, p *Plan, asJSON bool) []byte {
	success := j.Success() && len(p.Faults) == 0
	said := append([]string{}, p.Faults...)
	for i := range j.Faults {
		said = append(said, j.Faults[i].String())
	}
	if !asJSON {
		word := map[bool]string{true: "success", false: "failure"}[success]
		b := fmt.Appendf(nil, "%-32s %s, cost %s\n", row.label(number), word, j.Verdict.Cost)
		if f := j.Verdict.Failure; f != nil && len(j.Faults) == 0 {
			said = append(said, f.Message)
		}
		for _, s := range said {
			b = fmt.Appendf(b, "    %s\n", s)
		}
		if j.Repair != "" {
			b = fmt.Appendf(b, "    to do: %s\n", j.Repair)
		}
		return b
	}
	b := rowjson.AppendRaw([]byte(`{"case":`), row.name())
	b = rowjson.Append(fmt.Appendf(b, `,"success":%v,"verdict":`, success), j.Verdict)
	b = rowjson.AppendTexts(append(b, `,"faults":`...), said)
	if j.Repair != "" {
		b = rowjson.AppendText(append(b, `,"repair":`...), j.Repair)
	}
	return append(b, '}', '\n')
}
