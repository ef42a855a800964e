package multirobot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/rltrain/reward"
)

const taskMembers = `"id":%d,"map":[2,2],"robots":[{"name":"A","base":[1,1],"arm":[0.75,0.75]}],"objects":[{"name":"x","at":[0.75,0.25],"target":[1.75,1.25]}],"optimal_steps":2,"proved":true,"astar_steps":3`

// Steps of plans: the optimal one, with detours, and wrong ones.
const (
	come    = `{"A": "[0.75, 0.75] -> [0.75, 0.25], False"}`
	bring   = `{"A": "[0.75, 0.25] -> [1.75, 1.25], True"}`
	nothing = `{}`
	far     = `{"A": "[0.75, 0.75] -> [2.0, 0.25], False"}`
)

func answer(think bool, steps ...string) string {
	text := "```json\n[" + strings.Join(steps, ",") + "]\n```"
	if think {
		text = "<think>A reaches x.</think>\n" + text
	}
	return text
}

func run(t *testing.T, rows ...string) ([]Score, *Summary, string) {
	t.Helper()
	var out bytes.Buffer
	sum, err := Run(context.Background(), strings.NewReader(strings.Join(rows, "\n")), &out, Options{Reading: boxnet.Default, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var scores []Score
	for line := range strings.Lines(out.String()) {
		var s struct {
			Score
			Verdict json.RawMessage `json:"verdict"`
			Error   string
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(line, err)
		}
		if s.Error == "" {
			scores = append(scores, s.Score)
		}
	}
	return scores, sum.Finish(), out.String()
}

func row(id int, response string) string {
	return fmt.Sprintf(`{`+taskMembers+`,"response":%s}`, id, quote(response))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestRewards checks the reward of each kind of answer by hand: 0.1 for form, 1 for success, 0.1 less for
// each step beyond the fewest, and never less than 0.2 for a success in form.
func TestRewards(t *testing.T) {
	for _, c := range []struct {
		response string
		reward   float64
		reason   boxnet.Reason
		diff     int
	}{
		{answer(true, come, bring), 1.1, "", 0},
		{answer(false, come, bring), 1.0, "", 0},
		{answer(true, nothing, come, bring), 1.0, "", 1},
		{answer(true, append(strings.Split(strings.Repeat(nothing+" ", 12), " ")[:12], come, bring)...), 0.2, "", 12},
		{answer(true, come), 0.1, boxnet.GoalNotReached, 0},
		{answer(true, far), 0.1, boxnet.OutOfReach, 0},
		{answer(true, bring), 0.1, boxnet.WrongStart, 0},
		{answer(true, come, "7"), 0, boxnet.Unreadable, 0},
		{"I cannot do it.", 0, boxnet.Unreadable, 0},
	} {
		scores, _, out := run(t, row(1, c.response))
		if len(scores) != 1 {
			t.Fatal(out)
		}
		s := scores[0]
		if d := s.Reward - c.reward; d > 1e-9 || d < -1e-9 || s.Reason != c.reason || s.Success != (c.reason == "") {
			t.Errorf("%q: %s", c.response, out)
		}
		if s.Success && (*s.StepDiff != c.diff || *s.AStarDiff != c.diff-1) {
			t.Errorf("%q: %s", c.response, out)
		}
	}
}

// TestTurns scores plans that are made turn by turn.
func TestTurns(t *testing.T) {
	turn := func(step string) string { return quote("<think>next</think>\n```json\n" + step + "\n```") }
	replan := func(steps ...string) string {
		for i := range steps {
			steps[i] = turn(steps[i])
		}
		return fmt.Sprintf(`{`+taskMembers+`,"responses":[%s]}`, 1, strings.Join(steps, ","))
	}
	for _, c := range []struct {
		row    string
		reward float64
		step   int
		reason boxnet.Reason
	}{
		{replan(come, bring), 1.1, 0, ""},
		{replan(come, bring, far), 1.1, 0, ""}, // what comes after the goal is not asked for
		{replan(come, "[]", bring), 0, 2, boxnet.Unreadable},
		{replan(far, come, bring), 0.1, 1, boxnet.OutOfReach},
		{replan(), 0.1, 0, boxnet.GoalNotReached},
	} {
		scores, _, out := run(t, c.row)
		if len(scores) != 1 || scores[0].Reward-c.reward > 1e-9 || c.reward-scores[0].Reward > 1e-9 || scores[0].Step != c.step || scores[0].Reason != c.reason {
			t.Errorf("%s\n%s", c.row, out)
		}
	}
}

// TestSummary: success, pass@1 of four answers, StepDiff and Para of plans that succeed.
func TestSummary(t *testing.T) {
	good, long, bad := answer(true, come, bring), answer(true, nothing, come, bring), answer(true, far)
	_, sum, out := run(t, row(1, good), row(1, long), row(1, bad), row(1, bad), row(2, bad), `{"id":3}`, row(2, bad))
	if sum.Tasks != 2 || sum.Answers != 6 || sum.Errors != 1 || sum.PassAt1 != 0.25 || sum.Success != 2.0/6 ||
		*sum.StepDiff != 0.5 || *sum.AStarDiff != -0.5 || *sum.ParaMax != 1 || math.Abs(*sum.ParaMean-(1+2.0/3)/2) > 1e-12 {
		t.Errorf("%+v\n%s", sum, out)
	}
	var text bytes.Buffer
	if err := sum.WriteText(&text); err != nil || !strings.Contains(text.String(), "pass@1 0.25") {
		t.Errorf("%q %v", text.String(), err)
	}
	_, none, _ := run(t, row(1, bad))
	if none.StepDiff != nil || none.PassAt1 != 0 {
		t.Errorf("%+v", none)
	}
}

// TestNeedsOptimum: a row without a proved optimum is refused, as is one with two answers.
func TestNeedsOptimum(t *testing.T) {
	for _, change := range [][2]string{{`"proved":true`, `"proved":false`}, {`"optimal_steps":2`, `"optimal_steps":null`}, {`"optimal_steps":2`, `"optimal_steps":"2"`}, {`"response"`, `"reply"`}, {`"response"`, `"responses":[],"response"`}, {`"arm":[0.75,0.75]`, `"arm":[NaN,0.75]`}} {
		scores, sum, out := run(t, strings.Replace(row(1, answer(true)), change[0], change[1], 1))
		if len(scores) != 0 || sum.Errors != 1 || !strings.Contains(out, `"error":"row 1: `) {
			t.Errorf("%v: %s", change, out)
		}
	}
}

// TestBounds: rewards stay within the bounds that the spec states.
func TestBounds(t *testing.T) {
	spec, err := reward.Find("multirobot", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, response := range []string{answer(true, come, bring), answer(false, nothing, come, bring), answer(true, far), ""} {
		scores, _, _ := run(t, row(1, response))
		if lo, hi := spec.Bounds(scores[0].Success); scores[0].Reward < lo || scores[0].Reward > hi {
			t.Errorf("%q: %f is not from %f to %f", response, scores[0].Reward, lo, hi)
		}
	}
}
