package feedback_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/feedback"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func ExampleCritic() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	c, err := feedback.NewCritic(context.Background(), task.Problem, feedback.Options{Level: feedback.LevelHint})
	if err != nil {
		panic(err)
	}
	f, err := c.CriticiseText(context.Background(), pddl.NewSource("answer", "(pick-up a)"))
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.ReplaceAll(f.Text, ". ", ".\n"))
	// Output:
	// Your plan is not valid.
	// Step 1, pick up the red block, cannot be carried out: it does not hold that the red block is clear.
	// No step of it can stay at the beginning.
	// From there 6 more steps are enough; the next could be: unstack the blue block from on top of the orange block.
}

func ExampleRepairer() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	r, err := feedback.NewRepairer(ctx, task.Problem, search.Limits{})
	if err != nil {
		panic(err)
	}
	plan, _ := pddl.ParsePlan(pddl.NewSource("answer", "(pick-up a)"))
	repair, err := r.Repair(ctx, plan, search.Limits{})
	if err != nil {
		panic(err)
	}
	for _, e := range repair.Nearest.Script {
		fmt.Println(e.Op, e.Action)
	}
	// Output:
	// delete (pick-up a)
	// insert (unstack b c)
	// insert (put-down b)
	// insert (unstack c a)
	// insert (put-down c)
	// insert (pick-up b)
	// insert (stack b c)
}
