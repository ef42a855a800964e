package eval

import (
	"context"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/search"
)

// FindOptima solves tasks for the least cost of their plans, to tell which answers are
// cheapest. A task that is not solved within the memory (bytes) and before ctx ends keeps
// its least cost unknown. The error is a *pipeline.Disagreement, or one of the search.
func FindOptima(ctx context.Context, tasks []*Task, memory int64) error {
	for _, t := range tasks {
		if t.Problem == nil || t.Other != nil || t.Optimal != nil || t.Unsolvable {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		task, err := grounder.Ground(ctx, t.Problem, grounder.Options{Memory: memory})
		if err != nil {
			continue
		}
		r, err := pipeline.Search(ctx, t.Problem, task, pipeline.Options{Search: search.Config{Limits: search.Limits{Memory: memory}}})
		if err != nil {
			return err
		}
		switch r.Status {
		case search.Unsolvable:
			t.Unsolvable = true
		case search.SolvedOptimally:
			t.Optimal = &r.Cost
		}
	}
	return nil
}
