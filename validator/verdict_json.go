package validator

import (
	"encoding/json"
	"strconv"

	"github.com/planproof/planproof/internal/rowjson"
)

// MarshalJSON writes the verdict as one JSON object. cost is an exact decimal or
// fraction, and absent if the metric is undefined; total_cost only appears if the
// problem has no metric but actions change total-cost.
func (v *Verdict) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil, nil), nil }

// AppendJSON appends the same object to b, with the id of a row, which may be any JSON value,
// if there is one.
func (v *Verdict) AppendJSON(b []byte, id json.RawMessage) []byte {
	b = append(b, '{')
	if len(id) > 0 {
		b = append(rowjson.AppendRaw(append(b, `"id":`...), id), ',')
	}
	b = strconv.AppendBool(append(b, `"valid":`...), v.Valid)
	if v.CostDefined {
		b = rowjson.AppendText(append(b, `,"cost":`...), v.Cost.String())
	}
	if v.HasTotalCost {
		b = rowjson.AppendText(append(b, `,"total_cost":`...), v.TotalCost.String())
	}
	if v.HasMakespan {
		b = rowjson.AppendText(append(b, `,"makespan":`...), v.Makespan.String())
	}
	if len(v.Violated) > 0 {
		b = rowjson.Append(append(b, `,"violated":`...), v.Violated)
	}
	b = strconv.AppendInt(append(b, `,"steps":`...), int64(v.Steps), 10)
	b = strconv.AppendInt(append(b, `,"executed":`...), int64(v.Executed), 10)
	b = strconv.AppendBool(append(b, `,"goal_reached":`...), v.GoalReached)
	if v.Failure != nil {
		b = v.Failure.appendJSON(append(b, `,"failure":`...))
	}
	if v.Explanation != nil {
		b = rowjson.Append(append(b, `,"explanation":`...), v.Explanation)
	}
	if len(v.World) > 0 {
		b = rowjson.Append(append(b, `,"world":`...), v.World)
	}
	if v.WorldOmitted > 0 {
		b = strconv.AppendInt(append(b, `,"world_omitted":`...), int64(v.WorldOmitted), 10)
	}
	return append(b, '}')
}

// appendJSON appends the failure as its tags say. encoding/json takes longer for it than the judge
// for the plan.
func (f *Failure) appendJSON(b []byte) []byte {
	b = rowjson.AppendText(append(b, `{"kind":`...), string(f.Kind))
	if f.Step != 0 {
		b = strconv.AppendInt(append(b, `,"step":`...), int64(f.Step), 10)
	}
	text := func(name, value string) {
		if value != "" {
			b = rowjson.AppendText(append(b, name...), value)
		}
	}
	text(`,"action":`, f.Action)
	text(`,"time":`, f.Time)
	text(`,"at":`, f.At)
	if f.Line != 0 {
		b = strconv.AppendInt(append(b, `,"line":`...), int64(f.Line), 10)
	}
	if f.Column != 0 {
		b = strconv.AppendInt(append(b, `,"column":`...), int64(f.Column), 10)
	}
	if len(f.Unsatisfied) > 0 {
		b = rowjson.AppendTexts(append(b, `,"unsatisfied":`...), f.Unsatisfied)
	}
	text(`,"because":`, f.Because)
	return append(rowjson.AppendText(append(b, `,"message":`...), f.Message), '}')
}
