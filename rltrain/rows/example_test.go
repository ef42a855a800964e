package rows_test

import (
	"fmt"

	"github.com/planproof/planproof/rltrain/rows"
)

// A line with two answers to one prompt.
func ExampleParseRequest() {
	line := `{"id": 7, "task": "gripper:1", "response": ["(move room0 room1)", "no plan"]}`
	r, err := rows.ParseRequest([]byte(line), 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range r.Items {
		fmt.Printf("%s: %q\n", item.Task.Task, item.Response)
	}
	// Output:
	// gripper:1: "(move room0 room1)"
	// gripper:1: "no plan"
}

func ExampleStatus_Scored() {
	fmt.Println(rows.StatusNoPlan.Scored(), rows.StatusTaskError.Scored())
	// Output: true false
}
