package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
)

// TestGuardIsKept: what guards a task is made once for many calls, and once for each task and set of functions.
func TestGuardIsKept(t *testing.T) {
	s := New(Options{})
	c := connect(t, s)
	in := guardArgs(t, `{"name":"Hotel.check","arguments":{"hotel":"Garden Hotel"}}`, `{"name":"Hotel.search","arguments":{"city":"Rome"}}`)
	functions := in["tools"].(json.RawMessage)
	var d decision
	if c.call("guard_call", in, &d); d.Decision != "allow" {
		t.Fatalf("%+v", d)
	}
	parsed, ok := s.parsed.Made(taskref.Inline(in["domain_text"].(string), in["problem_text"].(string)))
	if !ok || parsed == nil {
		t.Fatal("the task is not kept")
	}
	var compact struct{ Tools json.RawMessage }
	raw, _ := json.Marshal(map[string]any{"tools": functions})
	if err := json.Unmarshal(raw, &compact); err != nil {
		t.Fatal(err)
	}
	key := guardKey{string(compact.Tools), taskref.KeyOf(parsed.Problem.Domain.Source, parsed.Problem.Source)}
	first, ok := s.runners.Made(key)
	if !ok || first.Memory() < 1<<16 {
		t.Fatalf("the guard is not kept")
	}
	c.call("guard_call", in, &d)
	if again, _ := s.runners.Made(key); again != first {
		t.Error("a second call made another guard")
	}
	in["tools"] = json.RawMessage(strings.ReplaceAll(string(functions), "Hotel.check", "Hotel.cheque"))
	if c.call("guard_call", in, &d); d.Decision != "deny" {
		t.Errorf("with other functions: %+v", d)
	}
	in["tools"] = functions
	in["domain_text"] = strings.Replace(in["domain_text"].(string), "(:action check", "(:action inspect", 1)
	c.fails("guard_call", in, BadInput)
}
