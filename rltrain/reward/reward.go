package reward

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"
)

// interval is a range of values, ends included.
type interval struct{ lo, hi float64 }

// String says in words where a value lies.
func (i interval) String() string {
	switch {
	case i.lo == i.hi:
		return fmt.Sprintf("always %g", i.lo)
	case i.lo > -MaxComponent && i.hi >= MaxComponent:
		return fmt.Sprintf("at least %g", i.lo)
	case i.lo <= -MaxComponent && i.hi < MaxComponent:
		return fmt.Sprintf("at most %g", i.hi)
	case i.lo <= -MaxComponent:
		return "any number"
	}
	return fmt.Sprintf("between %g and %g", i.lo, i.hi)
}

// MaxComponent bounds every component. Counts are far below it; a cost beyond it, which
// only a schedule of such numbers makes, counts as this much in a component (the verdict
// has it exactly), and no reward compares costs as floats.
const MaxComponent = 1e18

var (
	zero    = interval{0, 0}
	unit    = interval{0, 1}
	natural = interval{0, MaxComponent}
)

// flag is the interval of an indicator of validity.
func flag(valid bool) interval {
	x := boolFloat(valid)
	return interval{x, x}
}

// newValid is the task reward of CARL (equation 5): 1 if the plan is valid.
func newValid() *Spec {
	return (&Spec{
		Kind: "valid",
		bounds: func(valid bool) map[string]interval {
			return map[string]interval{"": flag(valid), "valid": flag(valid)}
		},
		eval: func(e *Evidence) (float64, Components) {
			r := boolFloat(e.Verdict.Valid)
			return r, Components{"valid": r}
		},
	}).seal()
}

// newFormat is the layout of the response by itself, the format points of the
// Blocksworld thesis as a part of 20. It is meant for mixes: a policy can earn all of it
// without any plan.
func newFormat(untagged string) *Spec {
	return (&Spec{
		Kind: "format", need: needFormat, params: withUntagged(nil, untagged),
		bounds: func(bool) map[string]interval {
			return map[string]interval{"": unit, "points": {0, 20}, "parsed": unit, "text": unit, "plan_tags": unit, "think_tags": unit}
		},
		eval: func(e *Evidence) (float64, Components) {
			if e.Refused {
				return 0, Components{"points": 0, "parsed": 0, "text": 0, "plan_tags": 0, "think_tags": 0}
			}
			f := e.layout(untagged)
			points := float64(f.Points())
			return points / 20, Components{
				"points": points, "parsed": boolFloat(e.parsed()),
				"text": boolFloat(f.Text), "plan_tags": boolFloat(f.Plan), "think_tags": boolFloat(f.Think),
			}
		},
	}).seal()
}

// withUntagged notes a reading other than the usual one, so that the usual reward is what it was.
func withUntagged(params map[string]any, untagged string) map[string]any {
	if untagged == untaggedText {
		return params
	}
	if params == nil {
		params = map[string]any{}
	}
	params["untagged"] = untagged
	return params
}

// parsed reports whether the response commits to a plan in which every line is a
// step, of its own accord.
func (e *Evidence) parsed() bool {
	return !e.Refused && !e.Constrained && e.Extraction != nil && e.Extraction.Status == extract.StatusPlan && len(e.Extraction.Malformed) == 0
}
