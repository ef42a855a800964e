package model

import (
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	backoffFirst = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
)

// backoff is the pause after the given failed try: what the server asked for, else an
// exponentially growing time with full jitter.
func backoff(try int, asked time.Duration) time.Duration {
	if asked >= 0 {
		return asked
	}
	limit := backoffCap
	if try < 7 {
		limit = min(limit, backoffFirst<<try)
	}
	return time.Duration(rand.Int64N(int64(limit) + 1))
}

// retryAfter reads when a server wants to be asked again: Retry-After in seconds or as a
// date, or the x-ratelimit-reset headers ("1s", "6m0s", "250ms", seconds). Negative: it
// does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if v := h.Get("Retry-After-Ms"); v != "" {
		if ms, err := strconv.ParseFloat(v, 64); err == nil && ms >= 0 && ms < 1e12 {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	if v := h.Get("Retry-After"); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		if t, err := http.ParseTime(v); err == nil {
			return max(0, t.Sub(now))
		}
	}
	longest := time.Duration(-1)
	for _, what := range []string{"requests", "tokens"} {
		if h.Get("x-ratelimit-remaining-"+what) != "0" {
			continue // that limit is not the one that was hit
		}
		v := h.Get("x-ratelimit-reset-" + what)
		d, err := time.ParseDuration(v)
		if err != nil {
			s, ferr := strconv.ParseFloat(v, 64)
			if ferr != nil || !(s >= 0 && s < 1e9) {
				continue
			}
			d = time.Duration(s * float64(time.Second))
		}
		longest = max(longest, d)
	}
	return longest
}

// wireError is the body of an error, in the forms that servers use: {"error":{"message",
// "code","param","type"}}, {"error":"..."}, {"message":"...","code":...} and
// {"detail":"..."}.
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
	if json.Unmarshal(data, &outer) != nil {
		return wireError{Message: snippet(data)}
	}
	w := outer.wireError
	if len(outer.Error) > 0 {
		if json.Unmarshal(outer.Error, &w) != nil {
			_ = json.Unmarshal(outer.Error, &w.Message)
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

// snippet is the beginning of a body that is shown to people.
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

// tooLong are words by which servers say that a prompt exceeds the context: OpenAI and
// vLLM, vLLM's engine, llama.cpp, Ollama.
var tooLong = []string{"maximum context length", "longer than the maximum model length", "exceeds the available context", "exceeds the context length"}

// statusError classifies an HTTP status that is not 200.
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

// limitedBody fails, instead of ending, when an answer exceeds its bound.
type limitedBody struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errorf(KindRefused, "the answer is larger than the bound for answers")
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// idleGuard cancels a call whose body is silent for too long.
type idleGuard struct {
	r     io.Reader
	timer *time.Timer
	limit time.Duration
	fired atomic.Bool
}

func newIdleGuard(r io.Reader, limit time.Duration, cancel context.CancelFunc) *idleGuard {
	g := &idleGuard{r: r, limit: limit}
	g.timer = time.AfterFunc(limit, func() { g.fired.Store(true); cancel() })
	return g
}

// Read implements io.Reader.
func (g *idleGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if n > 0 {
		g.timer.Reset(g.limit)
	}
	return n, err
}

func (g *idleGuard) expired() bool { return g.fired.Load() }
func (g *idleGuard) stop()         { g.timer.Stop() }
