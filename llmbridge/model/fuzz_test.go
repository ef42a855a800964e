package model

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// FuzzAnswer feeds bodies and streams: no panic, and what is read as an answer has
// samples that are whole.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"choices":[{"index":0,"message":{"content":"(a)"},"finish_reason":"stop","logprobs":{"content":[{"token":"x","logprob":-1,"top_logprobs":[]}]}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`))
	f.Add([]byte(`{"choices":[{"index":0,"text":"a b","logprobs":{"tokens":["a"," b"],"token_logprobs":[null,-2],"top_logprobs":[{},{"x":-1}],"text_offset":[0,1]}}]}`))
	f.Add([]byte("data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\",\"reasoning_content\":\"y\"}}]}\n\n: ping\n\ndata: {\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"))
	f.Add([]byte("event: error\r\ndata: {\"error\":\"down\"}\r\n\r\n"))
	f.Add([]byte(`{"error":{"message":"x","code":429}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := parseAnswer(data); (err == nil) != (r != nil) || r != nil && len(r.Samples) == 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		r, err := readStream(bytes.NewReader(data), 0, func(Chunk) {})
		if (err == nil) != (r != nil) {
			t.Fatalf("%+v, %v", r, err)
		}
		if r != nil {
			for _, s := range r.Samples {
				if s.Finish == "" {
					t.Fatalf("half a sample: %+v", r)
				}
			}
		}
		if parseWireError(data).Message == "" {
			t.Fatal("an error without words")
		}
	})
}

// FuzzTranscript: no panic, whole entries only, and what was read can be written and read
// again.
func FuzzTranscript(f *testing.F) {
	var b bytes.Buffer
	for _, e := range []*Entry{
		{Version: 1, Model: "m", Generate: &Request{Input: chat("q"), Seed: ptr(int64(3))}, Response: &Response{Samples: []Sample{{Text: "x", Finish: FinishStop}}}},
		{Version: 1, Model: "m", Score: &ScoreRequest{Input: Input{Prompt: "p"}, Continuations: []string{"a"}}, Scores: &ScoreResponse{Scores: []Score{{Logprob: -1, Tokens: 1}}}},
		{Version: 1, Model: "m", Generate: &Request{Input: chat("q")}, Error: errorf(KindOutage, "down")},
	} {
		e.Key = e.key()
		line, _ := encodeLine(e)
		b.Write(line)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-9])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines bytes.Buffer
		n := 0
		whole, err := ReadTranscript(bytes.NewReader(data), func(e *Entry) error {
			n++
			line, err := encodeLine(e)
			lines.Write(line)
			return err
		})
		if whole < 0 || whole > int64(len(data)) || whole > 0 && data[whole-1] != '\n' {
			t.Fatalf("%d whole bytes of %q, %v", whole, data, err)
		}
		if again := 0; err == nil {
			if _, err := ReadTranscript(&lines, func(*Entry) error { again++; return nil }); err != nil || again != n {
				t.Fatalf("%d entries, then %d: %v", n, again, err)
			}
		}
	})
}

// FuzzTable reads canned answers.
func FuzzTable(f *testing.F) {
	f.Add(`{"contains":["a"],"texts":["b","c"]}` + "\n" + `{"error":"outage"}`)
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ReadTable(strings.NewReader(text))
		if (err == nil) != (table != nil) {
			t.Fatal(table, err)
		}
	})
}

// FuzzRetryAfter: a pause is never negative but for "not said", and never absurd.
func FuzzRetryAfter(f *testing.F) {
	f.Add("7", "1s", "0")
	f.Add("Wed, 21 Oct 2099 07:28:00 GMT", "6m0s", "1")
	f.Fuzz(func(t *testing.T, after, reset, left string) {
		h := map[string][]string{"Retry-After": {after}, "X-Ratelimit-Reset-Requests": {reset}, "X-Ratelimit-Remaining-Requests": {left}}
		if d := retryAfter(h, time.Unix(1e9, 0)); d < -1 {
			t.Fatal(d)
		}
	})
}
