package model_test

import (
	"context"
	"fmt"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
)

func ExampleScripted() {
	task, err := planproof.ReadTask("blocksworld:3-5")
	if err != nil {
		panic(err)
	}
	m, err := model.NewScripted("optimal")
	if err != nil {
		panic(err)
	}
	resp, err := m.Generate(context.Background(), &model.Request{
		Input:   model.Input{Messages: []prompt.Message{{Role: "user", Content: "Please make a plan."}}},
		Problem: task.Problem,
	})
	if err != nil {
		panic(err)
	}
	fmt.Print(resp.Samples[0].Text)
	// Output:
	// [PLAN]
	// (unstack b c)
	// (put-down b)
	// (unstack c a)
	// (put-down c)
	// (pick-up b)
	// (stack b c)
	// [PLAN END]
}

func ExamplePrices() {
	prices := model.Prices{}
	if err := prices.ParsePrice("small=0.15/0.60"); err != nil {
		panic(err)
	}
	cost, ok := prices.Cost("small@127.0.0.1:8080/v1", model.Usage{Prompt: 200, Completion: 100})
	fmt.Println(cost.FloatString(6), ok)
	// Output:
	// 0.000090 true
}
