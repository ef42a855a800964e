package debugger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Options bound each request. Zero fields have the defaults in brackets.
type Options struct {
	Time   time.Duration // (20 s)
	Memory int64         // bytes that grounding and search may each take (512 MB)
	Text   int           // bytes of a request (8 MB)
	Slots  int           // requests that [Debugger.Handler] answers at a time (8)
	// Log gets the stack of a request that failed by a bug (nowhere).
	Log io.Writer
}

// Debugger answers the requests of the page. It keeps nothing between them.
type Debugger struct {
	opt   Options
	slots chan struct{} // one each for requests over HTTP that are answered
}

// New returns a Debugger.
func New(opt Options) *Debugger {
	opt.Time, opt.Memory = cmp.Or(opt.Time, 20*time.Second), cmp.Or(opt.Memory, 512<<20)
	opt.Text, opt.Slots = cmp.Or(opt.Text, 8<<20), cmp.Or(opt.Slots, 8)
	opt.Log = cmp.Or(opt.Log, io.Discard)
	return &Debugger{opt, make(chan struct{}, opt.Slots)}
}

// Code says what kind of thing went wrong.
type Code string

// Codes of a [Problem].
const (
	BadInput    Code = "bad-input"   // the request is not as it should be
	BadTask     Code = "bad-task"    // the domain or the problem has errors: Diagnostics has all of them
	Unsupported Code = "unsupported" // the task has a feature that this request does not support
	TooLarge    Code = "too-large"   // the request, or a picture
	Limit       Code = "limit"       // time or memory ended it before an answer
	Internal    Code = "internal"    // a bug in planproof: never an answer
)

// Problem is why a request has no answer.
type Problem struct {
	Code        Code             `json:"code"`
	Message     string           `json:"message"`
	Diagnostics pddl.Diagnostics `json:"diagnostics,omitempty"`
}

// Error implements error.
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Message }

func problem(code Code, format string, args ...any) *Problem {
	return &Problem{Code: code, Message: fmt.Sprintf(format, args...)}
}

// call is one request with its limits.
type call struct {
	*Debugger
	ctx context.Context
}

// left is what is left of the request's time, for work that ends with what it knows by then.
func (c *call) left() time.Duration {
	deadline, _ := c.ctx.Deadline()
	return max(time.Until(deadline)*9/10, time.Millisecond)
}

func (c *call) limits() search.Limits { return search.Limits{Wall: c.left(), Memory: c.opt.Memory} }

// requests are the names that [Debugger.Answer] knows.
var requests = map[string]func(*call, []byte) (any, error){
	"tasks":   func(c *call, _ []byte) (any, error) { return domains.List(), nil },
	"task":    reading((*call).openTask),
	"judge":   reading((*call).judge),
	"score":   reading((*call).score),
	"solve":   reading((*call).solve),
	"repair":  reading((*call).repair),
	"space":   reading((*call).space),
	"boxnet":  reading((*call).boxnet),
	"episode": reading((*call).episode),

	"v1-score": (*call).scoreRows,
}

func reading[In any](do func(*call, *In) (any, error)) func(*call, []byte) (any, error) {
	return func(c *call, body []byte) (any, error) {
		var in In
		if err := rowjson.Unmarshal(body, &in, true); err != nil {
			return nil, err
		}
		return do(c, &in)
	}
}

// Known reports whether name is a request.
func Known(name string) bool { return requests[name] != nil }

// Answer answers a request, and always with JSON: the answer, or {"error": ...} with a [Problem] and ok
// false. It ends soon after ctx or the time limit does.
func (d *Debugger) Answer(ctx context.Context, name string, body []byte) (answer []byte, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, d.opt.Time)
	defer cancel()
	out, err := d.do(&call{d, ctx}, name, body)
	if err == nil {
		if answer, err = rowjson.AppendValue(nil, out); err == nil {
			return answer, true
		}
	}
	return rowjson.Append(nil, map[string]*Problem{"error": problemOf(ctx, err)}), false
}

func (d *Debugger) do(c *call, name string, body []byte) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(d.opt.Log, "%s: %v\n%s", name, r, debug.Stack())
			err = problem(Internal, "%v", r)
		}
	}()
	switch {
	case !Known(name):
		return nil, problem(BadInput, "there is no request %q", name)
	case len(body) > d.opt.Text:
		return nil, problem(TooLarge, "a request of %d bytes; at most %d are read", len(body), d.opt.Text)
	case !utf8.Valid(body):
		return nil, problem(BadInput, "the request is not UTF-8: a text with replaced characters would be another one")
	}
	return requests[name](c, body)
}

// problemOf gives an error of the packages below its code.
func problemOf(ctx context.Context, err error) *Problem {
	if p := new(Problem); errors.As(err, &p) {
		return p
	}
	code := BadInput
	var diags pddl.Diagnostics
	switch errors.As(err, &diags); {
	case diags != nil:
		code = BadTask
	case errors.As(err, new(*planproof.Disagreement)):
		code = Internal // search and judge disagree, so there is no answer
	case errors.Is(err, planproof.ErrLimit), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), ctx.Err() != nil:
		code = Limit
	}
	return &Problem{Code: code, Message: err.Error(), Diagnostics: diags}
}
