package treebench_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/llmbridge/treebench"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func ExampleRun() {
	budgets, err := costmodel.ParseBudgets("tight,unlimited")
	if err != nil {
		panic(err)
	}
	c := &treebench.Config{
		Set: 1, Count: 2, Jobs: 1, Budgets: budgets, Expansions: treesearch.DefaultExpansions,
		Methods: []treebench.Method{{Name: "cats", Tree: treesearch.NewCATS()}},
		Guide: func(ctx context.Context, _ *pddl.Problem, t *grounder.Task) (treesearch.Guide, error) {
			return treesearch.NewGuide(ctx, "lmcut", t, search.Limits{})
		},
		GuideName: "lmcut",
	}
	tasks, err := treebench.Run(context.Background(), c)
	if err != nil {
		panic(err)
	}
	for _, row := range c.Rows(tasks) {
		fmt.Println(row.Method, row.Budget, row.Horizon, row.Tasks, row.Success)
	}
	// Output:
	// cats tight short 1 1
	// cats tight mid 1 1
	// cats tight all 2 1
	// cats unlimited short 1 1
	// cats unlimited mid 1 1
	// cats unlimited all 2 1
}
