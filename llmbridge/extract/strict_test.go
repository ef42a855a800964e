package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/pddltest"
	"github.com/planproof/planproof/pddl"
)

// TestStrict: the strict reader reports what the contract reads, and a plan with a bad line is refused by
// every plan reader.
func TestStrict(t *testing.T) {
	p := pddltest.Load(t, "blocksworld:3-5")
	r := NewReader(p.Domain, p, Strict)
	x := r.Extract("1. (pick-up a)\n")
	if x.Status != StatusNoPlan || x.Reader != Strict || x.Plan == nil {
		t.Errorf("without markers: %+v", x)
	}
	x = r.Extract("<plan>\n(unstack b c)\nput down the blue block\nthat is all\n</plan>\n")
	if x.Status != StatusPlan || !slices.Equal(x.Plan, []string{"(unstack b c)", "(put-down b)", "(that is all)"}) || !slices.Equal(x.Lines, []int{2, 3, 4}) {
		t.Errorf("with a remark: %+v", x)
	}
	x = r.Extract("<plan>\n(unstack b c), (put-down b)\n</plan>\n")
	if len(x.Malformed) != 1 || x.Malformed[0].Line != 2 || x.Malformed[0].Why == "" {
		t.Errorf("with two steps on a line: %+v", x)
	}
	if _, diags := pddl.ParsePlan(pddl.NewSource("plan", x.PlanText())); !diags.HasErrors() {
		t.Errorf("%q is taken for a plan", x.PlanText())
	}
}

func TestParseKind(t *testing.T) {
	for _, k := range Kinds() {
		if got, err := ParseKind(string(k)); err != nil || got != k {
			t.Errorf("%s: %v, %v", k, got, err)
		}
	}
	if _, err := ParseKind("Strict"); err == nil || !strings.Contains(err.Error(), "strict or natural") {
		t.Errorf("error %v", err)
	}
}
