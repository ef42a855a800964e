package mockserver

import (
	"encoding/json"
	"net/http"
	"strings"
)

// loop is the number of equal tokens in a row after which Ollama ends an answer.
const loop = 30

// version is the route on which Ollama and vLLM return their version.
func (s *Server) version(w http.ResponseWriter, _ *http.Request) {
	reply(w, 200, map[string]any{"version": "0.0.0"})
}

// ollama answers on Ollama's own routes, /api/chat and /api/generate.
func (s *Server) ollama(w http.ResponseWriter, r *http.Request) {
	body := decode(r)
	fault := s.next(Request{r.URL.Path, r.Header.Clone(), body})
	defer s.leave()
	stream := body["stream"] != false
	if s.spoil(w, r, fault, false) {
		return
	}
	chat := strings.HasSuffix(r.URL.Path, "/chat")
	a := s.answer(s.fromOllama(body), 1, chat)
	if s.opt.Context > 0 && len(a.pieces) > s.opt.Context {
		if body["truncate"] == false {
			reply(w, 400, map[string]any{"error": "the input length exceeds the context length"})
			return
		}
		a.pieces = a.pieces[len(a.pieces)-s.opt.Context:] // and not a word about it
	}
	a.logprobs = a.logprobs && fault != NoLogprobs
	a.bad = fault == BadLogprobs
	done := map[string]any{"done": true, "done_reason": a.finish, "prompt_eval_count": len(a.pieces), "eval_count": len(a.texts[0])}
	if fault == Loop {
		a.texts[0] = strings.SplitAfter(strings.Repeat("again ", loop+1), " ")[:loop+1]
		done = map[string]any{"done": false}
	}
	if !stream {
		reply(w, 200, s.ollamaPiece(a, a.texts[0], done))
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	for k := range a.texts[0] {
		if k == len(a.texts[0])/2 {
			switch fault {
			case HalfStream:
				return
			case StreamError:
				_ = out.Encode(map[string]any{"error": "the engine died"})
				return
			}
		}
		_ = out.Encode(s.ollamaPiece(a, a.texts[0][k:k+1], map[string]any{"done": false}))
		flush(w)
	}
	if fault != Loop {
		_ = out.Encode(s.ollamaPiece(a, nil, done))
	}
}

// fromOllama says a request of Ollama's own as one of OpenAI's.
func (s *Server) fromOllama(body map[string]any) map[string]any {
	out := map[string]any{"messages": body["messages"], "logprobs": body["logprobs"], "top_logprobs": body["top_logprobs"]}
	options, _ := body["options"].(map[string]any)
	out["max_tokens"] = options["num_predict"]
	if p, ok := body["prompt"].(string); ok {
		out["prompt"] = p
		if body["raw"] != true {
			out["messages"] = []any{map[string]any{"role": "user", "content": p}}
		}
	}
	if format, ok := body["format"].(map[string]any); ok {
		out["response_format"] = format
	}
	return out
}

// ollamaPiece is a piece of an answer, or a whole one.
func (s *Server) ollamaPiece(a *answer, pieces []string, end map[string]any) map[string]any {
	out := map[string]any{"model": s.opt.Model, "created_at": "2026-01-01T00:00:00Z"}
	for k, v := range end {
		out[k] = v
	}
	text := strings.Join(pieces, "")
	if a.chat {
		out["message"] = map[string]any{"role": "assistant", "content": text}
	} else {
		out["response"] = text
	}
	if a.logprobs && len(pieces) > 0 {
		out["logprobs"] = s.contentLogprobs(a, pieces)
	}
	return out
}
