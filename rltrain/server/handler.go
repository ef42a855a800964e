package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/loopback"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/oracle"
)

// Codes of faults that this package adds to those of package rltrain.
const (
	faultUnauthorized = "unauthorized"
	faultForbidden    = "forbidden"
	faultNotFound     = "not_found"
	faultMethod       = "method_not_allowed"
	faultMedia        = "unsupported_media_type"
	faultSlow         = "request_timeout"
	faultStopping     = "stopping"
	faultAction       = "bad_action"
	faultEnvironment  = "no_statement"
)

var httpCodes = map[string]int{
	oracle.FaultBadRequest: http.StatusBadRequest,
	oracle.FaultTooLarge:   http.StatusRequestEntityTooLarge,
	oracle.FaultBusy:       http.StatusTooManyRequests,
	oracle.FaultInternal:   http.StatusInternalServerError,
	faultUnauthorized:      http.StatusUnauthorized,
	faultForbidden:         http.StatusForbidden,
	faultNotFound:          http.StatusNotFound,
	faultMethod:            http.StatusMethodNotAllowed,
	faultMedia:             http.StatusUnsupportedMediaType,
	faultSlow:              http.StatusRequestTimeout,
	faultStopping:          http.StatusServiceUnavailable,
	faultAction:            http.StatusUnprocessableEntity,
	faultEnvironment:       http.StatusServiceUnavailable,
}

// retryAfter is what busy and stopping answers ask for, in seconds.
const retryAfter = "1"

// routes lists what is served.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, op := range oracle.Ops() {
		s.post(mux, "/v1/"+string(op), func(w http.ResponseWriter, r *http.Request, body []byte) {
			s.call(w, r, op, body)
		})
	}
	s.post(mux, rewardModel, s.rewardModel)
	s.get(mux, "/v1/tasks", s.tasks)
	s.get(mux, "/version", s.version)
	s.open(mux, "/healthz", s.healthy("ok"))
	s.get(mux, "/metrics", s.metrics.handler().ServeHTTP)
	s.environments(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fault(w, "other", faultNotFound, "there is nothing at this path: docs/ORACLE.md lists the routes")
	})
	return s.guard(mux)
}

// guard refuses what pages of other sites send through a browser that runs where the oracle can be reached: browsers
// name the page's origin, and a page whose name was bound anew to this machine takes the oracle for its own site.
func (s *Server) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !loopback.LocalOrigins(r.Header):
			s.fault(w, "other", faultForbidden, "the Origin is not this machine: a web page may not use the oracle")
		case s.opt.Token == "" && loopback.Rebound(r):
			s.fault(w, "other", faultForbidden, "the Host is not this machine: use its address, or a token")
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// get adds a route to be read.
func (s *Server) get(mux *http.ServeMux, path string, h http.HandlerFunc) {
	s.open(mux, path, func(w http.ResponseWriter, r *http.Request) {
		if s.authorized(w, r, path) {
			h(w, r)
		}
	})
}

// open adds a route that asks for no token.
func (s *Server) open(mux *http.ServeMux, path string, h http.HandlerFunc) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			s.fault(w, path, faultMethod, "the method is GET")
			return
		}
		h(w, r)
	})
}

func (s *Server) authorized(w http.ResponseWriter, r *http.Request, route string) bool {
	if s.opt.Token == "" {
		return true
	}
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") { // RFC 9110, section 11.1: in any case
		shown = ""
	}
	shown = strings.TrimLeft(shown, " ")
	sum := sha256.Sum256([]byte(shown))
	if subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1 {
		return true
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	s.fault(w, route, faultUnauthorized, "no bearer token, or another one")
	return false
}

// post adds a route that takes a body of JSON.
func (s *Server) post(mux *http.ServeMux, path string, h func(w http.ResponseWriter, r *http.Request, body []byte)) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", "POST")
			s.fault(w, path, faultMethod, "the method is POST")
			return
		}
		if !s.authorized(w, r, path) {
			return
		}
		defer s.requests.Add(-1)
		switch n := s.requests.Add(1); {
		case s.stopping.Load():
			s.drain(w, r)
			s.fault(w, path, faultStopping, "the oracle is stopping")
			return
		case n > int64(s.opt.MaxRequests):
			s.fault(w, path, oracle.FaultBusy, fmt.Sprintf("%d requests are being worked on", s.opt.MaxRequests))
			return
		}
		if code, message := media(r.Header); code != "" {
			s.fault(w, path, code, message)
			return
		}
		start := time.Now()
		buf := s.buffers.Get().(*[]byte)
		body, held, fault := s.read(w, r, (*buf)[:0])
		defer func() {
			s.bytes.Add(-held)
			if cap(body) <= keepBuffer {
				*buf = body[:0]
				s.buffers.Put(buf)
			}
		}()
		if fault != nil {
			w.Header().Set("Connection", "close")
			s.fault(w, path, fault.Code, fault.Message)
			return
		}
		w.Header().Set("Server-Timing", "read;dur="+ms(time.Since(start)))
		http.NewResponseController(w).SetWriteDeadline(time.Time{})
		h(w, r, body)
		s.metrics.seconds.WithLabelValues(path).Observe(time.Since(start).Seconds())
	})
}

// drain reads a body that nobody wants: a client that is still sending when its connection is
// closed may see no answer.
func (s *Server) drain(w http.ResponseWriter, r *http.Request) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opt.Grace / 4))
	io.CopyN(io.Discard, r.Body, s.opt.MaxBody)
}

// keepBuffer is the largest buffer that is kept for the next request.
const keepBuffer = 8 << 20

// media checks what a body says that it is.
func media(h http.Header) (code, message string) {
	if e := h.Get("Content-Encoding"); e != "" && e != "identity" {
		return faultMedia, "bodies are not compressed"
	}
	if t := h.Get("Content-Type"); t != "" {
		if kind, _, err := mime.ParseMediaType(t); err != nil || kind != "application/json" {
			return faultMedia, "the content type is application/json"
		}
	}
	return "", ""
}

// readStep is the least room that a body asks for at a time.
const readStep = 64 << 10

// read reads a body. It takes room as the bytes arrive and returns how much it holds, also
// with a fault.
func (s *Server) read(w http.ResponseWriter, r *http.Request, b []byte) (body []byte, held int64, fault *oracle.Fault) {
	tooLarge := &oracle.Fault{Code: oracle.FaultTooLarge, Message: fmt.Sprintf("the body has more than %d bytes", s.opt.MaxBody)}
	if r.ContentLength > s.opt.MaxBody {
		return b, 0, tooLarge
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opt.BodyTime))
	defer http.NewResponseController(w).SetReadDeadline(time.Time{})
	take := func(n int64) bool {
		held += n
		return s.bytes.Add(n) <= s.opt.MaxBytes
	}
	if !take(int64(cap(b))) {
		return b, held, busyBytes
	}
	for {
		if len(b) == cap(b) {
			grow := max(readStep, cap(b))
			if left := r.ContentLength - int64(len(b)); r.ContentLength >= 0 && left < int64(grow) {
				grow = int(left) + 1
			}
			if !take(int64(grow)) {
				return b, held, busyBytes
			}
			larger := make([]byte, len(b), cap(b)+grow)
			copy(larger, b)
			b = larger
		}
		n, err := r.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > s.opt.MaxBody:
			return b, held, tooLarge
		case err == io.EOF:
			return b, held, nil
		case errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err):
			return b, held, &oracle.Fault{Code: faultSlow, Message: fmt.Sprintf("the body did not come within %v", s.opt.BodyTime)}
		case err != nil:
			return b, held, &oracle.Fault{Code: oracle.FaultBadRequest, Message: "the body ends early"}
		}
	}
}

var busyBytes = &oracle.Fault{Code: oracle.FaultBusy, Message: "too many bytes of requests are held"}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

func ms(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 3, 64)
}

// call answers an operation.
func (s *Server) call(w http.ResponseWriter, r *http.Request, op oracle.Op, body []byte) {
	route := "/v1/" + string(op)
	reply, fault := s.oracle.Call(r.Context(), op, body)
	if fault != nil {
		s.refuse(w, route, fault)
		return
	}
	s.metrics.count(reply)
	h := w.Header()
	h.Set("Server-Timing", fmt.Sprintf("%s, decode;dur=%s, score;dur=%s, encode;dur=%s, judge;dur=%s",
		h.Get("Server-Timing"), ms(reply.Decode), ms(reply.Work), ms(reply.Encode), ms(reply.Judge)))
	s.send(w, route, http.StatusOK, reply.Body)
}

// send writes an answer and a line end.
func (s *Server) send(w http.ResponseWriter, route string, code int, body []byte) {
	s.metrics.requests.WithLabelValues(route, strconv.Itoa(code)).Inc()
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.opt.WriteTime))
	w.WriteHeader(code)
	w.Write(append(body, '\n')) // a client that has gone is no error of ours
}

// fault answers that there is no answer.
func (s *Server) fault(w http.ResponseWriter, route, code, message string) {
	s.refuse(w, route, &oracle.Fault{Code: code, Message: message})
}

func (s *Server) refuse(w http.ResponseWriter, route string, f *oracle.Fault) {
	code := f.Code
	if code == oracle.FaultBusy || code == faultStopping || code == faultEnvironment {
		w.Header().Set("Retry-After", retryAfter)
	}
	if code == faultStopping {
		w.Header().Set("Connection", "close")
	}
	status, known := httpCodes[code]
	if !known {
		status = http.StatusInternalServerError
	}
	s.send(w, route, status, f.JSON())
}

// object answers with a value.
func (s *Server) object(w http.ResponseWriter, route string, v any) {
	body, err := rowjson.AppendValue(nil, v)
	if err != nil {
		s.fault(w, route, oracle.FaultInternal, err.Error())
		return
	}
	s.send(w, route, http.StatusOK, body)
}

// healthy answers whether requests are taken.
func (s *Server) healthy(word string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			s.fault(w, "/healthz", faultStopping, "the oracle is stopping")
			return
		}
		s.object(w, "/healthz", map[string]string{"status": word})
	}
}

func (s *Server) version(w http.ResponseWriter, r *http.Request) {
	s.object(w, "/version", s.oracle.About())
}

// taskName is a row of the list of loaded tasks.
type taskName struct {
	Task string `json:"task"`
	ID   string `json:"id,omitempty"`
}

// tasks lists loaded tasks: nothing of their gold.
func (s *Server) tasks(w http.ResponseWriter, r *http.Request) {
	set := s.oracle.Tasks()
	from, err1 := queryInt(r, "offset", 0)
	limit, err2 := queryInt(r, "limit", 1000)
	if err := errors.Join(err1, err2); err != nil {
		s.fault(w, "/v1/tasks", oracle.FaultBadRequest, err.Error())
		return
	}
	items := []taskName{}
	for i := from; i < set.Len() && len(items) < min(limit, 10_000); i++ {
		t := set.At(i)
		items = append(items, taskName{t.Sum, t.ID})
	}
	s.object(w, "/v1/tasks", map[string]any{"schema": "planproof.tasks/1", "count": set.Len(), "offset": from, "items": items})
}

func queryInt(r *http.Request, name string, otherwise int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s is not a number from 0 on", name)
	}
	return n, nil
}
