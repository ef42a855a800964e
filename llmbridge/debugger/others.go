package debugger

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/data"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/validator"
)

// rowsIn is text of JSON Lines.
type rowsIn struct {
	Rows    string `json:"rows"`
	ID      string `json:"id"`      // of the row; "" for the first
	Reading string `json:"reading"` // of BoxNet's rules
}

// boxnetOut is a task of BoxNet, with the verdict on its plan if it has one.
type boxnetOut struct {
	ID      string             `json:"id"`
	SVG     string             `json:"svg"`
	Verdict *validator.Verdict `json:"verdict,omitempty"`
}

func (c *call) boxnet(in *rowsIn) (any, error) {
	reading, err := boxnet.ParseReading(cmp.Or(in.Reading, string(boxnet.Default)))
	if err != nil {
		return nil, err
	}
	t, err := data.Find(strings.NewReader(in.Rows), in.ID)
	if err != nil {
		return nil, err
	}
	out := &boxnetOut{ID: t.ID}
	var b strings.Builder
	if err := t.Draw(&b, reading, false); err != nil {
		return nil, err
	}
	out.SVG = b.String()
	if t.Plan != nil {
		out.Verdict = boxnet.NewJudge(t.Instance, reading).Judge(t.Plan).Verdict
	}
	return out, nil
}

// maxEpisodes bounds the episodes that the page shows at once.
const maxEpisodes = 200

// episode reads transcripts, the rows that `planproof episode run --json` writes.
func (c *call) episode(in *rowsIn) (any, error) {
	rows := []*episode.Row{}
	var faults rowjson.Faults
	err := rowjson.EachLine(strings.NewReader(in.Rows), "rows", c.opt.Text, &faults, func(_ int, line []byte) error {
		if len(rows) == maxEpisodes {
			return fmt.Errorf("at most %d episodes are shown", maxEpisodes)
		}
		r := new(episode.Row)
		if err := rowjson.Unmarshal(line, r, false); err != nil {
			return err
		}
		rows = append(rows, r)
		return nil
	})
	if err == nil {
		err = faults.Err()
	}
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("there is no row")
	}
	return rows, nil
}
