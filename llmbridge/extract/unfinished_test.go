package extract

import (
	"strings"
	"testing"
)

// Where an answer is cut off before its last line names an object, that line is no step;
// with an object, a line end, other words or more lines it is malformed.
func TestUnfinished(t *testing.T) {
	for _, c := range []struct {
		task, last string
		malformed  bool
		unfinished bool
	}{
		{"blocks", "stack", false, true},
		{"blocks", "2. stack", true, false},
		{"blocks", "2. pick up the block", true, false},
		{"blocks", "2. **Stack the", false, true},
		{"blocks", "pick up", false, true},
		{"blocks", "pick up the", false, true},
		{"blocks", "pick up the ", false, true},
		{"blocks", "(stack", false, true},
		{"blocks", "2. (stack", false, true},
		{"blocks", "2. unstack the blo", false, true},
		{"blocks", "2. stack\n", true, false},
		{"blocks", "2. stack.", true, false},
		{"blocks", "2. stack\n\nDone!", true, false},
		{"blocks", "2. stack the red", false, false}, // a step with too few objects
		{"blocks", "2. stack the red block on", true, false},
		{"blocks", "(stack a", true, false},
		{"blocks", "2. stack a", false, false}, // a step with too few objects
		{"blocks", "2. stack the purple", true, false},
		{"blocks", "2. stack under", true, false},
		{"blocks", "2. stack 5", true, false},
		{"blocks", "(stack)", false, false}, // a step with too few objects
		{"blocks", "(fly", true, false},
		{"logistics", "load package", false, true},
		{"logistics", "load package_", false, true},
		{"logistics", "load package_0", true, false},
		{"logistics", "load package_0 into", true, false},
		{"logistics", "drive", false, true},
	} {
		first := "1. pick up the red block\n"
		if c.task == "logistics" {
			first = "load package_0 into truck_0 at location_0_0\n"
		}
		if !strings.HasPrefix(c.last, "2.") {
			first = strings.TrimPrefix(first, "1. ")
		}
		x := testReader(t, c.task).Extract(first + c.last)
		short := !c.malformed && !c.unfinished
		if len(x.Plan) > 1 != short || len(x.Malformed) > 0 != c.malformed || x.Unfinished != "" != c.unfinished {
			t.Errorf("%q: %+v", first+c.last, x)
		}
		if c.unfinished && (x.Unfinished != strings.TrimSpace(c.last) || x.Confidence != ConfidenceLow) {
			t.Errorf("%q: %+v", first+c.last, x)
		}
	}
	// It is no plan by itself, and a delimited plan is not cut off.
	for _, text := range []string{"1. stack", "<plan>pick up the red block\nstack</plan>"} {
		if x := testReader(t, "blocks").Extract(text); len(x.Malformed) != 1 || x.Unfinished != "" {
			t.Errorf("%q: %+v", text, x)
		}
	}
}
