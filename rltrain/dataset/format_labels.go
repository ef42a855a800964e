package dataset

import (
	"io"
	"strings"

	"planproof/llmbridge"
	"planproof/validator"
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
func distinct[T any](c *candidates, row func(*Record, *candidate) (T, error)) func(*Record) ([]T, error) {
	return func(r *Record) ([]T, error) {
		list, err := c.of(r)
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

// prmRow has the steps of a plan and, last, the mark that ends it: a step is right if it can
// be executed where it stands and all before it can; the end is right if the plan is valid.
// TRL's trainer takes texts only.
type prmRow struct {
	Prompt      string   `json:"prompt" parquet:"prompt"`
	Completions []string `json:"completions" parquet:"completions,list"`
	Labels      []bool   `json:"labels" parquet:"labels,list"`
	Meta        string   `json:"meta" parquet:"meta"` // a JSON text
}

func beginPRM(w io.Writer, ext, _ string, m *Manifest) (Writer, error) {
	c, err := newCandidates(m)
	if err != nil {
		return nil, err
	}
	end := "[PLAN END]"
	if m.Options.PlanTags {
		end = "</plan>"
	}
	return rowsTo(w, ext, func(r *Record) ([]prmRow, error) {
		prob, err := r.derive(m).task()
		if err != nil {
			return nil, err
		}
		judge, err := validator.NewJudge(prob, validator.Options{})
		if err != nil {
			return nil, err
		}
		say := func(s string) string { return s }
		if render, ok := llmbridge.NewRenderer(prob, m.Options.Templates); ok && !symbolic(m.Options.Style) {
			say = render.Step
		}
		return distinct(c, func(r *Record, x *candidate) (prmRow, error) {
			row := prmRow{Prompt: r.text(r.Prompt), Labels: append(stepLabels(judge, x.steps), x.valid), Meta: responseMeta(r, x)}
			for _, s := range x.steps {
				if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
					s = say(s)
				}
				row.Completions = append(row.Completions, s)
			}
			row.Completions = append(row.Completions, end)
			return row, nil
		})(r)
	}), nil
}
