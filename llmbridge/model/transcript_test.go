package model

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/planproof/planproof/internal/mockserver"
)

// counting is a model that counts the calls that reach it.
type counting struct {
	Model
	calls atomic.Int64
}

func (c *counting) Generate(ctx context.Context, r *Request) (*Response, error) {
	c.calls.Add(1)
	return c.Model.Generate(ctx, r)
}

func open(t *testing.T, path string) *Transcript {
	t.Helper()
	tr, err := OpenTranscript(path)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// work asks for eight answers, one of which fails, and for scores, and returns all of them
// as text.
func work(t *testing.T, m Model) string {
	t.Helper()
	var b strings.Builder
	for i := range 8 {
		r, err := m.Generate(context.Background(), &Request{Input: chat(fmt.Sprint("question ", i)), Seed: ptr(int64(i)), Temperature: 0.5})
		line, _ := encodeLine(r)
		fmt.Fprintf(&b, "%s%v\n", line, err)
	}
	s, err := m.Score(context.Background(), &ScoreRequest{Input: chat("good?"), Continuations: []string{"good", "bad"}})
	line, _ := encodeLine(s)
	fmt.Fprintf(&b, "%s%v\n", line, err)
	return b.String()
}

func worker() *counting {
	return &counting{Model: ScriptedFunc("scripted:test", func(r *Request, _ int) (string, error) {
		if q := r.Messages[0].Content; q != "question 5" {
			return "answer <to> \u2028 " + q, nil
		}
		return "", errorf(KindOutage, "down")
	})}
}

// TestResumeToTheSameBytes tears a transcript at every byte: the run that goes on gives
// the same answers and the same file, and asks again only for what is not there.
func TestResumeToTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "whole.jsonl")
	tr := open(t, path)
	whole := work(t, Record(worker(), tr))
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(want, []byte("\n")); n != 9 {
		t.Fatalf("%d lines", n)
	}
	torn := filepath.Join(dir, "torn.jsonl")
	failed := bytes.SplitAfter(want, []byte("\n"))[5]
	for i := range len(want) {
		if near := bytes.IndexByte(want[max(0, i-2):min(len(want), i+2)], '\n') >= 0; !near && i%61 != 0 {
			continue // a file a byte would take its time
		}
		if err := os.WriteFile(torn, want[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		m, tr := worker(), open(t, torn)
		lines := bytes.Count(want[:i], []byte("\n"))
		if end := bytes.LastIndexByte(want[:i], '\n') + 1; tr.Recovered != int64(i-end) {
			t.Fatalf("cut at %d: %d bytes recovered, want %d", i, tr.Recovered, i-end)
		}
		got := work(t, Record(m, tr))
		if err := tr.Close(); err != nil {
			t.Fatal(err)
		}
		if got != whole {
			t.Fatalf("cut at %d:\n%s\nwant\n%s", i, got, whole)
		}
		if calls := int(m.calls.Load()); lines <= 5 && calls != 8-lines {
			t.Fatalf("cut at %d, %d lines: %d calls", i, lines, calls)
		}
		file, err := os.ReadFile(torn)
		if err != nil {
			t.Fatal(err)
		}
		again := bytes.Clone(want) // the failed request is asked again if the run had got past it
		if lines > 5 {
			end := bytes.LastIndexByte(want[:i], '\n') + 1
			again = slices.Concat(want[:end], failed, want[end:])
		}
		if !bytes.Equal(file, again) {
			t.Fatalf("cut at %d: the file is\n%s\nwant\n%s", i, file, again)
		}
	}
}

func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	tr := open(t, path)
	whole := work(t, Record(worker(), tr))
	tr.Close()
	before, _ := os.ReadFile(path)
	tr, err := LoadTranscript(path)
	if err != nil {
		t.Fatal(err)
	}
	r := Replay("scripted:test", tr)
	if got := work(t, r); got != whole {
		t.Errorf("replayed\n%s\nwant\n%s", got, whole)
	}
	if n := r.Totals(); n.Recorded != 8 || n.Fresh != 0 || n.Failed != 1 {
		t.Errorf("totals %+v", n)
	}
	_, err = r.Generate(context.Background(), &Request{Input: chat("another")})
	if KindOf(err) != KindMissing {
		t.Error(err)
	}
	if _, err = Replay("other", tr).Generate(context.Background(), &Request{Input: chat("question 1"), Seed: ptr(int64(1)), Temperature: 0.5}); KindOf(err) != KindMissing {
		t.Error("an answer of another model:", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a replay changed the transcript")
	}
}

// TestReplayIsAskedAlike: a caller chooses between a chat and plain text by capabilities,
// so those of a replay must lead it to the requests that were recorded.
func TestReplayIsAskedAlike(t *testing.T) {
	for _, test := range []struct {
		flavour mockserver.Flavour
		plain   bool
	}{{mockserver.LlamaPy, true}, {mockserver.VLLM, false}, {mockserver.VLLM, true}} {
		s := start(t, mockserver.Options{Flavour: test.flavour})
		c, _ := client(t, s, nil)
		if _, err := c.Probe(context.Background()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t.jsonl")
		tr := open(t, path)
		req := &ScoreRequest{Input: chat("The α block is\n"), Continuations: []string{" clear"}}
		if test.plain {
			req.Input = Input{Prompt: "The α block is"}
		}
		if _, err := Record(c, tr).Score(context.Background(), req); err != nil {
			t.Fatal(err)
		}
		tr.Close()
		tr, err := LoadTranscript(path)
		if err != nil {
			t.Fatal(err)
		}
		caps := Replay(c.Name(), tr).Capabilities()
		if caps.Score != c.Capabilities().Score || caps.Chat == test.plain || caps.Completions != test.plain {
			t.Errorf("%s, plain %v: %+v", test.flavour, test.plain, caps)
		}
	}
}

// TestAnswersOutliveErrors: a request that failed is asked again, and its answer counts
// from then on.
func TestAnswersOutliveErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	down := true
	m := ScriptedFunc("m", func(*Request, int) (string, error) {
		if down {
			return "", errorf(KindOutage, "down")
		}
		return "yes", nil
	})
	for i := range 3 {
		tr := open(t, path)
		r, err := Record(m, tr).Generate(context.Background(), &Request{Input: chat("q")})
		if (err == nil) != (i > 0) || i > 0 && r.Samples[0].Text != "yes" {
			t.Fatalf("run %d: %v %v", i, r, err)
		}
		down = false
		tr.Close()
	}
	data, _ := os.ReadFile(path)
	if n := bytes.Count(data, []byte("\n")); n != 2 {
		t.Errorf("%d lines\n%s", n, data)
	}
}

// TestTotalsOfParts: the tokens of samples that were finished before a request failed
// count once, in the run, in its replay, and when the rest has come.
func TestTotalsOfParts(t *testing.T) {
	s := start(t, mockserver.Options{Flavour: mockserver.Llama})
	c, _ := client(t, s, func(o *Options) { o.Tries = 1 })
	if caps, err := c.Probe(context.Background()); err != nil || caps.N {
		t.Fatal(caps, err) // one sample a call
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	tr := open(t, path)
	req := &Request{Input: chat("plan"), N: 3}
	s.Inject(mockserver.None, mockserver.None, mockserver.Error503)
	run := Record(c, tr)
	part, err := run.Generate(context.Background(), req)
	if KindOf(err) != KindOutage || part == nil || len(part.Samples) != 2 {
		t.Fatalf("%+v, %v", part, err)
	}
	each := *part.Usage
	want := Totals{Failed: 1, Usage: each}
	if got := run.Totals(); got != want {
		t.Errorf("the run: %+v, want %+v", got, want)
	}
	loaded, err := LoadTranscript(path)
	if err != nil {
		t.Fatal(err)
	}
	replay := Replay(c.Name(), loaded)
	if again, err := replay.Generate(context.Background(), req); KindOf(err) != KindOutage || !reflect.DeepEqual(part, again) || replay.Totals() != want {
		t.Errorf("the replay: %+v, %v, %+v", again, err, replay.Totals())
	}
	whole, err := run.Generate(context.Background(), req)
	if err != nil || len(whole.Samples) != 3 {
		t.Fatalf("%+v, %v", whole, err)
	}
	want = Totals{Failed: 1, Fresh: 1, Usage: *whole.Usage}
	if got := run.Totals(); got != want || 2*whole.Usage.Completion != 3*each.Completion {
		t.Errorf("in the end: %+v, want %+v", got, want)
	}
}

// TestTotalsOfFailedScores: what the answered parts of a request for scores used is counted,
// although the request failed, in the run and in its replay.
func TestTotalsOfFailedScores(t *testing.T) {
	for _, flavour := range []mockserver.Flavour{mockserver.VLLM, mockserver.Llama, mockserver.LlamaPy} {
		s := start(t, mockserver.Options{Flavour: flavour, OnePrompt: true})
		c, _ := client(t, s, func(o *Options) { o.Tries = 1 })
		if _, err := c.Probe(context.Background()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t.jsonl")
		run := Record(c, open(t, path))
		// Of the same length: which of them fails does not matter.
		req := &ScoreRequest{Input: Input{Prompt: "The block is"}, Continuations: []string{" red", " big", " old"}}
		whole, err := c.Score(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		u := *whole.Usage
		part := Usage{Prompt: u.Prompt / 3 * 2, Completion: u.Completion / 3 * 2, Cached: u.Cached / 3 * 2}
		s.Inject(mockserver.None, mockserver.None, mockserver.Error503)
		if _, err := run.Score(context.Background(), req); KindOf(err) != KindOutage || SpentOn(err) == nil {
			t.Fatalf("%s: %v", flavour, err)
		}
		want := Totals{Failed: 1, Usage: part}
		if got := run.Totals(); got != want || part.Prompt == 0 {
			t.Errorf("%s: %+v, want %+v", flavour, got, want)
		}
		loaded, err := LoadTranscript(path)
		if err != nil {
			t.Fatal(err)
		}
		replay := Replay(c.Name(), loaded)
		if _, err := replay.Score(context.Background(), req); KindOf(err) != KindOutage || replay.Totals() != want {
			t.Errorf("%s: the replay: %v, %+v", flavour, err, replay.Totals())
		}
		if _, err := run.Score(context.Background(), req); err != nil {
			t.Fatal(err)
		}
		want = Totals{Failed: 1, Fresh: 1, Usage: part}
		want.Usage.Add(*whole.Usage)
		if got := run.Totals(); got != want {
			t.Errorf("%s: in the end %+v, want %+v", flavour, got, want)
		}
	}
}

func TestEqualRequestsAreOneCall(t *testing.T) {
	gate := make(chan struct{})
	m := &counting{Model: ScriptedFunc("m", func(*Request, int) (string, error) { <-gate; return "yes", nil })}
	r := Record(m, open(t, filepath.Join(t.TempDir(), "t.jsonl")))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := r.Generate(context.Background(), &Request{Input: chat("q")}); err != nil {
				t.Error(err)
			}
		})
	}
	close(gate)
	wg.Wait()
	if n := m.calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestCancelledIsNotRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	s := start(t, mockserver.Options{Flavour: mockserver.VLLM, Faults: []mockserver.Fault{mockserver.Hang}})
	c, _ := client(t, s, nil)
	tr := open(t, path)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Record(c, tr).Generate(ctx, &Request{Input: chat("q")}); KindOf(err) != KindCancelled || tr.Len() != 0 {
		t.Error(err, tr.Len())
	}
}

func TestBadTranscripts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.jsonl")
	tr := open(t, path)
	if _, err := OpenTranscript(path); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("two writers: %v", err)
	}
	work(t, Record(worker(), tr))
	tr.Close()
	good, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(good, []byte("\n"))
	change := func(i int, from, to string) []byte {
		out := bytes.Clone(lines[0])
		for k := 1; k < len(lines); k++ {
			line := lines[k]
			if k == i {
				line = bytes.Replace(line, []byte(from), []byte(to), 1)
				if bytes.Equal(line, lines[k]) {
					t.Fatalf("%q is not in line %d", from, k)
				}
			}
			out = append(out, line...)
		}
		return out
	}
	for name, data := range map[string][]byte{
		"changed request": change(3, "question 3", "question 4"),
		"changed model":   change(3, "scripted:test", "gpt"),
		"no JSON":         change(3, `{"v":1`, `{"v";1`),
		"version":         change(3, `{"v":1`, `{"v":2`),
		"no answer":       change(3, `"response"`, `"reply"`),
		"two samples":     change(3, `"samples":[`, `"samples":[{"text":"x"},`),
		"not ours":        []byte("[1,2]\n[3]\n"),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTranscript(path); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, data) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	if _, err := OpenTranscript(dir); err == nil {
		t.Error("a folder is a transcript")
	}
}

func TestPrices(t *testing.T) {
	p := Prices{}
	for _, s := range []string{"a=0.15/0.60", "b=1/2/0.1", "c=d=3/4"} {
		if err := p.ParsePrice(s); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []string{"", "a", "=1/2", "a=1", "a=1/x", "a=-1/2", "a=1/2/3/4", "a=1e9/2", "a=./1", "a=1/"} {
		if err := p.ParsePrice(s); err == nil {
			t.Errorf("%q is a price", s)
		}
	}
	for _, test := range []struct {
		model, want string
		u           Usage
	}{
		{"a", "21/20", Usage{Prompt: 3_000_000, Completion: 1_000_000, Cached: 5}},
		{"a@host/v1", "3/5", Usage{Completion: 1_000_000}},
		{"b", "19/10", Usage{Prompt: 2_000_000, Cached: 111_111 * 0, Completion: 0}},
		{"c=d", "7", Usage{Prompt: 1_000_000, Completion: 1_000_000}},
	} {
		if test.model == "b" {
			test.u.Cached, test.u.Prompt = 1_000_000, 2_800_000
		}
		got, ok := p.Cost(test.model, test.u)
		if !ok || got.RatString() != test.want {
			t.Errorf("%s %+v: %v, want %s", test.model, test.u, got, test.want)
		}
	}
	if _, ok := p.Cost("unknown", Usage{}); ok {
		t.Error("a price from nowhere")
	}
}

// TestFinishedSamplesAreKept: when a later sample of a request fails, the earlier ones are
// returned with the error, stand in the transcript, and are not asked for again.
func TestFinishedSamplesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	asked := map[int]int{}
	failing := 2
	m := ScriptedFunc("scripted:test", func(r *Request, sample int) (string, error) {
		asked[sample]++
		if sample == failing {
			return "", errorf(KindOutage, "down")
		}
		return fmt.Sprint("sample ", sample), nil
	})
	req := &Request{Input: chat("question"), N: 5, Seed: ptr(int64(7))}
	try := func(wantErr bool, want ...string) *Response {
		t.Helper()
		tr := open(t, path)
		defer tr.Close()
		resp, err := Record(m, tr).Generate(context.Background(), req)
		if (err != nil) != wantErr {
			t.Fatalf("%v", err)
		}
		var got []string
		if resp != nil {
			for _, s := range resp.Samples {
				got = append(got, s.Text)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("samples %q, want %q", got, want)
		}
		return resp
	}
	try(true, "sample 0", "sample 1")
	failing = 4
	try(true, "sample 0", "sample 1", "sample 2", "sample 3")
	failing = -1
	resp := try(false, "sample 0", "sample 1", "sample 2", "sample 3", "sample 4")
	if resp.Usage == nil || resp.Usage.Completion != 10 {
		t.Errorf("usage %+v, want 10 tokens", resp.Usage)
	}
	try(false, "sample 0", "sample 1", "sample 2", "sample 3", "sample 4")
	if want := map[int]int{0: 1, 1: 1, 2: 2, 3: 1, 4: 2}; !maps.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	tr, err := OpenTranscript(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if got, err := Replay("scripted:test", tr).Generate(context.Background(), req); err != nil || len(got.Samples) != 5 {
		t.Errorf("replay: %v, %v", got, err)
	}
}
