package model

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Recorder is a Model that answers from a transcript if it can. Otherwise it asks another model, and adds the
// answer to the transcript before it returns it.
type Recorder struct {
	name string
	next Model // nil: replay
	t    *Transcript
	caps Capabilities

	mu     sync.Mutex
	flight map[string]*flight
	totals Totals
	parts  map[string]*Response // by key: samples of failed requests that totals has counted
}

// flight is a request in progress.
type flight struct {
	done chan struct{}
	e    *Entry
	err  error
}

// Totals counts what a Recorder did. Fresh answers had a cost in this run, recorded ones in an earlier run.
type Totals struct {
	Fresh    int `json:"fresh"`
	Recorded int `json:"recorded"`
	Failed   int `json:"failed"`
	// Usage is that of all answers and of the finished samples and scores of failed requests;
	// Uncounted is the number of those without a usage.
	Usage     Usage `json:"usage"`
	Uncounted int   `json:"uncounted"`
}

// Record returns a Recorder for a model.
func Record(next Model, t *Transcript) *Recorder {
	return &Recorder{name: next.Name(), next: next, t: t, caps: next.Capabilities(), flight: map[string]*flight{}, parts: map[string]*Response{}}
}

// Replay returns a model that knows only the answers of the named model in a transcript. For other requests
// the error is of kind KindMissing.
func Replay(name string, t *Transcript) *Recorder {
	caps := Capabilities{Server: "replay", Model: name, Chat: true, Completions: true, N: true, Logprobs: true, TopLogprobs: 20,
		Score: ScoreExact, Grammars: []GrammarKind{GrammarGBNF, GrammarLark, GrammarRegex, GrammarJSONSchema, GrammarChoice}}
	t.recall(name, &caps)
	return &Recorder{name: name, t: t, caps: caps, flight: map[string]*flight{}, parts: map[string]*Response{}}
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
	e, err := r.answer(ctx, &Entry{Model: r.name, Generate: req}, func(e *Entry) error {
		all, err := r.generate(ctx, req)
		if err == nil {
			e.Response = all
		}
		return err
	})
	if err != nil {
		part, _ := r.finished(req)
		return part, err
	}
	return e.Response, nil
}

// generate asks for the samples of a request that the transcript does not have yet. If an error comes first,
// the finished samples are recorded as the answer to the same request for fewer samples.
func (r *Recorder) generate(ctx context.Context, req *Request) (*Response, error) {
	have, done := r.finished(req)
	got, err := r.next.Generate(ctx, req.after(done))
	if got == nil {
		return have, err
	}
	all := merge(have, got)
	if k := len(all.Samples); err != nil && k > done && k < req.samples() {
		if werr := r.t.Add(&Entry{Model: r.name, Generate: req.first(k), Response: all.clone()}); werr != nil {
			return all, werr
		}
	}
	return all, err
}

// finished returns the recorded samples of a request without a whole answer, and their number.
func (r *Recorder) finished(req *Request) (part *Response, samples int) {
	for k := req.samples() - 1; k > 0; k-- {
		if old := r.t.Find(requestKey(r.name, "generate", req.first(k))); old != nil && old.Error == nil {
			return old.Response.clone(), k
		}
	}
	return nil, 0
}

// first returns the request for the first k samples of r.
func (r *Request) first(k int) *Request {
	out := *r
	if out.N = k; k == 1 {
		out.N = 0
	}
	return &out
}

// after returns the request for the samples of r after the first k.
func (r *Request) after(k int) *Request {
	if k == 0 {
		return r
	}
	out := *r
	out.N, out.Sample = r.samples()-k, r.Sample+k
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

// answer finds or makes the entry of a request. Equal requests at the same time share one call.
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
				continue // only the other caller gave up
			}
			return f.e, f.err
		case <-ctx.Done():
			return nil, errorf(KindCancelled, "%v", ctx.Err())
		}
	}
}

func (r *Recorder) fill(key string, e *Entry, ask func(*Entry) error) (*Entry, error) {
	if old := r.t.Find(key); old != nil && (old.Error == nil || r.next == nil) {
		r.count(key, old, false)
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
		r.mu.Lock()
		defer r.mu.Unlock()
		r.totals.spent(err)
		return nil, err // a cancelled request is not recorded
	case errors.As(err, &failed):
		e.Error = failed
	default:
		e.Error = errorf(KindOutage, "%v", err)
	}
	if werr := r.t.Add(e); werr != nil {
		return nil, werr
	}
	r.count(key, e, true)
	if e.Error != nil {
		return nil, e.Error
	}
	return e, nil
}

// count adds an answer to the totals. The finished samples of a failed request count until the whole answer
// replaces them.
func (r *Recorder) count(key string, e *Entry, fresh bool) {
	response := e.Response
	if e.Error != nil && e.Generate != nil {
		response, _ = r.finished(e.Generate)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := &r.totals
	switch {
	case e.Error != nil:
		t.Failed++
		t.spent(e.Error)
	case fresh:
		t.Fresh++
	default:
		t.Recorded++
	}
	if part := r.parts[key]; part != nil {
		t.spend(part.Usage, -1)
		delete(r.parts, key)
	}
	switch {
	case response != nil:
		t.spend(response.Usage, 1)
		if e.Error != nil {
			r.parts[key] = response
		}
	case e.Scores != nil:
		t.spend(e.Scores.Usage, 1)
	}
}

// spent adds the usage of a failed score request, all of which will be asked for again.
func (t *Totals) spent(err error) {
	if u := SpentOn(err); u != nil {
		t.Usage.Add(*u)
	}
}

// spend adds the usage of an answer or, with sign -1, subtracts it.
func (t *Totals) spend(u *Usage, sign int64) {
	if u == nil {
		t.Uncounted += int(sign)
		return
	}
	t.Usage.Add(Usage{sign * u.Prompt, sign * u.Completion, sign * u.Cached, sign * u.Reasoning})
}
