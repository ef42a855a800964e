package retime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// Options of a repair. The zero value is the standard judge's, with the default limits.
type Options struct {
	// Epsilon and Tolerance are those of [validator.Scratch].
	Epsilon, Tolerance pddl.Number
	// Candidates bounds the plans that are judged for each proposal; 0 means DefaultCandidates.
	Candidates int64
	// Context, if set, ends the search when it ends.
	Context context.Context

	coarse bool // for tests: times are whole numbers if the plan's are
}

// DefaultCandidates is the default of Options.Candidates.
const DefaultCandidates = 20000

// Repair proposes valid plans in place of a timed one.
type Repair struct {
	// Shift has the same steps. The sum of the changes of their starts and durations is the
	// smallest.
	Shift Proposal `json:"shift"`
	// Edit has one step more or less, at the least cost.
	Edit Proposal `json:"edit"`
	// Violated lists the preferences that the given plan violates, with what they cost.
	Violated []validator.Violation `json:"violated,omitempty"`
}

// Status says whether there is a proposal.
type Status string

// Statuses.
const (
	Found   Status = "found"
	None    Status = "none"    // there is no such plan; proven if Proposal.Proven
	Limit   Status = "limit"   // a limit was reached first
	Unasked Status = "unasked" // the plan is valid
)

// Proposal is a valid plan, or the reason why there is none.
type Proposal struct {
	Status Status `json:"status"`
	// Proven: no smaller change mends the plan, or none at all.
	Proven bool   `json:"proven"`
	Reason string `json:"reason,omitempty"` // why not proven, or the limit
	// Change is the sum of all changes of starts and durations, exact, in time units. Grid is the
	// unit that all are multiples of.
	Change  string   `json:"change,omitempty"`
	Grid    string   `json:"grid,omitempty"`
	Changes []Change `json:"changes,omitempty"`
	Plan    []string `json:"plan,omitempty"`
	Cost    string   `json:"cost,omitempty"`
	// Judged counts the candidates that were judged.
	Judged int64 `json:"judged"`
}

// Change is what happens to a step.
type Change struct {
	// Step is the place of the step in the text of the plan, from 1; 0 for an insertion.
	Step   int    `json:"step,omitempty"`
	Action string `json:"action"`
	// What changes: start, duration, insert or delete.
	What string `json:"what"`
	// From and To are times or durations, By is their difference.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	By   string `json:"by,omitempty"`
}

// Propose repairs a plan. An error wraps ErrTimes.
func Propose(j *validator.Judge, plan *pddl.Plan, o Options) (*Repair, error) {
	if o.Candidates <= 0 {
		o.Candidates = DefaultCandidates
	}
	if o.Context == nil {
		o.Context = context.Background()
	}
	p := &proposer{judge: j, opt: o, scratch: j.NewScratch()}
	p.scratch.Epsilon, p.scratch.Tolerance, p.scratch.Context = o.Epsilon, o.Tolerance, o.Context
	v := j.ValidateWith(plan, p.scratch)
	r := &Repair{Shift: Proposal{Status: Unasked}, Edit: Proposal{Status: Unasked}, Violated: v.Violated}
	if v.Valid {
		return r, nil
	}
	if err := p.shift(plan, &r.Shift); err != nil {
		return nil, err
	}
	return r, p.edit(plan, &r.Edit)
}

// proposer repairs one plan.
type proposer struct {
	judge   *validator.Judge
	opt     Options
	scratch *validator.Scratch
	judged  int64
}

// spent says which limit is reached, "" for none.
func (p *proposer) spent() string {
	switch {
	case p.opt.Context.Err() != nil:
		return "time"
	case p.judged >= p.opt.Candidates:
		return fmt.Sprintf("%d candidates", p.opt.Candidates)
	}
	return ""
}

// accept fills in a proposal for a valid plan. It judges the text that is printed.
func (p *proposer) accept(out *Proposal, plan *pddl.Plan) error {
	text := strings.ToLower(plan.String())
	read, diags := pddl.ParsePlan(pddl.NewSource("repair", text))
	if diags.HasErrors() {
		return fmt.Errorf("internal error: a repaired plan cannot be read: %w", diags.Err())
	}
	v := p.judge.ValidateWith(read, p.scratch)
	if !v.Valid {
		return fmt.Errorf("internal error: the judge refuses a repaired plan: %s: please report it", v.Failure.Message)
	}
	out.Status, out.Cost = Found, v.Cost.String()
	out.Plan = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return nil
}

// changed lists how b differs from a, which has the same steps.
func changed(a, b *pddl.Plan) (out []Change) {
	for i := range a.Steps {
		x, y := &a.Steps[i], &b.Steps[i]
		c := Change{Step: i + 1, Action: lower(x)}
		add := func(what string, from, to pddl.Number) {
			if c.What = what; !from.Equal(to) {
				c.From, c.To, c.By = from.String(), to.String(), to.Sub(from).String()
				out = append(out, c)
			}
		}
		add("start", x.Time, y.Time)
		add("duration", x.Duration, y.Duration)
	}
	return slices.Clip(out)
}

func lower(st *pddl.Step) string { return strings.ToLower(st.String()) }
