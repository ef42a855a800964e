package readings_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/rltrain/readings"
)

func ExampleRun() {
	in := strings.NewReader(`{"id":1,"task":"blocksworld:3-5","response":"First (unstack b c), then (put-down b)."}
{"id":2,"task":"blocksworld:3-5","response":"There is nothing I can do."}
`)
	stats, err := readings.Run(context.Background(), in, os.Stdout, readings.Options{
		As: "plan",
		Task: func(ref taskref.Ref, _ time.Time) (*readings.Task, error) {
			return readings.NewTask(func() (*pddl.Problem, error) {
				t, err := planproof.ReadTask(ref.Task)
				if err != nil {
					return nil, err
				}
				return t.Problem, nil
			}), nil
		},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d with a plan, %d without\n", stats.Found, stats.Missing)
	// Output:
	// 1            plan, 2 steps (read as only-list by the natural reader, confidence high)
	// 2            no-plan, 0 steps (read as nothing-found by the natural reader, confidence high)
	// 1 with a plan, 1 without
}
