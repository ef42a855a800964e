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
