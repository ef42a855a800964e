package dataset

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/validator"
)

// dropped says why a task has no place in a data set.
type dropped struct {
	reason string
	err    error
}

// solver finds gold plans.
type solver struct {
	schedule costmodel.Schedule
	limits   search.Limits
}

// solve finds a cheapest plan, has it judged, and measures the slack of budgets. What stands
// in its way comes as dropped; an error is one of planproof, or the end of ctx.
func (s *solver) solve(ctx context.Context, p *pddl.Problem) (*Gold, *dropped, error) {
	g, drop, err := s.cheapest(ctx, p)
	if g != nil {
		g.Slack, err = s.slack(ctx, p)
	}
	return g, drop, err
}

// cheapest is solve without the slack.
func (s *solver) cheapest(ctx context.Context, p *pddl.Problem) (*Gold, *dropped, error) {
	judge, err := validator.NewJudge(p, validator.Options{})
	if err != nil {
		return nil, &dropped{DropBroken, err}, nil
	}
	if v := judgeSteps(judge, nil); v.Valid {
		return nil, &dropped{DropGoalHolds, errors.New("the goal holds in the initial state")}, nil
	}
	task, err := grounder.Ground(ctx, p, grounder.Options{Time: s.limits.Wall, Memory: s.limits.Memory})
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, grounder.ErrLimit):
		return nil, &dropped{DropLimit, err}, nil
	case err != nil:
		return nil, &dropped{DropBroken, err}, nil
	}
	r, err := pipeline.Search(ctx, p, task, pipeline.Options{Search: search.Config{Limits: s.limits}, Judge: judge})
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case err != nil:
		return nil, nil, err
	case r.Status == search.Unsolvable:
		return nil, &dropped{DropUnsolvable, errors.New("the task has no plan")}, nil
	case r.Status == search.Unsupported:
		return nil, &dropped{DropBroken, fmt.Errorf("the search does not support this task: %s", r.Reason)}, nil
	case r.Status != search.SolvedOptimally:
		return nil, &dropped{DropLimit, fmt.Errorf("the search for a plan ended: %s", r.Status)}, nil
	}
	g := &Gold{Plan: make([]string, len(r.Plan)), Steps: len(r.Plan), Optimal: true}
	for i, step := range r.Plan {
		g.Plan[i] = strings.ToLower(step)
	}
	g.Cost = r.Cost.String()
	return g, nil, nil
}

// slack is what a loose budget adds to the cost; "" where nothing prices the actions by
// their types.
func (s *solver) slack(ctx context.Context, p *pddl.Problem) (string, error) {
	slack, err := costmodel.SlackOf(ctx, p, s.schedule, grounder.Options{Time: s.limits.Wall, Memory: s.limits.Memory})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", nil // no prices, costs that no schedule can replace, or a limit
	}
	return slack.String(), nil
}

func judgeSteps(judge *validator.Judge, steps []string) *validator.Verdict {
	v, _ := judge.ValidateText(pddl.NewSource("plan", strings.Join(steps, "\n")+"\n"), judge.NewScratch())
	return v
}

// difficulty is an exact cost as a number for people and bins.
func difficulty(cost string) float64 {
	n, _ := pddl.ParseFraction(cost)
	x, _ := n.Rat().Float64()
	return x
}
