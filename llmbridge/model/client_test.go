package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/mockserver"
	"github.com/planproof/planproof/llmbridge/prompt"
)

const plan = "[PLAN]\n(unstack b a)\n(put-down b)\n[PLAN END]"

func start(t *testing.T, opt mockserver.Options) *mockserver.Server {
	t.Helper()
	if opt.Answer == nil {
		opt.Answer = func(string, int) string { return plan }
	}
	s := mockserver.New(opt)
	t.Cleanup(s.Close)
	return s
}

// client returns a client without pauses, and the pauses that it would have made.
func client(t *testing.T, s *mockserver.Server, change func(*Options)) (*Client, *[]time.Duration) {
	t.Helper()
	var mu sync.Mutex
	pauses := &[]time.Duration{}
	opt := Options{BaseURL: s.BaseURL(), Model: "mock", Timeout: 5 * time.Second,
		sleep: func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			*pauses = append(*pauses, d)
			return ctx.Err()
		}}
	if change != nil {
		change(&opt)
	}
	c, err := NewClient(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, pauses
}

func chat(text string) Input {
	return Input{Messages: []prompt.Message{{Role: "user", Content: text}}}
}

func ptr[T any](v T) *T { return &v }

// TestFaults: a fault that passes costs another try and no more; one that stays is an
// error of its kind. Neither is ever an answer.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		fault    mockserver.Fault
		kind     ErrorKind
		passes   bool
		streamed string // "only" when streaming, "never", or both
	}{
		{mockserver.RateLimit, KindRateLimited, true, ""},
		{mockserver.Quota, KindQuota, false, ""},
		{mockserver.Error500, KindOutage, true, ""},
		{mockserver.Error503, KindOutage, true, ""},
		{mockserver.BadRequest, KindRefused, false, ""},
		{mockserver.TooLong, KindTooLong, false, ""},
		{mockserver.Unauthorized, KindAuth, false, ""},
		{mockserver.Redirect, KindRefused, false, ""},
		{mockserver.Reset, KindOutage, true, ""},
		{mockserver.HalfBody, KindOutage, true, "never"},
		{mockserver.HalfStream, KindMalformed, true, "only"},
		{mockserver.StreamError, KindOutage, true, "only"},
		{mockserver.Malformed, KindMalformed, true, ""},
		{mockserver.NotJSON, KindMalformed, true, ""},
		{mockserver.NotUTF8, KindMalformed, true, ""},
		{mockserver.NoChoices, KindMalformed, true, ""},
		{mockserver.NoLogprobs, KindMalformed, true, ""},
		{mockserver.BadLogprobs, KindMalformed, true, ""},
		{mockserver.Hang, KindTimeout, true, ""},
		{mockserver.Drip, KindTimeout, true, ""},
		{mockserver.Huge, KindRefused, false, ""},
	} {
		for _, stream := range []bool{false, true} {
			if test.streamed == "only" && !stream || test.streamed == "never" && stream {
				continue
			}
			t.Run(fmt.Sprintf("%s/stream=%v", test.fault, stream), func(t *testing.T) {
				t.Parallel()
				s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Faults: []mockserver.Fault{test.fault}})
				c, _ := client(t, s, func(o *Options) {
					o.Stream, o.Tries, o.MaxBody = stream, 2, 1<<20
					if test.fault == mockserver.Hang || test.fault == mockserver.Drip {
						o.Timeout = 800 * time.Millisecond // the good try must fit, also on a busy machine
					}
				})
				req := &Request{Input: chat("plan"), TopLogprobs: ptr(1)}
				got, err := c.Generate(context.Background(), req)
				tries := len(s.Requests())
				if test.passes {
					if err != nil || got.Samples[0].Text != plan || tries != 2 {
						t.Fatalf("after one fault: %v, %v, %d tries", got, err, tries)
					}
					s.Inject(test.fault, test.fault, test.fault)
					if _, err = c.Generate(context.Background(), req); len(s.Requests()) != 4 {
						t.Errorf("%d requests, want 4", len(s.Requests()))
					}
				} else if tries != 1 {
					t.Errorf("%d tries of a request that trying again cannot help", tries)
				}
				if KindOf(err) != test.kind {
					t.Fatalf("got %v, want kind %s", err, test.kind)
				}
			})
		}
	}
}

// TestHalfAnswersAreNone: cutting an answer anywhere never yields a shorter answer.
// TestAmbiguousReply: a reply with a member twice is malformed, and names differ by the case of letters.
func TestAmbiguousReply(t *testing.T) {
	var a struct {
		Model string `json:"model"`
	}
	if err := decodeJSON([]byte(`{"model": "a", "model": "b"}`), &a); err == nil {
		t.Errorf("a member twice is read as %q", a.Model)
	}
	a.Model = ""
	if err := decodeJSON([]byte(`{"Model": "a"}`), &a); err != nil || a.Model != "" {
		t.Errorf("Model is read as model: %q, %v", a.Model, err)
	}
}

func TestHalfAnswersAreNone(t *testing.T) {
	body := `{"choices":[{"index":0,"message":{"content":"(pick-up a)"},"finish_reason":"stop"}]}`
	for i := range len(body) {
		if r, err := parseAnswer([]byte(body[:i])); err == nil {
			t.Fatalf("%q is read as %+v", body[:i], r)
		}
	}
	stream := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"(pick-up a)\\n\"}}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"(stack a b)\"}}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	whole := strings.Index(stream, `"finish_reason":"stop"}]}`) + len(`"finish_reason":"stop"}]}`)
	for i := range len(stream) + 1 {
		r, err := readStream(strings.NewReader(stream[:i]), 0, nil)
		if err == nil && i < whole || err != nil && i == whole || i == len(stream) && r.Samples[0].Text != "(pick-up a)\n(stack a b)" {
			t.Fatalf("%q: %+v, %v", stream[:i], r, err)
		}
	}
}

func TestStreamEqualsWhole(t *testing.T) {
	for _, f := range []mockserver.Flavour{mockserver.VLLM, mockserver.Llama, mockserver.LlamaPy, mockserver.Ollama} {
		for _, in := range []Input{chat("plan"), {Prompt: "plan"}} {
			s := start(t, mockserver.Options{Flavour: f, Answer: func(_ string, i int) string { return fmt.Sprintf("sample %d\n%s", i, plan) }})
			var got [2]*Response
			for i, stream := range []bool{false, true} {
				c, _ := client(t, s, func(o *Options) { o.Stream = stream })
				if _, err := c.Probe(context.Background()); err != nil {
					t.Fatal(f, err)
				}
				req := &Request{Input: in, N: 3}
				if c.Capabilities().Logprobs {
					req.TopLogprobs = ptr(2)
				}
				var err error
				if got[i], err = c.Generate(context.Background(), req); err != nil {
					t.Fatal(f, err)
				}
				if len(got[i].Samples) != 3 || got[i].Usage == nil || got[i].Usage.Completion != 3*10 {
					t.Errorf("%s, stream %v: %d samples, usage %+v", f, stream, len(got[i].Samples), got[i].Usage)
				}
			}
			if !reflect.DeepEqual(got[0], got[1]) {
				t.Errorf("%s: the stream gives\n%+v\nand the answer in one piece\n%+v", f, got[1], got[0])
			}
		}
	}
}

func TestChunks(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Faults: []mockserver.Fault{mockserver.HalfStream}})
	c, _ := client(t, s, nil)
	text, restarts := "", 0
	_, err := c.Generate(context.Background(), &Request{Input: chat("plan"), OnChunk: func(p Chunk) {
		if p.Restart {
			text = ""
			restarts++
		}
		text += p.Text
	}})
	if err != nil || text != plan || restarts != 1 {
		t.Errorf("%q, %d restarts, %v", text, restarts, err)
	}
}

func TestNoUsageIsUnknown(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Faults: []mockserver.Fault{mockserver.NoUsage, mockserver.None, mockserver.NoUsage}})
	c, _ := client(t, s, nil)
	got, err := c.Generate(context.Background(), &Request{Input: chat("plan")})
	if err != nil || got.Usage != nil {
		t.Errorf("usage %+v, %v; want none", got.Usage, err)
	}
	got, err = c.Generate(context.Background(), &Request{Input: chat("plan"), N: 2}) // one call a sample
	if err != nil || got.Usage != nil {
		t.Errorf("partly counted: usage %+v, %v; want none", got.Usage, err)
	}
}

func TestWrongN(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Answer: func(_ string, i int) string { return fmt.Sprint("sample ", i) }})
	c, _ := client(t, s, nil)
	if _, err := c.Probe(context.Background()); err != nil || !c.Capabilities().N {
		t.Fatal(err, c.Capabilities())
	}
	s.Inject(mockserver.WrongN)
	got, err := c.Generate(context.Background(), &Request{Input: chat("plan"), N: 3, Seed: ptr(int64(7))})
	if err != nil || len(got.Samples) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	r := s.Requests()
	if last := r[len(r)-1].Body; last["seed"] != 9.0 || last["n"] != nil {
		t.Errorf("the missing sample was asked for by %v", last)
	}
	s.Inject(mockserver.WrongN) // two for one
	if got, err = c.Generate(context.Background(), &Request{Input: chat("plan")}); err != nil || len(got.Samples) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRetryAfterAndDeadline(t *testing.T) {
	s := start(t, mockserver.Options{Faults: []mockserver.Fault{mockserver.RateLimit7, mockserver.Error500, mockserver.Error500}})
	c, pauses := client(t, s, nil)
	c.maxField, c.caps.Dropped = "max_completion_tokens", []string{"temperature"}
	if _, err := c.Generate(context.Background(), &Request{Input: chat("plan")}); err != nil {
		t.Fatal(err)
	}
	p := *pauses
	if len(p) != 3 || p[0] != 7*time.Second || p[1] > 2*time.Second || p[2] > 4*time.Second {
		t.Errorf("pauses %v", p)
	}
	s.Inject(mockserver.RateLimit7)
	short, pauses := client(t, s, func(o *Options) { o.Deadline = 5 * time.Second })
	short.maxField, short.caps.Dropped = "max_completion_tokens", []string{"temperature"}
	_, err := short.Generate(context.Background(), &Request{Input: chat("plan")})
	if KindOf(err) != KindRateLimited || len(*pauses) != 0 {
		t.Errorf("%v, pauses %v; want no wait beyond the deadline", err, *pauses)
	}
}

func TestCancel(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Faults: []mockserver.Fault{mockserver.Hang}})
	c, _ := client(t, s, nil)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	begin := time.Now()
	_, err := c.Generate(ctx, &Request{Input: chat("plan")})
	if KindOf(err) != KindCancelled || time.Since(begin) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

func TestConcurrencyLimit(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Answer: func(string, int) string { time.Sleep(5 * time.Millisecond); return "x" }})
	c, _ := client(t, s, func(o *Options) { o.Concurrency = 3 })
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Generate(context.Background(), &Request{Input: chat("plan")}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := s.MostInFlight(); got > 3 || got < 2 {
		t.Errorf("%d requests at once, want at most 3, and more than one", got)
	}
}

// TestOneAtATime: llama-cpp-python's server breaks a stream off when another request
// comes, so it gets one at a time.
func TestOneAtATime(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.LlamaPy, Answer: func(string, int) string { time.Sleep(2 * time.Millisecond); return "x" }})
	c, _ := client(t, s, func(o *Options) { o.Stream = true })
	if _, err := c.Probe(context.Background()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			if _, err := c.Generate(context.Background(), &Request{Input: chat("plan")}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := s.MostInFlight(); got != 1 {
		t.Errorf("%d requests at once, want one", got)
	}
}

// TestKeyStaysSecret: the key is sent, and appears in no error, log or name.
func TestKeyStaysSecret(t *testing.T) {
	const key = "sk-very-secret-0123456789"
	t.Setenv("PLANPROOF_TEST_KEY", key)
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Key: key})
	var log []string
	c, _ := client(t, s, func(o *Options) {
		o.KeyEnv, o.Tries = "PLANPROOF_TEST_KEY", 2
		o.Log = func(s string) { log = append(log, s) }
	})
	if _, err := c.Generate(context.Background(), &Request{Input: chat("plan")}); err != nil {
		t.Fatal(err)
	}
	for _, f := range []mockserver.Fault{mockserver.Unauthorized, mockserver.Error500, mockserver.Reset} {
		s.Inject(f, f)
		_, err := c.Generate(context.Background(), &Request{Input: chat("plan")})
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, *err.(*Error)), key) {
			t.Errorf("%s: %v", f, err)
		}
	}
	if strings.Contains(strings.Join(log, " ")+c.Name(), key) || len(log) == 0 {
		t.Errorf("log %q", log)
	}
	if _, err := NewClient(Options{BaseURL: "http://user:" + key + "@localhost/v1", Model: "m"}); err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("a password in the address: %v", err)
	}
}

func TestProbe(t *testing.T) {
	for _, test := range []struct {
		flavour     mockserver.Flavour
		completions bool
		n           bool
		top         int
		score       ScoreMethod
		grammars    []GrammarKind
		dropped     []string
	}{
		{mockserver.OpenAI, false, true, 20, ScoreTop, []GrammarKind{GrammarJSONSchema}, []string{"temperature"}},
		{mockserver.VLLM, true, true, 20, ScorePrompt, []GrammarKind{GrammarGBNF, GrammarLark, GrammarRegex, GrammarJSONSchema, GrammarChoice}, nil},
		{mockserver.Llama, true, false, 20, ScoreForced, []GrammarKind{GrammarGBNF, GrammarJSONSchema, GrammarChoice}, nil},
		{mockserver.LlamaPy, true, false, 20, ScoreEcho, []GrammarKind{GrammarGBNF, GrammarJSONSchema, GrammarChoice}, nil},
		{mockserver.Ollama, true, false, 20, ScoreTop, []GrammarKind{GrammarJSONSchema}, nil},
	} {
		s := start(t, mockserver.Options{Flavour: test.flavour})
		c, pauses := client(t, s, nil)
		caps, err := c.Probe(context.Background())
		if len(*pauses) > 0 {
			t.Errorf("%s: the probe waited %v", test.flavour, *pauses)
		}
		if err != nil {
			t.Errorf("%s: %v", test.flavour, err)
			continue
		}
		if caps.Server != string(test.flavour) || !caps.Chat || !caps.Stream || !caps.Usage || caps.Completions != test.completions || caps.N != test.n ||
			caps.TopLogprobs != test.top || caps.Score != test.score || fmt.Sprint(caps.Grammars) != fmt.Sprint(test.grammars) || fmt.Sprint(caps.Dropped) != fmt.Sprint(test.dropped) {
			t.Errorf("%s: %+v", test.flavour, caps)
		}
	}
}

// TestScore: each method gives the log-probabilities that the server has.
func TestScore(t *testing.T) {
	for _, f := range []mockserver.Flavour{mockserver.VLLM, mockserver.Llama, mockserver.LlamaPy} {
		s := start(t, mockserver.Options{Flavour: f})
		c, _ := client(t, s, nil)
		if _, err := c.Probe(context.Background()); err != nil {
			t.Fatal(f, err)
		}
		req := &ScoreRequest{Input: Input{Prompt: "The α block is\n"}, Continuations: []string{" clear", " on top", "", " β"}}
		if f == mockserver.LlamaPy {
			req.Continuations = []string{" clear", " on top"}
			req.Prompt = "The α block is"
		}
		got, err := c.Score(context.Background(), req)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		for i, y := range req.Continuations {
			want := 0.0
			for _, p := range strings.SplitAfter(y, "x") {
				want += mockserver.Logprob(p)
			}
			if math.Abs(got.Scores[i].Logprob-want) > 1e-12 || got.Scores[i].Tokens != len(strings.Fields(y)) {
				t.Errorf("%s %q: %+v, want %g", f, y, got.Scores[i], want)
			}
		}
		if got.Usage == nil {
			t.Errorf("%s: no usage", f)
		}
	}
}

// TestScoreInOneCall: a server that takes several prompts a call is called once for all
// continuations; one that refuses them gives the same scores, one by one.
func TestScoreInOneCall(t *testing.T) {
	req := &ScoreRequest{Input: Input{Prompt: "The α block is\n"}, Continuations: []string{" clear", "", " on top", " β"}}
	var scores [2][]Score
	for i, one := range []bool{false, true} {
		s := start(t, mockserver.Options{Flavour: mockserver.VLLM, OnePrompt: one})
		c, _ := client(t, s, nil)
		if caps, err := c.Probe(context.Background()); err != nil || caps.Score != ScorePrompt {
			t.Fatalf("%+v, %v", caps, err)
		}
		before := len(s.Requests())
		got, err := c.Score(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		scores[i] = got.Scores
		calls, tokens := 1, int64(3*5+1+2+1)
		if one {
			calls = 3
		}
		if n := len(s.Requests()) - before; n != calls || got.Usage == nil || got.Usage.Prompt != tokens {
			t.Errorf("one prompt a call %v: %d calls, usage %+v", one, n, got.Usage)
		}
	}
	if !reflect.DeepEqual(scores[0], scores[1]) {
		t.Errorf("%+v in one call, %+v one by one", scores[0], scores[1])
	}
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM})
	c, _ := client(t, s, nil)
	if _, err := c.Probe(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.Inject(mockserver.BadRequest)
	if got, err := c.Score(context.Background(), req); err != nil || !reflect.DeepEqual(got.Scores, scores[0]) {
		t.Errorf("after a refusal: %+v, %v", got, err)
	}
	s.Inject(mockserver.Unauthorized)
	if _, err := c.Score(context.Background(), req); KindOf(err) != KindAuth {
		t.Error(err)
	}
}

func TestScoreOfTop(t *testing.T) {
	s := start(t, mockserver.Options{Answer: func(string, int) string { return "good" }})
	c, _ := client(t, s, nil)
	if _, err := c.Probe(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := c.Score(context.Background(), &ScoreRequest{Input: chat("good or bad?"), Continuations: []string{"good", "bad"}})
	if err != nil || got.Scores[0].AtMost || got.Scores[0].Logprob != mockserver.Logprob("good") || !got.Scores[1].AtMost || got.Scores[1].Logprob >= got.Scores[0].Logprob {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUnsupported(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.Ollama})
	c, _ := client(t, s, nil)
	if _, err := c.Score(context.Background(), &ScoreRequest{Input: chat("x"), Continuations: []string{"y"}}); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	if _, err := c.Generate(context.Background(), &Request{Input: chat("x"), Grammar: &Grammar{GrammarGBNF, "root ::= \"x\""}}); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	if len(s.Requests()) != 0 {
		t.Error("asked all the same")
	}
}

func TestBadRequests(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM})
	c, _ := client(t, s, nil)
	for _, r := range []Request{
		{}, {Input: Input{Prompt: "a", Messages: chat("b").Messages}}, {Input: chat("a"), Temperature: math.NaN()}, {Input: chat("\xff")},
		{Input: chat("a"), TopP: math.Inf(1)}, {Input: chat("a"), N: -1}, {Input: chat("a"), Stop: []string{"\xff"}}, {Input: chat("a"), TopLogprobs: ptr(-1)},
	} {
		if _, err := c.Generate(context.Background(), &r); KindOf(err) != KindRefused {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, o := range []Options{{}, {BaseURL: "x", Model: "m"}, {BaseURL: "http://h/v1"}, {BaseURL: "ftp://h", Model: "m"}, {BaseURL: "http://h/v1?k=1", Model: "m"}, {BaseURL: "http://h", Model: "m", Tries: -1}} {
		if _, err := NewClient(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestNoText: a content that is null or missing is no text, and an empty one is the empty
// text, in one piece and as a stream.
func TestNoText(t *testing.T) {
	for message, want := range map[string]bool{
		`{"content":null}`: true, `{}`: true, `{"content":null,"reasoning":"hm"}`: true,
		`{"content":""}`: false, `{"content":"(a)"}`: false, `{"content":[{"text":"(a)"}]}`: false,
	} {
		r, err := parseAnswer([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":` + message + `}]}`))
		if err != nil || r.Samples[0].NoText != want {
			t.Errorf("%s: %+v, %v", message, r, err)
		}
		r, err = readStream(strings.NewReader(`data: {"choices":[{"index":0,"delta":{"content":null}}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":`+message+`}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n"), 0, nil)
		if err != nil || r.Samples[0].NoText != want {
			t.Errorf("stream of %s: %+v, %v", message, r, err)
		}
	}
	if r, err := parseAnswer([]byte(`{"choices":[{"index":0,"text":""}]}`)); err != nil || r.Samples[0].NoText {
		t.Errorf("an empty completion: %+v, %v", r, err)
	}
}

// TestTooLongWords: what real servers say of a prompt beyond the context.
func TestTooLongWords(t *testing.T) {
	for _, body := range []string{
		`{"error":{"message":"This model's maximum context length is 4096 tokens. However, your prompt contains at least 4097 input tokens, which exceeds this limit even without any output tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`,
		`{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that max_model_len is no smaller than the number of text tokens.","type":"BadRequestError","param":null,"code":400}}`,
		`{"error":{"code":400,"message":"request (20003 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`,
		`{"error":"the input length exceeds the context length"}`,
		`{"error":{"message":"too long","code":"context_length_exceeded"}}`,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, body)
		}))
		c, err := NewClient(Options{BaseURL: s.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Generate(context.Background(), &Request{Input: chat("x")}); KindOf(err) != KindTooLong {
			t.Errorf("%s: %v", body, err)
		}
		c.Close()
		s.Close()
	}
}
