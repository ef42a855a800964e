package extract

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestToolCalls: plans as tool calls are read by the names of parameters, in any order,
// and never by guessing.
func TestToolCalls(t *testing.T) {
	blocks := testReader(t, "blocks") // stack ?x ?y
	for _, c := range []struct {
		text      string
		plan      []string
		malformed int
	}{
		{`{"tool_calls":[{"id":"1","type":"function","function":{"name":"pick-up","arguments":"{\"x\":\"a\"}"}},{"id":"2","type":"function","function":{"name":"stack","arguments":"{\"y\":\"b\",\"x\":\"a\"}"}}]}`,
			[]string{"(pick-up a)", "(stack a b)"}, 0},
		{`[{"type":"function","function":{"name":"pick_up","arguments":{"?x":"a"}}}]`, []string{"(pick-up a)"}, 0},
		{`{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"stack","arguments":"[\"a\",\"b\"]"}}]}`, []string{"(stack a b)"}, 0},
		{`[{"name":"stack","arguments":{"objects":["a","b"]}}]`, []string{"(stack a b)"}, 0},
		{`[{"name":"stack","input":{"x":"a","y":"b"}}]`, []string{"(stack a b)"}, 0},
		{`[{"name":"stack","arguments":{"x":"the red block","y":"b"}}]`, []string{"(stack a b)"}, 0},
		{`[{"name":"stack","arguments":{"block":"a","onto":"b"}}]`, []string{}, 1},
		{`[{"name":"stack","arguments":{"x":"a"}}]`, []string{}, 1},
		{`[{"name":"stack","arguments":{"x":"a","y":"b","z":"c"}}]`, []string{}, 1},
		{`[{"name":"stack","arguments":{"x":"a","y":{"z":"b"}}}]`, []string{}, 1},
		{`[{"name":"stack","arguments":"{\"x\":\"a\""}]`, []string{}, 1},
		{`[{"name":"teleport","arguments":{"x":"a"}},{"name":"pick-up","arguments":{"x":"a"}}]`, []string{"(pick-up a)"}, 1},
		{`{"action":{"name":"stack","args":["a","b"]}}`, []string{"(stack a b)"}, 0},
	} {
		x := blocks.Extract(c.text)
		if x.Status != StatusPlan || !slices.Equal(x.Plan, c.plan) || len(x.Malformed) != c.malformed {
			t.Errorf("%s\nread as %s %v, malformed %v", c.text, x.Status, x.Plan, x.Malformed)
		}
	}
	text, err := CompletionText(json.RawMessage(`[{"role":"user","content":"(put-down d)"},
		{"role":"assistant","content":"I begin.","tool_calls":[{"function":{"name":"pick-up","arguments":"{\"x\":\"a\"}"}}]},
		{"role":"tool","content":"(stack c d)"},
		{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"stack","arguments":"{\"x\":\"a\",\"y\":\"b\"}"}}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	if x := blocks.Extract(text); !slices.Equal(x.Plan, []string{"(pick-up a)", "(stack a b)"}) {
		t.Errorf("%s\nread as %v", text, x.Plan)
	}
}

// TestConfidence: how an answer is read says how sure the reading is.
func TestConfidence(t *testing.T) {
	r := testReader(t, "blocks")
	for _, c := range []struct {
		text string
		want Confidence
	}{
		{"<plan>\n(pick-up a)\n</plan>", ConfidenceHigh},
		{"1. (pick-up a)\n2. (stack a b)", ConfidenceHigh},
		{"[\"(pick-up a)\"]", ConfidenceHigh},
		{"I do not know.", ConfidenceHigh},
		{"Draft:\n1. (pick-up a)\n\nFinal plan:\n1. (pick-up b)", ConfidenceMedium},
		{"The goal is already satisfied.", ConfidenceMedium},
		{"[PLAN]\n(pick-up a)", ConfidenceLow},
		{"<plan>\n(pick-up a)\nstack a under b\n</plan>", ConfidenceLow},
		{"Option 1:\n1. (pick-up a)\n\nOption 2:\n1. (pick-up b)", ConfidenceLow},
	} {
		if x := r.Extract(c.text); x.Confidence != c.want {
			t.Errorf("%q: %s %s is %s, want %s", c.text, x.Status, x.Reading, x.Confidence, c.want)
		}
	}
}
