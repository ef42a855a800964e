package search_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
)

func ExampleRun() {
	_, task := tasktest.Bundled("blocksworld:3-1")
	r, err := search.Run(context.Background(), task, search.Config{Search: "astar(lmcut())"})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Status, task.PlanCost(r.Cost))
	for _, op := range r.Plan {
		fmt.Println(task.OperatorName(op))
	}
	// Output:
	// solved-optimally 6
	// (unstack a b)
	// (put-down a)
	// (unstack b c)
	// (put-down b)
	// (pick-up c)
	// (stack c a)
}

func ExampleCertify() {
	ctx := context.Background()
	_, task := tasktest.Bundled("blocksworld:3-1")
	r, err := search.Run(ctx, task, search.Config{})
	if err != nil {
		panic(err)
	}
	cert, err := search.Certify(ctx, task, r, search.Limits{}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(cert.Claim, cert.Bound)
	// Output:
	// optimal 6
}
