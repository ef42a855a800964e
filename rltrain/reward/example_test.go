package reward_test

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/extract"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/reward"
	"github.com/planproof/planproof/validator"
)

// A reward from a file, here half for the layout and half for a valid plan.
func ExampleRead() {
	spec, diags := reward.Read(pddl.NewSource("half.json", `{
	  "schema": "planproof.reward/1", "name": "half", "kind": "weighted",
	  "parts": {"plan": "valid", "layout": "format"},
	  "reward": "0.5*plan + 0.5*layout"
	}`))
	if spec == nil {
		fmt.Println(diags)
		return
	}
	response := "<think>b is free</think><plan>\n(pick-up b)\n</plan>"
	paid, parts := spec.Eval(&reward.Evidence{
		Verdict:    &validator.Verdict{Valid: true},
		Extraction: &extract.Extraction{Status: extract.StatusPlan, Plan: []string{"(pick-up b)"}},
		Format:     reward.ReadFormat(response),
	})
	fmt.Println(paid, parts["plan.valid"], parts["layout.points"])
	// Output: 1 1 20
}

func ExampleFind() {
	spec, err := reward.Find("binary", nil) // what some trainers call it
	fmt.Println(spec.Name, spec.Min, spec.Max, spec.ValidWins, err)
	_, err = reward.Find("proces", nil)
	fmt.Println(err)
	// Output:
	// valid 0 1 true <nil>
	// unknown reward "proces": did you mean "process"?
}
