package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/internal/testkit"
)

// hostileUnits are texts whose repetition could take a reader more than linear time.
var hostileUnits = []string{
	"[STATEMENT]", "[STATEMENT]\n", "[PLAN]", "[PLAN]\n(pick-up a)\n[PLAN END]\n", "[PLAN]\n", "[PLAN END]\n", "<plan>", "<plan></plan>", "<think>", "</think>", "<think></think>", "</think>(pick-up a)\n",
	"use a instead of b in step 5, ", "Step 2 is not ", "I smash a, then ", "- action: smash\n", "if you like, then ", "```\n", "```", "[", "{", "[[", "{\"plan\": [", "[\"(pick-up a)\", ", "{\"a\": ", "('a', ", "(", ")", "((((", "(pick-up a) ", "(pick-up a)\n", "pick-up a, ", "pick up the red block and ", "1. ", "1. (pick-up a)\n", "1) ", "| ", "| a ",
	"| 1 | pick-up | a |\n", "\\boxed{", "}", "\\text{", "\\\\", "~~", "~~a", "<del>", "<li>", "<b>", "<a b=\"", "<step action=\"pick-up\" a=\"a\"/>", "- action: pick-up\n", "  a: b\n", "repeat step ", "picking up a ", "for a in [", "<br>", "*", "**", "`", "_", "__a__ ", "#", "# ", "; ", "//", "- ", "> ", ": ", "a: ", "Step 1: ", "Option 1:\n(pick-up a)\n", "Option 1:\n1. (pick-up a)\n\nOption 2:\n1. (pick-up b)\n\n",
	"Then we pick up a.\n", "After that, I also pick up b.\n", "Trip 1:\n1. (pick-up a)\n\nTrip 2:\n1. (pick-up b)\n\n", "That is wrong.\n", "no plan ", "x2 ", "twice ", "if a then ", "fly a ", "fly(a) ", "(fly a) ", "\u200b", "\u00a0", "→ ", "\x1b[", "\xff", "é", "stack a b stack ", "unstack the red block from on top of the blue block ", "\n", " \n", "\r\n", "\t",
}

// TestLinear: a text of hostile units takes time in proportion to its length, up to 2 MB, whatever the unit.
func TestLinear(t *testing.T) {
	testkit.Long(t)
	dom, prob := pddltest.Parse(t, pddltest.BlocksDomain, pddltest.BlocksProblem)
	r, s, v := NewReader(dom, prob, Natural), NewStateReader(dom, prob), NewVerdictReader(dom, prob)
	const large, times = 2 << 20, 16
	for _, unit := range hostileUnits {
		text := strings.Repeat(unit, large/len(unit)+1)
		for what, read := range map[string]func(string){
			"plans":    func(text string) { r.Extract(text) },
			"states":   func(text string) { s.Read(text) },
			"verdicts": func(text string) { v.Read(text) },
		} {
			cpu := func(text string) time.Duration {
				at := testkit.CPUTime()
				read(text)
				return testkit.CPUTime() - at
			}
			// Most units take far less than this for 2 MB; only the others are measured twice.
			const plenty = time.Second
			whole := cpu(text)
			if whole < plenty {
				continue
			}
			part := cpu(text[:large/times])
			if whole = min(whole, cpu(text)); whole > 3*times*part && whole > plenty {
				t.Errorf("%s of %q: 2 MB take %v, a sixteenth %v", what, unit, whole, part)
			}
		}
	}
}
