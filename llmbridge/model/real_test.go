package model

import (
	"context"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"planproof/llmbridge"
)

// realClient returns a client of the server that `make test-model` starts, probed.
func realClient(t *testing.T) *Client {
	t.Helper()
	url := os.Getenv("PLANPROOF_MODEL_URL")
	if url == "" {
		t.Skip("no model server: `make test-model` starts one")
	}
	c, err := NewClient(Options{BaseURL: url, Model: "small", Timeout: 5 * time.Minute, Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	caps, err := c.Probe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", caps)
	return c
}

// TestRealModel holds a real server to what the interface promises.
func TestRealModel(t *testing.T) {
	c := realClient(t)
	caps := c.Capabilities()
	if !caps.Chat || !caps.Completions || !caps.Stream || !caps.Logprobs || !caps.Usage || !caps.Grammar(GrammarGBNF) || caps.Score == ScoreNone || caps.Score == ScoreTop {
		t.Fatalf("%+v", caps)
	}
	ctx := context.Background()
	ask := func(t *testing.T, r Request) *Response {
		t.Helper()
		got, err := c.Generate(ctx, &r)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	text := Input{Prompt: "The capital of France is Paris. The capital of Italy is"}
	t.Run("greedy", func(t *testing.T) {
		a := ask(t, Request{Input: text, MaxTokens: 8, TopLogprobs: ptr(3)})
		s := a.Samples[0]
		if s.Finish != FinishLength || len(s.Tokens) != 8 || a.Usage == nil || a.Usage.Completion != 8 {
			t.Errorf("%+v, usage %+v", s, a.Usage)
		}
		joined := ""
		for _, tok := range s.Tokens {
			joined += tok.Text
			mass := 0.0
			for _, alt := range tok.Top {
				mass += math.Exp(alt.Logprob)
			}
			if len(tok.Top) != 3 || mass > 1.0001 || tok.Top[0].Text != tok.Text {
				t.Errorf("greedy token %q with alternatives %+v", tok.Text, tok.Top)
			}
		}
		if joined != s.Text {
			t.Errorf("tokens %q make %q", joined, s.Text)
		}
		b := ask(t, Request{Input: text, MaxTokens: 8, TopLogprobs: ptr(3), OnChunk: func(Chunk) {}})
		if b.Samples[0].Text != s.Text || b.Samples[0].Finish != s.Finish {
			t.Errorf("streamed %q, in one piece %q", b.Samples[0].Text, s.Text)
		}
		cut := ask(t, Request{Input: text, MaxTokens: 8, Stop: []string{joined[2:4]}})
		if got := cut.Samples[0]; !strings.HasPrefix(s.Text, got.Text) || len(got.Text) >= len(s.Text) || got.Finish != FinishStop {
			t.Errorf("stopped at %q: %+v", joined[2:4], got)
		}
	})
	t.Run("seeds", func(t *testing.T) {
		texts := map[string]bool{}
		for seed := int64(1); seed <= 4; seed++ {
			a := ask(t, Request{Input: text, MaxTokens: 8, Temperature: 1.5, Seed: &seed})
			b := ask(t, Request{Input: text, MaxTokens: 8, Temperature: 1.5, Seed: &seed})
			if a.Samples[0].Text != b.Samples[0].Text {
				t.Errorf("seed %d gives %q and %q", seed, a.Samples[0].Text, b.Samples[0].Text)
			}
			texts[a.Samples[0].Text] = true
		}
		if len(texts) < 2 {
			t.Errorf("four seeds give %v", texts)
		}
		if n := ask(t, Request{Input: text, MaxTokens: 4, Temperature: 1, N: 3}); len(n.Samples) != 3 || n.Usage == nil || n.Usage.Completion != 12 {
			t.Errorf("%d samples, usage %+v", len(n.Samples), n.Usage)
		}
	})
	score := func(t *testing.T, in Input, ys ...string) []Score {
		t.Helper()
		got, err := c.Score(ctx, &ScoreRequest{Input: in, Continuations: ys})
		if err != nil {
			t.Fatal(err)
		}
		return got.Scores
	}
	t.Run("score", func(t *testing.T) {
		s := score(t, text, " Rome", " Berlin", " banana", " Rome.", " Rome. It is large.")
		if !(s[0].Logprob > s[1].Logprob && s[1].Logprob > s[2].Logprob) {
			t.Errorf("Rome, Berlin, banana: %+v", s[:3])
		}
		// The chain rule: log P(y1 y2 | x) = log P(y1 | x) + log P(y2 | x y1), where the
		// tokens are the same.
		rest := score(t, Input{Prompt: text.Prompt + " Rome."}, " It is large.")[0]
		if d := s[4].Logprob - s[3].Logprob - rest.Logprob; math.Abs(d) > 0.1 || s[4].Tokens != s[3].Tokens+rest.Tokens {
			t.Errorf("%+v is not %+v and %+v: off by %g", s[4], s[3], rest, d)
		}
		// What was generated is scored as it was generated.
		g := ask(t, Request{Input: text, MaxTokens: 6, TopLogprobs: ptr(1)}).Samples[0]
		sum := 0.0
		for _, tok := range g.Tokens {
			sum += tok.Logprob
		}
		if again := score(t, text, g.Text)[0]; again.Tokens == len(g.Tokens) && math.Abs(again.Logprob-sum) > 0.1 {
			t.Errorf("%q: generated with %g, scored %+v", g.Text, sum, again)
		}
		chat := Input{Messages: []llmbridge.Message{{Role: "user", Content: "Name the capital of Italy."}}}
		if s := score(t, chat, "The capital of Italy is Rome.", "Purple banana bicycle horse seven."); s[0].Logprob < s[1].Logprob {
			t.Errorf("in a chat: %+v", s)
		}
	})
	t.Run("grammar", func(t *testing.T) {
		g := &Grammar{GrammarGBNF, "root ::= step step\nstep ::= \"(pick-up \" b \")\\n\" | \"(stack \" b \" \" b \")\\n\"\nb ::= \"a\" | \"b\" | \"c\""}
		for seed := int64(1); seed <= 3; seed++ {
			r := ask(t, Request{Input: Input{Messages: []llmbridge.Message{{Role: "user", Content: "Stack block a on block b."}}}, Temperature: 1, Seed: &seed, MaxTokens: 60, Grammar: g})
			lines := strings.Split(strings.TrimSpace(r.Samples[0].Text), "\n")
			if !r.Constrained || len(lines) != 2 || !strings.HasPrefix(lines[0], "(") || !strings.HasSuffix(lines[1], ")") {
				t.Errorf("%q is outside the grammar", r.Samples[0].Text)
			}
		}
	})
	t.Run("replay", func(t *testing.T) {
		path := t.TempDir() + "/t.jsonl"
		tr := open(t, path)
		req := &Request{Input: text, MaxTokens: 5, TopLogprobs: ptr(2), Temperature: 1, Seed: ptr(int64(9))}
		a, err := Record(c, tr).Generate(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		tr.Close()
		if tr, err = LoadTranscript(path); err != nil {
			t.Fatal(err)
		}
		if b, err := Replay(c.Name(), tr).Generate(ctx, req); err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%+v, %v; recorded %+v", b, err, a)
		}
	})
}
