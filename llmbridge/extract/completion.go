package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// CompletionText returns the text of a completion in JSON: a string, or a list of chat messages.
// In a list only the assistant's messages count, one after the other. The other roles belong to the
// environment; a plan in their words is not the model's. The content of a message is a string, null,
// or a list of parts, and only its text parts count. The assistant's tool calls follow its words as
// one JSON list.
func CompletionText(raw json.RawMessage) (string, error) {
	var text string
	if err := rowjson.Unmarshal(raw, &text, false); err == nil {
		return text, nil
	}
	var messages []struct {
		Role      string            `json:"role"`
		Content   json.RawMessage   `json:"content"`
		ToolCalls []json.RawMessage `json:"tool_calls"`
	}
	if err := rowjson.Unmarshal(raw, &messages, false); err != nil {
		return "", errors.New("a completion is a string or a list of messages with role and content")
	}
	var parts []string
	var calls []json.RawMessage
	for i, m := range messages {
		if m.Role == "" { // nobody knows whose words these are; the list may be the parts of one message
			return "", fmt.Errorf("message %d of the completion has no role", i+1)
		}
		if m.Role != "assistant" {
			continue
		}
		calls = append(calls, m.ToolCalls...)
		text, err := contentText(m.Content)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	if len(calls) > 0 {
		list, err := rowjson.AppendValue(nil, map[string]any{"tool_calls": calls})
		if err != nil {
			return "", err
		}
		parts = append(parts, string(list))
	}
	return strings.Join(parts, "\n\n"), nil
}

func contentText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	var text *string
	if err := rowjson.Unmarshal(raw, &text, false); err == nil {
		if text == nil {
			return "", nil
		}
		return *text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := rowjson.Unmarshal(raw, &parts, false); err != nil {
		return "", errors.New("a message's content is a string or a list of parts")
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" {
			b.WriteString(p.Text)
		}
	}
	return b.String(), nil
}
