package heuristic_test

import (
	"fmt"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/heuristic"
)

func ExampleInfo_Build() {
	_, task := tasktest.Bundled("blocksworld:4-17")
	for _, name := range []string{"blind", "hmax", "lmcut"} {
		h, err := heuristic.Lookup(name).Build(task, nil, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(name, h.Estimate(task.Init))
	}
	// Output:
	// blind 1
	// hmax 4
	// lmcut 8
}
