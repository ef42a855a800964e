package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/reward"
)

// Item is one response to be scored.
type Item struct {
	ID   json.RawMessage // echoed; nil when absent
	Task taskref.Ref
	// Response is the text of the model's answer.
	Response string
	// Reader says how to read it; "" is the default of whoever scores.
	Reader extract.Kind
	// Truncated is true when the generation ended for its length, so that an open
	// plan block is not all of the plan.
	Truncated bool
	// Constrained is true when a grammar constrained the decoding, so that the layout of
	// the response is not the model's merit.
	Constrained bool
	// StepRewards asks for the score step by step, of a reward that splits into steps.
	StepRewards bool
	// Gold is what is known of the task, nil for nothing.
	Gold *reward.Gold
	// Group joins the responses to one prompt; "" for none.
	Group string
	// Err says why this item is no answer to score, nil if it is one.
	Err error

	// Read is when the item had been read, if that is known: a file that has been looked
	// at since need not be looked at again.
	Read time.Time
}

// Request is one line of input: a row, a batch, a question which steps can come next, or
// one for a sign of life.
type Request struct {
	ID json.RawMessage
	// Reward names the reward; "" is the oracle's default.
	Reward string
	Items  []Item
	// List is true when the line held a list of responses, so that the answer is a
	// list too, whatever its length.
	List bool
	// OnePrompt is true when the list was the response to one prompt, so that it is
	// a group whether it has a name or not.
	OnePrompt bool
	// Ping is the value of the member "ping", nil when it is no ping.
	Ping json.RawMessage
	// Mask is the question which steps can come next, nil when it is none.
	Mask *MaskQuestion
}

// wireRow holds the members of a line that are read; others are ignored, since
// rows come out of data sets with columns of their own.
type wireRow struct {
	ID          json.RawMessage `json:"id"`
	RequestID   json.RawMessage `json:"request_id"`
	Reward      string          `json:"reward"`
	Domain      string          `json:"domain"`
	Problem     string          `json:"problem"`
	DomainText  string          `json:"domain_text"`
	ProblemText string          `json:"problem_text"`
	Task        json.RawMessage `json:"task"`
	Response    json.RawMessage `json:"response"`
	Completion  json.RawMessage `json:"completion"`
	Finish      string          `json:"finish"`
	Reader      string          `json:"reader"`
	Constrained bool            `json:"constrained_decoding"`
	StepRewards bool            `json:"step_rewards"`
	Group       json.RawMessage `json:"group"`
	Items       json.RawMessage `json:"items"`
	Gold        json.RawMessage `json:"gold"`
	Budget      json.RawMessage `json:"budget"`
	Ping        json.RawMessage `json:"ping"`
	Mask        json.RawMessage `json:"mask"`
}

// ErrRow is wrapped by the errors of [ParseRequest].
var ErrRow = errors.New("bad row")

// ParseRequest reads one line. Members:
//
//	id                       any JSON value, echoed
//	domain, problem          file paths, or domain alone a bundled task's name
//	domain_text, problem_text  the same as text
//	task                     a bundled task's name, or {"domain": TEXT, "problem": TEXT}
//	response | completion    the answer, see below
//	reader                   "strict" or "natural": how the answer is read
//	gold                     {"plan", "steps", "cost", "optimal", "slack"}: what is known of
//	                         the task, for the rewards that compare
//	budget                   the budget that the prompt states
//	finish                   "length" when the answer was cut off
//	constrained_decoding     true when a grammar constrained the decoding
//	step_rewards             true for the score step by step (rewards of kind shaped)
//	group                    a string or number that joins answers to one prompt; the
//	                         answers of one list are a group anyway
//	items                    instead of response: a list of objects with these
//	                         members; what an item leaves out it has from the line
//	reward                   name of the reward
//	ping                     anything: the line is answered by {"pong": ...}
//	mask                     a list of steps, or a plan as text: the line is answered by
//	                         the steps that can come next, see MaskAnswer
//
// Names of members match exactly: "Id" is another column, which is ignored. A name given
// twice in the line, an item or an object that is read is an error.
//
// An answer is a string, an object with a member response or completion, one chat
// message {"role", "content"}, or a list of chat messages, whose last one
// by the assistant counts; its content is a string or a list of parts with text. A
// list of anything else is a list of answers and makes the line a list; so does
// items.
//
// maxItems bounds the answers of a line. With an error the request is nil or holds
// the id alone.
func ParseRequest(line []byte, maxItems int) (*Request, error) {
	var w wireRow
	if !w.scan(line) {
		w = wireRow{}
		n, err := rowjson.Decode(line, &w, false)
		if err != nil {
			// A member of the wrong type: the others have been read, and with its id the
			// caller finds the row again.
			return &Request{ID: rowjson.Echo(firstMember(w.ID, w.RequestID))}, fmt.Errorf("%w: %s", ErrRow, rowjson.Fault(err))
		}
		if rest := bytes.TrimSpace(line[n:]); len(rest) > 0 {
			return nil, fmt.Errorf("%w: something after the JSON object at byte %d", ErrRow, n+1)
		}
	}
	// What the request keeps of the line is copied: the line may be written over.
	r := &Request{ID: rowjson.Echo(firstMember(w.ID, w.RequestID)), Reward: w.Reward, Ping: rowjson.Echo(w.Ping)}
	if w.Ping != nil {
		return r, nil
	}
	base, err := w.item(Item{})
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
		return r, r.addItems(w.Items, base, maxItems)
	case !rowjson.Present(answers):
		return r, fmt.Errorf("%w: no response", ErrRow)
	}
	return r, r.addAnswers(answers, base, maxItems)
}

// item reads the members that an item shares with the line around it.
func (w *wireRow) item(base Item) (Item, error) {
	item := base
	if w.Domain != "" || w.Problem != "" || w.DomainText != "" || w.ProblemText != "" || rowjson.Present(w.Task) {
		item.Task = taskref.Ref{Domain: w.Domain, Problem: w.Problem, DomainText: w.DomainText, ProblemText: w.ProblemText}
	}
	if rowjson.Present(w.Task) {
		var inline struct {
			Domain  string `json:"domain"`
			Problem string `json:"problem"`
		}
		var ok bool
		if item.Task.Task, ok = text(w.Task); !ok {
			err := rowjson.Unmarshal(w.Task, &inline, false)
			if rowjson.IsRepeated(err) {
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
	if w.Reader != "" {
		var err error
		if item.Reader, err = extract.ParseKind(w.Reader); err != nil {
			return item, fmt.Errorf("%w: reader: %w", ErrRow, err)
		}
	}
	item.Constrained = item.Constrained || w.Constrained
	item.StepRewards = item.StepRewards || w.StepRewards
	item.Truncated = item.Truncated || w.Finish == "length"
	if rowjson.Present(w.Group) {
		var ok bool
		if item.Group, ok = text(w.Group); !ok {
			item.Group = string(w.Group)
		}
	}
	return item, nil
}

// addItems reads the list `items`. A bad item does not spoil its neighbours.
func (r *Request) addItems(data json.RawMessage, base Item, maxItems int) error {
	list, ok := listOf(data)
	if !ok {
		return fmt.Errorf("%w: items is not a list", ErrRow)
	}
	if len(list) > maxItems {
		return fmt.Errorf("%w: %d items, more than %d", ErrRow, len(list), maxItems)
	}
	r.List = true
	for _, raw := range list {
		item := base
		var w wireRow
		var err error
		if !w.scan(raw) {
			w = wireRow{}
			err = rowjson.Unmarshal(raw, &w, false)
		}
		if err != nil {
			item.Err = fmt.Errorf("%w: item: %s", ErrRow, rowjson.Fault(err))
		} else if item, err = w.item(base); err != nil {
			item.Err = err
		}
		item.ID = rowjson.Echo(w.ID)
		if err == nil {
			item.Response, item.Err = answerText(firstMember(w.Response, w.Completion))
		}
		r.Items = append(r.Items, item)
	}
	return nil
}

// addAnswers reads a response: one answer or a list of them.
func (r *Request) addAnswers(data json.RawMessage, base Item, maxItems int) error {
	list, isList := answerList(data)
	if !isList {
		base.Response, base.Err = answerText(data)
		r.Items = []Item{base}
		return nil
	}
	if len(list) > maxItems {
		return fmt.Errorf("%w: %d responses, more than %d", ErrRow, len(list), maxItems)
	}
	r.List, r.OnePrompt = true, true
	for _, raw := range list {
		item := base
		item.Response, item.Err = answerText(raw)
		r.Items = append(r.Items, item)
	}
	return nil
}

// answerList splits a list of answers; false for one answer, which a list of chat
// messages is too.
func answerList(data json.RawMessage) ([]json.RawMessage, bool) {
	list, ok := listOf(data)
	if !ok {
		return nil, false
	}
	for _, e := range list {
		var m ChatMessage
		if e[0] == '{' && rowjson.Unmarshal(e, &m, false) == nil && m.Role != "" {
			return nil, false
		}
	}
	return list, true
}

// ChatMessage is a message of a completion that is given as a chat, as far as its text is
// concerned.
type ChatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// answerText returns the text of one answer.
func answerText(data json.RawMessage) (string, error) {
	if !rowjson.Present(data) {
		return "", fmt.Errorf("%w: no response", ErrRow)
	}
	switch data[0] {
	case '"':
		s, err := rowjson.String(data)
		return s, err
	case '[':
		var messages []ChatMessage
		err := rowjson.Unmarshal(data, &messages, false)
		if rowjson.IsRepeated(err) {
			return "", fmt.Errorf("%w: a chat message: %w", ErrRow, err)
		}
		if err != nil {
			return "", fmt.Errorf("%w: a list that holds something else than chat messages", ErrRow)
		}
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].Role == "assistant" {
				return ContentText(messages[i].Content)
			}
		}
		return "", fmt.Errorf("%w: no message by the assistant", ErrRow)
	case '{':
		var w struct {
			ChatMessage
			Response   json.RawMessage `json:"response"`
			Completion json.RawMessage `json:"completion"`
		}
		if err := rowjson.Unmarshal(data, &w, false); err != nil {
			return "", fmt.Errorf("%w: %s", ErrRow, rowjson.Fault(err))
		}
		if inner := firstMember(w.Response, w.Completion); rowjson.Present(inner) {
			if inner[0] == '{' { // no towers of objects
				return "", fmt.Errorf("%w: an object inside a response", ErrRow)
			}
			return answerText(inner)
		}
		if w.Role == "assistant" {
			return ContentText(w.Content)
		}
	}
	return "", fmt.Errorf("%w: the response is neither a string nor a chat", ErrRow)
}

// ContentText returns the text of a chat message: a string, or parts of which
// those with text count.
func ContentText(data json.RawMessage) (string, error) {
	if !rowjson.Present(data) {
		return "", nil // a message that only calls tools says nothing
	}
	if s, ok := text(data); ok {
		return s, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	err := rowjson.Unmarshal(data, &parts, false)
	if rowjson.IsRepeated(err) {
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

// text reads a value that has been found to be JSON; false if it is no string.
func text(data json.RawMessage) (string, bool) {
	if data[0] != '"' {
		return "", false
	}
	s, err := rowjson.String(data)
	return s, err == nil
}

// listOf splits a value that has been found to be JSON; false if it is no list.
func listOf(data json.RawMessage) ([]json.RawMessage, bool) {
	if data[0] != '[' {
		return nil, false
	}
	list, _, err := rowjson.Elements[json.RawMessage](data, len(data))
	return list, err == nil
}

func firstMember(members ...json.RawMessage) json.RawMessage {
	for _, m := range members {
		if rowjson.Present(m) {
			return m
		}
	}
	return nil
}

// AnswerTextOf is answerText for a value that has not been checked.
func AnswerTextOf(raw []byte) (string, error) {
	if len(raw) > 0 && raw[0] == '"' {
		return rowjson.String(raw)
	}
	return answerText(raw)
}
