package mockserver

import (
	"encoding/json"
	"strconv"
)

// constrained returns the first sentence of the grammar that a request asks for, for the
// simple grammars that tests use.
func (s *Server) constrained(body map[string]any) (text string, forced bool) {
	if f, ok := body["response_format"].(map[string]any); ok {
		return s.fromSchema(f)
	}
	switch s.opt.Flavour {
	case Llama, LlamaPy:
		if g, ok := body["grammar"].(string); ok {
			return s.fromGrammar(g), true
		}
	case VLLM:
		so, ok := body["structured_outputs"].(map[string]any)
		if !ok {
			return "", false
		}
		if g, ok := so["grammar"].(string); ok {
			return s.fromGrammar(g), true
		}
		if re, ok := so["regex"].(string); ok {
			return re, true
		}
		if c, ok := so["choice"].([]any); ok && len(c) > 0 {
			text, _ = c[0].(string)
			return text, true
		}
		return s.fromSchema(so["json"])
	}
	return "", false
}

func (s *Server) fromSchema(v any) (string, bool) {
	data, _ := json.Marshal(v)
	if m := enum.FindSubmatch(data); m != nil {
		return `{"w": "` + string(m[1]) + `"}`, true
	}
	return "", false
}

func (s *Server) fromGrammar(g string) string {
	var out string
	if ids := tokenID.FindAllStringSubmatch(g, -1); ids != nil {
		for _, m := range ids {
			id, _ := strconv.ParseInt(m[1], 10, 64)
			out += s.pieceOf(id)
		}
		return out
	}
	if m := quoted.FindString(g); m != "" {
		_ = json.Unmarshal([]byte(m), &out)
	}
	return out
}
