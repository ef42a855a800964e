package server

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/rltrain/oracle"
)

// TestRewardModel: the requests of OpenRLHF (openrlhf/utils/agent.py, _fetch_rewards_via_http)
// and slime (slime/rollout/rm_hub, remote_rm), word by word, and what no trainer may take for
// a score.
func TestRewardModel(t *testing.T) {
	tasks := newTasks(t)
	_, base := start(t, Options{}, oracle.Options{Tasks: tasks})
	gold := strings.ReplaceAll(goldText, `\n`, "\n")
	quote := func(text string) string { return string(rowjson.AppendText(nil, text)) }
	openrlhf := func(query, prompt, label string) string {
		return `{"query": [` + quote(query) + `], "prompts": [` + quote(prompt) + `], "labels": [` + label + `]}`
	}
	slime := func(response, label string) string {
		return `{"prompt": [{"role": "user", "content": "Plan."}], "response": ` + quote(response) + `, "label": ` + label + `}`
	}
	name, sum := `"blocksworld:3-5"`, quote(tasks.At(0).Sum)
	inJSON := quote(`{"budget": 6, "task": "blocksworld:3-5"}`)
	eos := "?eos=" + url.QueryEscape("<|im_end|>")
	for _, c := range []struct {
		name, query, body string
		code              int
		want              string
	}{
		{"OpenRLHF, valid", "", openrlhf("Plan. "+gold, "Plan. ", name), 200, `{"extra_logs":{"plan_valid":[1]},"rewards":[1],"scores":[1]}`},
		{"a mark before the prompt", "", openrlhf("<s>Plan. "+gold, "Plan. ", sum), 200, `{"extra_logs":{"plan_valid":[1]},"rewards":[1],"scores":[1]}`},
		{"OpenRLHF, the plan is the prompt's", "", openrlhf(gold+"I pass", gold, name), 200, `{"extra_logs":{"plan_valid":[0]},"rewards":[0],"scores":[0]}`},
		{"OpenRLHF, another prompt", "", openrlhf(gold, "Plan!", name), 400, "does not contain its prompt"},
		{"slime, valid", "", slime(gold, name), 200, "1"},
		{"slime, invalid", "", slime("<plan>\n(pick-up a)\n</plan>", name), 200, "0"},
		{"a reward that compares, and nothing to compare with", "?spec=budget", slime(gold, name), 400, "no budget"},
		{"a label as JSON text, with the budget", "?spec=budget", slime(gold, inJSON), 200, "1"},
		{"and with a smaller one", "?spec=budget", slime(gold, strings.Replace(inJSON, "6", "5", 1)), 200, "0"},
		{"a label as an object", "", slime(gold, `{"task": "blocksworld:3-5"}`), 200, "1"},
		{"ended", eos, slime(gold+"<|im_end|>", name), 200, "1"},
		{"cut off or not, inside its plan", "", slime(strings.TrimSuffix(gold, "</plan>"), name), 200, "0"},
		{"ended inside its plan", eos, slime(strings.TrimSuffix(gold, "</plan>")+"<|im_end|>", name), 200, "1"},
		{"cut off", eos, slime(gold, name), 200, scoreOfCutOff(t, base, gold)},
		{"an unknown task", "", slime(gold, `"sha256:0"`), 400, "response 1 has no score"},
		{"no label", "", slime(gold, "null"), 400, "names no task"},
		{"an empty label", "", slime(gold, `""`), 400, "no score"},
		{"lists of several lengths", "", `{"query": ["a"], "prompts": [], "labels": ["x"]}`, 400, "lists of one length"},
		{"nothing", "", `{}`, 400, "lists of one length"},
		{"a reward that is none", "?spec=nope", slime(gold, name), 400, "nope"},
	} {
		code, text := post(t, base+"/v1/reward-model"+c.query, c.body)
		text = strings.TrimSpace(text)
		if code != c.code || c.code == 200 && text != c.want || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, not %d %s", c.name, code, text, c.code, c.want)
		}
	}
}

// scoreOfCutOff is what /v1/score gives a response that was cut off.
func scoreOfCutOff(t *testing.T, base, response string) string {
	t.Helper()
	_, text := post(t, base+"/v1/score", `{"items": [{"task": "blocksworld:3-5", "finish": "length", "completion": `+string(rowjson.AppendText(nil, response))+`}]}`)
	var reply struct{ Items []struct{ Score json.Number } }
	if err := json.Unmarshal([]byte(text), &reply); err != nil || len(reply.Items) != 1 {
		t.Fatal(text, err)
	}
	return reply.Items[0].Score.String()
}

// TestRewardModelOutage: an outage is an error that the trainers ask again after.
func TestRewardModelOutage(t *testing.T) {
	s, base := start(t, Options{}, oracle.Options{})
	s.stopping.Store(true)
	defer s.stopping.Store(false)
	if code, text := post(t, base+"/v1/reward-model", `{"response": "x", "label": "blocksworld:3-5"}`); code != 503 {
		t.Errorf("%d %s", code, text)
	}
}
