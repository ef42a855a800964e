package oracle_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/rltrain/oracle"
	"github.com/planproof/planproof/rltrain/rows"
)

func ExampleOracle_Score() {
	o, err := oracle.New(oracle.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	item := &rows.Item{
		Task:     taskref.Ref{Task: "gripper:1"},
		Response: "[PLAN]\n(pick ball0 room0 left)\n(move room0 room1)\n(drop ball0 room1 left)\n[PLAN END]",
	}
	s := o.Score(context.Background(), item, "valid")
	fmt.Println(s.Status, *s.Reward)
	item.Task.Task = "gripper:0" // a task that cannot be made is no reason for a reward of 0
	s = o.Score(context.Background(), item, "valid")
	fmt.Println(s.Status, s.Reward == nil)
	// Output:
	// valid 1
	// task-error true
}

func ExampleOracle_ScoreStream() {
	o, err := oracle.New(oracle.Options{Task: taskref.Ref{Task: "gripper:1"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"id":1,"response":"I do not know."}` + "\n")
	sum, err := o.ScoreStream(context.Background(), in, os.Stdout)
	fmt.Println(sum.Scored, err)
	// Output:
	// {"id":1,"reward":0,"components":{"valid":0},"verdict":{"valid":false,"cost":"0","steps":0,"executed":0,"goal_reached":false,"failure":{"kind":"syntax","message":"no plan in the response"}},"extracted":"","status":"no-plan","reader":"strict","reading":"nothing-found"}
	// 1 <nil>
}

// An episode in which a model gives one step at a time.
func ExampleOracle_Reset() {
	o, err := oracle.New(oracle.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	e, r, err := o.Reset(ctx, oracle.EnvPlanStep, []byte(`{"task":"gripper:1"}`))
	for _, step := range []string{"(pick ball0 room0 left)", "(move room0 room1)", "(drop ball0 room1 left)"} {
		if err == nil {
			r, err = e.Step(ctx, fmt.Appendf(nil, `{"action":%q}`, step))
		}
	}
	fmt.Println(r.Done, *r.Reward, err)
	// Output: true 1 <nil>
}
