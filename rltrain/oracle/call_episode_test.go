package oracle

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCallEpisode walks an episode of plan_step by requests alone: what was executed, also of a
// step in words, is all that the next request needs.
func TestCallEpisode(t *testing.T) {
	o := newTestOracle(t, Options{})
	type answer struct {
		Items []struct {
			Status  string      `json:"status"`
			Result  *StepResult `json:"result"`
			Message string      `json:"message"`
		} `json:"items"`
	}
	ask := func(op Op, item string) (a answer) {
		t.Helper()
		text := callJSON(t, o, op, `{"spec":"valid","items":[`+item+`]}`)
		if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Items) != 1 {
			t.Fatalf("%v: %s", err, text)
		}
		return a
	}
	first := ask(OpReset, `{"task":"blocksworld:3-5"}`).Items[0].Result.Observation
	if !strings.Contains(first.Prompt, "one step at a time") || len(first.Actions) == 0 || len(first.Facts) == 0 || first.State == "" || first.Step != "" {
		t.Fatalf("%+v", first)
	}
	var prefix []string
	var last *StepResult
	for _, action := range []string{
		"unstack the blue block from on top of the orange block", "(put-down b)", "(fly b)", "(unstack c a)", "(put-down c)", "(pick-up b)", "(STACK b c)",
	} {
		last = ask(OpStep, fmt.Sprintf(`{"task":"blocksworld:3-5","prefix":%s,"action":%q}`, quote(prefix), action)).Items[0].Result
		if step := last.Observation.Step; step != "" {
			prefix = append(prefix, step)
		} else if last.Observation.Message == "" || action != "(fly b)" {
			t.Fatalf("%s: %+v", action, last.Observation)
		}
	}
	if !last.Done || *last.Reward != 1 || last.Observation.Verdict != "valid" || len(prefix) != 6 {
		t.Errorf("%v: %+v", prefix, last)
	}
	for _, item := range []string{`{"task":"nosuch:1"}`, `{}`, `7`} {
		if got := ask(OpReset, item).Items[0]; got.Status != "bad_request" || got.Result != nil || got.Message == "" {
			t.Errorf("%s: %+v", item, got)
		}
	}
}

// TestStepReadsAsScore gives the same answers to step and to score: a step is executed only
// where the score judges one step, and that one.
func TestStepReadsAsScore(t *testing.T) {
	o := newTestOracle(t, Options{Limits: Limits{ResponseBytes: 1 << 10}})
	const step = "(unstack b c)"
	answers := []string{
		step, "unstack b c", "( Unstack  B c )", "1. " + step, "- " + step, "`" + step + "`", "<plan>\n" + step + "\n</plan>", "```\n" + step + "\n```", step + " [1]", step + ".",
		"(unstack b c", "unstack b c)", "(unstack\nb\nc)", step + step, step + "\n" + step, "(and " + step + ")", "((unstack b c))", "(unstack b)", "(unstack b c c)", "(fly b)", "(unstack c b)",
		"", " ", "Not " + step, "I would " + step + " but no", "<think>" + step, "There is no plan.", "<plan>\n" + step, step + "\n<plan>", "Option 1: " + step + "\nOption 2: (pick-up c)",
		step + strings.Repeat(" ", 1<<10),
	}
	executed := 0
	for _, finish := range []string{"stop", "length"} {
		for _, answer := range answers {
			item := func(member string) string {
				text, _ := json.Marshal(answer)
				return fmt.Sprintf(`{"items":[{"task":"blocksworld:3-5","finish":%q,%q:%s}]}`, finish, member, text)
			}
			var scored struct {
				Items []struct {
					Verdict string `json:"verdict"`
					Steps   int    `json:"plan_len"`
					Bad     int    `json:"first_bad_step"`
				} `json:"items"`
			}
			var stepped struct {
				Items []struct {
					Status string      `json:"status"`
					Result *StepResult `json:"result"`
				} `json:"items"`
			}
			if err := json.Unmarshal([]byte(callJSON(t, o, OpScore, item("completion"))), &scored); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(callJSON(t, o, OpStep, item("action"))), &stepped); err != nil {
				t.Fatal(err)
			}
			s, got := scored.Items[0], stepped.Items[0]
			want := s.Verdict == "goal" && s.Steps == 1 && s.Bad == -1
			if got.Status != "ok" || (got.Result.Observation.Step != "") != want || want == (got.Result.Observation.Message != "") {
				t.Errorf("%q, %s: the score is %+v, the step %s %+v", answer, finish, s, got.Status, got.Result.Observation)
			}
			if want {
				executed++
			}
		}
	}
	if executed < 18 || executed > 2*len(answers)-30 {
		t.Errorf("%d of %d answers are steps", executed, 2*len(answers))
	}
	// A prefix is read as strictly.
	for _, prefix := range []string{"(unstack b c", "unstack b c", "(unstack\nb c)", "(unstack b c) ; x", step + step} {
		text, _ := json.Marshal(prefix)
		got := callJSON(t, o, OpStep, fmt.Sprintf(`{"items":[{"task":"blocksworld:3-5","prefix":[%s],"action":"(put-down b)"}]}`, text))
		if !strings.Contains(got, `"status":"bad_request"`) {
			t.Errorf("prefix %q: %s", prefix, got)
		}
	}
}
