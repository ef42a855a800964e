package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
)

// rowView is the part of a verdict row or scoring row that people are shown.
type rowView struct {
	ID     json.RawMessage `json:"id"`
	Reward *float64        `json:"reward"`
	Status string          `json:"status"`
	Error  string          `json:"error"`
	verdictView
	Verdict *verdictView `json:"verdict"`
}

type verdictView struct {
	Valid   *bool  `json:"valid"`
	Cost    string `json:"cost"`
	Steps   int    `json:"steps"`
	Failure *struct {
		Message string `json:"message"`
	} `json:"failure"`
}

// Readable returns a writer that turns JSON Lines of verdicts or scores, as planproof
// validate and score print them, into one readable line each on w.
func Readable(w io.Writer) io.Writer { return &rowPrinter{w: w} }

type rowPrinter struct {
	w   io.Writer
	buf bytes.Buffer
}

// Write implements io.Writer. Rows may arrive in pieces.
func (p *rowPrinter) Write(data []byte) (int, error) {
	p.buf.Write(data)
	for {
		i := bytes.IndexByte(p.buf.Bytes(), '\n')
		if i < 0 {
			return len(data), nil
		}
		if err := p.print(p.buf.Next(i + 1)); err != nil {
			return 0, err
		}
	}
}

func (p *rowPrinter) print(line []byte) error {
	if line[0] == '[' { // a batch: its rows one by one
		var rows []json.RawMessage
		if err := rowjson.Unmarshal(line, &rows, false); err != nil {
			return err
		}
		for _, r := range rows {
			if err := p.print(r); err != nil {
				return err
			}
		}
		return nil
	}
	var r rowView
	if err := rowjson.Unmarshal(line, &r, false); err != nil {
		return err
	}
	id := strings.Trim(string(r.ID), `"`)
	v := &r.verdictView
	var cells []string
	if r.Status != "" { // a scoring row
		reward := "-"
		if r.Reward != nil {
			reward = fmt.Sprintf("%.4g", *r.Reward)
		}
		cells = append(cells, fmt.Sprintf("%6s", reward), r.Status)
		if r.Verdict != nil {
			v = r.Verdict
		}
	} else if v.Valid != nil {
		cells = append(cells, map[bool]string{true: "valid", false: "invalid"}[*v.Valid])
	}
	switch {
	case r.Error != "":
		cells = append(cells, "error: "+r.Error)
	case v.Failure != nil:
		cells = append(cells, v.Failure.Message)
	case v.Valid != nil:
		cells = append(cells, fmt.Sprintf("cost %s, %s", v.Cost, spell.Plural(v.Steps, "step")))
	}
	_, err := fmt.Fprintf(p.w, "%-12s %s\n", id, strings.Join(cells, "  "))
	return err
}
