package rows

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/planproof/planproof/internal/rowjson"
)

// Rows of scores are put together by hand, since encoding/json takes longer for them than
// the judge for the plan. The bytes are those of encoding/json: TestAppendRow.

// AppendRow appends s as a JSON object.
func (s *Score) AppendRow(b []byte) []byte {
	b = rowjson.AppendRaw(append(b, `{"id":`...), s.ID)
	b = appendReward(append(b, `,"reward":`...), s.Reward)
	if len(s.Components) > 0 {
		b = append(b, `,"components":`...)
		open := byte('{')
		for _, name := range slices.Sorted(maps.Keys(s.Components)) {
			b = rowjson.AppendText(append(b, open), name)
			b = rowjson.AppendFloat(append(b, ':'), s.Components[name])
			open = ','
		}
		b = append(b, '}')
	}
	if len(s.StepRewards) > 0 {
		b = rowjson.Append(append(b, `,"step_rewards":`...), s.StepRewards)
	}
	if len(s.StepLines) > 0 {
		b = rowjson.Append(append(b, `,"step_lines":`...), s.StepLines)
	}
	if s.Verdict != nil {
		b = s.Verdict.AppendJSON(append(b, `,"verdict":`...), nil)
	}
	if s.Violations != nil {
		b = strconv.AppendInt(append(b, `,"violations":`...), int64(*s.Violations), 10)
	}
	b = rowjson.AppendText(append(b, `,"extracted":`...), s.Extracted)
	b = rowjson.AppendText(append(b, `,"status":`...), string(s.Status))
	if s.Ambiguous {
		b = append(b, `,"ambiguous":true`...)
	}
	b = appendIfAny(b, `,"reader":`, string(s.Reader))
	b = appendIfAny(b, `,"reading":`, s.Reading)
	b = appendIfAny(b, `,"error":`, s.Error)
	b = appendIfAny(b, `,"group":`, s.Group)
	if s.Advantage != nil {
		b = rowjson.AppendFloat(append(b, `,"advantage":`...), *s.Advantage)
	}
	return append(b, '}')
}

// AppendRow appends the answer to a line with a list of responses.
func (a *Batch) AppendRow(b []byte) []byte {
	b = rowjson.AppendRaw(append(b, `{"id":`...), a.ID)
	b = append(b, `,"rewards":[`...)
	for i, r := range a.Rewards {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendReward(b, r)
	}
	b = append(b, `],"statuses":[`...)
	for i, s := range a.Statuses {
		if i > 0 {
			b = append(b, ',')
		}
		b = rowjson.AppendText(b, string(s))
	}
	b = append(b, `],"items":[`...)
	for i, s := range a.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.AppendRow(b)
	}
	return append(b, "]}"...)
}

func appendReward(b []byte, r *float64) []byte {
	if r == nil {
		return append(b, "null"...)
	}
	return rowjson.AppendFloat(b, *r)
}

func appendIfAny(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return rowjson.AppendText(append(b, name...), text)
}

// Batch is the answer to a line with a list of responses.
type Batch struct {
	ID       json.RawMessage `json:"id"`
	Rewards  []*float64      `json:"rewards"`
	Statuses []Status        `json:"statuses"`
	Items    []*Score        `json:"items"`
}
