package validator

import (
	"path/filepath"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestHostileRows judges small hostile tasks and plans of every level: numbers that are huge, tiny or no
// numbers, durations and times at their bounds, axioms in circles, events without end, timed literals of
// one time, texts of all kinds. Each row has the verdict that the texts of docs/SEMANTICS.md demand,
// "error" where the task is refused; the second judge must agree.
func TestHostileRows(t *testing.T) {
	type hostile struct{ ID, Domain, Problem, Plan, Want string }
	counts := map[string]int{}
	for _, r := range readLines[hostile](t, filepath.Join("testdata", "hostile.jsonl")) {
		got := "error"
		if j := judgeOf(r.Domain, r.Problem); j != nil {
			s, src := j.NewScratch(), pddl.NewSource("plan", r.Plan)
			v, _ := j.ValidateText(src, s)
			got = map[bool]string{true: "valid", false: "invalid"}[v.Valid]
			if err := j.CrossCheckText(v, src, s); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
			if !v.Decided() {
				got = "undecided"
			}
		}
		if counts[got]++; got != r.Want {
			t.Errorf("%s: %s, want %s\n%s\n%s\n%s", r.ID, got, r.Want, r.Domain, r.Problem, r.Plan)
		}
	}
	if counts["valid"] < 80 || counts["invalid"] < 80 || counts["error"] < 20 {
		t.Errorf("rows: %v", counts)
	}
}

// judgeOf compiles a task; nil if it is refused.
func judgeOf(domain, problem string) *Judge {
	d, diags := pddl.ParseDomain(pddl.NewSource("domain", domain), pddl.Options{})
	if d == nil || diags.HasErrors() {
		return nil
	}
	p, diags := pddl.ParseProblem(pddl.NewSource("problem", problem), d, pddl.Options{})
	if p == nil || diags.HasErrors() {
		return nil
	}
	j, err := NewJudge(p, Options{})
	if err != nil {
		return nil
	}
	return j
}
