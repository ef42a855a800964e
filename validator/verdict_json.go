package validator

import (
	"bytes"
	"encoding/json"
)

// verdictJSON is a verdict as JSON, with the fields in the order of output.
type verdictJSON struct {
	ID          json.RawMessage `json:"id,omitempty"`
	Valid       bool            `json:"valid"`
	Cost        *string         `json:"cost,omitempty"`
	TotalCost   *string         `json:"total_cost,omitempty"`
	Steps       int             `json:"steps"`
	Executed    int             `json:"executed"`
	GoalReached bool            `json:"goal_reached"`
	Failure     *Failure        `json:"failure,omitempty"`
	Explanation *Explanation    `json:"explanation,omitempty"`
}

// wire returns the verdict as JSON; id is the row's id as given, or nil.
func (v *Verdict) wire(id json.RawMessage) verdictJSON {
	w := verdictJSON{ID: id, Valid: v.Valid, Steps: v.Steps, Executed: v.Executed, GoalReached: v.GoalReached, Failure: v.Failure, Explanation: v.Explanation}
	if v.CostDefined {
		c := v.Cost.String()
		w.Cost = &c
	}
	if v.HasTotalCost {
		c := v.TotalCost.String()
		w.TotalCost = &c
	}
	return w
}

// MarshalJSON writes the verdict as one JSON object. cost is an exact decimal or
// fraction, and absent if the metric is undefined; total_cost only appears if the
// problem has no metric but actions change total-cost.
func (v *Verdict) MarshalJSON() ([]byte, error) { return encode(v.wire(nil)) }

// JSON is like MarshalJSON, with the id of a batch row, which may be any JSON value.
func (v *Verdict) JSON(id json.RawMessage) ([]byte, error) { return encode(v.wire(id)) }

// encode writes JSON on one line, without escaping < and >, which comparisons contain.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
