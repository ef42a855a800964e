package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"pgregory.net/rapid"
)

// stepAnswer is an answer with step rewards.
type stepAnswer struct {
	Items []struct {
		Status      string    `json:"status"`
		Score       *float64  `json:"score"`
		PlanLen     int       `json:"plan_len"`
		StepRewards []float64 `json:"step_rewards"`
		StepLines   []int     `json:"step_lines"`
	} `json:"items"`
}

func askSteps(t testing.TB, o *Oracle, spec, task string, completions ...string) (a stepAnswer, text string) {
	t.Helper()
	var items []string
	for _, c := range completions {
		items = append(items, fmt.Sprintf(`{"completion":%s}`, quote(c)))
	}
	text = callJSON(t, o, OpScore, fmt.Sprintf(`{"spec":%s,"step_rewards":true,"task":%q,"items":[%s]}`, spec, task, strings.Join(items, ",")))
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return a, text
}

// TestStepRewardsByHand: blocksworld:3-5 has shortest plans of six steps, so each step
// towards the goal is worth 0.5/6, one away from it costs as much, and what is not executed is
// worth nothing.
func TestStepRewardsByHand(t *testing.T) {
	o := newTestOracle(t, Options{})
	const u = 0.5 / 6
	good := []string{"(unstack b c)", "(put-down b)", "(unstack c a)", "(put-down c)", "(pick-up b)", "(stack b c)"}
	a, text := askSteps(t, o, `"shaped"`, "blocksworld:3-5",
		"<think>one</think>\n<plan>\n"+strings.Join(good, "\n")+"\n</plan>",
		"<plan>\n(unstack b c)\n(stack b c)\n(unstack b c)\n(pick-up a)\n(put-down b)\n</plan>",
		"nothing at all",
		strings.Repeat("x", 300<<10),
	)
	want := []struct {
		score   float64
		rewards []float64
		lines   []int
	}{
		{1.5, []float64{u, u, u, u, u, u, 1}, []int{3, 4, 5, 6, 7, 8}},
		{u, []float64{u, -u, u, 0}, []int{2, 3, 4}},
		{0, []float64{0}, []int{}},
		{0, []float64{0}, []int{}},
	}
	for i, w := range want {
		got := a.Items[i]
		if got.Score == nil || math.Abs(*got.Score-w.score) > 1e-12 || len(got.StepRewards) != len(w.rewards) || !slices.Equal(got.StepLines, w.lines) {
			t.Fatalf("item %d: %+v, want %+v\n%s", i, got, w, text)
		}
		for k := range w.rewards {
			if math.Abs(got.StepRewards[k]-w.rewards[k]) > 1e-12 {
				t.Errorf("item %d: rewards %v, want %v", i, got.StepRewards, w.rewards)
			}
		}
	}
}

// TestStepRewardsSum: whatever the response, the base and noise, the steps sum to the
// score, and the score is what it is without them.
func TestStepRewardsSum(t *testing.T) {
	o := newTestOracle(t, Options{})
	table, err := o.distances(t.Context(), o.task(t.Context(), taskref.Ref{Task: "blocksworld:4-17"}), true)
	if err != nil {
		t.Fatal(err)
	}
	actions := append(groundNames(table), "(fly a)", "junk")
	specs := []string{
		`"shaped"`,
		`{"schema":"planproof.reward/1","name":"s","kind":"shaped","base":"process","weight":30}`,
		`{"schema":"planproof.reward/1","name":"s","kind":"shaped","noise":{"flip":0.5,"seed":3}}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom(specs).Draw(t, "spec")
		text := answer(rapid.SliceOfN(rapid.SampledFrom(actions), 0, 20).Draw(t, "plan")...)
		body := fmt.Sprintf(`"spec":%s,"items":[{"task":"blocksworld:4-17","completion":%s}]}`, spec, quote(text))
		var plain, split stepAnswer
		for prefix, into := range map[string]*stepAnswer{`{`: &plain, `{"step_rewards":true,`: &split} {
			r, fault := o.Call(context.Background(), OpScore, []byte(prefix+body))
			if fault != nil {
				t.Fatal(fault)
			}
			if err := json.Unmarshal(r.Body, into); err != nil {
				t.Fatal(err)
			}
		}
		p, s := plain.Items[0], split.Items[0]
		sum := 0.0
		for _, x := range s.StepRewards {
			sum += x
		}
		if p.StepRewards != nil || *p.Score != *s.Score || math.Abs(sum-*s.Score) > 1e-9 || len(s.StepLines) != len(s.StepRewards)-1 || len(s.StepLines) > s.PlanLen {
			t.Fatalf("%q: %+v, steps %v sum to %v", text, p, s, sum)
		}
	})
}

// TestStepRewardsAreRefused for rewards that are no sum over steps, and null beside an item
// that has no score.
func TestStepRewardsAreRefused(t *testing.T) {
	o := newTestOracle(t, Options{})
	for _, spec := range []string{`"valid"`, `"process"`, `null`} {
		if _, text := askSteps(t, o, spec, "blocksworld:3-5", "x"); !strings.Contains(text, `"code":"bad_request"`) || !strings.Contains(text, "of kind shaped") {
			t.Errorf("%s: %s", spec, text)
		}
	}
	if text := callJSON(t, o, OpScore, `{"step_rewards":"yes","items":[]}`); !strings.Contains(text, "neither true nor false") {
		t.Error(text)
	}
	if a, text := askSteps(t, o, `"shaped"`, "blocksworld:nosuch", "x"); a.Items[0].Score != nil || !strings.Contains(text, `"step_rewards":null,"step_lines":null`) {
		t.Error(text)
	}
	row := `{"id":1,"task":"blocksworld:3-5","response":"x","step_rewards":true,"reward":%q}` + "\n"
	var out strings.Builder
	if _, err := o.ScoreStream(context.Background(), strings.NewReader(fmt.Sprintf(row+row, "shaped", "valid")), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[0], `"step_rewards":[0]`) || !strings.Contains(lines[1], `"status":"bad-row"`) {
		t.Error(out.String())
	}
}
