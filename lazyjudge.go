package planproof

import (
	"context"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/validator"
)

// lazyJudge is a judge that the first call compiles. A call whose context ends meanwhile leaves that to the next.
type lazyJudge struct {
	busy  chan struct{} // holds one
	judge *validator.Judge
	err   error // of the problem
}

func (l *lazyJudge) get(ctx context.Context, p *pddl.Problem) (*validator.Judge, error) {
	select {
	case l.busy <- struct{}{}:
		defer func() { <-l.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.judge == nil && l.err == nil {
		j, err := validator.NewJudgeContext(ctx, p, validator.Options{})
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		l.judge, l.err = j, err
	}
	return l.judge, l.err
}
