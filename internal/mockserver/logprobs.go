package mockserver

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// askedLogprobs applies what each flavour does about log-probabilities.
func (s *Server) askedLogprobs(a *answer, body map[string]any) {
	switch v := body["logprobs"].(type) {
	case bool:
		a.logprobs = v
		if k, ok := body["top_logprobs"].(float64); ok {
			a.tops = int(k)
		}
	case float64:
		a.logprobs, a.tops = true, int(v)
	}
	switch s.opt.Flavour {
	case LlamaPy:
		a.echo, _ = body["echo"].(bool)
	case VLLM:
		if _, ok := body["prompt_logprobs"]; ok {
			for i, p := range a.pieces {
				if i == 0 {
					a.prompts = append(a.prompts, nil)
					continue
				}
				a.prompts = append(a.prompts, map[string]any{fmt.Sprint(s.id(p)): map[string]any{"logprob": Logprob(p), "rank": 1, "decoded_token": p}})
			}
		}
	}
}

func (s *Server) logprobs(a *answer, pieces []string) map[string]any {
	if a.chat || s.opt.Flavour == Llama {
		return map[string]any{"content": s.contentLogprobs(a, pieces)}
	}
	var lps, tops, offsets []any
	at := 0
	if !a.echo {
		at = utf8.RuneCountInString(a.prompt)
	}
	for i, p := range pieces {
		lps = append(lps, a.number(p))
		if a.echo && i == 0 {
			lps[0] = nil
		}
		tops = append(tops, map[string]any{p: Logprob(p)})
		offsets = append(offsets, at)
		at += utf8.RuneCountInString(p)
	}
	return map[string]any{"tokens": pieces, "token_logprobs": lps, "top_logprobs": tops, "text_offset": offsets}
}

// contentLogprobs is the list of tokens in the layout of chats.
func (s *Server) contentLogprobs(a *answer, pieces []string) []any {
	content := []any{}
	for _, p := range pieces {
		t := map[string]any{"token": p, "id": s.id(p), "logprob": a.number(p)}
		tops := []any{}
		for k := range a.tops {
			alt := p + strings.Repeat("~", k)
			tops = append(tops, map[string]any{"token": alt, "logprob": Logprob(alt)})
		}
		t["top_logprobs"] = tops
		content = append(content, t)
	}
	return content
}

func (a *answer) number(token string) float64 {
	if a.bad {
		return 3
	}
	return Logprob(token)
}
