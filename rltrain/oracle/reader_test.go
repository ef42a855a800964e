package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/rltrain/rows"
)

// Two answers with a valid plan for blocksworld:3-5, of which only the second follows the contract, and one that
// follows it and is wrong.
const (
	unmarkedPlan = "1. (unstack b c)\n2. (put-down b)\n3. (unstack c a)\n4. (put-down c)\n5. (pick-up b)\n6. (stack b c)"
	markedPlan   = "<plan>\n" + unmarkedPlan + "\n</plan>"
	remarkedPlan = "<plan>\n" + unmarkedPlan + " so that b is on c\n</plan>"
)

// TestOracleReadsStrictly: an oracle that nobody tells otherwise is strict in every operation, and what is asked for
// strictly is never read naturally.
func TestOracleReadsStrictly(t *testing.T) {
	o, err := New(Options{Task: taskref.Ref{Task: "blocksworld:3-5"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := o.Score(context.Background(), &rows.Item{Response: unmarkedPlan}, ""); *s.Reward != 0 || s.Reader != extract.Strict || s.Status != rows.StatusNoPlan {
		t.Errorf("without markers: %s", asJSON(s))
	}
	if s := o.Score(context.Background(), &rows.Item{Response: markedPlan}, ""); *s.Reward != 1 || s.Reader != extract.Strict {
		t.Errorf("by the contract: %s", asJSON(s))
	}
	if s := o.Score(context.Background(), &rows.Item{Response: unmarkedPlan, Reader: extract.Natural}, ""); *s.Reward != 1 || s.Reader != extract.Natural {
		t.Errorf("naturally: %s", asJSON(s))
	}
	lax := newTestOracle(t, Options{Task: taskref.Ref{Task: "blocksworld:3-5"}, Reader: extract.Natural})
	if s := lax.Score(context.Background(), &rows.Item{Response: remarkedPlan, Reader: extract.Strict}, ""); *s.Reward != 0 || s.Reader != extract.Strict || s.Verdict.Failure.Step != 6 {
		t.Errorf("a row that asks for the strict reader: %s", asJSON(s))
	}
	for _, c := range []struct {
		request, item, want string
	}{
		{"", "", "no_plan strict"}, {"natural", "", "valid natural"}, {"", "natural", "valid natural"},
		{"natural", "strict", "no_plan strict"}, {"strict", "natural", "valid natural"},
	} {
		body := fmt.Sprintf(`{"schema":"planproof.score/1","reader":%s,"items":[{"reader":%s,"completion":%s}]}`, orNull(c.request), orNull(c.item), orNull(unmarkedPlan))
		var reply struct {
			Items []struct{ Verdict, Reader, Digest string }
		}
		callInto(t, o, OpScore, body, &reply)
		if got := reply.Items[0].Verdict + " " + reply.Items[0].Reader; got != c.want {
			t.Errorf("request %q, item %q: %s, want %s", c.request, c.item, got, c.want)
		}
		var read struct {
			Items []struct{ Extraction extract.Extraction }
		}
		callInto(t, o, OpExtract, strings.Replace(body, "score", "extract", 1), &read)
		if x := read.Items[0].Extraction; string(x.Reader) != strings.Fields(c.want)[1] {
			t.Errorf("request %q, item %q: extracted by %q", c.request, c.item, x.Reader)
		}
	}
	if _, fault := o.Call(context.Background(), OpScore, []byte(`{"reader":"lax","items":[]}`)); fault == nil || !strings.Contains(fault.Message, `no reader "lax"`) {
		t.Errorf("an unknown reader: %v", fault)
	}
}

func orNull(text string) string {
	if text == "" {
		return "null"
	}
	b, _ := json.Marshal(text)
	return string(b)
}

func callInto(t *testing.T, o *Oracle, op Op, body string, to any) {
	t.Helper()
	reply, fault := o.Call(context.Background(), op, []byte(body))
	if fault != nil {
		t.Fatal(fault)
	}
	if err := json.Unmarshal(reply.Body, to); err != nil {
		t.Fatal(err)
	}
}

// TestTaskReader: a loaded task's row says how answers to its prompt are read; who asks for an answer may say
// otherwise.
func TestTaskReader(t *testing.T) {
	for _, c := range []struct{ row, oracle, asked, want string }{
		{"", "", "", "strict"}, {"natural", "", "", "natural"}, {"strict", "natural", "", "strict"},
		{"natural", "", "strict", "strict"}, {"strict", "", "natural", "natural"}, {"", "natural", "", "natural"},
	} {
		tasks, err := ReadTasks(strings.NewReader(fmt.Sprintf(`{"id":"t","task":"blocksworld:3-5","reader":%s}`, orNull(c.row))), "tasks.jsonl", ".")
		if err != nil {
			t.Fatal(err)
		}
		o, err := New(Options{Tasks: tasks, Reader: extract.Kind(c.oracle)})
		if err != nil {
			t.Fatal(err)
		}
		if s := o.Score(context.Background(), &rows.Item{Task: taskref.Ref{Task: "t"}, Reader: extract.Kind(c.asked), Response: unmarkedPlan}, ""); string(s.Reader) != c.want {
			t.Errorf("%+v: read by %s", c, s.Reader)
		}
		e, r, err := o.Reset(context.Background(), EnvPlanOnce, fmt.Appendf(nil, `{"reader":%q}`, c.asked))
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Observation.Reader) != c.want || strings.Contains(r.Observation.Prompt, "Only the last such pair counts") != (c.want == "strict") {
			t.Errorf("%+v: an episode of the %s reader, asked\n%s", c, r.Observation.Reader, r.Observation.Prompt)
		}
		if r, err = e.Step(context.Background(), fmt.Appendf(nil, `{"plan":%s}`, orNull(unmarkedPlan))); err != nil || (*r.Reward == 1) != (c.want == "natural") {
			t.Errorf("%+v: %+v, %v", c, r, err)
		}
	}
	if _, err := ReadTasks(strings.NewReader(`{"task":"blocksworld:3-5","reader":"lax"}`), "tasks.jsonl", "."); err == nil || !strings.Contains(err.Error(), `no reader "lax"`) {
		t.Errorf("an unknown reader: %v", err)
	}
}

// TestStrictSteps: an action of plan_step is one form of the contract, alone or between markers.
func TestStrictSteps(t *testing.T) {
	o, err := New(Options{Task: taskref.Ref{Task: "blocksworld:3-5"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer string
		finish string
		ok     bool
	}{
		{answer: "(unstack b c)", ok: true}, {answer: "unstack b c\n", ok: true}, {answer: "unstack(b, c)", ok: true},
		{answer: "1. `(unstack b c)` ; it is clear", ok: true}, {answer: "unstack the blue block from on top of the orange block", ok: true},
		{answer: "<plan>\n(unstack b c)\n</plan>", ok: true}, {answer: "<think>(put-down b)</think>\n(unstack b c)", ok: true},
		{answer: "I think that b goes first.\n<plan>\n(unstack b c)\n</plan> so that c is clear", ok: true},
		{answer: `["(unstack b c)"]`, ok: true},
		{answer: "First, unstack b c"}, {answer: "(unstack b c) or (pick-up b)"}, {answer: "(unstack b c) (put-down b)"},
		{answer: "(unstack b c)\n(put-down b)"}, {answer: "Action: unstack b c"}, {answer: "<plan>(unstack b c)"}, {answer: "[PLAN] (unstack b c)"},
		{answer: "~~(unstack b c)~~"}, {answer: "2. (unstack b c)"}, {answer: "<think>(unstack b c)"}, {answer: "; (unstack b c)"}, {answer: ""},
		{answer: "<plan>\n(unstack b c)\n</plan>\n<plan>\n(unstack", finish: "length"},
	} {
		e, _, err := o.Reset(context.Background(), EnvPlanStep, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(c.answer)
		r, err := e.Step(context.Background(), fmt.Appendf(nil, `{"action":%s,"finish":%q}`, text, c.finish))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Observation.Step == "(unstack b c)"; got != c.ok || r.Observation.Reader != extract.Strict {
			t.Errorf("%q: step %q by the %s reader, %s", c.answer, r.Observation.Step, r.Observation.Reader, r.Observation.Message)
		}
	}
}

// TestStrictCutOff: an answer that ends for its length inside its plan is cut off, though it has no closed pair.
func TestStrictCutOff(t *testing.T) {
	o, err := New(Options{Task: taskref.Ref{Task: "blocksworld:3-5"}})
	if err != nil {
		t.Fatal(err)
	}
	open := strings.TrimSuffix(markedPlan, "\n</plan>")
	if s := o.Score(context.Background(), &rows.Item{Response: open, Truncated: true}, ""); s.Status != rows.StatusTruncated || *s.Reward != 0 {
		t.Errorf("cut off: %s", asJSON(s))
	}
	if s := o.Score(context.Background(), &rows.Item{Response: open}, ""); s.Status != rows.StatusNoPlan {
		t.Errorf("not closed: %s", asJSON(s))
	}
	if s := o.Score(context.Background(), &rows.Item{Response: "Let me", Truncated: true}, ""); s.Status != rows.StatusNoPlan {
		t.Errorf("cut off before the plan: %s", asJSON(s))
	}
}
