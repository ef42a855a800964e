package dataset

import (
	"context"
	"io"
)

type ktoChat struct {
	Prompt     []Message `json:"prompt" parquet:"prompt,list"`
	Completion []Message `json:"completion" parquet:"completion,list"`
	Label      bool      `json:"label" parquet:"label"`
	Meta       string    `json:"meta" parquet:"meta"` // a JSON text
}

type ktoText struct {
	Prompt     string `json:"prompt" parquet:"prompt"`
	Completion string `json:"completion" parquet:"completion"`
	Label      bool   `json:"label" parquet:"label"`
	Meta       string `json:"meta" parquet:"meta"`
}

// responseMeta tells where a response comes from.
func responseMeta(r *Record, x *candidate) string {
	return mustJSON(struct {
		ID            string `json:"id"`
		Task          string `json:"task"`
		Response      string `json:"response"`
		Unconstrained bool   `json:"unconstrained,omitempty"`
	}{r.ID, r.Task, x.origin, x.unconstrained})
}

// distinct makes a row of each response to a record that has another text than those
// before it.
func distinct[T any](c *candidates, row func(*Record, *candidate) (T, error)) func(context.Context, *Record) ([]T, error) {
	return func(ctx context.Context, r *Record) ([]T, error) {
		list, err := c.of(ctx, r)
		if err != nil {
			return nil, err
		}
		var rows []T
		seen := map[string]bool{}
		for i := range list {
			if seen[list[i].text] {
				continue
			}
			seen[list[i].text] = true
			x, err := row(r, &list[i])
			if err != nil {
				return nil, err
			}
			rows = append(rows, x)
		}
		return rows, nil
	}
}

func beginKTO(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	c, err := newCandidates(m)
	if err != nil {
		return nil, err
	}
	if c.o.Text {
		return rowsTo(w, ext, distinct(c, func(r *Record, x *candidate) (ktoText, error) {
			return ktoText{r.text(r.Prompt), x.text, x.valid, responseMeta(r, x)}, nil
		})), nil
	}
	return rowsTo(w, ext, distinct(c, func(r *Record, x *candidate) (ktoChat, error) {
		return ktoChat{r.Messages(r.Prompt), assistant(x.text), x.valid, responseMeta(r, x)}, nil
	})), nil
}
