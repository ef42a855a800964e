package grade_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/grade"
	"github.com/planproof/planproof/llmbridge/prompt"
)

func ExampleGrader() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	rec, err := prompt.Make(context.Background(), prompt.Task{ID: "example", Problem: task.Problem}, prompt.Options{Kind: prompt.KindCostOptimal})
	if err != nil {
		panic(err)
	}
	g, err := grade.NewGrader(rec)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Grade(rec.Gold.Text).Correct)
	wrong := g.Grade("[PLAN]\n(pick-up a)\n[PLAN END]")
	fmt.Println(wrong.Correct, wrong.Verdict.Failure.Message)
	// Output:
	// true
	// false step 1 (pick-up a): (clear a) does not hold
}
