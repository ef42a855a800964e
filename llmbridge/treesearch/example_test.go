package treesearch_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/search"
)

func ExamplePlan() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	ground, err := grounder.Ground(ctx, task.Problem, grounder.Options{})
	if err != nil {
		panic(err)
	}
	tight, err := costmodel.ParseBudget("tight")
	if err != nil {
		panic(err)
	}
	budget, err := treesearch.FindBudget(ctx, task.Problem, ground, tight, costmodel.Schedule{}, search.Limits{})
	if err != nil {
		panic(err)
	}
	out, err := treesearch.Plan(ctx, &treesearch.Request{
		Problem: task.Problem, Task: ground, Method: treesearch.NewCATS(), Budget: budget, Options: treesearch.DefaultOptions(),
		Guide: func(ctx context.Context) (treesearch.Guide, error) {
			return treesearch.NewGuide(ctx, "lmcut", ground, search.Limits{})
		},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Status, *out.Cost, "within", out.Budget)
	for _, step := range out.Plan {
		fmt.Println(step)
	}
	// Output:
	// solved-optimally 6 within tight (6)
	// (unstack b c)
	// (put-down b)
	// (unstack c a)
	// (put-down c)
	// (pick-up b)
	// (stack b c)
}

func ExampleMethod() {
	for _, m := range treesearch.Methods() {
		fmt.Println(m.Name())
	}
	// Output:
	// cats
	// tot
	// tot-dfs
	// rap
	// best-first
}
