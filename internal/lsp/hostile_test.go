package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBeforeAndAfter: what comes before initialize and after shutdown gets an error of the protocol.
func TestBeforeAndAfter(t *testing.T) {
	c := newClient(t, Options{})
	if code := c.fail("textDocument/hover", place("/a.pddl", Position{})); code != codeNotInitialized {
		t.Errorf("before initialize: code %d", code)
	}
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///a.pddl", "text": "("}})
	c.call("initialize", map[string]any{"capabilities": map[string]any{}, "rootUri": nil, "processId": nil})
	if code := c.fail("initialize", map[string]any{}); code != -32600 {
		t.Errorf("a second initialize: code %d", code)
	}
	if code := c.fail("textDocument/hover", place("/a.pddl", Position{})); code != -32602 {
		t.Errorf("a document opened before initialize is known: code %d", code)
	}
	if code := c.fail("no/such/method", nil); code != -32601 {
		t.Errorf("an unknown method: code %d", code)
	}
	c.call("shutdown", nil)
	if code := c.fail("textDocument/hover", place("/a.pddl", Position{})); code != -32600 {
		t.Errorf("after shutdown: code %d", code)
	}
	c.notify("exit", nil)
	if err := <-c.done; err != nil {
		t.Error(err)
	}
	// Without shutdown the command's exit code is 1.
	c = newClient(t, Options{})
	c.notify("exit", nil)
	if err := <-c.done; err != errNoShutdown {
		t.Errorf("%v", err)
	}
}

// TestBadMessages: what is no message is answered, and the connection goes on where it can be told where the next begins.
func TestBadMessages(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for name, bad := range map[string]string{
		"no JSON":           frame(`{"jsonrpc":`),
		"not UTF-8":         frame("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}"),
		"too long":          "Content-Length: 70000000\r\n\r\n" + strings.Repeat("x", 70000000),
		"a list of nothing": frame("[]"),
		"a number":          frame("7"),
		"two ids":           frame(`{"jsonrpc":"2.0","id":1,"method":"shutdown","id":2}`),
		"no method":         frame(`{"jsonrpc":"2.0","id":null}`),
	} {
		c := newClient(t, Options{})
		wait := c.expect("null")
		c.raw(bad)
		if r := c.await(name, wait); r.Error == nil || r.Error.Message == "" {
			t.Errorf("%s: %+v", name, r)
		}
		c.call("initialize", map[string]any{})
		c.end()
	}
	for name, bad := range map[string]string{
		"no length": "Content-Type: x\r\n\r\n{}", "not a number": "Content-Length: x\r\n\r\n{}", "negative": "Content-Length: -5\r\n\r\n{}",
		"no colon": "hello\r\n\r\n", "an endless header": strings.Repeat("X: y\r\n", 5000), "an endless line": strings.Repeat("x", 100_000),
		"too short": "Content-Length: 2\r\n\r\n{}{}{}{}\r\n", "beyond 64 bits": "Content-Length: 99999999999999999999999\r\n\r\n",
	} {
		c := newClient(t, Options{})
		go c.raw(bad)
		select {
		case <-c.done:
		case <-time.After(patience):
			t.Errorf("%s: the server waits for ever", name)
		}
	}
	for name, cut := range map[string]string{"an end in a header": "Content-Length: 5", "an end in a message": "Content-Length: 500000000000\r\n\r\n{}"} {
		c := newClient(t, Options{})
		c.raw(cut)
		c.out.Close()
		select {
		case <-c.done:
		case <-time.After(patience):
			t.Errorf("%s: the server waits for ever", name)
		}
	}
}

// requests is every request about a place, with parameters for it.
func requests(uri string, p Position) map[string]any {
	doc := map[string]any{"uri": uri}
	r := Range{Position{0, 0}, p}
	at := map[string]any{"textDocument": doc, "position": p, "context": map[string]any{}, "newName": "fresh"}
	out := map[string]any{"inlayHint/resolve": map[string]any{"position": p, "label": "x", "data": map[string]any{"uri": uri, "version": 1, "after": 3}}}
	for method := range handlers {
		if strings.HasPrefix(method, "textDocument/") && !strings.HasPrefix(method, "textDocument/did") {
			m := map[string]any{"range": r}
			for k, v := range at {
				m[k] = v
			}
			out[method] = m
		}
	}
	return out
}

// TestOddRequests: places outside of the text, unknown documents, parameters of other kinds: answers or errors, never silence.
func TestOddRequests(t *testing.T) {
	dir := workspaceOf(t, blocks)
	c := begin(t, dir)
	known := map[string]bool{}
	for _, f := range []string{"domain.pddl", "p1.pddl", "p1.plan"} {
		c.open(filepath.Join(dir, f))
		known[uriOf(filepath.Join(dir, f))] = true
	}
	for _, uri := range []string{
		uriOf(filepath.Join(dir, "domain.pddl")), uriOf(filepath.Join(dir, "p1.pddl")), uriOf(filepath.Join(dir, "p1.plan")),
		"file:///etc/passwd", uriOf(dir) + "/../../etc/passwd", "untitled:1", "", "%zz", "file://host/x.pddl", "file:///a%00b.pddl", strings.Repeat("x", 100_000),
	} {
		for _, p := range []Position{{0, 0}, {3, 1 << 31}, {1<<32 - 1, 1<<32 - 1}, {2, 5}} {
			for method, params := range requests(uri, p) {
				_, wait := c.start(method, params)
				if r := c.await(method, wait); r.Error != nil && (known[uri] && r.Error.Code != codeRequestFailed || r.Error.Code == -32603) || r.Error == nil && !known[uri] {
					t.Errorf("%s of %.60q at %v: %s %+v", method, uri, p, r.Result, r.Error)
				}
			}
		}
	}
	for _, params := range []any{7, "x", []any{}, map[string]any{"textDocument": 7}, map[string]any{"textDocument": map[string]any{"uri": 7}},
		map[string]any{"position": map[string]any{"line": -1}}, map[string]any{"position": map[string]any{"line": 1e30, "character": "a"}}} {
		if code := c.fail("textDocument/hover", params); code != -32602 && code != -32600 && code != -32700 {
			t.Errorf("%v: code %d", params, code)
		}
		c.notify("textDocument/didChange", params)
		c.notify("textDocument/didOpen", params)
		c.notify("$/cancelRequest", params)
	}
	// A change that cannot be made is reported, and the document stays as it was.
	path := filepath.Join(dir, "domain.pddl")
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uriOf(path), "version": 9},
		"contentChanges": []any{map[string]any{"range": Range{Position{5, 0}, Position{1, 0}}, "text": "x"}}})
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": "file:///nowhere.pddl", "version": 9}, "contentChanges": []any{}})
	c.waitFor("window/showMessage", func(m json.RawMessage) bool { return strings.Contains(string(m), "ends before it starts") })
	c.waitFor("window/showMessage", func(m json.RawMessage) bool { return strings.Contains(string(m), "not open") })
	// Two requests with one id, and a batch.
	wait := c.expect("77")
	c.raw(frameOf(`[{"jsonrpc":"2.0","id":77,"method":"textDocument/hover","params":{}},{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"off"}}]`))
	_ = wait
	c.call("textDocument/hover", place(path, Position{0, 10}))
	c.end()
}

func frameOf(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// TestOutside: no message makes the server read a file outside of the folders, or one that is no PDDL.
func TestOutside(t *testing.T) {
	outside := workspaceOf(t, "-- secret.pddl --\n(define (domain secret) (:predicates (key)))\n")
	dir := workspaceOf(t, blocks+"-- notes.txt --\nx\n")
	if err := os.Symlink(filepath.Join(outside, "secret.pddl"), filepath.Join(dir, "link.pddl")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "folder")); err != nil {
		t.Skip(err)
	}
	c := begin(t, dir)
	secret := filepath.Join(outside, "secret.pddl")
	up := strings.Repeat("../", 40)
	tries := []string{uriOf(secret), uriOf(dir) + "/" + up + secret, uriOf(dir) + "/" + strings.ReplaceAll(up, ".", "%2e") + secret,
		uriOf(filepath.Join(dir, "link.pddl")), uriOf(filepath.Join(dir, "folder", "secret.pddl")), uriOf(filepath.Join(dir, "notes.txt")), uriOf(dir + "x/secret.pddl")}
	for _, uri := range tries {
		c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri, "type": 1}}})
		if code := c.fail("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}}); code != -32602 {
			t.Errorf("%s: code %d", uri, code)
		}
	}
	c.openText(filepath.Join(dir, "q.pddl"), "(define (problem q) (:domain secret) (:init (key)) (:goal (and)))")
	if got := c.faults(filepath.Join(dir, "q.pddl"), 1); len(got) != 1 || !strings.HasSuffix(got[0], "missing-domain") {
		t.Errorf("%q", got)
	}
	// A link to a domain inside is no way either; a file that appears is found, and one that goes is forgotten.
	fresh := filepath.Join(dir, "fresh.pddl")
	os.WriteFile(fresh, []byte("(define (domain secret) (:predicates (key)))"), 0o666)
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uriOf(fresh), "type": 1}}})
	c.waitFor("textDocument/publishDiagnostics", func(m json.RawMessage) bool {
		return bytes.Contains(m, []byte("q.pddl")) && bytes.Contains(m, []byte(`"diagnostics":[]`))
	})
	os.Remove(fresh)
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uriOf(fresh), "type": 3}}})
	c.fail("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uriOf(fresh)}})
	c.end()
}

// TestLargeDocuments: fifty megabytes, a line of eight megabytes, a million parentheses and broken UTF-8 on disk are answered
// soon, and typing elsewhere goes on.
func TestLargeDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	dir := workspaceOf(t, blocks)
	os.WriteFile(filepath.Join(dir, "broken.pddl"), []byte("(define (domain \xff\xfe\x80) (:predicates (p\xf0\x28)))"), 0o666)
	c := begin(t, dir)
	long := "(define (domain d) (:predicates" + strings.Repeat(" (p𝔘 ?x)", 900_000)
	for name, text := range map[string]string{
		"fifty.pddl": "(define (domain d) (:predicates" + strings.Repeat(" (p ?x)", 7_500_000) + "))",
		"line.pddl":  long[:8<<20-10],
		"deep.pddl":  strings.Repeat("(", 1_000_000), "close.pddl": strings.Repeat(")", 1_000_000),
		"deep.plan": strings.Repeat("(a ", 1_000_000), "nul.pddl": strings.Repeat("\x00", 1000), "nest.pddl": "(define (domain d) (:action a :precondition " + strings.Repeat("(not ", 300_000),
	} {
		path := filepath.Join(dir, name)
		start := time.Now()
		c.openText(path, text)
		c.waitFor("textDocument/publishDiagnostics", func(m json.RawMessage) bool { return bytes.Contains(m, []byte(name)) })
		for method, params := range requests(uriOf(path), Position{0, 100}) {
			_, wait := c.start(method, params)
			if r := c.await(method, wait); r.Error != nil && r.Error.Code == -32603 {
				t.Errorf("%s of %s: %+v", method, name, r.Error)
			}
		}
		t.Logf("%s: %v", name, time.Since(start).Round(time.Millisecond))
		c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}})
	}
	broken := filepath.Join(dir, "broken.pddl")
	for method, params := range requests(uriOf(broken), Position{0, 20}) {
		_, wait := c.start(method, params)
		if r := c.await(method, wait); r.Error != nil && r.Error.Code == -32603 {
			t.Errorf("%s: %+v", method, r.Error)
		}
	}
	c.end()
}

// TestManyDocuments: a client that opens documents without end gets an error when there is no room, and closing makes some.
func TestManyDocuments(t *testing.T) {
	w := newWorkspace()
	text := strings.Repeat(" ", 32<<20)
	doc := func(i int) *Document { return newDocument(fmt.Sprintf("untitled:%d", i), "", 1, text, true) }
	for i := range maxOpen / len(text) {
		if !w.put(doc(i)) {
			t.Fatalf("no room for document %d", i)
		}
	}
	if w.put(doc(99)) || w.get("untitled:99") != nil {
		t.Error("there is room without end")
	}
	if w.put(doc(3)); w.get("untitled:3") == nil {
		t.Error("a new text of the same length has no room")
	}
	w.close("untitled:4")
	w.close("untitled:4")
	if !w.put(doc(99)) || w.put(doc(100)) {
		t.Error("closing a document makes room for one")
	}
}
