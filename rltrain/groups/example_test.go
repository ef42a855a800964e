package groups_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/rltrain/groups"
)

func ExampleAdvantages() {
	rewards := []float64{1, 0, 0, 1}
	fmt.Println(groups.Advantages(rewards, nil, groups.AdvantageOptions{}))
	fmt.Println(groups.Advantages(rewards, nil, groups.AdvantageOptions{NoStd: true}))
	// A response without a reward takes no part.
	fmt.Println(groups.Advantages(rewards, []bool{true, true, false, false}, groups.AdvantageOptions{}))
	// Output:
	// [1 -1 -1 1]
	// [0.5 -0.5 -0.5 0.5]
	// [1 -1 0 0]
}

func ExampleRows() {
	in := strings.NewReader(`{"id":1,"group":"a","reward":1}
{"id":2,"group":"a","reward":0}`)
	sum, err := groups.Rows(in, os.Stdout, groups.Options{Estimator: groups.LowVarKL, Placement: groups.InLoss})
	fmt.Println(sum.Rows, "rows,", sum.Degenerate, "degenerate groups", err)
	// Output:
	// {"id":1,"group":"a","reward":1,"advantage":1,"degenerate":false}
	// {"id":2,"group":"a","reward":0,"advantage":-1,"degenerate":false}
	// 2 rows, 0 degenerate groups <nil>
}

func ExamplePairs() {
	samples := []groups.Sampled{
		{Prompt: "p", Text: "(a)", Valid: true},
		{Prompt: "p", Text: "(b)"},
		{Prompt: "p", Text: "(c)"},
	}
	pairs, counts, err := groups.Pairs(samples, groups.PairOptions{Rule: groups.DPO, PerPrompt: 1, Seed: 1})
	fmt.Println(len(pairs), samples[pairs[0].Chosen].Text, counts.Paired, err)
	// Output: 1 (a) 1 <nil>
}
