package domains

import (
	"testing"

	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestBundledFilesRead reads every domain and the cases of every kind without a single
// message: users see these files first.
func TestBundledFilesRead(t *testing.T) {
	names := append([]string{"blocksworld:30-123456789", "logistics:9-4-20-3", "gripper:20-5", "elevator:20-20-4-2", "powergrid:20-3-6-5"}, bundledCases...)
	for _, name := range names {
		d, p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		dom, diags := pddl.ParseDomain(d, pddl.Options{Strict: true})
		if len(diags) > 0 || dom == nil {
			t.Fatalf("%s: %v", name, diags)
		}
		if problem, diags := pddl.ParseProblem(p, dom, pddl.Options{Strict: true}); len(diags) > 0 || problem == nil {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestCasesRead reads the cases that all packages share, plans included.
func TestCasesRead(t *testing.T) {
	for _, c := range testkit.Cases(t) {
		plan, diags := pddl.ParsePlan(&pddl.Source{Name: c.Name, Text: c.Plan})
		if len(diags) > 0 || len(plan.Steps) == 0 {
			t.Errorf("%s: %v", c.Name, diags)
		}
	}
}
