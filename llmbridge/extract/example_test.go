package extract_test

import (
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/extract"
)

func ExampleReader_Extract() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	answer := "The blue block is on top, so I start with it.\n\n" +
		"1. Unstack the blue block from on top of the orange block.\n" +
		"2. Throw the blue block away.\n"
	x := extract.NewReader(task.Problem.Domain, task.Problem, extract.Natural).Extract(answer)
	fmt.Println(x.Status, x.Reading, x.Confidence)
	fmt.Print(x.PlanText())
	// Output:
	// plan only-list low
	// (unstack b c)
	// (malformed-step ; 2. Throw the blue block away.
}

func ExampleStateReader_Read() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	x := extract.NewStateReader(task.Problem.Domain, task.Problem).Read("Final state: the blue block is on top of the red block, and the hand is empty.")
	fmt.Println(x.Facts)
	// Output:
	// [(handempty) (on b a)]
}

func ExampleVerdictReader_Read() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	x := extract.NewVerdictReader(task.Problem.Domain, task.Problem).Read("The plan is invalid: step 2 cannot be executed. This precondition is not met: the red block is clear.")
	fmt.Println(x.Valid, x.Kind, x.Step, x.Unmet)
	// Output:
	// false precondition 2 [(clear a)]
}
