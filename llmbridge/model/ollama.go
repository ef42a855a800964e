package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// We use Ollama's own routes, /api/chat and /api/generate. Its OpenAI-compatible routes silently shorten a
// prompt that is too long (earlier messages first, then its middle), put completions into the chat
// template, and always apply the sampler settings of the model file (top_k 40, repeat_penalty 1.1).

// ollamaBody returns the body of a request for Ollama, without seed and streaming.
func (c *Client) ollamaBody(req *Request) (path string, body map[string]any) {
	options := map[string]any{"temperature": req.Temperature, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0, "num_predict": req.MaxTokens}
	if req.TopP > 0 {
		options["top_p"] = req.TopP
	}
	if req.MaxTokens == 0 {
		options["num_predict"] = defaultMaxTokens
	}
	if len(req.Stop) > 0 {
		options["stop"] = req.Stop
	}
	// shift would forget the beginning when an answer fills the context.
	body = map[string]any{"model": c.opt.Model, "options": options, "truncate": false, "shift": false, "stream": false}
	path = c.root + "/api/chat"
	if len(req.Messages) > 0 {
		body["messages"] = req.Messages
	} else {
		path = c.root + "/api/generate"
		body["prompt"], body["raw"] = req.Prompt, true // no template
	}
	if req.TopLogprobs != nil {
		body["logprobs"], body["top_logprobs"] = true, *req.TopLogprobs
	}
	if g := req.Grammar; g != nil { // of kind json-schema, the only kind that the probe finds
		body["format"] = rawJSON(g.Text)
	}
	return path, body
}

// ollamaAnswer is a whole answer of Ollama or one piece of a stream.
type ollamaAnswer struct {
	Model      string          `json:"model"`
	Message    *wireMessage    `json:"message"`  // of a chat
	Response   *string         `json:"response"` // of a completion
	Thinking   string          `json:"thinking"` // of a completion
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason"`
	Logprobs   []wireToken     `json:"logprobs"`
	Prompt     int64           `json:"prompt_eval_count"`
	Completion int64           `json:"eval_count"`
	Error      json.RawMessage `json:"error"`
}

// ollamaLoop is the number of consecutive equal pieces after which Ollama ends an answer.
const ollamaLoop = 30

// ollamaCollector assembles the pieces of an answer.
type ollamaCollector struct {
	out   Response
	done  bool
	last  string
	equal int // consecutive pieces that differ at most in spaces
}

func (o *ollamaCollector) piece(data []byte) (string, error) {
	var a ollamaAnswer
	if err := decodeJSON(data, &a); err != nil {
		return "", err
	}
	if len(a.Error) > 0 {
		return "", errorf(KindOutage, "the server reports: %s", parseWireError(data).Message)
	}
	if a.Message == nil && a.Response == nil {
		return "", errorf(KindMalformed, "an answer has neither a message nor a response")
	}
	text, reasoning, err := a.Message.read()
	if err != nil {
		return "", err
	}
	if a.Response != nil {
		text, reasoning = *a.Response, a.Thinking
	}
	tokens, err := contentTokens(a.Logprobs)
	if err != nil {
		return "", err
	}
	if o.out.Samples == nil {
		o.out.Samples = []Sample{{NoText: true}}
	}
	s := &o.out.Samples[0]
	s.NoText = s.NoText && a.Response == nil && !a.Message.hasText()
	s.Text += text
	s.Reasoning += reasoning
	s.Tokens = append(s.Tokens, tokens...)
	o.out.Model = a.Model
	if trimmed := strings.TrimSpace(text); trimmed == o.last {
		o.equal++
	} else {
		o.last, o.equal = trimmed, 0
	}
	if a.Done {
		o.done = true
		s.Finish = finish(&a.DoneReason)
		o.out.Usage = &Usage{Prompt: a.Prompt, Completion: a.Completion}
	}
	return text, nil
}

// readOllama reads an answer in one piece or as lines of JSON. An answer that ends without being done
// repeated itself, and the server ended it: it counts as cut off and has no usage.
func readOllama(r io.Reader, h http.Header, first int, onChunk func(Chunk)) (*Response, error) {
	o := &ollamaCollector{}
	piece := func(data []byte) error {
		if !utf8.Valid(data) {
			return errorf(KindMalformed, "the answer is not UTF-8")
		}
		text, err := o.piece(data)
		if err == nil && text != "" && onChunk != nil {
			onChunk(Chunk{Index: first, Text: text})
		}
		return err
	}
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind != "application/x-ndjson" {
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if err := piece(data); err != nil {
			return nil, err
		}
		if !o.done {
			o.out.Samples[0].Finish = FinishLength
		}
		return &o.out, nil
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxEvent)
	for in.Scan() {
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 {
			if err := piece(line); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case errors.Is(in.Err(), bufio.ErrTooLong):
		return nil, errorf(KindMalformed, "a line of the stream is longer than %d MB", maxEvent>>20)
	case in.Err() != nil:
		return nil, in.Err()
	case o.done:
	case o.equal >= ollamaLoop:
		o.out.Samples[0].Finish = FinishLength
	default:
		return nil, errorf(KindMalformed, "the stream broke off in the middle of an answer")
	}
	return &o.out, nil
}
