package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Report is an answer in the form of `solve --json`: the outcome, the plan and the figures
// of the search. It is a function of the problem and the options; times are not part of it.
type Report struct {
	Status search.Status `json:"status"`
	// Goal and Step are what was asked, if that is not the problem's own goal (see Query).
	Goal string `json:"goal,omitempty"`
	Step string `json:"step,omitempty"`
	PlanReport
	Reason string        `json:"reason,omitempty"`
	Bounds *BoundsReport `json:"bounds,omitempty"`
	Note   string        `json:"note,omitempty"`

	Search                string      `json:"search"`
	InitialH              json.Number `json:"initial_h,omitempty"`
	Expanded              int64       `json:"expanded"`
	Backward              int64       `json:"expanded_backward,omitempty"`
	ExpandedUntilLastJump int64       `json:"expanded_until_last_jump"`
	Evaluated             int64       `json:"evaluated"`
	Generated             int64       `json:"generated"`
	DeadEnds              int64       `json:"dead_ends"`
}

// BoundsReport says between what the cost of a cheapest plan is where a limit came first, and
// holds the plan that costs the upper bound, if one is known.
type BoundsReport struct {
	Lower string   `json:"lower"`
	Upper *string  `json:"upper,omitempty"`
	Plan  []string `json:"plan,omitempty"`
}

// PlanReport is a judged plan in the form of `solve --json`. Without a plan all is left out.
type PlanReport struct {
	Cost      *string  `json:"cost,omitempty"`
	TotalCost *string  `json:"total_cost,omitempty"`
	Steps     *int     `json:"steps,omitempty"`
	Plan      []string `json:"plan,omitempty"`
}

// Report returns the report of the answer.
func (a *Answer) Report() Report {
	r := Report{
		Status: a.Status, PlanReport: a.PlanReport(), Reason: a.Reason, Note: a.Note, Search: a.Search,
		Expanded: a.Expanded, Backward: a.Backward, ExpandedUntilLastJump: a.ExpandedUntilLastJump,
		Evaluated: a.Evaluated, Generated: a.Generated, DeadEnds: a.DeadEnds,
	}
	if q := a.Query; q != nil {
		r.Goal, r.Step = q.Goal, q.Step
	}
	if b := a.Bounds; b != nil {
		r.Bounds = &BoundsReport{Lower: b.Lower.String(), Plan: b.Plan}
		if b.Upper != nil {
			upper := b.Upper.String()
			r.Bounds.Upper = &upper
		}
	}
	if a.InitialH >= 0 && a.Evaluated > 0 {
		// A fraction such as 10/3 is no JSON number; it is left out rather than rounded.
		if h := a.Task.CostUnit.Mul(pddl.Int(a.InitialH)).String(); !strings.Contains(h, "/") {
			r.InitialH = json.Number(h)
		}
	}
	return r
}

// PlanReport returns the report of the answer's plan.
func (a *Answer) PlanReport() PlanReport {
	if a.Verdict == nil {
		return PlanReport{}
	}
	cost := a.Cost.String()
	r := PlanReport{Cost: &cost, Steps: &a.Verdict.Steps, Plan: a.Plan}
	if a.Verdict.HasTotalCost {
		total := a.Verdict.TotalCost.String()
		r.TotalCost = &total
	}
	return r
}

// unsolvable says in a line what is proven where there is no plan.
func (r *Report) unsolvable() string {
	switch {
	case r.Step != "":
		return "never: no plan leads to a state in which " + r.Step + " can be applied"
	case r.Goal != "":
		return "never: no plan leads to a state in which " + r.Goal + " holds"
	}
	return "unsolvable: no plan exists"
}

// WriteText writes the outcome for people, without the plan: a proof that there is none to out,
// and everything else to notes. figures say what it took.
func (r *Report) WriteText(out, notes io.Writer, figures string) {
	stats := fmt.Sprintf("%s; %d expanded, %d evaluated, %d generated; %s", r.Search, r.Expanded, r.Evaluated, r.Generated, figures)
	switch r.Status {
	case search.Solved:
		fmt.Fprintf(notes, "plan found, not proven optimal: cost %s in %s; %s\n", *r.Cost, spell.Plural(*r.Steps, "step"), stats)
	case search.SolvedOptimally:
		fmt.Fprintf(notes, "optimal: cost %s in %s; %s\n", *r.Cost, spell.Plural(*r.Steps, "step"), stats)
	case search.Unsolvable:
		fmt.Fprintln(out, r.unsolvable())
		fmt.Fprintf(notes, "proven by %s\n", stats)
	case search.Unsupported:
		fmt.Fprintf(notes, "unsupported: %s\n", r.Reason)
	default:
		known := ""
		if b := r.Bounds; b != nil && b.Upper != nil {
			known = fmt.Sprintf("cost %s, at least %s; ", *b.Upper, b.Lower)
		} else if b != nil {
			known = fmt.Sprintf("at least %s; ", b.Lower)
		}
		fmt.Fprintf(notes, "no answer: %s; %s%s\n", cmp.Or(r.Reason, string(r.Status)), known, stats)
	}
}
