package episode

import (
	"context"
	"errors"
	"strings"

	"github.com/planproof/planproof/domains/constraints"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// Searches begin small. Counters of steps hide from heuristics what a constraint costs, so where the default search has
// not ended after some states, a symbolic one is tried before it goes on.
const (
	firstNodes     = 20_000
	symbolicMemory = 1 << 30
)

// solveUnder finds a cheapest plan under constraints, nil if there is none. A cost limit is kept by some plan exactly if
// a cheapest plan without it keeps it.
func solveUnder(ctx context.Context, prob *pddl.Problem, list []constraints.Constraint, lim search.Limits) (*pipeline.Answer, error) {
	others, most := constraints.CostLimits(list)
	task, err := constraints.Compile(prob, others)
	if err != nil {
		return nil, err
	}
	a, err := decide(ctx, task, lim)
	if a != nil && most != nil && a.Cost.Cmp(*most) > 0 {
		return nil, err
	}
	return a, err
}

// decide is [pipeline.Decide], in stages where no limit of nodes is set.
func decide(ctx context.Context, task *pddl.Problem, lim search.Limits) (*pipeline.Answer, error) {
	if lim.Nodes > 0 {
		return pipeline.Decide(ctx, task, lim)
	}
	first := lim
	first.Nodes = firstNodes
	if a, err := pipeline.Decide(ctx, task, first); !errors.Is(err, pipeline.ErrNodes) {
		return a, err
	}
	symbolic := lim
	if symbolic.Memory == 0 || symbolic.Memory > symbolicMemory {
		symbolic.Memory = symbolicMemory
	}
	a, err := pipeline.DecideBy(ctx, task, search.Config{Search: "symbolic()", Limits: symbolic})
	if errors.Is(err, search.ErrLimit) {
		return pipeline.Decide(ctx, task, lim)
	}
	return a, err
}

// pool holds plans that keep a growing list of constraints. A plan in it that keeps one more shows that the list with
// it can be kept, without a search.
type pool [][]string

// keeping are the plans that keep a constraint, too.
func (p pool) keeping(prob *pddl.Problem, c []constraints.Constraint) (rest pool, err error) {
	judge, err := constraints.NewJudge(prob, c)
	if err != nil {
		return nil, err
	}
	for _, plan := range p {
		violations, err := judge.Violations(pddl.NewSource("plan", strings.Join(plan, "\n")))
		if err != nil {
			return nil, err
		}
		if len(violations) == 0 {
			rest = append(rest, plan)
		}
	}
	return rest, nil
}

// anyUnder finds some plan under constraints, nil if there is none. It asks for a cheapest one only where a quick search
// finds none, to have the proof.
func anyUnder(ctx context.Context, prob *pddl.Problem, list []constraints.Constraint, lim search.Limits) ([]string, error) {
	task, err := constraints.Compile(prob, list)
	if err != nil {
		return nil, err
	}
	quick := lim
	quick.Nodes = firstNodes
	a, err := pipeline.DecideBy(ctx, task, search.Config{Search: "lazy()", Limits: quick})
	if errors.Is(err, pipeline.ErrNodes) {
		a, err = decide(ctx, task, lim)
	}
	if a == nil {
		return nil, err
	}
	return a.Plan, nil
}
