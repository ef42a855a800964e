package dataset

import (
	"context"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/pddl"
)

// A Restriction changes what a task forbids: first all is lifted, if Lift asks for it, then
// Forbid is added, and then what Sample draws.
type Restriction struct {
	Lift   bool
	Forbid []domains.Forbidden
	Sample *RestrictOptions // nil: draw nothing
}

// RestrictReport is a task with what it forbids, as planproof restrict --json prints it.
type RestrictReport struct {
	Forbidden []string `json:"forbidden"` // all of the task
	// Of what was drawn: a cheapest plan under the restrictions, and one of the task as it was.
	Sampled          []string `json:"sampled,omitempty"`
	Plan             []string `json:"plan,omitempty"`
	Cost             string   `json:"cost,omitempty"`
	UnrestrictedPlan []string `json:"unrestricted_plan,omitempty"`
	UnrestrictedCost string   `json:"unrestricted_cost,omitempty"`
	Domain           string   `json:"domain_text"`
	Problem          string   `json:"problem_text"`
}

// Restrict applies a restriction to a task. Errors are those of [domains.Restrict] and
// [SampleRestrictions].
func Restrict(ctx context.Context, p *pddl.Problem, r *Restriction) (*RestrictReport, error) {
	var err error
	if r.Lift {
		if p, err = domains.Unrestricted(p); err != nil {
			return nil, err
		}
	}
	if p, err = domains.Restrict(p, r.Forbid); err != nil {
		return nil, err
	}
	out := &RestrictReport{Forbidden: []string{}}
	if r.Sample != nil {
		got, err := SampleRestrictions(ctx, p, *r.Sample)
		if err != nil {
			return nil, err
		}
		p = got.Problem
		for _, f := range got.Forbidden {
			out.Sampled = append(out.Sampled, f.String())
		}
		out.Plan, out.Cost, out.UnrestrictedPlan, out.UnrestrictedCost = got.Plan, got.Cost.String(), got.FreePlan, got.FreeCost.String()
	}
	for _, f := range domains.Restrictions(p) {
		out.Forbidden = append(out.Forbidden, f.String())
	}
	out.Domain, out.Problem = p.Domain.String(), p.String()
	return out, nil
}
