package batch_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/validator/batch"
)

// Judge rows of JSON Lines in parallel. Tasks are files, texts or the names of bundled ones.
func ExampleRun() {
	rows := strings.NewReader(`{"id":1,"task":"gripper:1","plan":["(pick ball0 room0 left)","(move room0 room1)"]}` + "\n")
	stats, err := batch.Run(context.Background(), rows, os.Stdout, batch.Options{})
	fmt.Println(stats, err)
	// Output:
	// {"id":1,"valid":false,"cost":"2","steps":2,"executed":2,"goal_reached":false,"failure":{"kind":"goal","unsatisfied":["(at ball0 room1)"],"because":"(at ball0 room1) was never true: it is not in the initial state and no earlier step adds it","message":"goal: (at ball0 room1) does not hold"}}
	// 1 row: 0 valid, 1 invalid, 0 undecided, 0 errors <nil>
}
