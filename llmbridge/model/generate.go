package model

import (
	"context"
	"io"
	"mime"
	"net/http"
	"slices"
	"unicode/utf8"
)

// defaultMaxTokens is sent if the caller sets no bound. The servers' own defaults range from 16 tokens to
// no bound at all.
const defaultMaxTokens = 2048

// check refuses input that no server can answer, and text that a transcript cannot store unchanged.
func (in *Input) check() error {
	if (len(in.Messages) == 0) == (in.Prompt == "") {
		return errorf(KindRefused, "a request needs messages or a prompt, and not both")
	}
	texts := []string{in.Prompt}
	for _, m := range in.Messages {
		texts = append(texts, m.Role, m.Content)
	}
	return checkUTF8(texts...)
}

func checkUTF8(texts ...string) error {
	for _, t := range texts {
		if !utf8.ValidString(t) {
			return errorf(KindRefused, "a request has text that is not UTF-8")
		}
	}
	return nil
}

func (r *Request) check() error {
	if err := r.Input.check(); err != nil {
		return err
	}
	switch {
	case !(r.Temperature >= 0 && r.Temperature <= 100) || !(r.TopP >= 0 && r.TopP <= 1):
		return errorf(KindRefused, "temperature %g or top_p %g is out of range", r.Temperature, r.TopP)
	case r.N < 0 || r.N > maxSamples || r.MaxTokens < 0 || r.Sample < 0:
		return errorf(KindRefused, "the number of samples must be from 0 to %d, and the number of tokens not negative", maxSamples)
	case r.TopLogprobs != nil && *r.TopLogprobs < 0:
		return errorf(KindRefused, "the number of alternatives must not be negative")
	case r.Grammar != nil && checkUTF8(r.Grammar.Text) != nil:
		return errorf(KindRefused, "the grammar is not UTF-8")
	}
	return checkUTF8(r.Stop...)
}

func (r *ScoreRequest) check() error {
	if err := r.Input.check(); err != nil {
		return err
	}
	return checkUTF8(r.Continuations...)
}

// maxSamples bounds the samples of one request.
const maxSamples = 4096

// Generate implements Model.
func (c *Client) Generate(ctx context.Context, req *Request) (*Response, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	caps := c.Capabilities()
	if req.Grammar != nil && !caps.Grammar(req.Grammar.Kind) {
		return nil, errorf(KindUnsupported, "%s does not obey grammars of kind %s", c.Name(), req.Grammar.Kind)
	}
	var out *Response
	for n := req.samples(); out == nil || len(out.Samples) < n; {
		done := 0
		if out != nil {
			done = len(out.Samples)
		}
		want := n - done
		if !caps.N {
			want = 1
		}
		part, err := c.generate(ctx, req, &caps, want, done)
		if err != nil {
			if out != nil {
				out.Constrained = req.Grammar != nil
			}
			return out, err
		}
		if len(part.Samples) > want {
			part.Samples = part.Samples[:want] // a server that ignores n
		}
		out = merge(out, part)
	}
	out.Constrained = req.Grammar != nil
	return out, nil
}

func merge(a, b *Response) *Response {
	if a == nil {
		return b
	}
	a.Samples = append(a.Samples, b.Samples...)
	if a.Usage == nil || b.Usage == nil {
		a.Usage = nil // partly unknown is unknown
	} else {
		a.Usage.Add(*b.Usage)
	}
	return a
}

// generate makes one call for want samples of a request that already has done samples.
func (c *Client) generate(ctx context.Context, req *Request, caps *Capabilities, want, done int) (*Response, error) {
	path, body := c.body(req, caps)
	options, read := body, readResponse
	if caps.Server == "ollama" {
		path, body = c.ollamaBody(req)
		options, read = body["options"].(map[string]any), readOllama
	} else if want > 1 {
		body["n"] = want
	}
	if req.Seed != nil {
		options["seed"] = *req.Seed + int64(done)
	}
	if c.opt.Stream || req.OnChunk != nil {
		body["stream"] = true
		if caps.Server != "ollama" {
			body["stream_options"] = map[string]any{"include_usage": true}
		}
	}
	drop(body, caps)
	var out *Response
	restart := func() {
		if req.OnChunk != nil {
			for i := range want {
				req.OnChunk(Chunk{Index: done + i, Restart: true})
			}
		}
	}
	err := c.call(ctx, path, body, func(r io.Reader, h http.Header) error {
		got, err := read(r, h, done, req.OnChunk)
		if err != nil {
			return err
		}
		if req.TopLogprobs != nil {
			for i := range got.Samples {
				if s := &got.Samples[i]; s.Tokens == nil && s.Text != "" {
					return errorf(KindMalformed, "the answer has no log-probabilities though they were asked for")
				}
			}
		}
		out = got
		return nil
	}, restart)
	return out, err
}

// readResponse reads an answer, whether the server sent it in one piece or as a stream.
func readResponse(r io.Reader, h http.Header, first int, onChunk func(Chunk)) (*Response, error) {
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind == "text/event-stream" {
		return readStream(r, first, onChunk)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	out, err := parseAnswer(data)
	if err == nil && onChunk != nil {
		for i := range out.Samples {
			onChunk(Chunk{Index: first + i, Text: out.Samples[i].Text})
		}
	}
	return out, err
}

// body returns the body of a request, without n, seed and streaming.
func (c *Client) body(req *Request, caps *Capabilities) (path string, body map[string]any) {
	body = map[string]any{"model": c.opt.Model, "temperature": req.Temperature, "top_p": 1.0}
	if req.TopP > 0 {
		body["top_p"] = req.TopP
	}
	maxTokens := req.MaxTokens
	setDefault(&maxTokens, defaultMaxTokens)
	if len(req.Messages) > 0 {
		path = c.base + "/chat/completions"
		body["messages"] = req.Messages
		body[c.maxTokensField()] = maxTokens
		if req.TopLogprobs != nil {
			body["logprobs"] = true
			body["top_logprobs"] = *req.TopLogprobs
		}
	} else {
		path = c.base + "/completions"
		body["prompt"] = req.Prompt
		body["max_tokens"] = maxTokens
		if req.TopLogprobs != nil {
			body["logprobs"] = max(1, *req.TopLogprobs)
		}
	}
	if len(req.Stop) > 0 {
		body["stop"] = req.Stop
	}
	c.neutralSampling(body, caps)
	if req.Grammar != nil {
		c.addGrammar(body, req.Grammar, caps)
	}
	return path, body
}

// neutralSampling switches off the samplers that a server applies by default, so that temperature and top_p
// mean the same everywhere.
func (c *Client) neutralSampling(body map[string]any, caps *Capabilities) {
	switch caps.Server {
	case "llama.cpp", "llama-cpp-python":
		body["top_k"], body["min_p"], body["repeat_penalty"] = 0, 0.0, 1.0
	case "vllm":
		body["top_k"], body["min_p"], body["repetition_penalty"] = -1, 0.0, 1.0
	}
}

// addGrammar adds a grammar in the form that the server takes.
func (c *Client) addGrammar(body map[string]any, g *Grammar, caps *Capabilities) {
	switch {
	case caps.Server == "vllm":
		field := map[GrammarKind]string{
			GrammarGBNF: "grammar", GrammarLark: "grammar", GrammarRegex: "regex", GrammarJSONSchema: "json", GrammarChoice: "choice",
		}[g.Kind]
		var value any = g.Text
		switch g.Kind {
		case GrammarJSONSchema:
			value = rawJSON(g.Text)
		case GrammarChoice:
			value = choices(g.Text)
		}
		c.mu.Lock()
		as := c.grammarAs
		c.mu.Unlock()
		if as == "guided" {
			body["guided_"+field] = value
		} else {
			body["structured_outputs"] = map[string]any{field: value}
		}
	case g.Kind == GrammarJSONSchema && caps.Server == "llama-cpp-python":
		body["response_format"] = map[string]any{"type": "json_object", "schema": rawJSON(g.Text)}
	case g.Kind == GrammarJSONSchema:
		body["response_format"] = map[string]any{"type": "json_schema",
			"json_schema": map[string]any{"name": "answer", "strict": true, "schema": rawJSON(g.Text)}}
	case g.Kind == GrammarChoice:
		body["grammar"] = gbnfChoice(g.Text)
	default:
		body["grammar"] = g.Text
	}
}

func (c *Client) maxTokensField() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.maxField
}

// drop removes the parameters that the server is known to refuse.
func drop(body map[string]any, caps *Capabilities) {
	for name := range body {
		if slices.Contains(caps.Dropped, name) {
			delete(body, name)
		}
	}
	if _, streams := body["stream"]; !streams {
		delete(body, "stream_options")
	}
}
