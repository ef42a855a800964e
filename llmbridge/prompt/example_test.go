package prompt_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/prompt"
)

func ExampleMake() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	rec, err := prompt.Make(context.Background(), prompt.Task{ID: "example", Problem: task.Problem}, prompt.Options{Style: prompt.StyleCompact})
	if err != nil {
		panic(err)
	}
	fmt.Println(rec.Prompt.Text)
	for _, s := range rec.Prompt.Spans {
		if s.Kind == prompt.SpanGoal {
			fmt.Printf("goal: bytes %d to %d\n", s.Start, s.End)
		}
	}
	fmt.Println(rec.Gold.Plan, rec.Gold.Cost, rec.Gold.Optimal)
	// Output:
	// objects: a b c
	// init: (clear b) (handempty) (on b c) (on c a) (ontable a)
	// goal: (on b c) (ontable a) (ontable c)
	// plan:
	//
	// goal: bytes 73 to 112
	// [(unstack b c) (put-down b) (unstack c a) (put-down c) (pick-up b) (stack b c)] 6 true
}

func ExampleRenderer() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	r, _ := prompt.NewRenderer(task.Problem, "")
	fmt.Println(r.Step("(stack a b)"))
	fmt.Println(r.Fact("(on a b)"))
	fmt.Println(r.Goal())
	// Output:
	// stack the red block on top of the blue block
	// the red block is on top of the blue block
	// the blue block is on top of the orange block, the red block is on the table and the orange block is on the table
}
