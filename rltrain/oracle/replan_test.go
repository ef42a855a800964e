package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Tasks of several robots, one of each dimension, and answers that solve them.
var replanTasks = []struct {
	row     string
	answers []string
}{
	{`{"map":[2,2],"robots":[{"name":"A","base":[1,1],"arm":[0.75,0.75]}],"objects":[{"name":"x","at":[0.75,0.25],"target":[1.75,1.25]}],"optimal_steps":2,"proved":true}`,
		[]string{`{"A": "[0.75, 0.75] -> [0.75, 0.25], False"}`, `{"A": "[0.75, 0.25] -> [1.75, 1.25], True"}`}},
	{`{"dimensions":3,"reading":"arms","map":[2,2],"robots":[{"name":"A","base":[1.1,1.1],"arm":[1.24,0.61]}],"objects":[{"name":"x","at":[0.55,0.55],"target":[1.65,1.65]}],"optimal_steps":2,"proved":true}`,
		[]string{`{"A": "Move [0.55, 0.55], False"}`, `{"A": "Move [1.65, 1.65], True"}`}},
}

func thoughtful(step string) string { return "<think>A reaches x.</think>\n```json\n" + step + "\n```" }

// TestReplan walks episodes of boxnet_replan in a session and by requests alone, which say the same.
func TestReplan(t *testing.T) {
	o := newTestOracle(t, Options{})
	for _, task := range replanTasks {
		e, start, err := o.Reset(context.Background(), EnvBoxnetReplan, []byte(`{"task":`+task.row+`,"episode_id":"e"}`))
		if err != nil {
			t.Fatal(err)
		}
		first := askReplan(t, o, OpReset, `{"task":`+task.row+`}`)
		if asJSON(first.Result) != asJSON(start) || !strings.Contains(start.Observation.Prompt, "one step at a time") {
			t.Errorf("%s\n%s", asJSON(first.Result), asJSON(start))
		}
		var before []string
		for n, step := range task.answers {
			answer := thoughtful(step)
			got, err := e.Step(context.Background(), []byte(`{"action":`+quoted(answer)+`}`))
			if err != nil {
				t.Fatal(err)
			}
			alone := askReplan(t, o, OpStep, fmt.Sprintf(`{"task":%s,"prefix":%s,"action":%s}`, task.row, quote(before), quoted(answer)))
			if asJSON(alone.Result) != asJSON(got) {
				t.Errorf("%s\n%s", asJSON(alone.Result), asJSON(got))
			}
			last := n == len(task.answers)-1
			if got.Done != last || got.Observation.Step != step || got.Observation.Executed != n+1 || *got.Reward != map[bool]float64{true: 1.1}[last] {
				t.Errorf("%d: %s", n, asJSON(got))
			}
			before = append(before, answer)
		}
		if s := e.State(); s.EpisodeID != "e" || s.StepCount != 2 || !s.Done || len(s.Plan) != 2 {
			t.Errorf("%+v", s)
		}
		if _, err := e.Step(context.Background(), []byte(`{"action":"x"}`)); err == nil {
			t.Error("the episode went on")
		}
		if got := askReplan(t, o, OpStep, fmt.Sprintf(`{"task":%s,"prefix":%s,"action":"x"}`, task.row, quote(before))); got.Status != "bad_request" {
			t.Errorf("%+v", got)
		}
	}
}

// TestReplanHostile: bad tasks and actions are bad requests, bad answers end the episode without success.
func TestReplanHostile(t *testing.T) {
	o := newTestOracle(t, Options{})
	row := replanTasks[1].row
	for _, c := range []struct{ old, fresh, want string }{
		{`"proved":true`, `"proved":false`, `optimal_steps`},
		{`"arm":[1.24,0.61]`, `"arm":[1e9,0.61]`, `beyond a million`},
		{`"reading":"arms"`, `"reading":"crossing-only"`, `none of BoxNet3D`},
		{`"dimensions":3`, `"dimensions":5`, `neither 2 nor 3`},
		{`"objects":`, `"things":`, `no member "objects"`},
	} {
		if got := askReplan(t, o, OpReset, `{"task":`+strings.Replace(row, c.old, c.fresh, 1)+`}`); got.Status != "bad_request" || !strings.Contains(got.Message, c.want) {
			t.Errorf("%s: %+v", c.fresh, got)
		}
	}
	for _, answer := range []string{"", "nothing", thoughtful(`{"A": "Move [NaN, 1], False"}`), thoughtful(`{"B": "Move [0.55, 0.55], False"}`), thoughtful(`{"A": "[9, 9] -> [0.55, 0.55], False"}`), thoughtful(`{"A": "Move [1.1, 1.1], False"}`)} {
		got := askReplan(t, o, OpStep, `{"task":`+row+`,"action":`+quoted(answer)+`}`)
		if got.Status != "ok" || !got.Result.Done || *got.Result.Reward > 0.1+1e-9 || got.Result.Observation.Verdict == "valid" || got.Message == "" {
			t.Errorf("%q: %s", answer, asJSON(got))
		}
	}
	for _, data := range []string{`{}`, `{"task":"blocksworld:3-5"}`, `{"task":{"robots":7}}`, `{"task":` + row + `,"max_steps":65}`} {
		if _, _, err := o.Reset(context.Background(), EnvBoxnetReplan, []byte(data)); err == nil {
			t.Errorf("accepted: %s", data)
		}
	}
}

type replanItem struct {
	Status  string      `json:"status"`
	Result  *StepResult `json:"result"`
	Message string      `json:"message"`
}

func askReplan(t *testing.T, o *Oracle, op Op, item string) replanItem {
	t.Helper()
	var a struct {
		Items []replanItem `json:"items"`
	}
	text := callJSON(t, o, op, `{"items":[`+item+`]}`)
	if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Items) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return a.Items[0]
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
