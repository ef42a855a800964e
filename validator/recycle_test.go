package validator

import (
	"strings"
	"testing"
)

var recycledPlans = []string{
	blocksPlan,
	"(unstack b a)\n(stack a b)",
	"(unstack a b)\n(stack a b)",
	"(unstack a b)\n(pick-up c)\n(fly)",
	"",
	"(unstack a nobody)",
	strings.Replace(blocksPlan, "(", "(unstack a b)(", 1),
}

// TestRecycle: verdicts in memory that was given back say the same as others.
func TestRecycle(t *testing.T) {
	j := compile(t, blocksDomain, blocksProblem)
	s := j.NewScratch()
	for round := range 3 {
		for _, text := range recycledPlans {
			plan := parsePlan(t, text)
			want := string(j.Validate(plan).AppendJSON(nil, nil))
			got := j.ValidateWith(plan, s)
			if line := string(got.AppendJSON(nil, nil)); line != want {
				t.Errorf("round %d, %q: %s, want %s", round, text, line, want)
			}
			kept := j.ValidateWith(parsePlan(t, "(put-down c)"), s)
			s.Recycle(got)
			before := string(kept.AppendJSON(nil, nil))
			if j.ValidateWith(plan, s); string(kept.AppendJSON(nil, nil)) != before {
				t.Errorf("round %d, %q: changes a verdict that was not given back", round, text)
			}
		}
	}
}

// TestInvalidAllocations bounds what the words of an invalid plan allocate: its texts, and the objects
// of its step.
func TestInvalidAllocations(t *testing.T) {
	j := compile(t, blocksDomain, blocksProblem)
	s := j.NewScratch()
	s.Brief = true
	plan := parsePlan(t, recycledPlans[1])
	if n := testing.AllocsPerRun(100, func() { s.Recycle(j.ValidateWith(plan, s)) }); n > 3 {
		t.Errorf("%v allocations", n)
	}
}
