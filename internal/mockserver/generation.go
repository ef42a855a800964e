package mockserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/planproof/planproof/internal/pattern"
)

// generation answers chats and completions.
func (s *Server) generation(w http.ResponseWriter, r *http.Request) {
	body := decode(r)
	fault := s.next(Request{r.URL.Path, r.Header.Clone(), body})
	defer s.leave()
	stream, _ := body["stream"].(bool)
	if s.opt.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.opt.Key {
		refuse(w, 401, "wrong key", "")
		return
	}
	if s.ended(body) {
		panic(http.ErrAbortHandler)
	}
	if s.spoil(w, r, fault, stream) {
		return
	}
	if status, msg, param := s.objection(body); status != 0 {
		refuse(w, status, msg, param)
		return
	}
	chat := strings.HasSuffix(r.URL.Path, "/chat/completions")
	n := 1
	if v, ok := body["n"].(float64); ok && s.opt.Flavour != LlamaPy {
		n = int(v)
	}
	if fault == WrongN {
		if n--; n == 0 {
			n = 2
		}
	}
	if prompts := promptsOf(body); prompts != nil {
		s.several(w, body, prompts)
		return
	}
	a := s.answer(body, n, chat)
	if fault == NoLogprobs {
		a.tops = 0
		a.logprobs = false
	}
	a.bad, a.noUsage = fault == BadLogprobs, fault == NoUsage
	if stream {
		s.stream(w, a, fault)
		return
	}
	var choices []any
	for i := range a.texts {
		choices = append(choices, s.choice(a, i, false))
	}
	out := map[string]any{"model": s.opt.Model, "choices": choices}
	if !a.noUsage {
		out["usage"] = a.usage(s.opt.Flavour)
	}
	reply(w, 200, out)
}

// ended reports whether the server has ended: llama-cpp-python's does, for good, when it is
// given a grammar that is no GBNF.
func (s *Server) ended(body map[string]any) bool {
	g, ok := body["grammar"].(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = s.dead || s.opt.Flavour == LlamaPy && ok && !strings.HasPrefix(g, "root ::=")
	return s.dead
}

// promptsOf returns the prompts of a request that has several.
func promptsOf(body map[string]any) []any {
	list, _ := body["prompt"].([]any)
	if len(list) > 0 {
		if _, ok := list[0].([]any); ok {
			return list
		}
	}
	return nil
}

// several answers prompts of token ids in one call; the last comes first.
func (s *Server) several(w http.ResponseWriter, body map[string]any, prompts []any) {
	if s.opt.OnePrompt {
		refuse(w, 400, "prompt must be a text or a list of token ids", "prompt")
		return
	}
	var choices []any
	read, made := 0, 0
	for i, p := range prompts {
		body["prompt"] = p
		a := s.answer(body, 1, false)
		c := s.choice(a, 0, false)
		c["index"] = i
		choices = append([]any{c}, choices...)
		read += len(a.pieces)
		made += len(a.texts[0])
	}
	reply(w, 200, map[string]any{"model": s.opt.Model, "choices": choices, "usage": map[string]any{"prompt_tokens": read, "completion_tokens": made}})
}

// objection is what the flavour refuses.
func (s *Server) objection(body map[string]any) (status int, message, param string) {
	has := func(name string) bool { _, ok := body[name]; return ok }
	switch s.opt.Flavour {
	case OpenAI:
		for _, name := range []string{"grammar", "structured_outputs", "guided_grammar", "top_k", "min_p", "repeat_penalty", "repetition_penalty"} {
			if has(name) {
				return 400, "Unrecognized request argument supplied: " + name, name
			}
		}
		if has("max_tokens") {
			return 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"
		}
		if t, _ := body["temperature"].(float64); has("temperature") && t != 1 {
			return 400, "Unsupported value: 'temperature' does not support this value with this model.", "temperature"
		}
	case VLLM:
		if has("guided_grammar") {
			return 400, "guided_grammar was removed", "guided_grammar"
		}
	case LlamaPy:
		if f, ok := body["response_format"].(map[string]any); ok && f["type"] == "json_schema" {
			return 500, "1 validation error: Input should be 'text' or 'json_object'", ""
		}
	case Llama:
		if g, ok := body["grammar"].(string); ok && !strings.HasPrefix(g, "root ::=") {
			return 400, "failed to parse grammar", ""
		}
	}
	return 0, "", ""
}

type answer struct {
	chat     bool
	prompt   string
	pieces   []string   // of the prompt
	texts    [][]string // pieces
	finish   string
	logprobs bool
	tops     int
	echo     bool
	prompts  []any // vLLM's prompt_logprobs
	bad      bool
	noUsage  bool
}

func (a *answer) usage(f Flavour) map[string]any {
	n := len(a.texts[0])
	if f != Llama { // llama.cpp counts one of several samples
		n = 0
		for _, t := range a.texts {
			n += len(t)
		}
	}
	return map[string]any{"prompt_tokens": len(a.pieces), "completion_tokens": n,
		"prompt_tokens_details": map[string]any{"cached_tokens": 1}}
}

func (s *Server) answer(body map[string]any, n int, chat bool) *answer {
	a := &answer{chat: chat, finish: "stop"}
	last := ""
	switch p := body["prompt"].(type) {
	case string:
		a.prompt, last = p, p
	case []any:
		for _, id := range p {
			id, _ := id.(float64)
			a.pieces = append(a.pieces, s.pieceOf(int64(id)))
		}
		a.prompt = strings.Join(a.pieces, "")
		last = a.prompt
	}
	if m, ok := body["messages"].([]any); ok {
		a.prompt = render(m)
		if len(m) > 0 {
			msg, _ := m[len(m)-1].(map[string]any)
			last, _ = msg["content"].(string)
		}
	}
	if a.pieces == nil {
		a.pieces = s.tokens(a.prompt)
	}
	s.askedLogprobs(a, body)
	limit := 1 << 20
	for _, field := range []string{"max_tokens", "max_completion_tokens"} {
		if v, ok := body[field].(float64); ok {
			limit = int(v)
		}
	}
	for i := range n {
		text, forced := s.constrained(body)
		if !forced {
			text = s.opt.Answer(last, i)
		}
		pieces := s.tokens(text)
		if len(pieces) > limit {
			pieces, a.finish = pieces[:limit], "length"
		}
		if a.echo {
			pieces = append(a.pieces[:len(a.pieces):len(a.pieces)], pieces...)
		}
		a.texts = append(a.texts, pieces)
	}
	return a
}

var (
	quoted  = pattern.New(`"((?:[^"\\]|\\.)*)"`)
	tokenID = pattern.New(`<\[(\d+)\]>`)
	enum    = pattern.New(`"enum":\s*\["([^"]*)"`)
)

// choice is one choice of an answer; of a stream, without its text.
func (s *Server) choice(a *answer, i int, delta bool) map[string]any {
	pieces := a.texts[i]
	c := map[string]any{"index": i, "finish_reason": a.finish}
	if a.prompts != nil {
		c["prompt_logprobs"] = a.prompts
	}
	text := strings.Join(pieces, "")
	switch {
	case delta:
		c["delta"] = map[string]any{}
	case a.chat && s.opt.NoText:
		c["message"] = map[string]any{"role": "assistant", "content": nil, "reasoning": text}
	case a.chat:
		c["message"] = map[string]any{"role": "assistant", "content": text}
	default:
		c["text"] = text
	}
	if a.logprobs && !delta {
		if s.opt.Flavour == Llama && a.finish == "stop" {
			pieces = append(pieces[:len(pieces):len(pieces)], "") // the token of the end; streams lack it
		}
		c["logprobs"] = s.logprobs(a, pieces)
	}
	return c
}

// stream sends an answer a token an event, samples in turn.
func (s *Server) stream(w http.ResponseWriter, a *answer, fault Fault) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(v any) {
		data, _ := json.Marshal(v)
		fmt.Fprintf(w, ": ping\n\ndata: %s\n\n", data)
		flush(w)
	}
	longest := 0
	for _, t := range a.texts {
		longest = max(longest, len(t))
	}
	for k := range longest {
		if k == longest/2 {
			switch fault {
			case HalfStream:
				return
			case StreamError:
				send(map[string]any{"error": map[string]any{"message": "the engine died", "code": 500}})
				return
			}
		}
		for i, t := range a.texts {
			if k >= len(t) {
				continue
			}
			c := map[string]any{"index": i, "finish_reason": nil}
			if a.chat && s.opt.NoText {
				c["delta"] = map[string]any{"reasoning": t[k]}
			} else if a.chat {
				c["delta"] = map[string]any{"content": t[k]}
			} else {
				c["text"] = t[k]
			}
			if a.logprobs {
				c["logprobs"] = s.logprobs(a, t[k:k+1])
			}
			send(map[string]any{"model": s.opt.Model, "choices": []any{c}})
		}
	}
	for i := range a.texts {
		c := s.choice(a, i, true)
		if !a.chat {
			delete(c, "delta")
			c["text"] = ""
		}
		send(map[string]any{"choices": []any{c}})
	}
	if !a.noUsage {
		send(map[string]any{"choices": []any{}, "usage": a.usage(s.opt.Flavour)})
	}
	if fault != NoDone {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}
