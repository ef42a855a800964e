package extract

import (
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
)

// BenchmarkExtract reads one answer of a usual kind again and again, as in the
// scoring of a group: chat, a numbered list of sentences, an explanation. From the third
// time on its lines are known; BenchmarkExtractCorpus reads new ones.
func BenchmarkExtract(b *testing.B) {
	answers := map[string]string{
		"sentences": "To reach the goal, here is the plan:\n\n1. **Unstack the orange block from on top of the red block.**\n2. **Put down the orange block.**\n3. **Pick up the red block.**\n4. **Stack the red block on top of the blue block.**\n\nThis plan first clears the red block, which is needed because a block can only be picked up when nothing is on it, and then stacks it where the goal wants it.\n",
		"pddl":      "<think>\n" + strings.Repeat("The red block is under the orange one, so it has to be cleared first. Then it can be picked up.\n", 20) + "</think>\n<plan>\n(unstack c a)\n(put-down c)\n(pick-up a)\n(stack a b)\n</plan>\n",
		"compact":   "[PLAN]\n" + strings.Repeat("(unstack c a)\n(put-down c)\n(pick-up a)\n(stack a b)\n", 3) + "[PLAN END]\n",
		"prose":     strings.Repeat("The red block is under the orange one, so it has to be cleared before it can be moved anywhere else at all.\n", 20) + "\nSo there is no plan.\n",
	}
	r := testReader(b, "blocks")
	for _, name := range []string{"sentences", "pddl", "compact", "prose"} {
		text := answers[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Extract(text)
			}
		})
	}
}

// BenchmarkReadOthers reads answers that tell a state, and that judge a plan.
func BenchmarkReadOthers(b *testing.B) {
	dom, prob := pddltest.Parse(b, pddltest.BlocksDomain, pddltest.BlocksProblem)
	s, v := NewStateReader(dom, prob), NewVerdictReader(dom, prob)
	state := "After these actions, this is the state:\n\n**Final state:**\n\n" + strings.Repeat("- The red block is on top of the blue block.\n- The orange block is clear.\n- The hand is empty.\n- The yellow block is on the table.\n", 5)
	verdict := strings.Repeat("In this step the red block is picked up, which is possible since it is clear and the hand is empty.\n", 10) +
		"\nThe above plan is invalid. Step 4, stack the red block on top of the blue block, cannot be executed. These preconditions are not met:\nthe blue block is clear\n"
	b.Run("state", func(b *testing.B) {
		b.SetBytes(int64(len(state)))
		b.ReportAllocs()
		for b.Loop() {
			s.Read(state)
		}
	})
	b.Run("verdict", func(b *testing.B) {
		b.SetBytes(int64(len(verdict)))
		b.ReportAllocs()
		for b.Loop() {
			v.Read(verdict)
		}
	})
}
