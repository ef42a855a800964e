package validator

import (
	"fmt"

	"github.com/planproof/planproof/pddl"
)

// Validate judges a plan and gives the reasons. Any goroutine may call it.
func (j *Judge) Validate(plan *pddl.Plan) *Verdict { return j.ValidateWith(plan, j.NewScratch()) }

// ValidateWith is like Validate, with the caller's scratch, to judge many plans.
func (j *Judge) ValidateWith(plan *pddl.Plan, s *Scratch) *Verdict {
	r := j.Judge(plan, s)
	v, f := s.newVerdict(r.Valid)
	*v = Verdict{
		Valid: r.Valid, Cost: r.Cost, CostDefined: r.CostDefined,
		TotalCost: r.TotalCost, HasTotalCost: r.HasTotalCost,
		Steps: len(plan.Steps), Executed: r.Executed, GoalReached: r.Valid,
		Warnings: j.warnings(plan),
	}
	if j.timed != nil {
		s.addTimed(v)
	}
	if r.Valid {
		return v
	}
	if r.Kind != FailTimeout && r.Kind != FailGoal {
		v.GoalReached = s.eval(j.goal, s.goalFrame()) == isTrue && s.stop == goOn
		s.stop = goOn
	}
	s.words = texts{}
	*f = Failure{Kind: r.Kind, Step: r.Step, Unsatisfied: f.Unsatisfied[:0]}
	s.builder = builder{s: s, plan: plan, r: r, f: f}
	s.builder.build(v)
	s.builder = builder{}
	v.Failure = f
	return v
}

// Recycle gives back the memory of a verdict that s made: it must not be used any more, but for its texts.
func (s *Scratch) Recycle(v *Verdict) {
	if s.spare = v; v.Failure != nil {
		s.spareFailure, s.spareReasons = v.Failure, v.Reasons[:0]
	}
}

// newVerdict returns memory for a verdict, for an invalid plan with the failure.
func (s *Scratch) newVerdict(valid bool) (v *Verdict, f *Failure) {
	if v = s.spare; v == nil {
		v = new(Verdict)
	}
	if s.spare = nil; valid {
		return v, nil
	}
	if f = s.spareFailure; f == nil {
		f = new(Failure)
	}
	s.spareFailure = nil
	return v, f
}

// ParseGap reads a length of time, exactly; name is what the error calls it.
func ParseGap(name, text string) (pddl.Number, error) {
	n, ok := pddl.ParseNumber(text)
	if !ok || n.Sign() < 0 {
		return n, fmt.Errorf("%s %q is not a number >= 0", name, text)
	}
	return n, nil
}

// goalFrame returns room for the goal's variables, apart from that of the step's.
func (s *Scratch) goalFrame() []int32 { return make([]int32, s.j.goalVars) }

// SyntaxVerdict is the verdict on a plan that cannot be read: invalid, at the
// place of the first error.
func SyntaxVerdict(diags pddl.Diagnostics) *Verdict {
	f := &Failure{Kind: FailSyntax, Message: "the plan cannot be read"}
	for i := range diags {
		if d := &diags[i]; d.Severity == pddl.Error {
			f.Line, f.Column = d.LineCol()
			f.Message = fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, d.Message)
			break
		}
	}
	return &Verdict{CostDefined: true, Failure: f}
}

// ValidateText reads a plan and judges it, both while the scratch's Context lasts. The diagnostics are the reader's; with
// an error among them the verdict is of kind syntax.
func (j *Judge) ValidateText(src *pddl.Source, s *Scratch) (*Verdict, pddl.Diagnostics) {
	plan, diags, unread := s.readPlan(src)
	if unread != nil {
		return unread, diags
	}
	return j.ValidateWith(plan, s), diags
}

// warnings lists deviations that were tolerated in a plan.
func (j *Judge) warnings(plan *pddl.Plan) (out []string) {
	ignored, unstamped := false, false
	for i := range plan.Steps {
		st := &plan.Steps[i]
		durative := j.timed != nil && j.actionNames.find(st.Name) >= int32(len(j.actions))
		switch {
		case st.HasDuration && !durative && !ignored:
			ignored = true
			out = append(out, fmt.Sprintf("the duration of %s is ignored: its action is instantaneous", stepText(st)))
		case durative && !plan.Timed && !unstamped:
			unstamped = true
			out = append(out, fmt.Sprintf("%s has no time stamp: the steps start at 1, 2, 3, ... in the order written", stepText(st)))
		}
	}
	return out
}
