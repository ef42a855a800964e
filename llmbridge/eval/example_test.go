package eval_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/llmbridge/eval"
	"github.com/planproof/planproof/llmbridge/model"
	"github.com/planproof/planproof/llmbridge/prompt"
	"github.com/planproof/planproof/pddl"
)

// readTask reads the bundled task that a row names.
func readTask(row *prompt.Row) (*pddl.Problem, error) {
	t, err := planproof.ReadTask(row.Task)
	if err != nil {
		return nil, err
	}
	return t.Problem, nil
}

func ExampleRun() {
	reader := &eval.TaskReader{Problem: readTask}
	tasks, err := reader.Tasks([]*prompt.Row{{Task: "blocksworld:3-1"}, {Task: "blocksworld:3-5"}})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := eval.FindOptima(ctx, tasks, 1<<30); err != nil {
		panic(err)
	}
	m, err := model.NewScripted("optimal")
	if err != nil {
		panic(err)
	}
	method, err := eval.ParseMethod("pddl", nil)
	if err != nil {
		panic(err)
	}
	var rows []eval.Row
	err = eval.Run(ctx, &eval.Config{Models: []model.Model{m}, Methods: []*eval.Method{method}, Tasks: tasks}, func(r *eval.Row) error {
		fmt.Println(r.Task, r.Status, r.Cost)
		rows = append(rows, *r)
		return nil
	})
	if err != nil {
		panic(err)
	}
	for _, c := range eval.Summarise(rows, []int{1}, nil) {
		fmt.Println(c.Model, c.Method, eval.Percent(c.Pass[0].Graded.Value(), c.Pass[0].Graded.Wilson))
		fmt.Printf("%d of %d cheapest\n", c.Optimal, c.OptimalKnown)
	}
	// Output:
	// blocksworld:3-1 valid 6
	// blocksworld:3-5 valid 6
	// scripted:optimal pddl 100.0 % [34.2, 100.0]
	// 2 of 2 cheapest
}

func ExampleGradeResponses() {
	file := `{"id":"1","task":"blocksworld:3-1","response":"I cannot do it.","planbench_correct":true}`
	responses, _, err := eval.ReadResponses(strings.NewReader(file), eval.ResponseOptions{
		Name: "answers.jsonl",
	})
	if err != nil {
		panic(err)
	}
	reader := &eval.TaskReader{Problem: func(row *prompt.Row) (*pddl.Problem, error) {
		t, err := planproof.ParseTask(row.DomainText, row.ProblemText)
		if err != nil {
			return nil, err
		}
		return t.Problem, nil
	}}
	ctx := context.Background()
	tasks := eval.NewResponseTasks(responses, func(r *eval.Response) *eval.Task { return reader.ResponseTask(ctx, r, ".") })
	rows, err := eval.GradeResponses(ctx, responses, tasks, func(int) {})
	if err != nil {
		panic(err)
	}
	cells, causes := eval.SummariseResponses(rows)
	fmt.Println(rows[0].Status, rows[0].Difference)
	fmt.Printf("%d of %d correct, %d recorded as correct\n", cells[0].Correct, cells[0].Rows, cells[0].Recorded)
	for _, c := range causes {
		fmt.Printf("gained %d, lost %d: %s\n", c.Gained, c.Lost, c.Cause)
	}
	// Output:
	// no-plan lost
	// 0 of 1 correct, 1 recorded as correct
	// gained 0, lost 1: no cause recorded: ours is no-plan
}
