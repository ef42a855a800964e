package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/oracle"
)

// TestMCP: JSON-RPC 2.0 as the Model Context Protocol uses it. What is wrong with a request is
// told in the answer, whose status is 200; OpenEnv's validator asks with {}.
func TestMCP(t *testing.T) {
	_, base := start(t, Options{}, oracle.Options{})
	for _, c := range []struct {
		body string
		code int
		want string
	}{
		{`{}`, 200, `{"error":{"code":-32600,"message":"a request has \"jsonrpc\": \"2.0\" and a method"},"id":null,"jsonrpc":"2.0"}`},
		{`{`, 200, `"code":-32700`},
		{`{"jsonrpc": "2.0", "id": "a", "method": "ping"}`, 200, `{"id":"a","jsonrpc":"2.0","result":{}}`},
		{`{"jsonrpc": "2.0", "method": "notifications/initialized"}`, 202, ``},
		{`{"jsonrpc": "2.0", "id": 1, "method": "initialize"}`, 200, `"protocolVersion":"2025-06-18"`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`, 200, `"name":"next_steps"`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}`, 200, `"code":-32601`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}`, 200, `"code":-32602`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "truth", "arguments": {}}}`, 200, `"code":-32602`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "validate_plan", "arguments": 5}}`, 200, `"code":-32602`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "validate_plan", "arguments": {"task": "blocksworld:3-5", "plan": []}}}`, 200, `"isError":false`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "validate_plan", "arguments": {"task": "nope:1", "plan": []}}}`, 200, `"isError":true`},
		{`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "next_steps", "arguments": {"task": "blocksworld:3-5", "prefix": []}}}`, 200, `"actions":["(unstack b c)"]`},
	} {
		if code, text := post(t, base+"/plan_step/mcp", c.body); code != c.code || !strings.Contains(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%s: %d %s, not %d %s", c.body, code, text, c.code, c.want)
		}
	}
}

// TestOpenAPI: the paths are routes of the environment, with their methods.
func TestOpenAPI(t *testing.T) {
	_, base := start(t, Options{}, oracle.Options{})
	for _, prefix := range []string{"", "/plan_once", "/plan_step", "/plan_adapt", "/boxnet_replan"} {
		reply, err := http.Get(base + prefix + "/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		var told struct {
			Info  struct{ Version string }
			Paths map[string]map[string]any
		}
		err = json.NewDecoder(reply.Body).Decode(&told)
		reply.Body.Close()
		if err != nil || !strings.HasPrefix(told.Info.Version, "1.") || len(told.Paths) < 7 {
			t.Fatalf("%s: %v %+v", prefix, err, told)
		}
		for path, methods := range told.Paths {
			for method := range methods {
				request, _ := http.NewRequest(strings.ToUpper(method), base+prefix+path, strings.NewReader("{}"))
				reply, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				reply.Body.Close()
				if reply.StatusCode == http.StatusNotFound || reply.StatusCode == http.StatusMethodNotAllowed {
					t.Errorf("%s %s%s: %d", method, prefix, path, reply.StatusCode)
				}
			}
		}
	}
}
