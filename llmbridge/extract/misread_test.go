package extract

import (
	"slices"
	"strings"
	"testing"
)

// TestNotReadAsDecoration: a step that is wrong, extra or missing where the reader takes
// something for decoration never leaves a plan that the answer does not hold. A case
// without a plan must have no readable one: it has malformed lines, or is no plan.
func TestNotReadAsDecoration(t *testing.T) {
	r := testReader(t, "blocks") // unstack ?x ?y, put-down ?x
	const list = "1. (unstack c a)\n2. (put-down c)\n"
	both := []string{"(unstack c a)", "(put-down c)"}
	twice := append(slices.Clone(both), both...)
	fences := func(first, second string) string {
		return first + "\n```\n(unstack c a)\n```\n" + second + "\n```\n(unstack d b)\n```\n"
	}
	for _, c := range []struct {
		kind, text string
		plan       []string
	}{
		{"receiver that denies", "unstack(c, a)\nundone.pick_up(b)\nput_down(c)", nil},
		{"receiver that denies, first", "undone.pick_up(b)\nunstack(c, a)\nput_down(c)", nil},
		{"receiver that denies, last", "unstack(c, a)\nput_down(c)\nundone.pick_up(b)", nil},
		{"receiver that acts", "robot.unstack(c, a)\nrobot1.put_down(c)", both},
		{"second list of arguments", "unstack [c, a] [b]\nput-down c", nil},
		{"told move", "(unstack c a)\nthe robot carries b to d\n(put-down c)", nil},
		{"told fact", "(unstack c a)\nthe robot carries c\n(put-down c)", both},

		{"header in another order", "| Step | Action | From | Block |\n|---|---|---|---|\n| 1 | unstack | c | a |", nil},
		{"header with numbers down", "| Step | Action | Object 2 | Object 1 |\n|---|---|---|---|\n| 1 | unstack | c | a |", nil},
		{"header with a state between", "| Action | Block | Holding | On |\n|---|---|---|---|\n| unstack | c | a | b |", nil},
		{"header, and a row that is none", "| Action | From | Block |\n|---|---|---|\n| look | | |\n| unstack | c | a |", nil},
		{"header in order", "| Step | Action | Block | From |\n|---|---|---|---|\n| 1 | unstack | c | a |", both[:1]},
		{"too many cells", "| 1 | unstack | c | a | b |\n| 2 | put-down | c |", nil},
		{"cells after the table with a header", "| Action | From | Block |\n|---|---|---|\n\nPlan:\n| unstack | c | a |", both[:1]},

		{"keys that are no steps", `{"option1": "(unstack c a)", "option2": "(put-down c)"}`, nil},
		{"keys that deny", `{"step1": "(unstack c a)", "not2": "(put-down c)"}`, nil},
		{"keys in disorder", `{"2": "(unstack c a)", "1": "(put-down c)"}`, nil},
		{"keys of steps", `{"step1": "(unstack c a)", "Step 2": "(put-down c)"}`, both},
		{"lists that are added", "['(unstack c a)'] + ['(put-down c)']", both},
		{"unknown step in lists of words", "['unstack', 'c', 'a']\n['fly', 'c']\n['put-down', 'c']", []string{"(unstack c a)", "(fly c)", "(put-down c)"}},
		{"unknown word in lists of words", "['unstack', 'c', 'zz']\n['put-down', 'c']", []string{"(unstack c zz)", "(put-down c)"}},
		{"nothing in a list of lists", "[['unstack', 'c', 'a'], None, ['put-down', 'c']]", nil},

		{"done once more, numbered", list + "3. Repeat: (unstack c a), (put-down c)", twice},
		{"done once more, and more", "(unstack c a)\n(put-down c)\n\n(unstack c a), (put-down c)\n(pick-up b)", append(slices.Clone(twice), "(pick-up b)")},
		{"done once more, then", "(unstack c a)\n(put-down c)\n\nThen: (unstack c a), (put-down c)", twice},
		{"said again", list + "\nSummary: (unstack c a) → (put-down c)", both},
		{"said again with another", list + "\nSummary: (unstack c a) → (pick-up c)", []string{"(unstack c a)", "(pick-up c)"}},

		{"talk about the plan", "(unstack d b)\n\nWhat this plan does:\n- First we unstack c from a\n- Then we put down c", []string{"(unstack d b)"}},
		{"talk with a heading alone", "Plan:\n1. First we unstack c from a\n2. Then we put down c", both},
		{"talk that is final", "Draft:\n1. (unstack d b)\n\nFinal plan:\n1. First we unstack c from a\n2. Then we put down c", both},

		{"fences that go on", fences("Step 1:", "Step 2:"), []string{"(unstack c a)", "(unstack d b)"}},
		{"fences that begin again", fences("Step 1:", "Step 1:"), []string{"(unstack d b)"}},
		{"fence without a number before", fences("So:", "1."), []string{"(unstack d b)"}},

		{"unknown item in a line", "1. (unstack c a) 2. fly b 3. (put-down c)", nil},
		{"unknown item at a line's end", "1. (unstack c a) 2. fly b", nil},
		{"unknown item in a line of tags", "<li>unstack c a</li><li>fly b</li><li>put-down c</li>", nil},
		{"unknown item in circles", "① (unstack c a) ② fly b ③ (put-down c)", nil},
		{"items in a line of tags", "<li>unstack c a</li><li>put down c</li>", both},
	} {
		x := r.Extract(c.text)
		if whole := x.Status == StatusPlan && len(x.Malformed) == 0; whole != (c.plan != nil) || whole && !slices.Equal(x.Plan, c.plan) {
			t.Errorf("%s: %q\nread as %s %v, malformed %v; want %v", c.kind, c.text, x.Status, x.Plan, x.Malformed, c.plan)
		}
	}
}

// TestEndsAnywhere: an answer may end after any of its bytes, and a line with any sign.
func TestEndsAnywhere(t *testing.T) {
	r := testReader(t, "blocks")
	lines := []string{
		"(pick-up a) <li>(stack a b)</li>", "1. (pick-up a) 2. (stack a b)", "- [x] <step n=\"1\">pick-up a</step>", "| 1 | Stack | a | b |",
		"robot.stack(a, b)", "stack(under=b, block=a), then", "['stack', 'a', 'b'], None", "{\"1\": \"(stack a b)\"}", "$\\text{pick-up}(a)$ \\item", "[Step 1] stack [a, b] {Holding(a), On(b, c)}",
		"③ to begin with, (pick-up a) (cost 1) [t=2]", "Summary: (pick-up a) → (stack a b)",
	}
	for _, line := range lines {
		for end := range len(line) + 1 {
			for _, sign := range []string{"", "<", "</", "(", "[", "[ ", "{", "\"", "'", "|", "#", "&", "-", ".", "=", "\\", "1", "1.", "②"} {
				for _, frame := range []string{"%", "<plan>\n%\n</plan>", "1. %\n   % <"} {
					r.Extract(strings.ReplaceAll(frame, "%", line[:end]+sign)) // does not panic
				}
			}
		}
	}
}
