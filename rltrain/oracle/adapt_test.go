package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/llmbridge/episode"
	"github.com/planproof/planproof/search"
)

// turnAnswer is the reply to one item of reset or step.
type turnAnswer struct {
	Items []struct {
		Status  string      `json:"status"`
		Result  *StepResult `json:"result"`
		Message string      `json:"message"`
	} `json:"items"`
}

func askStep(t *testing.T, o *Oracle, op Op, item string) (a turnAnswer) {
	t.Helper()
	text := callJSON(t, o, op, `{"spec":"valid","items":[`+item+`]}`)
	if err := json.Unmarshal([]byte(text), &a); err != nil || len(a.Items) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// adaptItem is an item of step in plan_adapt.
func adaptItem(task string, seed, rounds int, answers []string) string {
	last := len(answers) - 1
	prefix, _ := json.Marshal(answers[:last])
	action, _ := json.Marshal(answers[last])
	return fmt.Sprintf(`{"task":%q,"profile":{"seed":%d,"rounds":%d},"prefix":%s,"action":%s}`, task, seed, rounds, prefix, action)
}

// TestAdapt plays scripted agents over requests that carry the answers so far, each to a new oracle, and over a session:
// both are the episode that package episode plays.
func TestAdapt(t *testing.T) {
	const task = "blocksworld:4-17"
	sessions := newTestOracle(t, Options{})
	prob := sessions.task(t.Context(), taskref.Ref{Task: task}).problem
	ends := map[string]int{}
	for seed := range 4 {
		rounds := 1 + seed%3
		profile, err := episode.Draw(t.Context(), prob, rounds, uint64(seed), search.Limits{Nodes: profileNodes})
		if err != nil {
			t.Fatal(err)
		}
		env, err := episode.NewEnv(prob, profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"random", "stubborn", "optimal"} {
			agent, err := episode.NewAgent(name, prob, profile, uint64(seed), search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			row, err := env.Run(t.Context(), agent)
			if err != nil {
				t.Fatal(err)
			}
			o := newTestOracle(t, Options{Workers: 1 + seed})
			session, _, err := sessions.Reset(t.Context(), EnvPlanAdapt, fmt.Appendf(nil, `{"task":%q,"spec":"valid","profile":{"seed":%d,"rounds":%d}}`, task, seed, rounds))
			if err != nil {
				t.Fatal(err)
			}
			var answers []string
			for i := range row.Turns {
				want := &row.Turns[i]
				answers = append(answers, "<plan>\n"+strings.Join(want.Plan, "\n")+"\n</plan>")
				got := askStep(t, o, OpStep, adaptItem(task, seed, rounds, answers)).Items[0]
				said, err := session.Step(t.Context(), fmt.Appendf(nil, `{"plan":%q}`, answers[i]))
				if err != nil {
					t.Fatal(err)
				}
				if a, b := told(t, got.Result), told(t, said); a != b {
					t.Fatalf("%s, seed %d, turn %d: alone\n%s\nin a session\n%s", name, seed, i+1, a, b)
				}
				obs, last := got.Result.Observation, i == len(row.Turns)-1
				if !slices.Equal(obs.Disclosed, append([]string{}, want.New...)) || !slices.Equal(obs.Repeated, append([]string{}, want.Repeated...)) ||
					obs.Message != want.Feedback || got.Result.Done != last || (*got.Result.Reward == 1) != want.Passed || last && obs.End != row.End {
					t.Fatalf("%s, seed %d, turn %d: %s, want %+v", name, seed, i+1, told(t, got.Result), want)
				}
				if !last && obs.End+obs.Verdict != "" || last && (obs.Verdict == "valid") != want.Passed {
					t.Errorf("%s, seed %d, turn %d: %+v", name, seed, i+1, obs)
				}
			}
			ends[row.End]++
			if a := askStep(t, o, OpStep, adaptItem(task, seed, rounds, append(answers, answers[0]))).Items[0]; a.Status != "bad_request" {
				t.Errorf("an answer after the end: %+v", a)
			}
			if _, err := session.Step(t.Context(), []byte(`{"plan":"x"}`)); err == nil {
				t.Error("the session takes an answer after the end")
			}
		}
	}
	if ends[episode.EndPassed] < 4 || ends[episode.EndPatience] < 4 {
		t.Errorf("the episodes end by %v", ends)
	}
}

func told(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAdaptReset: the first observation has the rules and nothing of the profile, and what is wrong with a request is
// said.
func TestAdaptReset(t *testing.T) {
	o := newTestOracle(t, Options{})
	first := askStep(t, o, OpReset, `{"task":"trip:1-3-1","profile":{"seed":2}}`).Items[0]
	if obs := first.Result.Observation; !strings.HasSuffix(obs.Prompt, episode.Rules) || len(obs.Disclosed) > 0 || first.Result.Reward != nil {
		t.Errorf("%+v", obs)
	}
	for _, answers := range [][]string{{"I do not know."}, {"<plan>\n(call"}, {"<plan>\nthink about it\n</plan>"}, {"x", "y"}} {
		got := askStep(t, o, OpStep, adaptItem("trip:1-3-1", 2, 2, answers)).Items[0]
		if got.Status != "ok" || *got.Result.Reward != 0 || got.Result.Observation.Message == "" || len(got.Result.Observation.Disclosed) > 0 || got.Result.Done != (len(answers) == 2) {
			t.Errorf("%q: %s", answers, told(t, got))
		}
	}
	for _, item := range []string{
		`{"task":"trip:1-3-1","profile":{"rounds":4},"action":"x"}`, `{"task":"trip:1-3-1","profile":{"sed":4},"action":"x"}`, `{"task":"trip:1-3-1","profile":7,"action":"x"}`,
		`{"task":"trip:1-3-1","profile":{"seed":-1},"action":"x"}`, `{"task":"trip:1-3-1","profile":{},"prefix":"x","action":"x"}`, `{"task":"trip:1-3-1","profile":{}}`,
		`{"task":"trip:1-3-1","profile":{},"prefix":["a","b"],"action":"x"}`, `{"profile":{},"action":"x"}`,
		`{"task":"trip:1-3-1","profile":{},"prefix":[` + strings.Repeat(`"a",`, 19) + `"b"],"action":"x"}`,
	} {
		if got := askStep(t, o, OpStep, item).Items[0]; got.Status != "bad_request" || got.Message == "" {
			t.Errorf("%s: %s", item, told(t, got))
		}
	}
	for _, data := range []string{`{"task":"trip:1-3-1","max_steps":21}`, `{"task":"trip:1-3-1","profile":[]}`} {
		if _, _, err := o.Reset(t.Context(), EnvPlanAdapt, []byte(data)); err == nil {
			t.Errorf("%s is taken", data)
		}
	}
}

// TestAdaptRewards scores the last plan by any reward, and the optimum is that under the profile.
func TestAdaptRewards(t *testing.T) {
	const task = "blocksworld:4-17"
	o := newTestOracle(t, Options{})
	prob := o.task(t.Context(), taskref.Ref{Task: task}).problem
	profile, err := episode.Draw(t.Context(), prob, episode.Mid, 1, search.Limits{Nodes: profileNodes})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"multirobot", "process", "shaped"} {
		if _, err := o.spec(spec); err != nil {
			t.Fatal(err)
		}
		e, _, err := o.Reset(t.Context(), EnvPlanAdapt, fmt.Appendf(nil, `{"task":%q,"spec":%q,"profile":{"seed":1},"max_steps":1}`, task, spec))
		if err != nil {
			t.Fatal(err)
		}
		best, err := e.Step(t.Context(), fmt.Appendf(nil, `{"plan":%q}`, "<plan>\n"+strings.Join(profile.Witness, "\n")+"\n</plan>"))
		if err != nil {
			t.Fatal(err)
		}
		e, _, _ = o.Reset(t.Context(), EnvPlanAdapt, fmt.Appendf(nil, `{"task":%q,"spec":%q,"profile":{"seed":1},"max_steps":1}`, task, spec))
		none, err := e.Step(t.Context(), []byte(`{"plan":"nothing"}`))
		if err != nil {
			t.Fatal(err)
		}
		if !best.Done || !none.Done || *best.Reward <= *none.Reward || best.Observation.End != episode.EndPassed || none.Observation.End != episode.EndTurns || none.Observation.Verdict != "no_plan" {
			t.Errorf("%s: %s and %s", spec, told(t, best), told(t, none))
		}
	}
}

// TestAdaptInterrupted: what a deadline cuts off is not remembered.
func TestAdaptInterrupted(t *testing.T) {
	o := newTestOracle(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tk := o.task(t.Context(), taskref.Ref{Task: "household:2-3-1"})
	if m := o.profile(ctx, tk, ProfileRef{Seed: 1, Rounds: 3}); m.err != errInterrupted {
		t.Fatalf("%v", m.err)
	}
	if m := o.profile(t.Context(), tk, ProfileRef{Seed: 1, Rounds: 3}); m.err != nil || m.env == nil {
		t.Fatalf("%v", m.err)
	}
}
