package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/llmbridge/prompt"
)

// Probe finds out what the server can do, with about twenty calls of a few tokens each, and sets the
// client's Capabilities. The error says that the server cannot be reached, refuses the key, or answers
// neither chats nor completions.
func (c *Client) Probe(ctx context.Context) (Capabilities, error) {
	c.probing.Store(true)
	defer c.probing.Store(false)
	p := &prober{c: c, caps: Capabilities{Server: "unknown", Model: c.opt.Model}}
	p.identify(ctx)
	p.save()
	for _, step := range []func(context.Context) error{p.chat, p.completions, p.logprobs, p.several, p.stream, p.grammars, p.score} {
		if err := step(ctx); err != nil {
			return p.caps, err
		}
		p.save()
	}
	return p.caps, nil
}

type prober struct {
	c    *Client
	caps Capabilities
}

func (p *prober) save() {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	p.caps.Dropped = append([]string(nil), p.caps.Dropped...)
	p.c.caps = p.caps
}

func (p *prober) note(format string, args ...any) {
	p.caps.Notes = append(p.caps.Notes, fmt.Sprintf(format, args...))
}

// identify recognises the server. That only decides how its features are requested.
func (p *prober) identify(ctx context.Context) {
	c := p.c
	var models struct {
		Data []struct {
			ID      string `json:"id"`
			OwnedBy string `json:"owned_by"`
		} `json:"data"`
	}
	h, err := c.getJSON(ctx, c.base+"/models", &models)
	if err == nil {
		listed := false
		for _, m := range models.Data {
			listed = listed || m.ID == c.opt.Model || m.ID == c.opt.Model+":latest" // Ollama
			switch owner := strings.ToLower(m.OwnedBy); {
			case owner == "vllm":
				p.caps.Server = "vllm"
			case owner == "llamacpp" || h.Get("Server") == "llama.cpp":
				p.caps.Server = "llama.cpp"
			case owner == "score-server": // ours, see docs/MODELS.md
				p.caps.Server = owner
			case owner == "me":
				p.caps.Server = "llama-cpp-python"
			case owner == "openai" || owner == "system" || strings.HasPrefix(owner, "openai-"):
				p.caps.Server = "openai"
			}
		}
		if !listed && len(models.Data) > 0 {
			p.note("the server does not list the model %q", c.opt.Model)
		}
	}
	switch {
	case p.caps.Server != "unknown":
	case p.versioned(ctx, "/api/version"): // the owner is the namespace of the model's name
		p.caps.Server = "ollama"
	case p.versioned(ctx, "/version"):
		p.caps.Server = "vllm"
	}
}

// versioned reports whether the server has a route that returns its version.
func (p *prober) versioned(ctx context.Context, route string) bool {
	var out struct {
		Version string `json:"version"`
	}
	_, err := p.c.getJSON(ctx, p.c.root+route, &out)
	return err == nil && out.Version != ""
}

// probeInput returns a short question.
func (p *prober) probeInput() Input {
	if p.caps.Chat {
		return Input{Messages: []prompt.Message{{Role: "user", Content: "Count: 1 2 3"}}}
	}
	return Input{Prompt: "1 2 3 4 5"}
}

// refusal returns the *Error in err, and reports whether the server refused the request. Other errors say
// nothing about what the server can do.
func refusal(err error) (*Error, bool) {
	var e *Error
	if !errors.As(err, &e) {
		return nil, false
	}
	switch e.Kind {
	case KindRefused, KindMalformed, KindUnsupported:
		return e, true
	case KindOutage: // some servers answer 500 to what they do not know
		return e, e.Status == 500
	}
	return e, false
}

// chat asks for one token. As long as the server refuses a parameter, it drops that one and asks again.
func (p *prober) chat(ctx context.Context) error {
	p.caps.Chat = true
	for range 8 {
		p.save()
		seed := int64(1)
		resp, err := p.c.Generate(ctx, &Request{Input: p.probeInput(), MaxTokens: 1, Seed: &seed, Stop: []string{"\n\n\n"}})
		if err == nil {
			p.caps.Usage = resp.Usage != nil
			return nil
		}
		e, ok := refusal(err)
		if !ok {
			return err
		}
		if e.Status == 404 || e.Status == 405 || e.Status == 501 || !p.adapt(e) {
			p.caps.Chat = false
			p.note("no chats: %s", e.Message)
			return nil
		}
	}
	p.caps.Chat = false
	return nil
}

// adapt drops the parameter that an error names. It returns false if the error names none.
func (p *prober) adapt(e *Error) bool {
	c := p.c
	if strings.Contains(e.Message, "max_completion_tokens") && c.maxTokensField() == "max_tokens" {
		c.mu.Lock()
		c.maxField = "max_completion_tokens"
		c.mu.Unlock()
		return true
	}
	for _, name := range []string{"temperature", "top_p", "top_k", "min_p", "repetition_penalty", "repeat_penalty", "seed", "stop"} {
		quoted := strings.Contains(e.Message, "'"+name+"'") || strings.Contains(e.Message, `"`+name+`"`) || strings.Contains(e.Message, "`"+name+"`")
		if e.param == name || quoted {
			for _, d := range p.caps.Dropped {
				if d == name {
					return false
				}
			}
			p.caps.Dropped = append(p.caps.Dropped, name)
			p.note("%s is not taken: %s", name, e.Message)
			return true
		}
	}
	return false
}

func (p *prober) completions(ctx context.Context) error {
	resp, err := p.c.Generate(ctx, &Request{Input: Input{Prompt: "1 2 3 4 5"}, MaxTokens: 1})
	if err != nil {
		e, ok := refusal(err)
		if !ok {
			return err
		}
		p.note("no completions: %s", e.Message)
		if !p.caps.Chat {
			return errorf(KindUnsupported, "the server answers neither chats nor completions: %s", e.Message)
		}
		return nil
	}
	p.caps.Completions = true
	p.caps.Usage = p.caps.Usage || resp.Usage != nil
	return nil
}

func (p *prober) logprobs(ctx context.Context) error {
	for _, top := range []int{20, 5, 1} {
		resp, err := p.c.Generate(ctx, &Request{Input: p.probeInput(), MaxTokens: 1, TopLogprobs: &top})
		if err != nil {
			if _, ok := refusal(err); !ok {
				return err
			}
			continue
		}
		if t := resp.Samples[0].Tokens; len(t) > 0 {
			p.caps.Logprobs, p.caps.TopLogprobs = true, len(t[0].Top)
			return nil
		}
	}
	return nil
}

// several asks for two samples at once. If the server counts the tokens of only one of them, the client
// will ask for one at a time, so that the usage is right.
func (p *prober) several(ctx context.Context) error {
	if p.caps.Server == "ollama" {
		p.note("one sample a call: the server has no parameter for more")
		return nil
	}
	req := &Request{Input: p.probeInput(), N: 2, MaxTokens: 2, Temperature: 1}
	if p.caps.Logprobs {
		zero := 1
		req.TopLogprobs = &zero
	}
	p.caps.N = true
	p.save()
	resp, err := p.c.generate(ctx, req, &p.caps, 2, 0)
	p.caps.N = false
	switch e, ok := refusal(err); {
	case err == nil:
	case ok:
		p.note("one sample a call: %s", e.Message)
		return nil
	default:
		return err
	}
	tokens := int64(0)
	for _, s := range resp.Samples {
		tokens += int64(len(s.Tokens))
	}
	switch {
	case len(resp.Samples) != 2:
		p.note("one sample a call: two were asked for and %d came", len(resp.Samples))
	case resp.Usage != nil && resp.Usage.Completion < tokens:
		p.note("one sample a call: of two samples with %d tokens the server counts %d", tokens, resp.Usage.Completion)
	default:
		p.caps.N = true
	}
	return nil
}

func (p *prober) stream(ctx context.Context) error {
	_, err := p.c.Generate(ctx, &Request{Input: p.probeInput(), MaxTokens: 1, OnChunk: func(Chunk) {}})
	if _, ok := refusal(err); err != nil && !ok {
		return err
	}
	p.caps.Stream = err == nil
	return nil
}

// grammars tries each notation with a language of one word that no model would say by itself.
func (p *prober) grammars(ctx context.Context) error {
	const word = "zq7"
	tests := []Grammar{
		{GrammarGBNF, `root ::= "` + word + `"`},
		{GrammarLark, `start: "` + word + `"`},
		{GrammarRegex, word},
		{GrammarJSONSchema, `{"type":"object","properties":{"w":{"type":"string","enum":["` + word + `"]}},"required":["w"],"additionalProperties":false}`},
		{GrammarChoice, word + "\n" + word + "x"},
	}
	for _, g := range tests {
		switch p.caps.Server {
		case "llama-cpp-python":
			if g.Kind == GrammarLark || g.Kind == GrammarRegex {
				continue // it only takes GBNF, and crashes on other texts
			}
		case "ollama":
			if g.Kind != GrammarJSONSchema {
				continue // it takes no other kind
			}
		}
		p.caps.Grammars = append(p.caps.Grammars, g.Kind)
		p.save()
		obeyed, err := p.obeys(ctx, &g, word)
		if !obeyed && err == nil && p.caps.Server == "vllm" && p.c.grammarAs == "structured" && len(p.caps.Grammars) == 1 {
			p.setGuided("guided") // vLLM before structured_outputs
			if obeyed, err = p.obeys(ctx, &g, word); !obeyed {
				p.setGuided("structured")
			}
		}
		if err != nil {
			return err
		}
		if !obeyed {
			p.caps.Grammars = p.caps.Grammars[:len(p.caps.Grammars)-1]
		}
	}
	return nil
}

func (p *prober) setGuided(as string) {
	p.c.mu.Lock()
	p.c.grammarAs = as
	p.c.mu.Unlock()
}

func (p *prober) obeys(ctx context.Context, g *Grammar, word string) (bool, error) {
	resp, err := p.c.Generate(ctx, &Request{Input: p.probeInput(), MaxTokens: 40, Grammar: g})
	if err != nil {
		_, ok := refusal(err)
		if ok {
			return false, nil
		}
		return false, err
	}
	text := strings.TrimSpace(resp.Samples[0].Text)
	if g.Kind == GrammarJSONSchema {
		return strings.HasPrefix(text, "{") && strings.Contains(text, `"`+word+`"`), nil
	}
	return strings.HasPrefix(text, word), nil
}

// score tries the methods, best first, on two continuations, one far likelier than the other.
func (p *prober) score(ctx context.Context) error {
	var methods []ScoreMethod
	if p.caps.Completions && p.caps.Server != "ollama" { // Ollama has no route for any of these
		methods = append(methods, ScorePrompt, ScoreEcho, ScoreForced)
	}
	if p.caps.TopLogprobs > 1 {
		methods = append(methods, ScoreTop)
	}
	req := &ScoreRequest{Input: Input{Prompt: "1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7"}, Continuations: []string{" 8", " banana"}}
	for _, m := range methods {
		if m == ScoreTop {
			p.caps.Score = m // each call checks whether its continuations are single tokens
			return nil
		}
		got, err := p.c.scoreBy(ctx, req, m)
		if err != nil {
			if _, ok := refusal(err); !ok && KindOf(err) != KindAuth {
				return err
			}
			continue
		}
		likely, unlikely := got.Scores[0], got.Scores[1]
		if likely.Tokens > 0 && unlikely.Tokens > 0 && unlikely.Logprob < likely.Logprob {
			p.caps.Score = m
			return nil
		}
	}
	return nil
}
