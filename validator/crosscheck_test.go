package validator

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/planproof/planproof/pddl"
)

// TestCrossCheck checks that the two judges agree on the cases of this package, and that a
// wrong verdict is noticed with a row that reproduces it.
func TestCrossCheck(t *testing.T) {
	for _, tt := range timedCases {
		domain := "(define (domain d) (:requirements :adl :fluents :derived-predicates :durative-actions :duration-inequalities :continuous-effects :timed-initial-literals :preferences) " + tt.decl + ")"
		j := compile(t, domain, "(define (problem p) (:domain d) "+tt.task+")")
		s := j.NewScratch()
		src := pddl.NewSource("plan", tt.plan)
		v, _ := j.ValidateText(src, s)
		if err := j.CrossCheckText(v, src, s); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		wrong := *v
		if wrong.Valid {
			wrong.Executed++
		} else {
			wrong.Valid, wrong.Failure, wrong.CostDefined = true, nil, true
		}
		var d *Disagreement
		if err := j.CrossCheckText(&wrong, src, s); !errors.As(err, &d) {
			t.Fatalf("%s: a wrong verdict passes: %v", tt.name, err)
		}
		var row struct{ Domain_text, Problem_text, Plan, Epsilon string }
		if err := json.Unmarshal(d.Row, &row); err != nil || row.Domain_text != domain || row.Plan != tt.plan || row.Epsilon != "0" {
			t.Fatalf("%v: %s", err, d.Row)
		}
	}
}
