package mockserver

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Fault is what goes wrong with one request.
type Fault string

// Faults.
const (
	None         Fault = ""
	RateLimit    Fault = "429"          // Retry-After: 0
	RateLimit7   Fault = "429-7s"       // Retry-After: 7
	Quota        Fault = "quota"        // a 429, and waiting does not help
	Error500     Fault = "500"          //
	Error503     Fault = "503"          // with an HTML body
	BadRequest   Fault = "400"          //
	TooLong      Fault = "too-long"     // the context is exceeded
	Unauthorized Fault = "401"          // the body repeats the key
	Redirect     Fault = "307"          //
	Reset        Fault = "reset"        // the connection ends before an answer
	HalfBody     Fault = "half-body"    // ends in the middle of the announced body
	HalfStream   Fault = "half-stream"  // ends in the middle, properly closed
	StreamError  Fault = "stream-error" // an error in the middle of a stream
	NoDone       Fault = "no-done"      // a whole stream without [DONE]
	Malformed    Fault = "malformed"    // half of a JSON object, properly closed
	NotJSON      Fault = "not-json"     // HTML with status 200
	NotUTF8      Fault = "not-utf8"     //
	NoChoices    Fault = "no-choices"   //
	WrongN       Fault = "wrong-n"      // one sample too few; two if one was asked for
	NoUsage      Fault = "no-usage"     //
	NoLogprobs   Fault = "no-logprobs"  //
	BadLogprobs  Fault = "bad-logprobs" // a positive one
	Hang         Fault = "hang"         // no answer at all
	Drip         Fault = "drip"         // a byte now and then, forever
	Loop         Fault = "loop"         // Ollama ends an answer that repeats itself, without a reason
	Huge         Fault = "huge"         // an answer without end
)

// spoil handles the faults that need no real answer. done is false for the others, which change one.
func (s *Server) spoil(w http.ResponseWriter, r *http.Request, f Fault, stream bool) (done bool) {
	switch f {
	case RateLimit, RateLimit7, Quota:
		w.Header().Set("Retry-After", map[Fault]string{RateLimit: "0", RateLimit7: "7", Quota: "0"}[f])
		code := map[bool]string{true: "insufficient_quota", false: "rate_limit_exceeded"}[f == Quota]
		reply(w, 429, map[string]any{"error": map[string]any{"message": "slow down", "code": code}})
	case Error500:
		refuse(w, 500, "internal error", "")
	case Error503:
		w.WriteHeader(503)
		fmt.Fprint(w, "<html><body>Service Unavailable</body></html>")
	case BadRequest:
		refuse(w, 400, "this request is bad", "")
	case TooLong:
		refuse(w, 400, "This model's maximum context length is 16 tokens.", "messages")
	case Unauthorized:
		refuse(w, 401, "wrong key: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "")
	case Redirect:
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
	case Reset:
		hijack(w)
	case HalfBody:
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"(pick-up`)
		flush(w)
		hijack(w)
	case Malformed:
		if stream {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"ind\n\n")
			return true
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"(pick-up`)
	case NotJSON:
		fmt.Fprint(w, "<html>welcome to the captive portal</html>")
	case NotUTF8:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"(pick-up \xff\xfe)\"},\"finish_reason\":\"stop\"}]}")
	case NoChoices:
		reply(w, 200, map[string]any{"choices": []any{}})
	case Hang:
		s.wait(r, time.Hour)
	case Drip:
		w.Header().Set("Content-Type", "application/json")
		for s.wait(r, 20*time.Millisecond) {
			if _, err := fmt.Fprint(w, " "); err != nil {
				return true
			}
			flush(w)
		}
	case Huge:
		w.Header().Set("Content-Type", "application/json")
		chunk := strings.Repeat(" ", 1<<16)
		for {
			if _, err := fmt.Fprint(w, chunk); err != nil {
				return true
			}
		}
	default:
		return false
	}
	return true
}

// wait pauses, and reports whether the request is still there.
func (s *Server) wait(r *http.Request, d time.Duration) bool {
	select {
	case <-r.Context().Done():
		return false
	case <-s.done:
		return false
	case <-time.After(d):
		return true
	}
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// hijack ends the connection with a reset.
func hijack(w http.ResponseWriter) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := h.Hijack()
	if err == nil {
		conn.Close()
	}
}
