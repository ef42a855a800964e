package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
)

// maxMessages bounds the messages of a transcript, and the calls of a message.
const maxMessages = 100_000

// maxFaults bounds the faults of a plan that are worded; the others are counted.
const maxFaults = 100

// roles are those of OpenAI's messages.
var roles = []string{"assistant", "developer", "function", "system", "tool", "user"}

type callJSON struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	CallID   string `json:"call_id"` // of the newer form
	Name     string `json:"name"`
	Function *struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Arguments json.RawMessage `json:"arguments"` // of the newer form
}

type messageJSON struct {
	Role   *string         `json:"role"`
	Type   string          `json:"type"`
	Calls  json.RawMessage `json:"tool_calls"`
	Old    json.RawMessage `json:"function_call"` // of the oldest form
	Answer *string         `json:"tool_call_id"`
	CallID *string         `json:"call_id"`
}

type transcriptJSON struct {
	Messages json.RawMessage `json:"messages"`
	Output   json.RawMessage `json:"output"`
	Choices  json.RawMessage `json:"choices"`
}

// ReadCalls reads the calls of a transcript in OpenAI's form: a list of messages, an object with "messages", with
// "choices" or "output" (answers of its two interfaces), a message with "tool_calls", or one call, {"name",
// "arguments"} or {"function": {"name", "arguments"}}. Only the assistant makes calls. They are numbered from 0.
//
// What cannot be read is noted with its place: calls in other messages, roles that there are not, arguments that are
// no JSON, an id of two calls, a result that answers no call.
func ReadCalls(raw json.RawMessage) (steps []Step, faults []string) {
	t := transcript{plan: &Plan{}, ids: map[string]bool{}}
	if at := rowjson.SkipSpace(raw, 0); at < len(raw) && raw[at] == '[' {
		t.each(raw[at:], "message", t.message)
	} else {
		t.object(raw)
	}
	return t.plan.Steps, t.plan.Faults
}

type transcript struct {
	plan *Plan
	ids  map[string]bool // of calls
}

func (t *transcript) fault(where, format string, args ...any) {
	t.plan.fault(0, where+": "+fmt.Sprintf(format, args...))
}

// bad notes an error about the JSON of something, with the member that it is about.
func (t *transcript) bad(where string, err error) {
	var placed *rowjson.RowError
	if errors.As(err, &placed) && placed.Member != "" {
		where += ", " + placed.Member
	}
	t.fault(where, "%s", rowjson.Fault(err))
}

// each visits the elements of a list, with words for their places.
func (t *transcript) each(list json.RawMessage, word string, visit func(raw json.RawMessage, where string)) {
	if !rowjson.Present(list) {
		return
	}
	if list[0] != '[' {
		t.fault(word+"s", "not a list")
		return
	}
	items, n, err := rowjson.Elements[json.RawMessage](list, maxMessages)
	if err != nil {
		t.bad(word+"s", err)
	}
	for i, item := range items {
		if len(t.plan.Steps) > maxSteps {
			return // ReadPlan says so
		}
		visit(item, fmt.Sprintf("%s %d", word, i+1))
	}
	if n > maxMessages {
		t.fault(word+"s", "more than %d", maxMessages)
	}
}

func (t *transcript) object(raw json.RawMessage) {
	const where = "the transcript"
	var m transcriptJSON
	if err := rowjson.Unmarshal(raw, &m, false); err != nil {
		t.bad(where, err)
		return
	}
	if m.Messages == nil && m.Output == nil && m.Choices == nil {
		t.message(raw, where)
		return
	}
	t.each(m.Messages, "message", t.message)
	t.each(m.Output, "output", t.message)
	t.each(m.Choices, "choice", func(raw json.RawMessage, where string) {
		var choice struct {
			Message json.RawMessage `json:"message"`
		}
		switch err := rowjson.Unmarshal(raw, &choice, false); {
		case err != nil:
			t.bad(where, err)
		case where != "choice 1":
			t.fault(where, "the first choice is read")
		default:
			t.message(choice.Message, where)
		}
	})
}

// isCall reports whether an object is a call by itself.
func (c *callJSON) isCall() bool {
	return c.Function != nil || c.Type == "function_call" || c.Name != "" && rowjson.Present(c.Arguments)
}

func (t *transcript) message(raw json.RawMessage, where string) {
	var m messageJSON
	if err := rowjson.Unmarshal(raw, &m, false); err != nil {
		t.bad(where, err)
		return
	}
	var c callJSON
	if m.Role == nil && rowjson.Unmarshal(raw, &c, false) == nil && c.isCall() {
		t.call(raw, where)
		return
	}
	role := "assistant"
	if m.Role != nil {
		role = *m.Role
		if !slices.Contains(roles, role) {
			hint := ""
			if near := spell.Nearest(role, roles); near != "" {
				hint = fmt.Sprintf(" (did you mean %q?)", near)
			}
			t.fault(where, "no role is called %q%s", spell.Clip(role, 40), hint)
		}
	}
	switch {
	case m.Type == "function_call_output":
		t.answer(m.CallID, "call_id", where)
	case role == "tool":
		t.answer(m.Answer, "tool_call_id", where)
	}
	if role != "assistant" {
		if rowjson.Present(m.Calls) || rowjson.Present(m.Old) {
			t.fault(where, "only the assistant makes calls")
		}
		return
	}
	t.each(m.Calls, "call", func(raw json.RawMessage, call string) { t.call(raw, where+", "+call) })
	if rowjson.Present(m.Old) {
		t.call(m.Old, where)
	}
}

// answer checks that the result of a call is that of an earlier one.
func (t *transcript) answer(id *string, member, where string) {
	switch {
	case id == nil || *id == "":
		t.fault(where, "the result has no %s", member)
	case !t.ids[*id]:
		t.fault(where, "no earlier call has the id %q", spell.Clip(*id, 40))
	}
}

func (t *transcript) call(raw json.RawMessage, where string) {
	var c callJSON
	if err := rowjson.Unmarshal(raw, &c, false); err != nil {
		t.bad(where, err)
		return
	}
	name, args := c.Name, c.Arguments
	if c.Function != nil {
		name, args = c.Function.Name, c.Function.Arguments
	}
	id := c.ID
	if c.CallID != "" {
		id = c.CallID
	}
	if id != "" {
		if t.ids[id] {
			t.fault(where, "an earlier call has the id %q", spell.Clip(id, 40))
		}
		t.ids[id] = true
	}
	value, err := t.plan.readArgs(args)
	switch {
	case name == "":
		t.fault(where, "the call has no name")
		return
	case err != nil:
		t.fault(where, "arguments: %s", rowjson.Fault(err))
		return
	case value.kind == kindText:
		text, _ := rowjson.String(args)
		_, err = rowjson.ReadLiteral(text)
		t.fault(where, "arguments: %s", rowjson.Fault(err))
	case value.kind != kindObject:
		t.fault(where, "arguments: not a JSON object")
	}
	t.plan.Steps = append(t.plan.Steps, Step{ID: len(t.plan.Steps), Name: name, Args: value, written: string(args)})
}
