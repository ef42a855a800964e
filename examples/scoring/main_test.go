package main

import (
	"context"
	"strings"
	"testing"

	"github.com/planproof/planproof"
)

// TestScore rewards a cheapest plan, one with a detour, a wrong one, and words without a plan.
func TestScore(t *testing.T) {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		t.Fatal(err)
	}
	answers := `"(unstack b c)\n(put-down b)\n(unstack c a)\n(put-down c)\n(pick-up b)\n(stack b c)"
"1. (unstack b c)\n2. (stack b c)\n3. (unstack b c)\n4. (put-down b)\n5. (unstack c a)\n6. (put-down c)\n7. (pick-up b)\n8. (stack b c)"
"(unstack b c)\n(stack b a)"
"I do not know."
`
	var out strings.Builder
	if err := score(context.Background(), strings.NewReader(answers), &out, task, "process"); err != nil {
		t.Fatal(err)
	}
	want := "80.000\tvalid\n70.000\tvalid\n8.333\tinvalid\n0.000\tno-plan\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
