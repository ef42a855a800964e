package model

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
)

// wireError is the body of an error. Servers write {"error":{"message","code","param","type"}},
// {"error":"..."}, {"message":"...","code":...} or {"detail":"..."}.
type wireError struct {
	Message string          `json:"message"`
	Code    json.RawMessage `json:"code"`
	Type    string          `json:"type"`
	Param   string          `json:"param"`
}

func parseWireError(data []byte) wireError {
	var outer struct {
		wireError
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if rowjson.Unmarshal(data, &outer, false) != nil {
		return wireError{Message: snippet(data)}
	}
	w := outer.wireError
	if len(outer.Error) > 0 {
		if rowjson.Unmarshal(outer.Error, &w, false) != nil {
			_ = rowjson.Unmarshal(outer.Error, &w.Message, false)
		}
	}
	if w.Message == "" && len(outer.Detail) > 0 {
		w.Message = snippet(outer.Detail)
	}
	if w.Message == "" {
		w.Message = snippet(data)
	}
	return w
}

// snippet returns the beginning of a body, for messages.
func snippet(data []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data), "\uFFFD")), " ")
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "..."
	}
	if text == "" {
		return "(no text)"
	}
	return text
}

// tooLong are the words with which OpenAI and vLLM, vLLM's engine, llama.cpp and Ollama say that a prompt
// exceeds the context.
var tooLong = []string{"maximum context length", "longer than the maximum model length", "exceeds the available context", "exceeds the context length"}

// statusError returns the error for an HTTP status other than 200.
func (c *Client) statusError(resp *http.Response, body []byte) *Error {
	w := parseWireError(body)
	e := errorf(KindRefused, "%s", c.redact(w.Message))
	e.Status, e.param = resp.StatusCode, w.Param
	e.retryAfter = retryAfter(resp.Header, time.Now())
	code := strings.Trim(string(w.Code), `"`)
	lower := strings.ToLower(w.Message)
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests && (code == "insufficient_quota" || w.Type == "insufficient_quota"):
		e.Kind = KindQuota
	case s == http.StatusTooManyRequests:
		e.Kind = KindRateLimited
	case s == 500 || s == 502 || s == 503 || s == 504:
		e.Kind = KindOutage
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		e.Kind = KindAuth
		if c.opt.KeyEnv != "" && c.key == "" {
			e.Message += " (the environment variable " + c.opt.KeyEnv + " is empty)"
		}
	case s == http.StatusRequestEntityTooLarge || code == "context_length_exceeded" || w.Type == "exceed_context_size_error" ||
		slices.ContainsFunc(tooLong, func(words string) bool { return strings.Contains(lower, words) }):
		e.Kind = KindTooLong
	case s >= 300 && s < 400:
		e.Message = "the server redirects elsewhere; give the address it redirects to"
	}
	return e
}
