package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// client is a scripted client that speaks over pipes. It shares no code with the server's side of the protocol.
type client struct {
	t    testing.TB
	out  io.WriteCloser
	done chan error // of Serve

	mu      sync.Mutex
	next    int
	waiting map[string]chan reply
	notes   map[string][]json.RawMessage // notifications of the server by method
	news    chan struct{}                // closed and renewed with each notification
	asked   func(method string, params json.RawMessage) any
}

type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// newClient starts a server without initializing it.
func newClient(t testing.TB, opt Options) *client {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{t: t, out: toServer, done: make(chan error, 1), waiting: map[string]chan reply{}, notes: map[string][]json.RawMessage{}, news: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := Serve(ctx, fromClient, toClient, opt)
		toClient.Close()
		c.done <- err
	}()
	go c.read(fromServer)
	t.Cleanup(func() {
		toServer.Close()
		cancel()
	})
	return c
}

func (c *client) read(r io.Reader) {
	in := bufio.NewReader(r)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, _ := strconv.Atoi(header.Get("Content-Length"))
		b := make([]byte, n)
		if _, err := io.ReadFull(in, b); err != nil {
			return
		}
		if b[0] == '[' { // the answer to a batch
			continue
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			reply
		}
		if err := json.Unmarshal(b, &m); err != nil {
			c.t.Errorf("the server sent %q: %v", b, err)
			return
		}
		c.mu.Lock()
		switch {
		case m.Method != "" && len(m.ID) > 0:
			answer := any(nil)
			if c.asked != nil {
				answer = c.asked(m.Method, m.Params)
			}
			c.mu.Unlock()
			go c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": answer})
			continue
		case m.Method != "":
			c.notes[m.Method] = append(c.notes[m.Method], m.Params)
			close(c.news)
			c.news = make(chan struct{})
		default:
			id := string(m.ID)
			if id == "" {
				id = "null"
			}
			if wait := c.waiting[id]; wait != nil {
				delete(c.waiting, id)
				wait <- m.reply
			}
		}
		c.mu.Unlock()
	}
}

func (c *client) write(m any) {
	b, err := json.Marshal(m)
	if err != nil {
		c.t.Error(err)
		return
	}
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(b), b))
}

func (c *client) raw(text string) { io.WriteString(c.out, text) }

func (c *client) notify(method string, params any) {
	c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// expect returns the channel on which the answer to an id comes.
func (c *client) expect(id string) chan reply {
	wait := make(chan reply, 1)
	c.mu.Lock()
	c.waiting[id] = wait
	c.mu.Unlock()
	return wait
}

func (c *client) start(method string, params any) (id int, wait chan reply) {
	c.mu.Lock()
	c.next++
	id = c.next
	c.mu.Unlock()
	wait = c.expect(strconv.Itoa(id))
	c.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, wait
}

const patience = 20 * time.Second

func (c *client) await(what string, wait chan reply) reply {
	c.t.Helper()
	select {
	case r := <-wait:
		return r
	case <-time.After(patience):
		c.t.Fatalf("no answer to %s", what)
		return reply{}
	}
}

// call returns the result of a request, which must succeed.
func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	_, wait := c.start(method, params)
	r := c.await(method, wait)
	if r.Error != nil {
		c.t.Fatalf("%s: %d %s", method, r.Error.Code, r.Error.Message)
	}
	return r.Result
}

// fail returns the code of a request's error, which must be one.
func (c *client) fail(method string, params any) int {
	c.t.Helper()
	_, wait := c.start(method, params)
	r := c.await(method, wait)
	if r.Error == nil {
		c.t.Fatalf("%s: want an error, got %s", method, r.Result)
	}
	if r.Error.Message == "" {
		c.t.Errorf("%s: an error without a message", method)
	}
	return r.Error.Code
}

// waitFor returns the first value that f finds in the notifications of a method.
func (c *client) waitFor(method string, f func(json.RawMessage) bool) json.RawMessage {
	c.t.Helper()
	end := time.After(patience)
	seen := 0
	for {
		c.mu.Lock()
		list, news := c.notes[method], c.news
		c.mu.Unlock()
		for ; seen < len(list); seen++ {
			if f(list[seen]) {
				return list[seen]
			}
		}
		select {
		case <-news:
		case <-end:
			c.t.Fatalf("no such %s; %d others came: %.2000s", method, len(list), bytes.Join(toBytes(list), []byte("\n")))
		}
	}
}

func toBytes(list []json.RawMessage) (out [][]byte) {
	for _, m := range list {
		out = append(out, m)
	}
	return out
}

// workspaceOf writes an archive of files into a folder.
func workspaceOf(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// begin starts a server on a folder.
func begin(t testing.TB, dir string) *client {
	t.Helper()
	c := newClient(t, Options{})
	c.call("initialize", map[string]any{"capabilities": map[string]any{}, "workspaceFolders": []any{map[string]any{"uri": uriOf(dir), "name": "w"}}})
	c.notify("initialized", map[string]any{})
	return c
}

// end shuts the server down, which must then end without an error.
func (c *client) end() {
	c.t.Helper()
	c.call("shutdown", nil)
	c.notify("exit", nil)
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		c.t.Error("the server does not end")
	}
}

// open opens a file and returns its text.
func (c *client) open(path string) string {
	c.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	c.openText(path, string(text))
	return string(text)
}

func (c *client) openText(path, text string) {
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uriOf(path), "languageId": "pddl", "version": 1, "text": text}})
}

// faults returns the faults of a version of a document as lines "1:2-1:5 code".
func (c *client) faults(path string, version int) []string {
	c.t.Helper()
	var p publishParams
	c.waitFor("textDocument/publishDiagnostics", func(m json.RawMessage) bool {
		p = publishParams{}
		json.Unmarshal(m, &p)
		return p.URI == uriOf(path) && p.Version != nil && *p.Version == int32(version)
	})
	out := []string{}
	for _, d := range p.Diagnostics {
		out = append(out, fmt.Sprintf("%s %s", rangeText(d.Range), d.Code))
	}
	return out
}

func rangeText(r Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

// find is the position of the n-th occurrence of a word in a text, from 0, and shift bytes after it.
func find(t testing.TB, text, word string, n, shift int) Position {
	t.Helper()
	at := 0
	for i := 0; ; i++ {
		k := strings.Index(text[at:], word)
		if k < 0 {
			t.Fatalf("no %q number %d in the text", word, n)
		}
		if at += k; i == n {
			return newDocument("", "", 0, text, false).position(uint32(at + shift))
		}
		at += len(word)
	}
}

func place(path string, p Position) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}, "position": p}
}
