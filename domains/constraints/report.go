package constraints

import (
	"fmt"
	"io"

	"github.com/planproof/planproof/pddl"
)

// A Report is what a command says about constraints: as they are read, in sentences, the task that they are compiled
// into, or what a plan violates.
type Report struct {
	Constraints []string `json:"constraints"`
	Sentences   []string `json:"sentences"`
	// Violations are set where a plan is judged, Domain and Problem where the task is compiled.
	Violations []ViolationReport `json:"violations,omitempty"`
	Kept       *bool             `json:"kept,omitempty"`
	Domain     string            `json:"domain_text,omitempty"`
	Problem    string            `json:"problem_text,omitempty"`
}

// ViolationReport is a Violation in JSON. Step is 0 for the end of the plan.
type ViolationReport struct {
	Constraint string `json:"constraint"`
	Step       int    `json:"step"`
	Action     string `json:"action,omitempty"`
	Message    string `json:"message"`
}

// NewReport judges a plan, if there is one, or compiles the task.
func NewReport(prob *pddl.Problem, list []Constraint, plan *pddl.Source) (*Report, error) {
	r := &Report{}
	for i := range list {
		r.Constraints, r.Sentences = append(r.Constraints, list[i].String()), append(r.Sentences, list[i].Sentence())
	}
	if plan == nil {
		p, err := Compile(prob, list)
		if err != nil {
			return nil, err
		}
		r.Domain, r.Problem = p.Domain.String(), p.String()
		return r, nil
	}
	j, err := NewJudge(prob, list)
	if err != nil {
		return nil, err
	}
	violations, err := j.Violations(plan)
	if err != nil {
		return nil, err
	}
	for i := range violations {
		v := &violations[i]
		r.Violations = append(r.Violations, ViolationReport{v.Constraint.String(), v.Step, v.Action, v.String()})
	}
	kept := len(violations) == 0
	r.Kept = &kept
	return r, nil
}

// WriteText writes the violations of a plan, or the sentences of the constraints.
func (r *Report) WriteText(w io.Writer) error {
	lines := r.Sentences
	if r.Kept != nil {
		if lines = nil; *r.Kept {
			lines = []string{"all constraints are kept"}
		}
		for _, v := range r.Violations {
			lines = append(lines, v.Message)
		}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
