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
