package multirobot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/rltrain/reward"
)

func stepAnswer(think bool, step string) string {
	text := "```json\n" + step + "\n```"
	if think {
		text = "<think>A reaches x.</think>\n" + text
	}
	return text
}

func game(t *testing.T, most int) *Game {
	t.Helper()
	spec, err := reward.Find("multirobot", nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGame([]byte(fmt.Sprintf(`{`+taskMembers+`}`, 1)), spec, most)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGame: a game ends at the goal, with an answer that cannot be read, with a step that is not legal, or with its
// last turn, and has the reward of the plan so far.
func TestGame(t *testing.T) {
	for name, c := range map[string]struct {
		most     int
		answers  []string
		over     bool
		executed int
		reward   float64
		reason   string
	}{
		"goal":             {0, []string{stepAnswer(true, come), stepAnswer(true, bring)}, true, 2, 1.1, ""},
		"a step too many":  {0, []string{stepAnswer(true, nothing), stepAnswer(true, come), stepAnswer(true, bring)}, true, 3, 1.0, ""},
		"without thoughts": {0, []string{stepAnswer(true, come), stepAnswer(false, bring)}, true, 2, 1, ""},
		"after the goal":   {0, []string{stepAnswer(true, come), stepAnswer(true, bring), "no"}, true, 2, 1.1, ""},
		"under way":        {0, []string{stepAnswer(true, come)}, false, 1, 0.1, "object not at its target"},
		"not legal":        {0, []string{stepAnswer(true, far)}, true, 0, 0.1, "out of reach"},
		"unreadable":       {0, []string{stepAnswer(true, come), "nothing"}, true, 1, 0, "unreadable"},
		"the last turn":    {1, []string{stepAnswer(true, come), stepAnswer(true, bring)}, true, 1, 0.1, "object not at its target"},
	} {
		g := game(t, c.most)
		for _, a := range c.answers {
			g.Take(a)
		}
		s := g.Score()
		if g.Over() != c.over || g.Executed() != c.executed || len(g.Steps()) != c.executed || diff(s.Reward, c.reward) > 1e-9 || string(s.Reason) != c.reason {
			t.Errorf("%s: over %v, %d executed, reward %v, %q", name, g.Over(), g.Executed(), s.Reward, s.Reason)
		}
	}
	g := game(t, 0)
	g.Take(stepAnswer(true, come))
	if !strings.Contains(g.Observation(), "arm [0.75, 0.25]") || !strings.Contains(g.Prompt(), "arm [0.75, 0.75]") {
		t.Errorf("%s\n%s", g.Prompt(), g.Observation())
	}
}

func diff(a, b float64) float64 { return max(a-b, b-a) }

// TestBadGame: tasks without a proved optimum, or with a reading that they do not have, are refused.
func TestBadGame(t *testing.T) {
	good := fmt.Sprintf(`{`+taskMembers+`}`, 1)
	for old, fresh := range map[string]string{
		`"proved":true`: `"proved":false`, `"optimal_steps":2`: `"optimal_steps":null`, `"id":1`: `"reading":"arms"`, `"map":`: `"maps":`, `"base":[1,1]`: `"base":[1,1,1]`,
	} {
		if _, err := NewGame([]byte(strings.Replace(good, old, fresh, 1)), nil, 0); err == nil {
			t.Errorf("accepted: %s", fresh)
		}
	}
}
