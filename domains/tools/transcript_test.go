package tools

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// TestHostileTranscripts: what is wrong with a transcript is said with its place, and what is right in it is read.
func TestHostileTranscripts(t *testing.T) {
	const call = `{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"x\": 1}"}}`
	in := func(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
	by := func(role string, calls ...string) string {
		return `{"role":"` + role + `","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	for _, c := range []struct{ text, steps, says string }{
		{in(by("assistant", call), `{"role":"tool","tool_call_id":"c1","content":"ok"}`), "a", ""},
		{in(by("user", call), by("assistant", call)), "a", "message 1: only the assistant makes calls"},
		{in(by("tool", call)), "", "message 1: the result has no tool_call_id"},
		{in(by("asistant", call)), "", `message 1: no role is called "asistant" (did you mean "assistant"?)`},
		{in(`{"role":7,"tool_calls":[` + call + `]}`), "", "message 1: role is a JSON number, not a string"},
		{in(by("assistant", call, call)), "a a", `message 1, call 2: an earlier call has the id "c1"`},
		{in(by("assistant", call), `{"role":"tool","tool_call_id":"c2"}`), "a", `message 2: no earlier call has the id "c2"`},
		{in(`{"role":"tool","tool_call_id":"c1"}`, by("assistant", call)), "a", `message 1: no earlier call has the id "c1"`},
		{in(by("assistant", call), `{"role":"tool"}`), "a", "message 2: the result has no tool_call_id"},
		{in(by("assistant", strings.Replace(call, `{\"x\": 1}`, `{\"x\": 1`, 1))), "a", "message 1, call 1: arguments: neither a comma nor a brace at character 8"},
		{in(by("assistant", strings.Replace(call, `{\"x\": 1}`, `[1]`, 1))), "a", "message 1, call 1: arguments: not a JSON object"},
		{in(by("assistant", strings.Replace(call, `"{\"x\": 1}"`, `{"x":1,"x":2}`, 1))), "", `the member "x" is given twice`},
		{in(by("assistant", `{"id":"c","type":"function","function":{"arguments":"{}"}}`)), "", "message 1, call 1: the call has no name"},
		{in(by("assistant", `7`, call)), "a", "message 1, call 1: not a JSON object but a JSON number"},
		{in(by("assistant", strings.Replace(call, `"{\"x\": 1}"`, strings.Repeat("[", 100)+strings.Repeat("]", 100), 1))), "", "nested deeper than 64"},
		{in(`null`, `[]`, by("assistant", call)), "a", "message 2: not a JSON object but a JSON array"},
		{`{"messages":{"role":"assistant"}}`, "", "messages: not a list"},
		{`{"messages":[{"role":"assistant","tool_calls":{"id":1}}]}`, "", "calls: not a list"},
		{in(by("assistant", strings.Replace(call, "x", "\xff", 1))), "a", "byte 116 of the plan is not UTF-8"},
		{`[{"role":"user","content":"go"},` + by("assistant", call) + `]`, "a", ""},
		{`[` + call + `]`, "a", ""},
		{`{"choices":[{"message":` + by("assistant", call) + `},{"message":` + by("assistant", call) + `}]}`, "a", "choice 2: the first choice is read"},
		{`{"output":[{"type":"function_call","call_id":"k","name":"a","arguments":"{}"},{"type":"function_call_output","call_id":"k"},{"type":"function_call_output","call_id":"l"}]}`, "a", `output 3: no earlier call has the id "l"`},
		{in(`{"role":"assistant","function_call":{"name":"a","arguments":"{}"}}`, `{"role":"function","name":"a"}`), "a", ""},
	} {
		p := ReadPlan(json.RawMessage(c.text), nil)
		var names []string
		for i := range p.Steps {
			names = append(names, p.Steps[i].Name)
		}
		said := strings.Join(p.Faults, "\n")
		if strings.Join(names, " ") != c.steps || (c.says == "") != (said == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s:\nsteps %q, want %q; says %q, want %q", c.text, names, c.steps, said, c.says)
		}
	}
}

// TestHugeTranscripts: large and deep transcripts take time in their length, and not more words than are of use.
func TestHugeTranscripts(t *testing.T) {
	size := 1 << 20
	if !testing.Short() {
		size = 8 << 20
	}
	if os.Getenv("PLANPROOF_LONG") != "" {
		size = 50 << 20
	}
	fill := func(open, piece, shut string) string { return open + strings.Repeat(piece, size/len(piece)) + shut }
	for name, text := range map[string]string{
		"messages":  fill(`{"messages":[`, `7,`, `7]}`),
		"calls":     fill(`{"messages":[{"role":"assistant","tool_calls":[`, `{"function":{"name":"a"}},`, `7]}]}`),
		"same id":   fill(`{"messages":[`, `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a"}}]},`, `7]}`),
		"arguments": fill(`{"tool_calls":[{"function":{"name":"a","arguments":{"x":[`, `1,`, `1]}}}]}`),
		"text":      fill(`"`+strings.Repeat("[1,", 60), `1,`, `"`),
		"brackets":  fill(`"`, `[`, `"`),
		"deep":      fill(`{"messages":`, `[`, ``),
		"name":      fill(`{"tool_calls":[{"function":{"name":"`, `a`, `"}}]}`),
		"roles":     fill(`{"messages":[{"role":"`, `a`, `"}]}`),
		"steps":     fill(`[`, `7,`, `{"name":"a"}]`),
		"list":      fill(`[{"role":"user"},`, `[],`, `7]`),
	} {
		began := time.Now()
		p := ReadPlan(json.RawMessage(text), nil)
		if len(p.Faults) > maxFaults+3 || len(p.Steps) > maxSteps {
			t.Errorf("%s: %d faults, %d steps", name, len(p.Faults), len(p.Steps))
		}
		for _, f := range p.Faults {
			if len(f) > 400 {
				t.Errorf("%s: %d bytes of words", name, len(f))
			}
		}
		t.Logf("%s: %v, %d steps, %d faults", name, time.Since(began), len(p.Steps), len(p.Faults))
	}
}

// FuzzTranscript reads any transcript, also broken ones: it is read the same again, calls are numbered and named, a
// fault has its place, and a row about it is answered.
func FuzzTranscript(f *testing.F) {
	for _, s := range []string{
		`{"messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"a","arguments":"{\"x\": 1}"}}]},{"role":"tool","tool_call_id":"c"}]}`,
		`{"messages":[{"role":"user","tool_calls":[{"id":"c"},{"id":"c"}]},{"role":"tool"},7,null]}`,
		`{"output":[{"type":"function_call","call_id":"c","name":"a","arguments":"{'x': (1,)}"},{"type":"function_call_output","call_id":"d"}]}`,
		`{"choices":[{"message":{"role":"assistant","function_call":{"name":"a","arguments":"{"}}}]}`,
		`[{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":[[[[]]]]}}]}]`,
		`{"tool_calls":[{"function":{"name":"\ud800","arguments":"` + "\xff" + `"}}]}`, `{"name":"a","arguments":{}}`, `{"messages":[`, `[{"type":"function"}]`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		steps, faults := ReadCalls(json.RawMessage(text))
		again, said := ReadCalls(json.RawMessage(text))
		if len(steps) != len(again) || strings.Join(faults, "\n") != strings.Join(said, "\n") {
			t.Fatalf("read differently again: %q, %q", faults, said)
		}
		for i := range steps {
			if steps[i].ID != i || steps[i].Name == "" {
				t.Fatalf("step %d: %+v", i, steps[i])
			}
		}
		for _, fault := range faults {
			if !strings.Contains(fault, ": ") && !strings.HasPrefix(fault, "and ") {
				t.Fatalf("no place: %s", fault)
			}
		}
		row := strings.NewReplacer("\n", " ", "\r", " ").Replace(`{"case":1,"prediction":` + text + `}`)
		var out strings.Builder
		good, bad, errors, err := runner(t).JudgeRows(t.Context(), strings.NewReader(row), &out, Options{JSON: true, Workers: 1})
		if err != nil || good+bad+errors != 1 || !json.Valid([]byte(out.String())) || strings.Contains(out.String(), "internal error") {
			t.Fatalf("%s: %s, %v", row, out.String(), err)
		}
	})
}
