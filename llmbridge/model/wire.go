package model

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/planproof/planproof/internal/rowjson"
)

// wireAnswer is the body of a chat completion or a completion, or one event in a stream of either.
type wireAnswer struct {
	Model   string          `json:"model"`
	Choices []wireChoice    `json:"choices"`
	Usage   *wireUsage      `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type wireChoice struct {
	Index          int              `json:"index"`
	Message        *wireMessage     `json:"message"`
	Delta          *wireMessage     `json:"delta"`
	Text           *string          `json:"text"` // of a completion
	FinishReason   *string          `json:"finish_reason"`
	Logprobs       *wireLogprobs    `json:"logprobs"`
	PromptLogprobs []wirePromptSpot `json:"prompt_logprobs"` // vLLM
}

type wireMessage struct {
	Content          json.RawMessage `json:"content"`
	Reasoning        *string         `json:"reasoning"`         // vLLM today
	ReasoningContent *string         `json:"reasoning_content"` // earlier vLLM, DeepSeek, llama.cpp
}

// wireLogprobs has both layouts: Content for chats (and for everything in llama.cpp), parallel lists for
// completions.
type wireLogprobs struct {
	Content       []wireToken          `json:"content"`
	Tokens        []string             `json:"tokens"`
	TokenLogprobs []*float64           `json:"token_logprobs"`
	TopLogprobs   []map[string]float64 `json:"top_logprobs"`
	TextOffset    []int                `json:"text_offset"`
}

type wireToken struct {
	Token       string      `json:"token"`
	ID          *int64      `json:"id"`
	Logprob     *float64    `json:"logprob"`
	TopLogprobs []wireToken `json:"top_logprobs"`
}

// wirePromptSpot maps token ids at one position of a prompt to their log-probabilities.
type wirePromptSpot map[string]struct {
	Logprob *float64 `json:"logprob"`
}

type wireUsage struct {
	PromptTokens     *int64 `json:"prompt_tokens"`
	CompletionTokens *int64 `json:"completion_tokens"`
	PromptDetails    *struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage returns nil unless the server counted prompt and completion: unknown is not zero.
func (u *wireUsage) usage() *Usage {
	if u == nil || u.PromptTokens == nil || u.CompletionTokens == nil || *u.PromptTokens < 0 || *u.CompletionTokens < 0 {
		return nil
	}
	out := &Usage{Prompt: *u.PromptTokens, Completion: *u.CompletionTokens}
	if u.PromptDetails != nil {
		out.Cached = u.PromptDetails.Cached
	}
	if u.CompletionDetails != nil {
		out.Reasoning = u.CompletionDetails.Reasoning
	}
	return out
}

// contentText reads the content of a message: a string, null, or a list of parts.
func contentText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var text string
	if rowjson.Unmarshal(raw, &text, false) == nil {
		return text, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := rowjson.Unmarshal(raw, &parts, false); err != nil {
		return "", errorf(KindMalformed, "the content of a message is neither text nor a list of parts")
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, nil
}

// hasText reports whether a message has content, possibly empty.
func (m *wireMessage) hasText() bool {
	return m != nil && len(m.Content) > 0 && string(m.Content) != "null"
}

func (m *wireMessage) read() (text, reasoning string, err error) {
	if m == nil {
		return "", "", nil
	}
	text, err = contentText(m.Content)
	switch {
	case m.Reasoning != nil:
		reasoning = *m.Reasoning
	case m.ReasoningContent != nil:
		reasoning = *m.ReasoningContent
	}
	return text, reasoning, err
}

// tokens converts either layout. A token without a log-probability is malformed.
func (l *wireLogprobs) tokens() ([]Token, error) {
	if l == nil {
		return nil, nil
	}
	if len(l.Content) > 0 {
		return contentTokens(l.Content)
	}
	if len(l.TokenLogprobs) != len(l.Tokens) || len(l.TopLogprobs) > 0 && len(l.TopLogprobs) != len(l.Tokens) {
		return nil, errorf(KindMalformed, "the lists of tokens and of log-probabilities differ in length")
	}
	var out []Token
	for i, text := range l.Tokens {
		lp, err := logprob(l.TokenLogprobs[i])
		if err != nil {
			return nil, err
		}
		t := Token{Text: text, Logprob: lp}
		if len(l.TopLogprobs) > 0 {
			for text, lp := range l.TopLogprobs[i] {
				t.Top = append(t.Top, Token{Text: text, Logprob: lp})
			}
			sortTop(t.Top)
		}
		out = append(out, t)
	}
	return out, nil
}

func contentTokens(list []wireToken) ([]Token, error) {
	var out []Token
	for _, w := range list {
		lp, err := logprob(w.Logprob)
		if err != nil {
			return nil, err
		}
		t := Token{Text: w.Token, Logprob: lp}
		for _, alt := range w.TopLogprobs {
			lp, err := logprob(alt.Logprob)
			if err != nil {
				return nil, err
			}
			t.Top = append(t.Top, Token{Text: alt.Token, Logprob: lp})
		}
		sortTop(t.Top)
		out = append(out, t)
	}
	return out, nil
}

// sortTop sorts alternatives by probability and then by text, because servers promise no order and a map has
// none.
func sortTop(top []Token) {
	slices.SortFunc(top, func(a, b Token) int {
		switch {
		case a.Logprob > b.Logprob:
			return -1
		case a.Logprob < b.Logprob:
			return 1
		}
		return strings.Compare(a.Text, b.Text)
	})
}

// logprob checks a log-probability. Rounding may make it slightly positive.
func logprob(v *float64) (float64, error) {
	if v == nil {
		return 0, errorf(KindMalformed, "a token has no log-probability")
	}
	if math.IsNaN(*v) || *v > 1e-3 {
		return 0, errorf(KindMalformed, "%g is not a log-probability", *v)
	}
	return min(*v, 0), nil
}

// finish maps the servers' finish reasons to ours. Unknown ones stay as they are.
func finish(reason *string) Finish {
	if reason == nil {
		return ""
	}
	switch *reason {
	case "eos", "end_turn", "stop_sequence":
		return FinishStop
	case "max_tokens":
		return FinishLength
	}
	return Finish(*reason)
}

// sample converts a choice of an answer in one piece.
func (w *wireChoice) sample() (Sample, error) {
	var s Sample
	var err error
	switch {
	case w.Message != nil:
		s.Text, s.Reasoning, err = w.Message.read()
		s.NoText = !w.Message.hasText()
	case w.Text != nil:
		s.Text = *w.Text
	default:
		err = errorf(KindMalformed, "a choice has neither a message nor a text")
	}
	if err != nil {
		return s, err
	}
	s.Finish = finish(w.FinishReason)
	if s.Tokens, err = w.Logprobs.tokens(); err != nil {
		return s, err
	}
	s.dropEnd()
	return s, nil
}

// dropEnd removes the end token of an answer, which has no text. llama.cpp reports it in an answer in one
// piece, but not in a stream.
func (s *Sample) dropEnd() {
	if n := len(s.Tokens); n > 0 && s.Finish == FinishStop && s.Tokens[n-1].Text == "" {
		s.Tokens = s.Tokens[:n-1]
	}
}

// response converts an answer in one piece.
func (a *wireAnswer) response() (*Response, error) {
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, errorf(KindOutage, "the server reports: %s", parseWireError([]byte(`{"error":`+string(a.Error)+`}`)).Message)
	}
	if len(a.Choices) == 0 {
		return nil, errorf(KindMalformed, "the answer has no choices")
	}
	choices := slices.Clone(a.Choices)
	slices.SortStableFunc(choices, func(x, y wireChoice) int { return x.Index - y.Index })
	out := &Response{Model: a.Model, Usage: a.Usage.usage()}
	for i := range choices {
		if i > 0 && choices[i].Index == choices[i-1].Index {
			return nil, errorf(KindMalformed, "two choices have the index %d", choices[i].Index)
		}
		s, err := choices[i].sample()
		if err != nil {
			return nil, err
		}
		out.Samples = append(out.Samples, s)
	}
	return out, nil
}

// parseAnswer reads the body of an answer in one piece.
func parseAnswer(data []byte) (*Response, error) {
	var a wireAnswer
	if err := decodeJSON(data, &a); err != nil {
		return nil, err
	}
	return a.response()
}

// gbnfChoice writes a choice as a GBNF grammar.
func gbnfChoice(text string) string {
	var alts []string
	for _, line := range choices(text) {
		quoted, _ := rowjson.AppendValue(nil, line) // GBNF's escapes are JSON's
		alts = append(alts, string(quoted))
	}
	return fmt.Sprintf("root ::= %s", strings.Join(alts, " | "))
}

// choices returns the texts of a choice, one per line.
func choices(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, strings.TrimRight(line, "\n"))
	}
	return out
}

// rawJSON keeps a schema as it is. Text that is not JSON becomes a string, which the server will refuse.
func rawJSON(text string) any {
	if rowjson.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}
