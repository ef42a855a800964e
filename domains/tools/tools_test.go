package tools

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/testkit"
)

type rates struct{ Precision, Recall, F1 float64 }

func (r rates) near(m Measure) bool {
	return math.Abs(r.Precision-m.Precision()) < 1e-12 && math.Abs(r.Recall-m.Recall()) < 1e-12 && math.Abs(r.F1-m.F1()) < 1e-12
}

// TestTEvalCases scores the cases in which T-Eval's evaluator is odd, as it does and exactly.
func TestTEvalCases(t *testing.T) {
	text, err := os.ReadFile(testkit.Shared(t, "data", "travel", "teval-cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var c struct {
			Case       string
			Prediction json.RawMessage
			Gold       json.RawMessage `json:"ground_truth"`
			Upstream   struct {
				rates
				Crash string
			} `json:"upstream_identity_similarity"`
			Name rates `json:"exact_name"`
			Call rates `json:"exact_call"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		p, g := ReadPlan(c.Prediction, nil), ReadPlan(c.Gold, nil)
		if m := ByName(p, g); !c.Name.near(m) {
			t.Errorf("%s: by name %v, want %+v", c.Case, m, c.Name)
		}
		if m := ByCall(p, g); !c.Call.near(m) {
			t.Errorf("%s: by call %v, want %+v", c.Case, m, c.Call)
		}
		m, err := Compat{Similarity: Identity, Threshold: 800_000}.Score(p, g)
		if (err != nil) != (c.Upstream.Crash != "") || err == nil && !c.Upstream.near(m) {
			t.Errorf("%s: like T-Eval %v, %v, want %+v", c.Case, m, err, c.Upstream)
		}
	}
}

func plan(t testing.TB, text string) *Plan {
	t.Helper()
	p := ReadPlan(json.RawMessage(text), nil)
	if len(p.Faults) > 0 {
		t.Fatalf("%s: %v", text, p.Faults)
	}
	return p
}

func TestCallsByValue(t *testing.T) {
	for _, c := range []struct {
		p, g string
		want int
	}{
		{`[{"id":0,"name":"a","args":{"x":1.0,"y":" s "}}]`, `[{"id":0,"name":"a","args":"{'y': 's', 'x': 1}"}]`, 1},
		{`[{"id":0,"name":"a","args":{"x":"1"}}]`, `[{"id":0,"name":"a","args":{"x":1}}]`, 0},
		{`[{"id":0,"name":"a","args":null}]`, `[{"id":0,"name":"a","args":"{}"}]`, 1},
		{`[{"id":0,"name":"a","args":[1,2]}]`, `[{"id":0,"name":"a","args":[2,1]}]`, 0},
		// References stand for the calls that they denote, wherever these are.
		{`[{"id":7,"name":"x","args":{}},{"id":8,"name":"a","args":{}},{"id":9,"name":"b","args":{"v":"$8.out"}}]`,
			`[{"id":0,"name":"a","args":{}},{"id":1,"name":"b","args":{"v":"${0.out}"}}]`, 2},
		{`[{"id":0,"name":"a","args":{"q":2}},{"id":1,"name":"b","args":{"v":"$0.out"}}]`,
			`[{"id":0,"name":"a","args":{"q":1}},{"id":1,"name":"b","args":{"v":"$0.out"}}]`, 0},
		// A reference to what is not there is a text.
		{`[{"id":0,"name":"b","args":{"v":"$5.out"}}]`, `[{"id":0,"name":"b","args":{"v":"$5.out"}}]`, 1},
	} {
		if m := ByCall(plan(t, c.p), plan(t, c.g)); m.Matched != c.want {
			t.Errorf("%s against %s: %d matched, want %d", c.p, c.g, m.Matched, c.want)
		}
	}
	swapped := `[{"id":0,"name":"b","args":{}},{"id":1,"name":"a","args":{}},{"id":2,"name":"c","args":{"v":"$1.out"}}]`
	gold := `[{"id":0,"name":"a","args":{}},{"id":1,"name":"b","args":{}},{"id":2,"name":"c","args":{"v":"$0.out"}}]`
	if m := ByDependency(plan(t, swapped), plan(t, gold)); m.F1() != 1 {
		t.Errorf("calls that do not depend on each other, swapped: %v", m)
	}
	if m := ByCall(plan(t, swapped), plan(t, gold)); m.Matched != 2 {
		t.Errorf("in order: %v", m)
	}
}

// TestReading keeps what can be read.
func TestReading(t *testing.T) {
	for text, want := range map[string]string{
		`"As in [1], my plan is:\n` + "```json" + `\n[{'id': 0, 'name': 'a', 'args': {}}]\n` + "```" + `"`: "a",
		`[{"name":"a"},{"id":"x","name":"b"},7,{"id":3,"name":"c","args":{}}]`:                             "a c !2",
		`"no plan"`: "!1",
		`{"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{\"x\": 1}"}},{"function":{"arguments":"{}"}}]}]}`: "a !1",
		`{"output":[{"type":"function_call","name":"a","arguments":"{}","call_id":"c"},{"type":"message","role":"assistant"}]}`:                                                                            "a",
		`{"tool_calls":[{"function":{"name":"a","arguments":{}}}]}`: "a",
		`7`: "!1", `null`: "",
	} {
		p := ReadPlan(json.RawMessage(text), nil)
		var got []string
		for _, s := range p.Steps {
			got = append(got, s.Name)
		}
		if n := len(p.Faults); n > 0 {
			got = append(got, "!"+string(rune('0'+n)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s (%v)", text, got, want, p.Faults)
		}
	}
	p := ReadPlan(json.RawMessage(`"First call b.x with a. Then a.y and b.x.\nDone"`), []string{"a.y", "b.x"})
	if len(p.Steps) != 2 || p.Steps[0].Name != "b.x" || p.Steps[1].Name != "a.y" {
		t.Errorf("prose: %+v", p)
	}
}

func TestSimilarity(t *testing.T) {
	s, err := ReadSimilarity(strings.NewReader(`{"a":"x","b":"y","similarity":0.9}`+"\n"+`{"a":"x","b":"z","similarity":-0.2}`), "s.jsonl")
	if err != nil || s("y", "x") != 900_000 || s("x", "z") != 0 || s("q", "q") != similar {
		t.Errorf("%v", err)
	}
	p, g := plan(t, `[{"id":0,"name":"x","args":"{}"}]`), plan(t, `[{"id":0,"name":"y","args":"{}"}]`)
	for threshold, want := range map[int64]int{800_000: 1, 925_000: 0, 924_999: 1} {
		if m, err := (Compat{Similarity: s, Threshold: threshold, NoFloor: true}).Score(p, g); err != nil || m.Matched != want {
			t.Errorf("threshold %d: %v, %v, want %d", threshold, m, err, want)
		}
	}
	for _, bad := range []string{`{"a":"x"}`, `{"a":"x","b":"y","similarity":2}`, `{"a":1,"b":"y","similarity":0}`, `[]`} {
		if _, err := ReadSimilarity(strings.NewReader(bad), "s.jsonl"); err == nil || !strings.Contains(err.Error(), "s.jsonl:1:") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func FuzzScore(f *testing.F) {
	f.Add(`[{"id":0,"name":"a","args":"{'x': $0}"}]`, `[{"id":0,"name":"a","args":{"v":"$0.x"}},{"id":1,"name":"a","args":"1"}]`)
	f.Add(`"[{'id': 1, 'name': 'a', 'args': [None]}]"`, `{"messages":[{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}]}`)
	f.Fuzz(func(t *testing.T, predicted, gold string) {
		row := strings.NewReplacer("\n", " ", "\r", " ").Replace(`{"case":1,"prediction":` + predicted + `,"ground_truth":` + gold + `}`)
		var out strings.Builder
		totals, err := ScoreRows(t.Context(), strings.NewReader(row), &out, Options{JSON: true, Details: true, Compat: &Compat{Similarity: Identity, Threshold: 800_000}})
		if err != nil || totals.Rows+totals.Errors != 1 || !json.Valid([]byte(out.String())) || strings.Contains(out.String(), "internal error") {
			t.Fatalf("%s: %s, %v", row, out.String(), err)
		}
		if !json.Valid([]byte(predicted)) {
			return
		}
		p := ReadPlan(json.RawMessage(predicted), nil)
		if m := ByCall(p, p); len(p.scored()) > 0 && m.F1() != 1 {
			t.Fatalf("%s: a plan against itself: %v", predicted, m)
		}
		if c, n := ByCall(p, p), ByName(p, p); c.Matched > n.Matched {
			t.Fatalf("%s: more calls than names: %v, %v", predicted, c, n)
		}
	})
}
