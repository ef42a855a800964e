package oracle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/rows"
)

// Op is an operation of the oracle: what a request's schema begins with.
type Op string

// Operations (docs/ORACLE.md).
const (
	OpScore    Op = "score"
	OpExtract  Op = "extract"
	OpValidate Op = "validate"
	OpTruth    Op = "truth"
	OpMask     Op = "mask"
	OpSolve    Op = "solve"
	OpCheck    Op = "check-certificate"
	OpReset    Op = "reset"
	OpStep     Op = "step"
)

// Ops lists the operations.
func Ops() []Op {
	return []Op{OpScore, OpExtract, OpValidate, OpTruth, OpMask, OpSolve, OpCheck, OpReset, OpStep}
}

const schemaPrefix = "planproof."

// Schema is the name of an operation's messages with their version.
func (op Op) Schema() string { return schemaPrefix + string(op) + "/1" }

// Codes of a Fault.
const (
	FaultBadRequest = "bad_request" // no JSON, no items, an unknown schema
	FaultTooLarge   = "too_large"   // more items than a request may have
	FaultBusy       = "busy"        // the queue is full
	FaultInternal   = "internal"
)

// Fault is why a request as a whole has no answer.
type Fault struct {
	Code, Message string
	// RequestID is that of the request, nil where it is not known.
	RequestID json.RawMessage
}

// Error implements error.
func (f *Fault) Error() string { return f.Code + ": " + f.Message }

// JSON is the answer that tells a fault.
func (f *Fault) JSON() []byte {
	b := append([]byte(nil), `{"schema":"planproof.error/1","request_id":`...)
	if f.RequestID != nil {
		b = append(b, f.RequestID...)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"error":{"code":`...)
	b = rowjson.AppendText(b, f.Code)
	b = append(b, `,"message":`...)
	b = rowjson.AppendText(b, spell.Clip(f.Message, maxErrorText))
	return append(b, "}}"...)
}

func badRequest(format string, args ...any) *Fault {
	return &Fault{Code: FaultBadRequest, Message: fmt.Sprintf(format, args...)}
}

// Default and largest time of a request.
const (
	defaultDeadline = 30 * time.Second
	maxDeadline     = 10 * time.Minute
)

// call is a request that has been taken apart; its items have not been read.
type call struct {
	op        Op
	requestID json.RawMessage
	deadline  time.Duration
	spec      []byte       // raw value, nil for the default
	task      []byte       // raw value, of items that have none
	reader    extract.Kind // of items that name none; "" if the request names none either
	steps     bool         // replies have the scores of the steps, too
	items     [][]byte
}

// Reply is the answer to a request.
type Reply struct {
	// Body is the answer in one line, without a line end.
	Body []byte
	// Items and Unscored count the items and those whose status is not ok, Statuses the
	// items by what became of them (the reasons of docs/ORACLE.md).
	Items, Unscored int
	Statuses        map[rows.Status]int
	// Decode, Work and Encode are elapsed times; Judge is the time spent on reading
	// and judging responses, summed over the workers.
	Decode, Work, Encode, Judge time.Duration
}

// Call answers a request. op is the operation that the way it came names, "" if none
// does: its schema must then. The same request gets the same bytes, whatever the number
// of workers and whatever was asked before; only what a limit of time cut off (status
// unavailable) may differ.
func (o *Oracle) Call(ctx context.Context, op Op, body []byte) (*Reply, *Fault) {
	start := time.Now()
	c := &call{op: op, requestID: rowjson.Null, deadline: defaultDeadline}
	reply, fault := o.call(ctx, c, body, start)
	if fault != nil {
		fault.RequestID = c.requestID
	}
	return reply, fault
}

func (o *Oracle) call(ctx context.Context, c *call, body []byte, start time.Time) (*Reply, *Fault) {
	if fault := o.parseCall(c, body); fault != nil {
		return nil, fault
	}
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	run, fault := o.runner(c)
	if fault != nil {
		return nil, fault
	}
	decoded := time.Now()
	r := &Reply{Items: len(c.items), Statuses: map[rows.Status]int{}}
	chunks, err := o.runItems(ctx, c, run, r)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	worked := time.Now()
	size := 512 + len(c.requestID)
	for _, chunk := range chunks {
		size += len(chunk) + 1
	}
	b := append(make([]byte, 0, size), `{"schema":"`...)
	b = append(b, c.op.Schema()...)
	b = append(b, `","request_id":`...)
	b = append(b, c.requestID...)
	b = append(b, `,"oracle":{"version":`...)
	b = rowjson.AppendText(b, o.opt.Version)
	b = append(b, `,"build":`...)
	b = rowjson.AppendText(b, o.opt.Build)
	if run.specSum != "" {
		b = append(b, `,"spec_sha":`...)
		b = rowjson.AppendText(b, run.specSum)
	}
	b = append(b, `},"items":[`...)
	for i, chunk := range chunks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, chunk...)
	}
	r.Body = append(b, "]}"...)
	r.Decode, r.Work, r.Encode = decoded.Sub(start), worked.Sub(decoded), time.Since(worked)
	return r, nil
}

// parseCall takes a request apart.
func (o *Oracle) parseCall(c *call, body []byte) *Fault {
	var items []byte
	err := rowjson.EachMember(body, func(name string, value []byte) error {
		if name == "items" {
			items = value
			return nil
		}
		return c.member(name, value)
	})
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		return fault
	case rowjson.IsRepeated(err):
		return badRequest("%v", err)
	case err != nil:
		return badRequest("%v", errNotObject)
	case c.op == "":
		return badRequest("no schema")
	case !rowjson.Present(items) || items[0] != '[':
		return badRequest("no list of items")
	}
	list, n, err := rowjson.Elements[[]byte](items, o.opt.Limits.Items)
	switch {
	case err != nil:
		return badRequest("%v", errNotObject)
	case n > o.opt.Limits.Items:
		return &Fault{Code: FaultTooLarge, Message: fmt.Sprintf("%d items, more than %d", n, o.opt.Limits.Items)}
	}
	c.items = list
	return nil
}

// member reads one member of the request, but for its items.
func (c *call) member(name string, value []byte) (err error) {
	switch name {
	case "schema":
		var schema string
		if schema, err = rowjson.String(value); err != nil {
			return badRequest("schema is not a string")
		}
		if fault := c.setSchema(schema); fault != nil {
			return fault
		}
	case "request_id":
		var id json.RawMessage
		if id, err = rowjson.Compact(value); err == nil {
			c.requestID = slices.Clone(id) // a fault may outlive the body
		}
	case "deadline_ms":
		err = c.setDeadline(value)
	case "spec":
		c.spec, err = rowjson.Compact(value)
	case "reader":
		if c.reader, err = readerOf(value); err != nil {
			err = badRequest("%v", err)
		}
	case "task":
		c.task, err = rowjson.Compact(value)
	case "step_rewards":
		if rowjson.Unmarshal(value, &c.steps, false) != nil {
			err = badRequest("step_rewards is neither true nor false")
		}
	default:
		_, err = rowjson.Compact(value)
	}
	return err
}

func (c *call) setSchema(schema string) *Fault {
	var known []string
	for _, op := range Ops() {
		if schema == op.Schema() {
			if c.op != "" && c.op != op {
				return badRequest("the schema is %s, the operation %s", schema, c.op)
			}
			c.op = op
			return nil
		}
		known = append(known, op.Schema())
	}
	schema = spell.Clip(schema, 60)
	if best := spell.Nearest(schema, known); best != "" {
		return badRequest("unknown schema %q: did you mean %q?", schema, best)
	}
	return badRequest("unknown schema %q: there are %s", schema, strings.Join(known, ", "))
}

// readerOf reads the member that names a reader; null names none.
func readerOf(value []byte) (extract.Kind, error) {
	if !rowjson.Present(value) {
		return "", nil
	}
	name, err := rowjson.String(value)
	if err != nil {
		return "", errors.New("reader is not a string")
	}
	return extract.ParseKind(name)
}

func (c *call) setDeadline(value []byte) error {
	if !rowjson.Present(value) {
		return nil
	}
	var ms float64
	if rowjson.Unmarshal(value, &ms, false) != nil || !(ms > 0) {
		return badRequest("deadline_ms is not a positive number")
	}
	c.deadline = maxDeadline
	if ms < float64(maxDeadline/time.Millisecond) {
		c.deadline = time.Duration(ms * float64(time.Millisecond))
	}
	return nil
}

// isCall reports whether a line of ServeStdio is a request with a schema: its first member
// says so.
func isCall(line []byte) bool {
	i := rowjson.SkipSpace(line, 0)
	if i >= len(line) || line[i] != '{' {
		return false
	}
	rest := line[rowjson.SkipSpace(line, i+1):]
	if !strings.HasPrefix(string(rest[:min(len(rest), 8)]), `"schema"`) {
		return false
	}
	rest = rest[rowjson.SkipSpace(rest, len(`"schema"`)):]
	if len(rest) == 0 || rest[0] != ':' {
		return false
	}
	rest = rest[rowjson.SkipSpace(rest, 1):]
	prefix := `"` + schemaPrefix
	return strings.HasPrefix(string(rest[:min(len(rest), len(prefix))]), prefix)
}
