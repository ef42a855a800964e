package model

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/mockserver"
)

func ollama(t *testing.T, opt mockserver.Options, change func(*Options)) (*Client, *mockserver.Server) {
	t.Helper()
	opt.Flavour = mockserver.Ollama
	s := start(t, opt)
	c, _ := client(t, s, change)
	if caps, err := c.Probe(context.Background()); err != nil || caps.Server != "ollama" {
		t.Fatalf("%+v, %v", caps, err)
	}
	return c, s
}

// TestOllamaSampling: the samplers of the model file are off, and what the server would do
// behind our back is forbidden.
func TestOllamaSampling(t *testing.T) {
	c, s := ollama(t, mockserver.Options{}, nil)
	for _, in := range []Input{chat("plan"), {Prompt: "plan"}} {
		_, err := c.Generate(context.Background(), &Request{Input: in, MaxTokens: 7, Temperature: 0.5, Seed: ptr(int64(3)), Stop: []string{"\n\n"}})
		if err != nil {
			t.Fatal(err)
		}
		all := s.Requests()
		body := all[len(all)-1].Body
		want := map[string]any{"temperature": 0.5, "top_p": 1.0, "top_k": 0.0, "min_p": 0.0, "repeat_penalty": 1.0, "num_predict": 7.0, "seed": 3.0, "stop": []any{"\n\n"}}
		if !reflect.DeepEqual(body["options"], want) || body["truncate"] != false || body["shift"] != false || body["stream"] != false {
			t.Errorf("%v", body)
		}
		if raw := body["raw"] == true; raw != (in.Prompt != "") {
			t.Errorf("a template is applied to plain text, or none to a chat: %v", body)
		}
	}
}

// TestOllamaTooLong: a prompt beyond the context is an error, not a shorter prompt.
func TestOllamaTooLong(t *testing.T) {
	c, _ := ollama(t, mockserver.Options{Context: 60}, nil)
	for _, in := range []Input{chat(strings.Repeat("word ", 100)), {Prompt: strings.Repeat("word ", 100)}} {
		if got, err := c.Generate(context.Background(), &Request{Input: in}); KindOf(err) != KindTooLong {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// TestOllamaLoop: an answer that the server ended because it repeated itself is cut off,
// and its tokens are not counted.
func TestOllamaLoop(t *testing.T) {
	for _, stream := range []bool{false, true} {
		c, s := ollama(t, mockserver.Options{}, func(o *Options) { o.Stream = stream })
		s.Inject(mockserver.Loop)
		got, err := c.Generate(context.Background(), &Request{Input: chat("plan")})
		if err != nil || !got.Samples[0].Truncated() || got.Samples[0].Text != strings.Repeat("again ", ollamaLoop+1) || got.Usage != nil {
			t.Errorf("stream %v: %+v, %v", stream, got, err)
		}
	}
}

// TestOllamaFaults: half a stream is no answer, whatever its form.
func TestOllamaFaults(t *testing.T) {
	for fault, kind := range map[mockserver.Fault]ErrorKind{
		mockserver.HalfStream: KindMalformed, mockserver.StreamError: KindOutage, mockserver.Malformed: KindMalformed, mockserver.NotJSON: KindMalformed,
		mockserver.NotUTF8: KindMalformed, mockserver.NoChoices: KindMalformed, mockserver.NoLogprobs: KindMalformed, mockserver.BadLogprobs: KindMalformed,
		mockserver.Reset: KindOutage, mockserver.Error500: KindOutage, mockserver.Huge: KindRefused,
	} {
		for _, stream := range []bool{true, false} {
			if !stream && (fault == mockserver.HalfStream || fault == mockserver.StreamError) {
				continue
			}
			c, s := ollama(t, mockserver.Options{}, func(o *Options) { o.Stream, o.Tries, o.MaxBody = stream, 2, 1<<20 })
			text, restarts := "", 0
			req := &Request{Input: chat("plan"), TopLogprobs: ptr(1)}
			if stream {
				req.OnChunk = func(p Chunk) {
					if p.Restart {
						text = ""
						restarts++
					}
					text += p.Text
				}
			}
			before := len(s.Requests())
			s.Inject(fault, fault)
			_, err := c.Generate(context.Background(), req)
			if tries := len(s.Requests()) - before; KindOf(err) != kind || tries != map[bool]int{true: 1, false: 2}[kind == KindRefused] {
				t.Errorf("%s, stream %v: %v after %d tries", fault, stream, err, tries)
			}
			if kind == KindRefused {
				continue
			}
			s.Inject(fault)
			got, err := c.Generate(context.Background(), req)
			if err != nil || got.Samples[0].Text != plan || stream && (text != plan || restarts != 2) {
				t.Errorf("%s, stream %v: %+v, %v; chunks %q", fault, stream, got, err, text)
			}
		}
	}
}

// TestOllamaHalf: cutting an answer anywhere never yields a shorter answer.
func TestOllamaHalf(t *testing.T) {
	lines := `{"message":{"role":"assistant","content":"(pick-up a)\n"},"done":false}` + "\n" +
		`{"message":{"role":"assistant","content":"(stack a b)"},"done":false}` + "\n" +
		`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}`
	header := map[string][]string{"Content-Type": {"application/x-ndjson"}}
	for i := range len(lines) + 1 {
		got, err := readOllama(strings.NewReader(lines[:i]), header, 0, nil)
		if (err == nil) != (i == len(lines)) {
			t.Fatalf("%q: %+v, %v", lines[:i], got, err)
		}
		if err == nil && (got.Samples[0].Text != "(pick-up a)\n(stack a b)" || fmt.Sprint(*got.Usage) != "{7 2 0 0}") {
			t.Errorf("%+v", got)
		}
	}
}
