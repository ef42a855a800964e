package extract

import (
	"encoding/json"
	"testing"
)

func TestCompletionText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"(pick-up a)"`, "(pick-up a)"},
		{`[{"role": "assistant", "content": "<plan>\n(pick-up a)\n</plan>"}]`, "<plan>\n(pick-up a)\n</plan>"},
		{`[{"role": "user", "content": "(pick-up b)"}, {"role": "assistant", "content": "x"}, {"role": "tool", "content": "(pick-up c)"}, {"role": "assistant", "content": "y"}]`, "x\n\ny"},
		{`[{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image", "text": "b"}, {"type": "output_text", "text": "c"}]}]`, "ac"},
		{`[{"role": "assistant", "content": null, "tool_calls": []}]`, ""},
		{`[{"role": "assistant"}]`, ""},
		{`[]`, ""},
	} {
		got, err := CompletionText(json.RawMessage(c.in))
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{`7`, `{"role": "assistant"}`, `[{"role": "assistant", "content": 7}]`, `[1]`, `[`, ``,
		`[{"role": "assistant", "content": "a", "content": "b"}]`, `[{"Role": "assistant", "content": "a"}]`} {
		if got, err := CompletionText(json.RawMessage(in)); err == nil {
			t.Errorf("%s: %q, want an error", in, got)
		}
	}
}
