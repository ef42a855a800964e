package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/planproof/planproof/internal/rowjson"
)

// Options are the options of a Client. Only BaseURL and Model are required.
type Options struct {
	// BaseURL is the address of the server with the API version: "http://127.0.0.1:8080/v1".
	BaseURL string
	// Model is the name of the model on the server.
	Model string
	// KeyEnv is the environment variable with the API key. The key is sent as a bearer token and
	// appears nowhere else.
	KeyEnv string
	// Concurrency bounds the calls in flight; 0 means 4.
	Concurrency int
	// Tries bounds the calls for one answer; 0 means 6.
	Tries int
	// Timeout bounds one try, up to its last byte; 0 means 10 minutes.
	Timeout time.Duration
	// Idle is the longest silence while an answer streams in; 0 means 2 minutes.
	Idle time.Duration
	// Deadline bounds all tries for one answer, including the pauses; 0 means 30 minutes.
	Deadline time.Duration
	// Stream lets every generation stream, so that Idle applies to it.
	Stream bool
	// MaxBody bounds an answer in bytes; 0 means 64 MB.
	MaxBody int64
	// Log, if set, is called for every failed try.
	Log func(text string)

	// sleep waits between tries; tests replace it.
	sleep func(context.Context, time.Duration) error
}

// Client is a Model on a server. Create it with NewClient and call Probe once; before that, only plain
// generation can be relied on.
type Client struct {
	opt  Options
	key  string
	base string // without a trailing slash
	root string // base without /v1, for routes outside OpenAI's API
	http *http.Client
	slot chan struct{}
	turn chan struct{} // for servers that end one stream when another begins

	probing atomic.Bool
	single  atomic.Bool // the server takes only one prompt per call

	mu        sync.Mutex
	caps      Capabilities
	maxField  string             // "max_tokens", or "max_completion_tokens"
	grammarAs string             // how vLLM takes a grammar: "structured" or "guided"
	prefixes  map[string][]int64 // token ids of recent prompts, by key
	pieces    map[string][]int64 // and of recent continuations
}

// NewClient checks the options. It does not call the server.
func NewClient(opt Options) (*Client, error) {
	u, err := url.Parse(opt.BaseURL)
	switch {
	case opt.BaseURL == "":
		return nil, errors.New("the model server's address is missing (for instance http://127.0.0.1:8080/v1)")
	case err != nil:
		return nil, errors.New("the model server's address is not a URL") // err would repeat the address
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the model server's address must begin with http:// or https:// and name a host")
	case u.User != nil:
		return nil, errors.New("the model server's address holds a user or password; give the key in an environment variable")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the model server's address must not have a query")
	case opt.Model == "":
		return nil, errors.New("the name of the model is missing")
	case opt.Concurrency < 0 || opt.Tries < 0 || opt.Timeout < 0 || opt.Idle < 0 || opt.Deadline < 0:
		return nil, errors.New("limits of a model client must not be negative")
	}
	setDefault(&opt.Concurrency, 4)
	setDefault(&opt.Tries, 6)
	setDefault(&opt.Timeout, 10*time.Minute)
	setDefault(&opt.Idle, 2*time.Minute)
	setDefault(&opt.Deadline, 30*time.Minute)
	setDefault(&opt.MaxBody, 64<<20)
	if opt.sleep == nil {
		opt.sleep = sleep
	}
	c := &Client{
		opt: opt, base: strings.TrimRight(opt.BaseURL, "/"), slot: make(chan struct{}, opt.Concurrency), turn: make(chan struct{}, 1),
		caps:     Capabilities{Server: "unknown", Model: opt.Model, Chat: true},
		maxField: "max_tokens", grammarAs: "structured", prefixes: map[string][]int64{}, pieces: map[string][]int64{},
	}
	c.root = strings.TrimSuffix(c.base, "/v1")
	if opt.KeyEnv != "" {
		c.key = os.Getenv(opt.KeyEnv)
		if strings.ContainsAny(c.key, "\r\n") {
			return nil, fmt.Errorf("the key in %s has a line break", opt.KeyEnv)
		}
	}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			MaxIdleConnsPerHost: opt.Concurrency, IdleConnTimeout: 90 * time.Second,
			TLSHandshakeTimeout: 20 * time.Second, ForceAttemptHTTP2: true,
		},
		// A redirect would send the prompt, and perhaps the key, elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Name implements Model. It returns the model's name and the server's host and path, "NAME@HOST/PATH".
func (c *Client) Name() string {
	_, place, _ := strings.Cut(c.base, "://")
	return c.opt.Model + "@" + place
}

// Capabilities implements Model.
func (c *Client) Capabilities() Capabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.caps
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call posts body as JSON (nil: a GET) and passes the answer to read. It tries again as long as that may
// help, also if read returns a passing error. restart is called before each further try.
func (c *Client) call(ctx context.Context, path string, body any, read func(io.Reader, http.Header) error, restart func()) error {
	var payload []byte
	if body != nil {
		var err error
		if payload, err = rowjson.AppendValue(nil, body); err != nil {
			return errorf(KindRefused, "the request cannot be encoded: %v", err)
		}
	}
	deadline := time.Now().Add(c.opt.Deadline)
	for try := 1; ; try++ {
		err := c.try(ctx, path, payload, read)
		if err == nil {
			return nil
		}
		err.Tries = try
		if ctx.Err() != nil {
			return errorf(KindCancelled, "%v", ctx.Err())
		}
		if !err.passing() || try == c.opt.Tries || c.probing.Load() && (err.Kind == KindMalformed || err.Status == 500 && try > 1) {
			return err // a probe wants to know what a server leaves out or does not support
		}
		pause := backoff(try, err.retryAfter)
		if time.Now().Add(pause).After(deadline) {
			err.Message += fmt.Sprintf(" (the next try would be in %v, after the deadline)", pause.Round(time.Millisecond))
			return err
		}
		if c.opt.Log != nil {
			c.opt.Log(fmt.Sprintf("%v; next try in %v", err, pause.Round(time.Millisecond)))
		}
		if serr := c.opt.sleep(ctx, pause); serr != nil {
			return errorf(KindCancelled, "%v", serr)
		}
		if restart != nil {
			restart()
		}
	}
}

// try makes one call.
func (c *Client) try(ctx context.Context, path string, payload []byte, read func(io.Reader, http.Header) error) *Error {
	gate := c.slot
	if c.Capabilities().Server == "llama-cpp-python" {
		gate = c.turn
	}
	select {
	case gate <- struct{}{}:
		defer func() { <-gate }()
	case <-ctx.Done():
		return errorf(KindCancelled, "%v", ctx.Err())
	}
	tctx, cancel := context.WithTimeout(ctx, c.opt.Timeout)
	defer cancel()
	method := http.MethodPost
	if payload == nil {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(tctx, method, path, bytes.NewReader(payload))
	if err != nil {
		return errorf(KindRefused, "%s", c.redact(err.Error()))
	}
	if payload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.transportError(err)
	}
	defer resp.Body.Close()
	limited := &limitedBody{r: resp.Body, left: c.opt.MaxBody}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return c.statusError(resp, text)
	}
	guard := newIdleGuard(limited, c.opt.Idle, cancel)
	defer guard.stop()
	if err := read(guard, resp.Header); err != nil {
		return c.readError(err, guard)
	}
	return nil
}

func (c *Client) readError(err error, g *idleGuard) *Error {
	var e *Error
	switch {
	case g.expired():
		return errorf(KindTimeout, "the server was silent for %v in the middle of an answer", c.opt.Idle)
	case errors.As(err, &e):
		e.Message = c.redact(e.Message)
		return e
	}
	return c.transportError(err)
}

func (c *Client) transportError(err error) *Error {
	var n net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout() {
		return errorf(KindTimeout, "no whole answer within %v", c.opt.Timeout)
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // which has no address
	}
	return errorf(KindOutage, "%s", c.redact(err.Error()))
}

// redact removes the key from a text of a server or the network.
func (c *Client) redact(text string) string {
	if c.key != "" {
		text = strings.ReplaceAll(text, c.key, "[key]")
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// getJSON gets a route of the server, with one try.
func (c *Client) getJSON(ctx context.Context, path string, v any) (http.Header, error) {
	var header http.Header
	err := c.try(ctx, path, nil, func(r io.Reader, h http.Header) error {
		header = h
		return readJSON(r, v)
	})
	if err != nil {
		return nil, err
	}
	return header, nil
}

// postJSON posts v and decodes the answer into out.
func (c *Client) postJSON(ctx context.Context, path string, v, out any) error {
	return c.call(ctx, path, v, func(r io.Reader, _ http.Header) error { return readJSON(r, out) }, nil)
}

// readJSON decodes exactly one JSON value in UTF-8.
func readJSON(r io.Reader, v any) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return decodeJSON(data, v)
}

func decodeJSON(data []byte, v any) error {
	if !utf8.Valid(data) {
		return errorf(KindMalformed, "the answer is not UTF-8")
	}
	if err := rowjson.Unmarshal(data, v, false); err != nil {
		return errorf(KindMalformed, "the answer is not the expected JSON: %v", err)
	}
	return nil
}
