package tools

import (
	"encoding/json"
	"fmt"

	"github.com/planproof/planproof/internal/rowjson"
)

type callJSON struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Function *struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Arguments json.RawMessage `json:"arguments"` // of the newer form
}

type messageJSON struct {
	Role     string            `json:"role"`
	Type     string            `json:"type"`
	Calls    []json.RawMessage `json:"tool_calls"`
	Messages []json.RawMessage `json:"messages"`
	Output   []json.RawMessage `json:"output"`
}

// ReadCalls reads the calls of a transcript in OpenAI's form: an object with "messages", with "output" (the newer form)
// or with "tool_calls", or one call, {"name", "arguments"} or {"function": {"name", "arguments"}}. Messages of other
// roles are passed over. Calls are numbered from 0. What cannot be read is noted.
func ReadCalls(raw json.RawMessage) (steps []Step, faults []string) {
	t := transcript{}
	t.object(raw, "the transcript", 0)
	return t.steps, t.faults
}

type transcript struct {
	steps  []Step
	faults []string
}

func (t *transcript) object(raw json.RawMessage, where string, depth int) {
	var m messageJSON
	if err := rowjson.Unmarshal(raw, &m, false); err != nil {
		t.faults = append(t.faults, where+": "+rowjson.Fault(err))
		return
	}
	if depth > 2 {
		return
	}
	for i, message := range m.Messages {
		t.object(message, fmt.Sprintf("message %d", i+1), depth+1)
	}
	for i, item := range m.Output {
		t.object(item, fmt.Sprintf("output %d", i+1), depth+1)
	}
	for i, call := range m.Calls {
		t.call(call, fmt.Sprintf("%s, call %d", where, i+1))
	}
	var c callJSON
	if rowjson.Unmarshal(raw, &c, false) == nil && m.Role == "" && (c.Function != nil || c.Type == "function_call" || c.Name != "" && rowjson.Present(c.Arguments)) {
		t.call(raw, where)
	}
}

func (t *transcript) call(raw json.RawMessage, where string) {
	var c callJSON
	if err := rowjson.Unmarshal(raw, &c, false); err != nil {
		t.faults = append(t.faults, where+": "+rowjson.Fault(err))
		return
	}
	name, args := c.Name, c.Arguments
	if c.Function != nil {
		name, args = c.Function.Name, c.Function.Arguments
	}
	value, err := readArgs(args)
	switch {
	case name == "":
		t.faults = append(t.faults, where+": the call has no name")
	case err != nil:
		t.faults = append(t.faults, where+": arguments: "+rowjson.Fault(err))
	default:
		t.steps = append(t.steps, Step{ID: len(t.steps), Name: name, Args: value, written: string(args)})
	}
}
