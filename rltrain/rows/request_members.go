package rows

import (
	"bytes"
	"encoding/json"

	"github.com/planproof/planproof/internal/rowjson"
)

// scan reads a line in one pass, as encoding/json would into the members of w. It is false,
// and w of no use, for a line that is not JSON or in any way unusual: a member that comes
// twice, a name in other letters or with escapes, a value of another kind. encoding/json
// then decides what that is, or what is wrong with it. Values point into the line.
func (w *wireRow) scan(line []byte) bool { return rowjson.ScanObject(line, w.set) }

// set gives a member its value, which is JSON.
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
	case "constrained_decoding":
		return setBool(&w.Constrained, value)
	case "step_rewards":
		return setBool(&w.StepRewards, value)
	}
	if raw := w.raw(name); raw != nil {
		if *raw != nil {
			return false // the member for the second time
		}
		*raw = value
		return true
	}
	// Another column. encoding/json takes names in other letters for the same.
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			lower := bytes.ToLower(name)
			return w.raw(lower) == nil && !isTextMember(lower)
		}
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

// isTextMember reports whether name is a member that is no [json.RawMessage].
func isTextMember(name []byte) bool {
	switch string(name) {
	case "reward", "domain", "problem", "domain_text", "problem_text", "finish", "constrained_decoding", "step_rewards":
		return true
	}
	return false
}

// setText reads a string; null leaves what is there, as it does in encoding/json.
func setText(to *string, value []byte) bool {
	if value[0] == 'n' {
		return true
	}
	if value[0] != '"' || *to != "" {
		return false
	}
	s, err := rowjson.String(value)
	*to = s
	return err == nil
}

func setBool(to *bool, value []byte) bool {
	switch {
	case value[0] == 'n':
		return true
	case *to || value[0] != 't' && value[0] != 'f':
		return false
	}
	*to = value[0] == 't'
	return true
}
