package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// call is one call of a tool.
type call struct {
	*Server
	ctx   context.Context // ends at the deadline of the call
	space *workspace
	lim   limits
}

// limits are the limits of a call, within those of the server.
type limits struct {
	TimeS    float64 `json:"time_s,omitempty" jsonschema:"seconds this call may take; the server's limit is the most"`
	MemoryMB int64   `json:"memory_mb,omitempty" jsonschema:"megabytes that grounding and search may each take; the server's limit is the most"`
}

func (l limits) limit() limits { return l }

// limited is implemented by the arguments of tools that can take long.
type limited interface{ limit() limits }

// within returns the limits of a call by those of the server.
func (s *Server) within(in any) (limits, error) {
	out := limits{TimeS: s.opt.Time.Seconds(), MemoryMB: s.opt.Memory >> 20}
	l, ok := in.(limited)
	if !ok {
		return out, nil
	}
	asked := l.limit()
	if asked.TimeS < 0 || asked.MemoryMB < 0 {
		return out, errors.New("time_s and memory_mb are positive")
	}
	if asked.TimeS > 0 {
		out.TimeS = min(out.TimeS, asked.TimeS)
	}
	if asked.MemoryMB > 0 {
		out.MemoryMB = min(out.MemoryMB, asked.MemoryMB)
	}
	return out, nil
}

func (l limits) time() time.Duration { return time.Duration(l.TimeS * float64(time.Second)) }
func (l limits) bytes() int64        { return l.MemoryMB << 20 }

// grace is how long a call may take beyond its deadline to end by itself, with what it knows.
const grace = 2 * time.Second

// add publishes a tool. In are its arguments, Shape is what its schema says of the answer.
func add[In, Shape any](s *Server, name, description string, do func(c *call, in *In) (any, error)) {
	arguments := schemaOf[In]()
	check, err := arguments.Resolve(nil)
	if err != nil {
		panic(err)
	}
	takes := name + " takes " + strings.Join(slices.Sorted(maps.Keys(arguments.Properties)), ", ")
	no := false
	tool := &mcp.Tool{
		Name: name, Description: description, InputSchema: arguments, OutputSchema: schemaOf[Shape](),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no, DestructiveHint: &no},
	}
	s.mcp.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in := new(In)
		if err := decode(req.Params.Arguments, check, in, takes); err != nil {
			return problemOf(ctx, err).result(), nil
		}
		out, err := s.answer(ctx, req, in, func(c *call) (any, error) { return do(c, in) })
		if err != nil {
			return problemOf(ctx, err).result(), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(out)}}, StructuredContent: json.RawMessage(out)}, nil
	})
}

// decode reads the arguments of a call strictly. takes names those of the tool.
func decode(raw json.RawMessage, check *jsonschema.Resolved, in any, takes string) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	var any any
	if err := rowjson.Unmarshal(raw, &any, false); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	if err := check.Validate(any); err != nil {
		return problem(BadInput, takes+", with the types of its input schema", "arguments: %v", err)
	}
	return rowjson.Unmarshal(raw, in, false)
}

// answer does the work of a call in its own goroutine, with a slot and a deadline.
func (s *Server) answer(ctx context.Context, req *mcp.CallToolRequest, in any, do func(*call) (any, error)) ([]byte, error) {
	lim, err := s.within(in)
	if err != nil {
		return nil, err
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	work, cancel := context.WithTimeout(ctx, lim.time())
	defer cancel()
	type outcome struct {
		out []byte
		err error
	}
	run := func() (o outcome) {
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintf(s.opt.Log, "%s: %v\n%s", req.Params.Name, r, debug.Stack())
				o = outcome{err: problem(Internal, "report it, with the arguments of the call", "%v", r)}
			}
		}()
		out, err := do(&call{Server: s, ctx: work, space: s.workspace(req.Session), lim: lim})
		if err != nil {
			return outcome{err: err}
		}
		raw, err := encode(out)
		return outcome{raw, err}
	}
	done := make(chan outcome, 1)
	go func() {
		o := run()
		leave() // before the answer, so that who has it finds the slot free
		done <- o
	}()
	late := time.NewTimer(lim.time() + grace)
	defer late.Stop()
	select {
	case o := <-done:
		return o.out, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late.C:
		return nil, problem(Limit, doAsk, "the time limit of %v came first", lim.time())
	}
}

// encode writes an answer as JSON, with the characters of PDDL as they are.
func encode(out any) ([]byte, error) {
	if raw, ok := out.(json.RawMessage); ok {
		return raw, nil
	}
	return rowjson.AppendValue(nil, out)
}

// schemaOf derives a schema from a type. Types that write themselves have theirs here.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():   {},
		reflect.TypeFor[json.Number]():       {Type: "number"},
		reflect.TypeFor[planText]():          {Types: []string{"string", "array"}, Items: &jsonschema.Schema{Type: "string"}},
		reflect.TypeFor[pddl.Diagnostic]():   shapeOf[diagnosticShape](),
		reflect.TypeFor[validator.Verdict](): shapeOf[verdictShape](),
	}})
	if err != nil {
		panic(err)
	}
	return s
}

func shapeOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	return s
}
