package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// Table is a list of canned answers.
type Table struct {
	rows []tableRow
	hash string
}

type tableRow struct {
	// Contains lists texts that must all occur in the messages.
	Contains []string `json:"contains"`
	// Texts are the answers: sample i gets Texts[i mod len(Texts)].
	Texts []string `json:"texts"`
	// Error is the kind of error to return, instead of Texts.
	Error ErrorKind `json:"error"`
}

// ReadTable reads canned answers from JSON Lines: {"contains": [...], "texts": [...]} or {"contains": [...],
// "error": "outage"}. The first row whose "contains" texts all occur in the messages counts. Only messages
// after the last one of the assistant are searched, so that each feedback round can have its own answers.
func ReadTable(r io.Reader) (*Table, error) {
	t := &Table{}
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadString('\n')
		if strings.TrimSpace(text) != "" {
			var row tableRow
			if err := rowjson.Unmarshal([]byte(text), &row, true); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			if (len(row.Texts) == 0) == (row.Error == "") {
				return nil, fmt.Errorf("line %d: a row needs \"texts\" or \"error\", and not both", line)
			}
			t.rows = append(t.rows, row)
		}
		if errors.Is(err, io.EOF) {
			t.hash = requestKey("", "table", t.rows)[:12]
			return t, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (t *Table) answer(_ context.Context, req *Request, _ *rand.Rand) (string, error) {
	var b strings.Builder
	b.WriteString(req.Prompt)
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			b.Reset()
			continue
		}
		b.WriteString(m.Content + "\n")
	}
	text := b.String()
rows:
	for _, row := range t.rows {
		for _, want := range row.Contains {
			if !strings.Contains(text, want) {
				continue rows
			}
		}
		if row.Error != "" {
			return "", errorf(row.Error, "the table says so")
		}
		return row.Texts[req.Sample%len(row.Texts)], nil
	}
	return "", errorf(KindMissing, "no row of the table applies to this request")
}
