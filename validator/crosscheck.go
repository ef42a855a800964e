package validator

import (
	"fmt"

	"github.com/planproof/planproof/internal/rowjson"
	"github.com/planproof/planproof/internal/secondjudge"
	"github.com/planproof/planproof/pddl"
)

// CrossCheck judges a plan with the second judge (internal/secondjudge) as well and returns
// in what it differs from the verdict, or "" if the two agree. A verdict that a limit cut
// short is not compared. The second judge is slow: a step costs as much as the state.
func (j *Judge) CrossCheck(v *Verdict, plan *pddl.Plan, s *Scratch) string {
	if !v.Decided() {
		return ""
	}
	return Difference(v, secondjudge.Judge(j.prob, plan, secondjudge.Options{Epsilon: s.Epsilon, Tolerance: s.Tolerance}))
}

// Difference compares a verdict with the second judge's: the kind of failure, its step and
// time, the steps executed and, of a valid plan, the exact cost.
func Difference(v *Verdict, want secondjudge.Outcome) string {
	if v.Valid {
		cost := "undefined"
		if v.CostDefined {
			cost = v.Cost.String()
		}
		if want.Kind != "" || want.Cost != cost || want.Executed != v.Executed {
			return fmt.Sprintf("valid with cost %s after %d steps; the second judge says %s", cost, v.Executed, outcomeText(want))
		}
		return ""
	}
	f := v.Failure
	same := false
	for _, x := range append([]secondjudge.Fault{{Kind: want.Kind, Step: want.Step}}, want.Either...) {
		same = same || x.Kind == string(f.Kind) && (x.Step == f.Step || x.Step < 0 || f.Kind == FailConstraint)
	}
	if !same || want.Executed != v.Executed || f.Time != "" && f.Kind != FailConstraint && f.Time != want.Time {
		return fmt.Sprintf("%s at step %d, time %q, after %d steps (%s); the second judge says %s", f.Kind, f.Step, f.Time, v.Executed, f.Message, outcomeText(want))
	}
	return ""
}

func outcomeText(o secondjudge.Outcome) string {
	if o.Kind == "" {
		return fmt.Sprintf("valid with cost %s after %d steps", o.Cost, o.Executed)
	}
	return fmt.Sprintf("%s at step %d, time %q, after %d steps %v", o.Kind, o.Step, o.Time, o.Executed, o.Either)
}

// Disagreement is the error of a cross-check that finds the two judges of different minds:
// a fault of planproof, not of the plan.
type Disagreement struct {
	What string
	// Row is a row of a batch that reproduces it.
	Row []byte
}

func (d *Disagreement) Error() string {
	return "internal error (please report it): the two judges differ: " + d.What
}

// CrossCheckText is CrossCheck for the text of a plan. The error, if any, is a *Disagreement.
func (j *Judge) CrossCheckText(v *Verdict, src *pddl.Source, s *Scratch) error {
	plan, _, unread := s.readPlan(src)
	if unread != nil {
		return nil // the reader's verdict, which no judge had a part in
	}
	what := j.CrossCheck(v, plan, s)
	if what == "" {
		return nil
	}
	var row []byte
	for _, m := range [][2]string{
		{"domain_text", j.dom.Source.Text}, {"problem_text", j.prob.Source.Text}, {"plan", src.Text},
		{"epsilon", s.Epsilon.String()}, {"duration_tolerance", s.Tolerance.String()},
	} {
		row = append(append(append(row, ",\""...), m[0]...), "\":"...)
		row = rowjson.AppendText(row, m[1])
	}
	row[0] = '{'
	return &Disagreement{what, append(row, "}\n"...)}
}
