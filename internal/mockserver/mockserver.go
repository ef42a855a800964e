// Package mockserver is an OpenAI-compatible model server for tests, on loopback. It
// behaves like one of several real servers, deterministically, and injects faults on
// demand: one for each generation request, in order.
package mockserver

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/planproof/planproof/internal/pattern"
)

// Flavour is a server to behave like.
type Flavour string

// Flavours, as probed from the real ones.
const (
	OpenAI  Flavour = "openai"
	VLLM    Flavour = "vllm"
	Llama   Flavour = "llama.cpp"
	LlamaPy Flavour = "llama-cpp-python"
	Ollama  Flavour = "ollama"
)

// Options of a Server. The zero value is an OpenAI server that echoes.
type Options struct {
	Flavour Flavour
	// Answer returns the text of a sample. prompt is the last message, or the prompt of a
	// completion.
	Answer func(prompt string, sample int) string
	// Faults are used up one a generation request, in order of arrival.
	Faults []Fault
	// Key, if set, is the bearer token to demand.
	Key string
	// NoText makes the content of every message null, as for a reasoning model that never
	// came to its answer.
	NoText bool
	// Context is the greatest number of tokens of a prompt to an Ollama server; 0: no limit.
	Context int
	// OnePrompt refuses several prompts in one call.
	OnePrompt bool
	// Model is the listed model; "mock" by default.
	Model string
}

// Server is a running mock server.
type Server struct {
	*httptest.Server
	opt Options

	mu       sync.Mutex
	faults   []Fault
	requests []Request
	pieces   map[int64]string // token ids given out
	done     chan struct{}
	inFlight int
	most     int
	dead     bool
}

// Request is a request that arrived.
type Request struct {
	Path   string
	Header http.Header
	Body   map[string]any
}

// New starts a server. Close it.
func New(opt Options) *Server {
	if opt.Flavour == "" {
		opt.Flavour = OpenAI
	}
	if opt.Model == "" {
		opt.Model = "mock"
	}
	if opt.Answer == nil {
		opt.Answer = func(prompt string, _ int) string { return prompt }
	}
	s := &Server{opt: opt, faults: opt.Faults, pieces: map[int64]string{}, done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", s.models)
	switch opt.Flavour {
	case Ollama:
		mux.HandleFunc("GET /api/version", s.version)
		mux.HandleFunc("POST /api/chat", s.ollama)
		mux.HandleFunc("POST /api/generate", s.ollama)
	case OpenAI:
		mux.HandleFunc("POST /v1/chat/completions", s.generation)
	default:
		mux.HandleFunc("POST /v1/chat/completions", s.generation)
		mux.HandleFunc("POST /v1/completions", s.generation)
	}
	if opt.Flavour == VLLM || opt.Flavour == Llama {
		mux.HandleFunc("POST /tokenize", s.tokenize)
	}
	if opt.Flavour == Llama {
		mux.HandleFunc("POST /apply-template", s.template)
	}
	s.Server = httptest.NewServer(mux)
	return s
}

// BaseURL is the address to give to a client.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Close ends the server and every request that hangs.
func (s *Server) Close() {
	close(s.done)
	s.Server.CloseClientConnections()
	s.Server.Close()
}

// Inject appends faults for the generation requests to come.
func (s *Server) Inject(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Requests returns the generation requests that have arrived.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// MostInFlight returns the largest number of generation requests at the same time.
func (s *Server) MostInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
}

func (s *Server) next(r Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.requests = append(s.requests, r)
	if len(s.faults) == 0 {
		return None
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return f
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status int, message, param string) {
	reply(w, status, map[string]any{"error": map[string]any{"message": message, "param": param, "type": "invalid_request_error"}})
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	owner := map[Flavour]string{OpenAI: "openai", VLLM: "vllm", Llama: "llamacpp", LlamaPy: "me", Ollama: "library"}[s.opt.Flavour]
	reply(w, 200, map[string]any{"object": "list", "data": []any{map[string]any{"id": s.opt.Model, "owned_by": owner}}})
}

var piece = pattern.New(`\s*[^\s]+|\s+`)

// pieces cuts a text into tokens: a word with the space before it.
func (s *Server) tokens(text string) []string { return piece.FindAllString(text, -1) }

// id is the token id of a piece.
func (s *Server) id(text string) int64 {
	h := fnv.New32a()
	h.Write([]byte(text))
	id := int64(h.Sum32() >> 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pieces[id] = text
	return id
}

func (s *Server) pieceOf(id int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pieces[id]
}

// Logprob is the log-probability that the mock gives to a token, whatever stands before
// it: the longer, the less likely.
func Logprob(token string) float64 { return -0.125 * float64(len(token)) }

func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	body := decode(r)
	text := ""
	for _, field := range []string{"prompt", "content"} {
		if t, ok := body[field].(string); ok {
			text = t
		}
	}
	if m, ok := body["messages"].([]any); ok {
		text = render(m)
	}
	ids := []int64{}
	for _, p := range s.tokens(text) {
		ids = append(ids, s.id(p))
	}
	reply(w, 200, map[string]any{"tokens": ids, "count": len(ids)})
}

func (s *Server) template(w http.ResponseWriter, r *http.Request) {
	m, _ := decode(r)["messages"].([]any)
	reply(w, 200, map[string]any{"prompt": render(m)})
}

// render is the mock's chat template.
func render(messages []any) string {
	var b strings.Builder
	for _, m := range messages {
		m, _ := m.(map[string]any)
		role, _ := m["role"].(string)
		content, _ := m["content"].(string)
		b.WriteString("<" + role + "> " + content + "\n")
	}
	b.WriteString("<assistant>\n")
	return b.String()
}

func decode(r *http.Request) map[string]any {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	return body
}
