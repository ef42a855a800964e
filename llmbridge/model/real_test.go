package model

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/llmbridge/prompt"
)

// TestRealModel holds real servers to what the interface promises: everything that a
// server was found to do is done, and what it does is what the client says.
func TestRealModel(t *testing.T) {
	for _, server := range testkit.ModelServers(t) {
		t.Run(strings.ReplaceAll(server.Model+"@"+server.URL, "/", "_"), func(t *testing.T) {
			c, err := NewClient(Options{BaseURL: server.URL, Model: server.Model, Timeout: 5 * time.Minute, Log: func(s string) { t.Log(s) }})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			caps, err := c.Probe(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", caps)
			if server.Whole && (!caps.Chat || !caps.Completions || !caps.Stream || !caps.Logprobs || !caps.Usage || !caps.Grammar(GrammarGBNF) || caps.Score == ScoreNone || caps.Score == ScoreTop) {
				t.Fatalf("%+v", caps)
			}
			testServer(t, &realServer{c: c, caps: caps})
		})
	}
}

type realServer struct {
	c    *Client
	caps Capabilities
}

func (s *realServer) ask(t *testing.T, r Request) *Response {
	t.Helper()
	got, err := s.c.Generate(t.Context(), &r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *realServer) score(t *testing.T, in Input, ys ...string) []Score {
	t.Helper()
	got, err := s.c.Score(t.Context(), &ScoreRequest{Input: in, Continuations: ys})
	if err != nil {
		t.Fatal(err)
	}
	return got.Scores
}

// top is the number of alternatives to ask for, nil where there are none.
func (s *realServer) top(n int) *int {
	if !s.caps.Logprobs {
		return nil
	}
	n = min(n, s.caps.TopLogprobs)
	return &n
}

var (
	realText = Input{Prompt: "The capital of France is Paris. The capital of Italy is"}
	realChat = Input{Messages: []prompt.Message{{Role: "user", Content: "Name the capital of Italy."}}}
)

func testServer(t *testing.T, s *realServer) {
	if s.caps.Completions {
		t.Run("text", func(t *testing.T) { s.testGreedy(t, realText) })
		t.Run("continues", s.testContinues)
	}
	if s.caps.Chat {
		t.Run("chat", func(t *testing.T) { s.testGreedy(t, realChat) })
	}
	in := realText
	if !s.caps.Completions {
		in = realChat
	}
	t.Run("seeds", func(t *testing.T) { s.testSeeds(t, in) })
	t.Run("too long", s.testTooLong)
	switch s.caps.Score {
	case ScoreNone:
	case ScoreTop:
		t.Run("score", func(t *testing.T) { s.testScoreTop(t, in) })
	default:
		t.Run("score", s.testScore)
	}
	for _, kind := range s.caps.Grammars {
		t.Run(string(kind), func(t *testing.T) { s.testGrammar(t, kind) })
	}
	t.Run("replay", func(t *testing.T) { s.testReplay(t, in) })
}

// testGreedy: tokens, their log-probabilities and the text agree, in one piece and as a
// stream, and stops are where they should be.
func (s *realServer) testGreedy(t *testing.T, in Input) {
	a := s.ask(t, Request{Input: in, MaxTokens: 8, TopLogprobs: s.top(3)})
	got := a.Samples[0]
	ended := got.Finish == FinishStop
	if !ended && got.Finish != FinishLength || s.caps.Usage && (a.Usage == nil || !ended && a.Usage.Completion != 8 || a.Usage.Prompt < 5) {
		t.Errorf("%+v, usage %+v", got, a.Usage)
	}
	if s.caps.Logprobs {
		if !ended && len(got.Tokens) != 8 {
			t.Errorf("%d tokens", len(got.Tokens))
		}
		joined := ""
		for _, tok := range got.Tokens {
			mass := 0.0
			for _, alt := range tok.Top {
				mass += math.Exp(alt.Logprob)
			}
			if len(tok.Top) < *s.top(3) || mass > 1.0001 || tok.Top[0].Text != tok.Text || tok.Top[0].Logprob != tok.Logprob {
				t.Errorf("greedy token %q %g with alternatives %+v", tok.Text, tok.Logprob, tok.Top)
			}
			joined += tok.Text
		}
		if !strings.HasPrefix(joined, got.Text) { // the last token may be that of the end
			t.Errorf("tokens %q make %q", joined, got.Text)
		}
	}
	b := s.ask(t, Request{Input: in, MaxTokens: 8, TopLogprobs: s.top(3), OnChunk: func(Chunk) {}})
	if b.Samples[0].Text != got.Text || b.Samples[0].Finish != got.Finish || len(b.Samples[0].Tokens) != len(got.Tokens) || (a.Usage == nil) != (b.Usage == nil) || a.Usage != nil && a.Usage.Completion != b.Usage.Completion {
		t.Errorf("streamed %+v, usage %+v; in one piece %+v, usage %+v", b.Samples[0], b.Usage, got, a.Usage)
	}
	if len(got.Text) < 6 {
		return
	}
	stop := got.Text[2:5]
	cut := s.ask(t, Request{Input: in, MaxTokens: 8, Stop: []string{stop}})
	if c := cut.Samples[0]; !strings.HasPrefix(got.Text, c.Text) || strings.Contains(c.Text, stop) || c.Finish != FinishStop {
		t.Errorf("%q, stopped at %q: %+v", got.Text, stop, c)
	}
}

// testContinues: a completion goes on with the text itself, in no template.
func (s *realServer) testContinues(t *testing.T) {
	a := s.ask(t, Request{Input: Input{Prompt: "one"}, MaxTokens: 1})
	if a.Usage != nil && a.Usage.Prompt > 3 {
		t.Errorf("a prompt of one word has %d tokens", a.Usage.Prompt)
	}
}

func (s *realServer) testSeeds(t *testing.T, in Input) {
	texts := map[string]bool{}
	for seed := int64(1); seed <= 4; seed++ {
		req := Request{Input: in, MaxTokens: 8, Temperature: 1.5, Seed: &seed}
		a, b := s.ask(t, req), s.ask(t, req)
		if a.Samples[0].Text != b.Samples[0].Text {
			t.Errorf("seed %d gives %q and %q", seed, a.Samples[0].Text, b.Samples[0].Text)
		}
		texts[a.Samples[0].Text] = true
	}
	if len(texts) < 2 {
		t.Errorf("four seeds give %v", texts)
	}
	n := s.ask(t, Request{Input: in, MaxTokens: 4, Temperature: 1.5, N: 3, TopLogprobs: s.top(1), Seed: ptr(int64(1))})
	tokens, different := int64(0), map[string]bool{}
	for _, x := range n.Samples {
		tokens += int64(len(x.Tokens))
		different[x.Text] = true
	}
	if len(n.Samples) != 3 || len(different) < 2 || s.caps.Usage && (n.Usage == nil || s.caps.Logprobs && (n.Usage.Completion < tokens || n.Usage.Completion > tokens+3)) {
		t.Errorf("%d samples of %d tokens: %v, usage %+v", len(n.Samples), tokens, different, n.Usage)
	}
}

// testTooLong: a prompt beyond the context is refused as such; it is never cut in silence.
func (s *realServer) testTooLong(t *testing.T) {
	const words = 20000
	for _, in := range []Input{{Messages: []prompt.Message{{Role: "user", Content: "first"}, {Role: "assistant", Content: strings.Repeat(" yes", words)}, {Role: "user", Content: "last"}}}, {Prompt: strings.Repeat(" yes", words)}} {
		if in.Prompt == "" && !s.caps.Chat || in.Prompt != "" && !s.caps.Completions {
			continue
		}
		got, err := s.c.Generate(t.Context(), &Request{Input: in, MaxTokens: 1})
		if KindOf(err) != KindTooLong && (err != nil || got.Usage == nil || got.Usage.Prompt < words) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func (s *realServer) testScore(t *testing.T) {
	got := s.score(t, realText, " Rome", " Berlin", " banana", " Rome.", " Rome. It is large.")
	if !(got[0].Logprob > got[1].Logprob && got[1].Logprob > got[2].Logprob) {
		t.Errorf("Rome, Berlin, banana: %+v", got[:3])
	}
	// The chain rule: log P(y1 y2 | x) = log P(y1 | x) + log P(y2 | x y1), where the
	// tokens are the same.
	rest := s.score(t, Input{Prompt: realText.Prompt + " Rome."}, " It is large.")[0]
	if d := got[4].Logprob - got[3].Logprob - rest.Logprob; math.Abs(d) > 0.1 || got[4].Tokens != got[3].Tokens+rest.Tokens {
		t.Errorf("%+v is not %+v and %+v: off by %g", got[4], got[3], rest, d)
	}
	// What was generated is scored as it was generated.
	if s.caps.Logprobs {
		g := s.ask(t, Request{Input: realText, MaxTokens: 6, TopLogprobs: ptr(1)}).Samples[0]
		sum := 0.0
		for _, tok := range g.Tokens {
			sum += tok.Logprob
		}
		if again := s.score(t, realText, g.Text)[0]; again.Tokens == len(g.Tokens) && math.Abs(again.Logprob-sum) > 0.1 {
			t.Errorf("%q: generated with %g, scored %+v", g.Text, sum, again)
		}
	}
	if s.caps.Chat && s.caps.Score != ScoreEcho {
		if got := s.score(t, realChat, "The capital of Italy is Rome.", "Purple banana bicycle horse seven."); got[0].Logprob < got[1].Logprob {
			t.Errorf("in a chat: %+v", got)
		}
	}
}

// testScoreTop: the likeliest first token is scored as it was generated.
func (s *realServer) testScoreTop(t *testing.T, in Input) {
	first := s.ask(t, Request{Input: in, MaxTokens: 1, TopLogprobs: ptr(1)}).Samples[0].Tokens[0]
	got := s.score(t, in, first.Text, "certainly no single token")
	if got[0].AtMost || math.Abs(got[0].Logprob-first.Logprob) > 0.1 || !got[1].AtMost {
		t.Errorf("%+v; generated %+v", got, first)
	}
}

// realGrammars say the same two steps in every notation; a choice has one.
var realGrammars = map[GrammarKind]string{
	GrammarGBNF:       "root ::= step step\nstep ::= \"(pick-up \" b \")\\n\" | \"(stack \" b \" \" b \")\\n\"\nb ::= \"a\" | \"b\" | \"c\"",
	GrammarLark:       "start: step step\nstep: \"(pick-up \" b \")\\n\" | \"(stack \" b \" \" b \")\\n\"\nb: \"a\" | \"b\" | \"c\"\n",
	GrammarRegex:      `((\(pick-up [abc]\)|\(stack [abc] [abc]\))\n){2}`,
	GrammarJSONSchema: `{"type":"object","properties":{"plan":{"type":"array","items":{"type":"string","enum":["(pick-up a)","(stack a b)"]},"minItems":2,"maxItems":2}},"required":["plan"],"additionalProperties":false}`,
	GrammarChoice:     "(pick-up a)\n(stack a b)",
}

var twoSteps = regexp.MustCompile(`^((\(pick-up [abc]\)|\(stack [abc] [abc]\))\n?){1,2}$`)

func (s *realServer) testGrammar(t *testing.T, kind GrammarKind) {
	in := realText
	if s.caps.Chat {
		in = Input{Messages: []prompt.Message{{Role: "user", Content: "Stack block a on block b."}}}
	}
	for seed := int64(1); seed <= 3; seed++ {
		r := s.ask(t, Request{Input: in, Temperature: 1, Seed: &seed, MaxTokens: 100, Grammar: &Grammar{kind, realGrammars[kind]}})
		text, steps := r.Samples[0].Text, 2
		switch kind {
		case GrammarChoice:
			steps = 1
		case GrammarJSONSchema:
			var answer struct{ Plan []string }
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			text = strings.Join(answer.Plan, "\n")
		}
		if !r.Constrained || !twoSteps.MatchString(text) || strings.Count(text, "(") != steps {
			t.Errorf("%q is outside the grammar", r.Samples[0].Text)
		}
	}
}

func (s *realServer) testReplay(t *testing.T, in Input) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	tr := open(t, path)
	req := &Request{Input: in, MaxTokens: 5, TopLogprobs: s.top(2), Temperature: 1, N: 2, Seed: ptr(int64(9))}
	a, err := Record(s.c, tr).Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	tr.Close()
	if tr, err = LoadTranscript(path); err != nil {
		t.Fatal(err)
	}
	if b, err := Replay(s.c.Name(), tr).Generate(t.Context(), req); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%+v, %v; recorded %+v", b, err, a)
	}
}
