package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/loopback"
	"github.com/planproof/planproof/rltrain/oracle"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMisuse: every misuse is answered with a code and what to do, and the server goes on.
func TestMisuse(t *testing.T) {
	c := connect(t, New(Options{Text: 1 << 20, Steps: 100, Sessions: 2}))
	const task = "blocksworld:4-17"
	long := strings.Repeat("x", 2<<20)
	for _, x := range []struct {
		tool string
		in   args
		want Code
	}{
		{"validate", args{}, BadInput},
		{"validate", args{"task": task}, BadInput},
		{"validate", args{"task": task, "plan": 7}, BadInput},
		{"validate", args{"task": task, "plan": "", "plann": ""}, BadInput},
		{"validate", args{"plan": ""}, BadInput},
		{"validate", args{"task": task, "domain_text": "(define (domain d))", "plan": ""}, BadInput},
		{"validate", args{"task": "blocksworld:4-17-9-9", "plan": ""}, UnknownTask},
		{"validate", args{"task": "nothing", "plan": ""}, UnknownTask},
		{"validate", args{"domain_text": "(define (domain d)", "problem_text": "(define", "plan": ""}, BadTask},
		{"validate", args{"domain_text": "\u0000\u202e", "problem_text": "x", "plan": ""}, BadTask},
		{"validate", args{"task": task, "plan": long}, TooLarge},
		{"validate", args{"domain_text": long, "problem_text": "x", "plan": ""}, TooLarge},
		{"check", args{"domain_text": "x", "problem_texts": []string{long}}, TooLarge},
		{"validate", args{"domain": "/etc/passwd", "problem": "../../etc/passwd", "plan": ""}, NoFiles},
		{"explain", args{"task": task, "plan": "", "style": "loud"}, BadInput},
		{"grade", args{"task": task, "answer": "", "reward": "proces"}, BadInput},
		{"grade", args{"task": task, "answer": "", "reader": "loose"}, BadInput},
		{"solve", args{"task": task, "search": "astar(magic())"}, BadInput},
		{"solve", args{"task": task, "goal": "(on a z)"}, BadTask},
		{"solve", args{"task": task, "step": "(fly a)"}, BadInput},
		{"solve", args{"task": task, "goal": "(on a b)", "step": "(stack a b)"}, BadInput},
		{"solve", args{"task": task, "time_s": -1}, BadInput},
		{"solve", args{"task": task, "nodes": -1}, BadInput},
		{"check_certificate", args{"task": task}, BadInput},
		{"check_certificate", args{"task": task, "base64": "!"}, BadInput},
		{"check_certificate", args{"task": task, "base64": "bm90IG9uZQ=="}, BadCertificate},
		{"check_certificate", args{"task": task, "uri": "planproof://results/1"}, UnknownResult},
		{"check_certificate", args{"task": task, "uri": "file:///etc/passwd"}, UnknownResult},
		{"apply", args{"task": task, "step": "(stack a"}, BadStep},
		{"apply", args{"task": task, "step": "(stack a b) (stack b c)"}, BadStep},
		{"apply", args{"task": task, "step": "(stack a b)"}, BadStep},
		{"apply", args{"task": task, "step": "(fly)"}, BadStep},
		{"applicable", args{"task": task, "steps": make([]string, 101)}, TooLarge},
		{"regret", args{"task": task, "steps": []string{"(stack a b)"}}, BadStep},
		{"generate", args{"kind": "nothing"}, UnknownTask},
		{"generate", args{"kind": "blocksworld", "params": args{"blocks": -1}}, UnknownTask},
		{"generate", args{"kind": "blocksworld", "count": 1001}, TooLarge},
		{"guard_call", args{"task": task, "tools": 1, "call": 1}, BadInput},
		{"session_state", args{"session": "s1"}, UnknownSession},
		{"session_undo", args{"session": "../s1"}, UnknownSession},
		{"session_open", args{"task": task, "steps": []string{"(stack a b)"}}, BadStep},
	} {
		if p := c.fails(x.tool, x.in, x.want); len(p.Message) > 2000 {
			t.Errorf("%s: a message of %d bytes", x.tool, len(p.Message))
		}
	}
	if p := c.fails("validate", args{"task": task, "plna": ""}, BadInput); !strings.HasPrefix(p.Do, "validate takes ") || !strings.Contains(p.Do, " plan, ") {
		t.Errorf("a misspelt argument: %q", p.Do)
	}
	for _, plan := range []any{3, args{}, []any{1}, nil} {
		c.fails("validate", args{"task": task, "plan": plan}, BadInput)
	}
	var v verdict
	if c.call("validate", args{"task": "blocksworld:3-1", "plan": []string{"(unstack a b)", "(put-down a)", "(unstack b c)", "(put-down b)", "(pick-up c)", "(stack c a)"}}, &v); !v.Valid {
		t.Errorf("a plan as a list of steps: %+v", v)
	}
	if c.call("validate", args{"task": task, "plan": ""}, &v); v.Valid {
		t.Error("the empty plan is valid")
	}
	if _, err := c.session.CallTool(c.ctx, &mcp.CallToolParams{Name: "shell", Arguments: args{}}); err == nil {
		t.Error("a tool that does not exist")
	}
	for _, uri := range []string{"planproof://results/1", "planproof://tasks/../etc/passwd", "planproof://tasks/blocksworld:4-17/passwd", "file:///etc/passwd"} {
		if r, err := c.session.ReadResource(c.ctx, &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, r)
		}
	}
	for _, part := range []string{"blocksworld:4-17/domain", "blocksworld:4-17/problem", "blocksworld%3A4-17/problem"} {
		uri := "planproof://tasks/" + part
		if r, err := c.session.ReadResource(c.ctx, &mcp.ReadResourceParams{URI: uri}); err != nil || !strings.HasPrefix(r.Contents[0].Text, ";") && !strings.HasPrefix(r.Contents[0].Text, "(define") {
			t.Errorf("%s: %v, %v", uri, r, err)
		}
	}
}

// TestSessions: their number is bounded, they are one connection's, idle ones close, and a failed step changes nothing.
func TestSessions(t *testing.T) {
	s := New(Options{Sessions: 2, Idle: 300 * time.Millisecond, Steps: 3})
	c, other := connect(t, s), connect(t, s)
	var a, b state
	c.call("session_open", args{"task": "blocksworld:4-17"}, &a)
	c.call("session_fork", args{"session": a.Session}, &b)
	if a.Session == b.Session || fmt.Sprint(a.Facts) != fmt.Sprint(b.Facts) {
		t.Errorf("%+v %+v", a, b)
	}
	c.fails("session_fork", args{"session": a.Session}, TooManySessions)
	c.fails("session_open", args{"task": "gripper:1"}, TooManySessions)
	other.fails("session_state", args{"session": a.Session}, UnknownSession)
	c.call("session_step", args{"session": b.Session, "steps": []string{b.Actions[0]}}, &b)
	c.fails("session_step", args{"session": b.Session, "steps": []string{"(fly)"}}, BadStep)
	if fmt.Sprint(b.Facts) == fmt.Sprint(a.Facts) || len(b.Added) == 0 {
		t.Errorf("a step changed nothing: %+v", b)
	}
	var again state
	if c.call("session_state", args{"session": b.Session}, &again); fmt.Sprint(again.Facts) != fmt.Sprint(b.Facts) || len(again.Steps) != 1 {
		t.Errorf("a failed step has changed %+v to %+v", b, again)
	}
	if c.call("session_state", args{"session": a.Session}, &again); len(again.Steps) != 0 {
		t.Errorf("a step of the fork has changed %+v", again)
	}
	c.fails("session_undo", args{"session": a.Session}, BadInput)
	time.Sleep(400 * time.Millisecond)
	c.fails("session_state", args{"session": a.Session}, UnknownSession)
	eventually(t, "idle sessions stay", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		n := 0
		for _, w := range s.workspaces {
			w.mu.Lock()
			n += len(w.walks)
			w.mu.Unlock()
		}
		return n == 0
	})
}

// TestWorkspaceEnds: what a connection held goes with it.
func TestWorkspaceEnds(t *testing.T) {
	s := New(Options{})
	c := connect(t, s)
	var a state
	c.call("session_open", args{"task": "gripper:1"}, &a)
	c.session.Close()
	eventually(t, "the workspace stays", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.workspaces) == 0
	})
}

// TestResultsAreBounded: the oldest certificate gives way.
func TestResultsAreBounded(t *testing.T) {
	c := connect(t, New(Options{Results: 5000}))
	var first, last solved
	c.call("solve", args{"task": "blocksworld:4-17", "certificate": true}, &first)
	for range 3 {
		c.call("solve", args{"task": "blocksworld:4-17", "certificate": true}, &last)
	}
	c.fails("check_certificate", args{"task": "blocksworld:4-17", "uri": first.Certificate.URI}, UnknownResult)
	r, err := c.session.ReadResource(c.ctx, &mcp.ReadResourceParams{URI: last.Certificate.URI})
	if err != nil || len(r.Contents[0].Blob) != last.Certificate.Bytes {
		t.Errorf("%v %v", r, err)
	}
	c.fails("solve", args{"task": "blocksworld:6-5", "certificate": true, "search": "ucs()"}, TooLarge)
}

// TestLimitsAndCancel: a limit is a code, and a cancelled call ends and gives its slot back.
func TestLimitsAndCancel(t *testing.T) {
	s := New(Options{Slots: 1, Queue: 1})
	c := connect(t, s)
	var out solved
	began := time.Now()
	raw, p := c.try("solve", args{"task": "blocksworld:12-5", "search": "ucs()", "time_s": 0.3})
	if p == nil {
		if err := json.Unmarshal(raw, &out); err != nil || out.Status != "timeout" || len(out.Plan) != 0 {
			t.Errorf("%s", raw)
		}
	} else if p.Code != Limit {
		t.Errorf("%v", p)
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("0.3 s took %v", d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for range 2 {
		go c.session.CallTool(ctx, &mcp.CallToolParams{Name: "solve", Arguments: args{"task": "blocksworld:12-5", "search": "ucs()"}})
	}
	eventually(t, "the calls do not begin", func() bool { return len(s.queue) == 2 })
	c.fails("validate", args{"task": "gripper:1", "plan": ""}, Busy)
	cancel()
	eventually(t, "cancelled calls keep their slots", func() bool { return len(s.queue) == 0 && len(s.slots) == 0 })
	var v verdict
	c.call("validate", args{"task": "gripper:1", "plan": ""}, &v)
}

// TestFiles: only files of PDDL below the folder are read.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "tasks")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	const domain = "(define (domain d) (:predicates (p)) (:action a :effect (p)))"
	write(filepath.Join(inside, "d.pddl"), domain)
	write(filepath.Join(inside, "p.pddl"), "(define (problem p) (:domain d) (:init) (:goal (p)))")
	write(filepath.Join(inside, "key.txt"), "secret")
	write(filepath.Join(dir, "d.pddl"), domain)
	if err := os.Symlink(filepath.Join(dir, "d.pddl"), filepath.Join(inside, "link.pddl")); err != nil {
		t.Fatal(err)
	}
	files, err := oracle.FilesOf(inside, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, New(Options{Files: files}))
	var s solved
	if c.call("solve", args{"domain": "d.pddl", "problem": "p.pddl"}, &s); s.Cost != "1" {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"../d.pddl", filepath.Join(dir, "d.pddl"), "link.pddl", "key.txt", "none.pddl", "/etc/passwd", "."} {
		if p := c.fails("solve", args{"domain": name, "problem": "p.pddl"}, NoFiles); strings.Contains(p.Message, "secret") {
			t.Errorf("%s: %s", name, p.Message)
		}
	}
}

// TestFrames: lines that are too long, not UTF-8 or no JSON are refused with their id, and the connection goes on.
func TestFrames(t *testing.T) {
	s := New(Options{})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go s.Pipe(context.WithoutCancel(t.Context()), in, out)
	defer toServer.Close()
	lines := bufio.NewReader(fromServer)
	ask := func(parts ...io.Reader) (a struct {
		ID     json.RawMessage
		Error  *struct{ Message string }
		Result json.RawMessage
	}) {
		t.Helper()
		go io.Copy(toServer, io.MultiReader(append(parts, strings.NewReader("\n"))...))
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return a
	}
	text := func(s string) io.Reader { return strings.NewReader(s) }
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	if a := ask(text(hello)); a.Result == nil {
		t.Fatalf("%+v", a)
	}
	for what, x := range map[string]struct {
		line io.Reader
		id   string
		says string
	}{
		"50 MB":       {io.MultiReader(text(`{"jsonrpc":"2.0","method":"tools/call","params":{"id":3,"plan":"`), io.LimitReader(zeros{}, 50<<20), text(`"},"id":"long"}`)), `"long"`, "52428"},
		"not UTF-8":   {text("{\"id\":7,\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}"), "7", "not UTF-8"},
		"not JSON":    {text(`{"id":8,`), "8", "not JSON"},
		"two methods": {text(`{"id":10,"jsonrpc":"2.0","method":"ping","method":"tools/list"}`), "10", `"method" is given twice`},
		"two tools":   {text(`{"id":11,"jsonrpc":"2.0","method":"tools/call","params":{"name":"check","name":"solve"}}`), "11", `"name" is given twice`},
		"not closed":  {text(`[[[[`), "null", "not JSON"},
		"a long id":   {text(`{"id":"` + strings.Repeat("x", 300) + `",`), "null", "not JSON"},
		"an object":   {text(`{"id":{"a":1},`), "null", "not JSON"},
	} {
		if a := ask(x.line); a.Error == nil || !strings.Contains(a.Error.Message, x.says) || string(a.ID) != x.id {
			t.Errorf("%s: %+v", what, a)
		}
	}
	if a := ask(text(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)); a.Result == nil || string(a.ID) != "9" {
		t.Errorf("the connection is broken: %+v", a)
	}
}

type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestHTTP: an agent over HTTP, and requests that must not get through.
func TestHTTP(t *testing.T) {
	s := New(Options{Connections: 2})
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	open := func() *client {
		return newClient(t, &mcp.StreamableClientTransport{Endpoint: web.URL + Path, DisableStandaloneSSE: true})
	}
	c := open()
	prove(t, c, walkThrough(c, "blocksworld:4-17"))
	other := open()
	var a state
	c.call("session_open", args{"task": "gripper:1"}, &a)
	other.fails("session_state", args{"session": a.Session}, UnknownSession)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for _, x := range []struct {
		what, path, host, origin string
		body                     io.Reader
		want                     int
		says                     string
	}{
		{"a third connection", Path, "", "", strings.NewReader(hello), 503, "2 connections"},
		{"a web page", Path, "", "https://evil.example", strings.NewReader(hello), 403, "Origin"},
		{"a web page that claims to be local", Path, "", "http://localhost.evil.example", strings.NewReader(hello), 403, "Origin"},
		{"a sandboxed page", Path, "", "null", strings.NewReader(hello), 403, "Origin"},
		{"a rebound name", Path, "evil.example", "", strings.NewReader(hello), 403, "Host"},
		{"a rebound name with a port", Path, "evil.example:80", "http://evil.example:80", strings.NewReader(hello), 403, "Host"},
		{"another path", "/../etc/passwd", "", "", strings.NewReader(hello), 404, Path},
		{"50 MB", Path, "", "", io.LimitReader(zeros{}, 50<<20), 413, "bytes"},
		{"not UTF-8", Path, "", "", strings.NewReader("{\"a\":\"\xff\"}"), 400, "UTF-8"},
		{"not JSON", Path, "", "", strings.NewReader("{"), 400, "JSON"},
		{"two ids", Path, "", "", strings.NewReader(`{"id":1,` + hello[1:]), 400, "twice"},
	} {
		s.opt.Connections = 2
		if x.want != 503 {
			s.opt.Connections = 8
		}
		req, err := http.NewRequest("POST", web.URL+Path, x.body)
		if err != nil {
			t.Fatal(err)
		}
		if x.path != Path {
			req.URL.Opaque = x.path
		}
		if x.host != "" {
			req.Host = x.host
		}
		if x.origin != "" {
			req.Header.Set("Origin", x.origin)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", x.what, err)
		}
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != x.want || !bytes.Contains(text, []byte(x.says)) {
			t.Errorf("%s: %d %s, want %d", x.what, r.StatusCode, text, x.want)
		}
	}
	req, err := http.NewRequest("POST", web.URL+Path, unread{t})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 15 << 20
	req.Header.Set("Mcp-Session-Id", "none")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 404 {
		t.Errorf("an unknown connection: %s", r.Status)
	}
	c.session.Close()
	eventually(t, "a closed connection counts", func() bool { return s.connections() == 1 })
}

// unread is a body that never ends: who waits for its end waits for ever.
type unread struct{ t *testing.T }

// Read implements io.Reader.
func (u unread) Read([]byte) (int, error) {
	<-u.t.Context().Done()
	return 0, io.EOF
}

// TestServe: Serve ends with its context, and its connections with it.
func TestServe(t *testing.T) {
	l, err := loopback.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, ended := New(Options{}), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	c := newClient(t, &mcp.StreamableClientTransport{Endpoint: "http://" + l.Addr().String() + Path})
	var v verdict
	c.call("validate", args{"task": "gripper:1", "plan": ""}, &v)
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the server does not end")
	}
}
