package rows

import (
	"encoding/json"

	"github.com/planproof/planproof/internal/rowjson"
)

// scan reads a line in one pass, as [rowjson.Unmarshal] would into the members of w. It is
// false, and w of no use, for a line that is not JSON or in any way unusual: a name given
// twice or with escapes, a value of another kind. Unmarshal then decides what that is, or
// what is wrong with it. Values point into the line.
func (w *wireRow) scan(line []byte) bool { return rowjson.ScanObject(line, w.set) }

// set gives a member its value, which is JSON. Other columns are ignored.
func (w *wireRow) set(name, value []byte) bool {
	switch string(name) {
	case "reward":
		return setText(&w.Reward, value)
	case "domain":
		return setText(&w.Domain, value)
	case "problem":
		return setText(&w.Problem, value)
	case "domain_text":
		return setText(&w.DomainText, value)
	case "problem_text":
		return setText(&w.ProblemText, value)
	case "finish":
		return setText(&w.Finish, value)
	case "reader":
		return setText(&w.Reader, value)
	case "constrained_decoding":
		return setBool(&w.Constrained, value)
	case "step_rewards":
		return setBool(&w.StepRewards, value)
	}
	if raw := w.raw(name); raw != nil {
		*raw = value
	}
	return true
}

// raw returns the place of a member that is kept as it came, nil if name is none.
func (w *wireRow) raw(name []byte) *json.RawMessage {
	switch string(name) {
	case "id":
		return &w.ID
	case "request_id":
		return &w.RequestID
	case "task":
		return &w.Task
	case "response":
		return &w.Response
	case "completion":
		return &w.Completion
	case "group":
		return &w.Group
	case "items":
		return &w.Items
	case "gold":
		return &w.Gold
	case "budget":
		return &w.Budget
	case "ping":
		return &w.Ping
	case "mask":
		return &w.Mask
	}
	return nil
}

// setText reads a string; null is none, as in encoding/json.
func setText(to *string, value []byte) bool {
	if value[0] == 'n' {
		return true
	}
	if value[0] != '"' {
		return false
	}
	s, err := rowjson.String(value)
	*to = s
	return err == nil
}

func setBool(to *bool, value []byte) bool {
	*to = value[0] == 't'
	return value[0] == 't' || value[0] == 'f' || value[0] == 'n'
}
