package validator

import (
	"context"

	"github.com/planproof/planproof/internal/pace"
	"github.com/planproof/planproof/pddl"
)

// NewJudgeContext is [NewJudge] that ends soon after ctx does, with its error: what is still to be compiled
// counts as empty then, and the judge is thrown away.
func NewJudgeContext(ctx context.Context, prob *pddl.Problem, opt Options) (*Judge, error) {
	return newJudge(prob, opt, pace.Of(ctx))
}

// readPlan reads a plan while the scratch's context lasts. Where there is no plan the verdict is that of a plan that
// cannot be read, or no decision.
func (s *Scratch) readPlan(src *pddl.Source) (*pddl.Plan, pddl.Diagnostics, *Verdict) {
	ctx := s.Context
	if ctx == nil {
		ctx = context.Background()
	}
	plan, diags, err := pddl.ParsePlanContext(ctx, src)
	switch {
	case err != nil:
		return nil, nil, Unread()
	case plan == nil || diags.HasErrors():
		return nil, diags, SyntaxVerdict(diags)
	}
	return plan, diags, nil
}

// Unread is the verdict on a plan whose reading ended with its context: nothing was decided.
func Unread() *Verdict {
	return &Verdict{CostDefined: true, Failure: &Failure{Kind: FailTimeout, Message: "not judged: the time limit came first"}}
}
