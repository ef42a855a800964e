package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is an agent's end of a connection. It holds every answer to the schema of its tool.
type client struct {
	t       testing.TB
	ctx     context.Context
	session *mcp.ClientSession
	schemas map[string]*jsonschema.Resolved
	calls   map[string]int // by tool, with an answer
	codes   map[Code]int
}

// connect opens a connection in memory.
func connect(t testing.TB, s *Server) *client {
	here, there := mcp.NewInMemoryTransports()
	if _, err := s.mcp.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	return newClient(t, here)
}

// connectPipe opens a connection over pipes, as over standard input and output.
func connectPipe(t testing.TB, s *Server) *client {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Pipe(context.WithoutCancel(t.Context()), in, out) }()
	c := newClient(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	t.Cleanup(func() {
		toServer.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return c
}

func newClient(t testing.TB, transport mcp.Transport) *client {
	c := &client{t: t, ctx: t.Context(), schemas: map[string]*jsonschema.Resolved{}, calls: map[string]int{}, codes: map[Code]int{}}
	var err error
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(c.ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.session.Close() })
	for tool, err := range c.session.Tools(c.ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(tool.OutputSchema)
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(tool.Name, err)
		}
		if c.schemas[tool.Name], err = schema.Resolve(nil); err != nil {
			t.Fatal(tool.Name, err)
		}
	}
	return c
}

type args = map[string]any

// try calls a tool: the answer, or the problem.
func (c *client) try(tool string, in args) (json.RawMessage, *Problem) {
	c.t.Helper()
	res, err := c.session.CallTool(c.ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, in, err)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	if len(res.Content) != 1 {
		c.t.Fatalf("%s: %d contents", tool, len(res.Content))
	}
	if res.IsError {
		var p struct {
			Code        Code
			Message, Do string
		}
		if err := json.Unmarshal(raw, &p); err != nil || p.Code == "" || p.Message == "" || p.Do == "" {
			c.t.Errorf("%s: a problem without %+v: %s %v", tool, p, raw, err)
		}
		c.codes[p.Code]++
		return nil, &Problem{Code: p.Code, Message: p.Message, Do: p.Do}
	}
	var any any
	if err := json.Unmarshal(raw, &any); err != nil {
		c.t.Fatal(err)
	}
	if err := c.schemas[tool].Validate(any); err != nil {
		c.t.Errorf("%s: the answer is not of its schema: %v\n%s", tool, err, raw)
	}
	c.calls[tool]++
	return raw, nil
}

// call calls a tool that must answer.
func (c *client) call(tool string, in args, out any) {
	c.t.Helper()
	raw, p := c.try(tool, in)
	if p != nil {
		c.t.Fatalf("%s %v: %v", tool, in, p)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		c.t.Fatalf("%s: %v\n%s", tool, err, raw)
	}
}

// fails calls a tool that must not answer.
func (c *client) fails(tool string, in args, want Code) *Problem {
	c.t.Helper()
	raw, p := c.try(tool, in)
	if p == nil || p.Code != want {
		c.t.Errorf("%s: %v %.300s, want %s", tool, p, raw, want)
		return &Problem{}
	}
	return p
}

// eventually waits for what a closed connection leaves behind to be gone.
func eventually(t testing.TB, what string, ok func() bool) {
	for range 200 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error(what)
}
