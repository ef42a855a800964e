package rows

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
)

// What follows reads rows by encoding/json alone, and keeps names that do not match exactly
// from it: FuzzRowReference holds ParseRequest to it, errors and their words included.

var errTwice = errors.New("twice")

// exactly reads an object by its members whose names are exactly those of v's fields.
func exactly(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return cmp.Or(json.Unmarshal(data, v), twiceIn(data))
	}
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v).Elem()) {
		known[f.Tag.Get("json")] = true
	}
	text := []byte("{")
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if known[name.(string)] {
			text = append(append(append(rowjson.AppendText(text, name.(string)), ':'), value...), ',')
		}
	}
	text = append(bytes.TrimSuffix(text, []byte(",")), '}')
	return cmp.Or(json.Unmarshal(text, v), twiceIn(data))
}

// twiceIn is about the first name that an object of data has for the second time.
func twiceIn(data []byte) error {
	type level struct {
		names map[string]bool // nil in a list
		name  bool            // the next token is one
	}
	var in []level
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		t, err := d.Token()
		if err != nil {
			return nil // the end
		}
		if n := len(in); n > 0 && in[n-1].names != nil {
			if name, ok := t.(string); ok && in[n-1].name {
				if in[n-1].names[name] {
					return fmt.Errorf("the member %q is given %w", name, errTwice)
				}
				in[n-1].names[name], in[n-1].name = true, false
				continue
			}
			in[n-1].name = true
		}
		switch t {
		case json.Delim('{'):
			in = append(in, level{map[string]bool{}, true})
		case json.Delim('['):
			in = append(in, level{})
		case json.Delim('}'), json.Delim(']'):
			in = in[:len(in)-1]
		}
	}
}

// exactList is exactly for a list of objects.
func exactList[T any](data []byte, to *[]T) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	var first error
	for _, raw := range list {
		var v T
		if err := exactly(raw, &v); err != nil && (first == nil || errors.Is(first, errTwice)) {
			first = err
		}
		*to = append(*to, v)
	}
	return first
}

func referenceRequest(line []byte, maxItems int) (*Request, error) {
	var w wireRow
	d := json.NewDecoder(bytes.NewReader(line))
	var first json.RawMessage
	err := d.Decode(&first)
	if err == nil {
		err = exactly(first, &w)
	}
	if err != nil {
		// A member of the wrong type: the others have been read, and with its id the
		// caller finds the row again.
		return &Request{ID: encodable(firstMember(w.ID, w.RequestID))}, fmt.Errorf("%w: %s", ErrRow, rowjson.Fault(err))
	}
	if rest := bytes.TrimSpace(line[d.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("%w: something after the JSON object at byte %d", ErrRow, d.InputOffset()+1)
	}
	r := &Request{ID: encodable(firstMember(w.ID, w.RequestID)), Reward: w.Reward, Ping: encodable(w.Ping)}
	if w.Ping != nil {
		return r, nil
	}
	base, err := w.referenceItem(Item{})
	if err != nil {
		return r, err
	}
	if rowjson.Present(w.Mask) {
		r.Mask, err = w.maskQuestion(base)
		return r, err
	}
	answers := firstMember(w.Response, w.Completion)
	switch {
	case rowjson.Present(w.Items) && rowjson.Present(answers):
		return r, fmt.Errorf("%w: both items and a response", ErrRow)
	case rowjson.Present(w.Items):
		return r, r.referenceItems(w.Items, base, maxItems)
	case !rowjson.Present(answers):
		return r, fmt.Errorf("%w: no response", ErrRow)
	}
	return r, r.referenceAnswers(answers, base, maxItems)
}

func (w *wireRow) referenceItem(base Item) (Item, error) {
	item := base
	if w.Domain != "" || w.Problem != "" || w.DomainText != "" || w.ProblemText != "" || rowjson.Present(w.Task) {
		item.Task = taskref.Ref{Domain: w.Domain, Problem: w.Problem, DomainText: w.DomainText, ProblemText: w.ProblemText}
	}
	if rowjson.Present(w.Task) {
		var inline struct {
			Domain  string `json:"domain"`
			Problem string `json:"problem"`
		}
		if err := json.Unmarshal(w.Task, &item.Task.Task); err != nil {
			err := exactly(w.Task, &inline)
			if errors.Is(err, errTwice) {
				return item, fmt.Errorf("%w: task: %w", ErrRow, err)
			}
			if err != nil || inline.Domain == "" || inline.Problem == "" {
				return item, fmt.Errorf("%w: task is neither a name nor an object with domain and problem", ErrRow)
			}
			item.Task.DomainText, item.Task.ProblemText = inline.Domain, inline.Problem
		}
	}
	if rowjson.Present(w.Gold) || rowjson.Present(w.Budget) {
		gold, err := ReadGold(w.Gold, w.Budget)
		if err != nil {
			return item, fmt.Errorf("%w: %w", ErrRow, err)
		}
		item.Gold = gold
	}
	item.Constrained = item.Constrained || w.Constrained
	item.StepRewards = item.StepRewards || w.StepRewards
	item.Truncated = item.Truncated || w.Finish == "length"
	if rowjson.Present(w.Group) {
		var s string
		if json.Unmarshal(w.Group, &s) != nil {
			s = string(w.Group)
		}
		item.Group = s
	}
	return item, nil
}

func (r *Request) referenceItems(data json.RawMessage, base Item, maxItems int) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%w: items is not a list", ErrRow)
	}
	if len(list) > maxItems {
		return fmt.Errorf("%w: %d items, more than %d", ErrRow, len(list), maxItems)
	}
	r.List = true
	for _, raw := range list {
		item := base
		var w wireRow
		err := exactly(raw, &w)
		if err != nil {
			item.Err = fmt.Errorf("%w: item: %s", ErrRow, rowjson.Fault(err))
		} else if item, err = w.referenceItem(base); err != nil {
			item.Err = err
		}
		item.ID = encodable(w.ID)
		if err == nil {
			item.Response, item.Err = referenceText(firstMember(w.Response, w.Completion))
		}
		r.Items = append(r.Items, item)
	}
	return nil
}

func (r *Request) referenceAnswers(data json.RawMessage, base Item, maxItems int) error {
	list, isList := referenceList(data)
	if !isList {
		base.Response, base.Err = referenceText(data)
		r.Items = []Item{base}
		return nil
	}
	if len(list) > maxItems {
		return fmt.Errorf("%w: %d responses, more than %d", ErrRow, len(list), maxItems)
	}
	r.List, r.OnePrompt = true, true
	for _, raw := range list {
		item := base
		item.Response, item.Err = referenceText(raw)
		r.Items = append(r.Items, item)
	}
	return nil
}

func referenceList(data json.RawMessage) ([]json.RawMessage, bool) {
	if data[0] != '[' {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil, false
	}
	for _, e := range list {
		var m ChatMessage
		if e[0] == '{' && exactly(e, &m) == nil && m.Role != "" {
			return nil, false
		}
	}
	return list, true
}

func referenceText(data json.RawMessage) (string, error) {
	if !rowjson.Present(data) {
		return "", fmt.Errorf("%w: no response", ErrRow)
	}
	switch data[0] {
	case '"':
		var s string
		err := json.Unmarshal(data, &s)
		return s, err
	case '[':
		var messages []ChatMessage
		err := exactList(data, &messages)
		if errors.Is(err, errTwice) {
			return "", fmt.Errorf("%w: a chat message: %w", ErrRow, err)
		}
		if err != nil {
			return "", fmt.Errorf("%w: a list that holds something else than chat messages", ErrRow)
		}
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role == "assistant" {
				return referenceContent(messages[i].Content)
			}
		}
		return "", fmt.Errorf("%w: no message by the assistant", ErrRow)
	case '{':
		var w struct {
			ChatMessage
			Response   json.RawMessage `json:"response"`
			Completion json.RawMessage `json:"completion"`
		}
		if err := exactly(data, &w); err != nil {
			return "", fmt.Errorf("%w: %s", ErrRow, rowjson.Fault(err))
		}
		if inner := firstMember(w.Response, w.Completion); rowjson.Present(inner) {
			if inner[0] == '{' { // no towers of objects
				return "", fmt.Errorf("%w: an object inside a response", ErrRow)
			}
			return referenceText(inner)
		}
		if w.Role == "assistant" {
			return referenceContent(w.Content)
		}
	}
	return "", fmt.Errorf("%w: the response is neither a string nor a chat", ErrRow)
}

func referenceContent(data json.RawMessage) (string, error) {
	if !rowjson.Present(data) {
		return "", nil // a message that only calls tools says nothing
	}
	var s string
	if json.Unmarshal(data, &s) == nil {
		return s, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	err := exactList(data, &parts)
	if errors.Is(err, errTwice) {
		return "", fmt.Errorf("%w: the content of a message: %w", ErrRow, err)
	}
	if err != nil {
		return "", fmt.Errorf("%w: the content of a message is neither a string nor a list of parts", ErrRow)
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" || p.Type == "output_text" || p.Type == "" {
			b.WriteString(p.Text)
		}
	}
	return b.String(), nil
}

// encodable has U+FFFD for each byte that is not UTF-8, as encoding/json writes strings.
func encodable(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	return json.RawMessage(string([]rune(string(raw))))
}
