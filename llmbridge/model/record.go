package model

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Recorder is a Model that answers from a transcript what stands there, asks another model
// for the rest, and writes the answers down before it passes them on.
type Recorder struct {
	name string
	next Model // nil: replay, without any server
	t    *Transcript
	caps Capabilities

	mu     sync.Mutex
	flight map[string]*flight
	totals Totals
}

type flight struct {
	done chan struct{}
	e    *Entry
	err  error
}

// Totals count what a Recorder did, for reports. Fresh answers cost something in this run,
// recorded ones did in another.
type Totals struct {
	Fresh    int `json:"fresh"`
	Recorded int `json:"recorded"`
	Failed   int `json:"failed"`
	// Usage of all answers; Uncounted is the number of answers without one.
	Usage     Usage `json:"usage"`
	Uncounted int   `json:"uncounted"`
}

// Record puts a transcript before a model.
func Record(next Model, t *Transcript) *Recorder {
	return &Recorder{name: next.Name(), next: next, t: t, caps: next.Capabilities(), flight: map[string]*flight{}}
}

// Replay is a model of the given name that knows only what a transcript holds. Any other
// request is an error of kind KindMissing.
func Replay(name string, t *Transcript) *Recorder {
	caps := Capabilities{Server: "replay", Model: name, Chat: true, Completions: true, N: true, Logprobs: true, TopLogprobs: 20,
		Score: ScoreExact, Grammars: []GrammarKind{GrammarGBNF, GrammarLark, GrammarRegex, GrammarJSONSchema, GrammarChoice}}
	t.recall(name, &caps)
	return &Recorder{name: name, t: t, caps: caps, flight: map[string]*flight{}}
}

// Name implements Model.
func (r *Recorder) Name() string { return r.name }

// Capabilities implements Model.
func (r *Recorder) Capabilities() Capabilities { return r.caps }

// Totals returns the counts so far.
func (r *Recorder) Totals() Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.totals
}

// Generate implements Model.
func (r *Recorder) Generate(ctx context.Context, req *Request) (*Response, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	var part *Response
	e, err := r.answer(ctx, &Entry{Model: r.name, Generate: req}, func(e *Entry) error {
		all, err := r.generate(ctx, req)
		if err != nil {
			part = all
			return err
		}
		e.Response = all
		return nil
	})
	if err != nil {
		return part, err
	}
	return e.Response, nil
}

// generate asks for the samples of a request that no earlier call has finished. Those
// finished before an error are written down as the answer to the same request for fewer.
func (r *Recorder) generate(ctx context.Context, req *Request) (*Response, error) {
	var have *Response
	done := 0
	for k := req.Samples() - 1; k > 0 && have == nil; k-- {
		if old := r.t.Find(RequestKey(r.name, "generate", req.first(k))); old != nil && old.Error == nil {
			have, done = old.Response.clone(), k
		}
	}
	got, err := r.next.Generate(ctx, req.after(done))
	if got == nil {
		return have, err
	}
	all := merge(have, got)
	if k := len(all.Samples); err != nil && k > done && k < req.Samples() {
		if werr := r.t.Add(&Entry{Model: r.name, Generate: req.first(k), Response: all.clone()}); werr != nil {
			return all, werr
		}
	}
	return all, err
}

// first is the request for the first k samples of r.
func (r *Request) first(k int) *Request {
	out := *r
	if out.N = k; k == 1 {
		out.N = 0
	}
	return &out
}

// after is the request for the samples of r after the first k.
func (r *Request) after(k int) *Request {
	if k == 0 {
		return r
	}
	out := *r
	out.N, out.Sample = r.Samples()-k, r.Sample+k
	if r.Seed != nil {
		seed := *r.Seed + int64(k)
		out.Seed = &seed
	}
	if r.OnChunk != nil {
		out.OnChunk = func(c Chunk) {
			c.Index += k
			r.OnChunk(c)
		}
	}
	return &out
}

func (a *Response) clone() *Response {
	out := *a
	out.Samples = slices.Clone(a.Samples)
	if a.Usage != nil {
		u := *a.Usage
		out.Usage = &u
	}
	return &out
}

// Score implements Model.
func (r *Recorder) Score(ctx context.Context, req *ScoreRequest) (*ScoreResponse, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	e, err := r.answer(ctx, &Entry{Model: r.name, Score: req}, func(e *Entry) (err error) {
		e.Scores, err = r.next.Score(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.Scores, nil
}

// answer finds or makes the entry of a request. Equal requests at the same time are one
// call.
func (r *Recorder) answer(ctx context.Context, e *Entry, ask func(*Entry) error) (*Entry, error) {
	key := e.key()
	for {
		r.mu.Lock()
		f := r.flight[key]
		if f == nil {
			f = &flight{done: make(chan struct{})}
			r.flight[key] = f
			r.mu.Unlock()
			f.e, f.err = r.fill(key, e, ask)
			r.mu.Lock()
			delete(r.flight, key)
			r.mu.Unlock()
			close(f.done)
			return f.e, f.err
		}
		r.mu.Unlock()
		select {
		case <-f.done:
			if KindOf(f.err) == KindCancelled && ctx.Err() == nil {
				continue // the other caller gave up; this one has not
			}
			return f.e, f.err
		case <-ctx.Done():
			return nil, errorf(KindCancelled, "%v", ctx.Err())
		}
	}
}

func (r *Recorder) fill(key string, e *Entry, ask func(*Entry) error) (*Entry, error) {
	if old := r.t.Find(key); old != nil && (old.Error == nil || r.next == nil) {
		r.count(old, false)
		if old.Error != nil {
			return nil, old.Error
		}
		return old, nil
	}
	if r.next == nil {
		return nil, errorf(KindMissing, "the transcript has no answer of %s to this request", r.name)
	}
	err := ask(e)
	var failed *Error
	switch {
	case err == nil:
	case KindOf(err) == KindCancelled:
		return nil, err // nothing happened
	case errors.As(err, &failed):
		e.Error = failed
	default:
		e.Error = errorf(KindOutage, "%v", err)
	}
	if werr := r.t.Add(e); werr != nil {
		return nil, werr
	}
	r.count(e, true)
	if e.Error != nil {
		return nil, e.Error
	}
	return e, nil
}

func (r *Recorder) count(e *Entry, fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.totals
	switch {
	case e.Error != nil:
		t.Failed++
		return
	case fresh:
		t.Fresh++
	default:
		t.Recorded++
	}
	var u *Usage
	if e.Response != nil {
		u = e.Response.Usage
	} else {
		u = e.Scores.Usage
	}
	if u == nil {
		t.Uncounted++
		return
	}
	t.Usage.Add(*u)
}
