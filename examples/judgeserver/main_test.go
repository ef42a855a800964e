package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/planproof/planproof"
)

// TestJudge posts a right and a wrong plan.
func TestJudge(t *testing.T) {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(judge(task))
	defer server.Close()
	for plan, want := range map[string]string{
		"(unstack b c)\n(put-down b)\n(unstack c a)\n(put-down c)\n(pick-up b)\n(stack b c)\n": `"valid":true`,
		"(unstack b c)\n(stack b a)\n": `"kind":"precondition"`,
		"pick up the block":            `"kind":"syntax"`,
	} {
		resp, err := http.Post(server.URL, "text/plain", strings.NewReader(plan))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%q: %d %s %v; want %s", plan, resp.StatusCode, body, err, want)
		}
	}
}
