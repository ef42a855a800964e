package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
)

// What models write above a step, as a step, and why it is done; %d is its number, %s the step or what it is about.
var (
	stepTitles = []string{
		"#### Step %d", "**Step %d**", "**Step %d:**", "Step %d", "Step %d:", "## %d", "### %d.", "### Action %d", "**Action %d:**",
		"### Move %d", "#### Step %d of 6", "**[Step %d]**", "Step #%d", "### Step %d\n---", "### Step %d: %s", "**Step %d: %s**",
		"### Step %d - %s", "**Step %d** – %s", "%d. **%s**", "### %d. %s", "%d) %s:", "**%d. %s:**", "Step %d (%s):",
		"- **Step %d: %s**", "Action %d: %s",
	}
	stepTopics = []string{"Clear c", "Make room", "Take the upper block", "Put it down", "Lift the block", "Finish", "Break it"}
	stepLines  = []string{
		"%s", "**%s**", "`%s`", "Action: %s", "**Action:** %s", "**Action:** `%s`", "- %s", "- **Action:** %s", "> %s",
		"```\n%s\n```", "Command: %s", "* Do: %s", "   %s", "   - %s", "   `%s`", "   ```\n   %s\n   ```", "→ %s",
	}
	stepReasons = []string{
		"", "This is needed.", "Reason: c must be free.", "**Reason:** c must be free.", "*Why:* c must be free.",
		"- Reason: c must be free.", "- **Effect:** the hand is empty.", "Result: the hand is empty.",
		"Preconditions: b is clear.\nEffects: the hand is empty.", "(c must be free)", "State: b is on the table, c is clear.",
	}
)

// TestStepLayouts: steps below titles of their own, with reasons before or behind them, are a plan; a further one that cannot be read
// makes it malformed.
func TestStepLayouts(t *testing.T) {
	reader := newGridReader(t, pddltest.Load(t, "blocksworld:3-5"))
	plan := strings.Split(kindsPlans["b"], "|")
	check := func(steps []string, valid bool) {
		for _, title := range stepTitles {
			for _, line := range stepLines {
				for _, reason := range stepReasons {
					for _, between := range []string{"\n", "\n\n"} {
						for _, first := range []bool{true, false} {
							var answer strings.Builder
							for i, s := range steps {
								parts := []string{fmt.Sprintf(title, i+1), fmt.Sprintf(line, s)}
								if strings.Contains(title, "%s") {
									parts[0] = fmt.Sprintf(title, i+1, stepTopics[i])
								}
								if reason != "" && first {
									parts = append(parts, reason)
								} else if reason != "" {
									parts = []string{parts[0], reason, parts[1]}
								}
								answer.WriteString(strings.Join(parts, between) + "\n\n")
							}
							if reader.rewards(answer.String()) != valid {
								t.Errorf("rewarded %v: %s", !valid, answer.String())
							}
						}
					}
				}
			}
		}
	}
	check(plan, true)
	check(append(append(plan[:2:2], "smash a"), plan[2:]...), false)
	check(append(plan[:6:6], "smash a"), false)
}
