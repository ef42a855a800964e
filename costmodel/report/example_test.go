package report_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/costmodel/report"
	"github.com/planproof/planproof/costmodel/store"
	"github.com/planproof/planproof/pddl"
)

// reader reads bundled tasks and files.
var reader = report.Reader{
	Read: pddl.ReadSource,
	Tell: func(err error) { fmt.Println(err) },
}

func tasks(names ...string) []report.Task {
	inputs, err := reader.Inputs(names...)
	if err != nil {
		log.Fatal(err)
	}
	defer inputs.Close()
	var list []store.Input
	for in := range inputs.Tasks {
		list = append(list, in)
	}
	tasks, err := reader.Tasks(list)
	if err != nil {
		log.Fatal(err)
	}
	return tasks
}

// The budgets of two tasks under a schedule of Budget-BlocksWorld.
func ExampleBudgets() {
	schedule, err := costmodel.ParseNamed("[1,1,20,1]")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := report.Budgets(context.Background(), tasks("blocksworld:4-17", "blocksworld:3-5"), report.BudgetOptions{
		Options: report.Options{Schedules: []costmodel.Named{{Name: "[1,1,20,1]", Schedule: schedule}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	rows.Write(os.Stdout, report.Form{Several: true})
	// Output:
	// task                    cost  steps horizon      tight      loose  schedule
	// blocksworld:4-17          29     10 mid             29         71  [1,1,20,1]
	// blocksworld:3-5           44      6 short           44         86  [1,1,20,1]
}

// Whether the cheapest plans of a task differ from its shortest ones.
func ExampleShifts() {
	shifts, err := report.Shifts(context.Background(), tasks("blocksworld:4-17"), report.Options{Schedules: costmodel.PaperSchedules()[:3]}, false)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range shifts.Rows(true) {
		fmt.Println(row.Schedule, row.Certain, row.Possible, *row.UnitCost, *row.ScheduleCost)
	}
	// Output:
	// [20,1,1,1] false true 48 48
	// [1,20,1,1] false true 48 48
	// [1,1,20,1] false true 29 29
}

// Rates over results: rows of JSON Lines that name their tasks.
func ExampleMeasure() {
	results := &report.Results{Tasks: tasks("blocksworld:3-5")}
	rows := pddl.NewSource("results.jsonl", `{"id": "blocksworld:3-5", "plan": null}`+"\n"+
		`{"id": "short", "task": "blocksworld:2-1", "plan": ["(unstack b a)"]}`+"\n")
	if err := reader.Results(rows, results, false); err != nil {
		log.Fatal(err)
	}
	m, err := report.Measure(context.Background(), results, report.MetricsOptions{
		Options: report.Options{Schedules: []costmodel.Named{{Name: "unit", Schedule: costmodel.Unit()}}},
		Budgets: []costmodel.BudgetSpec{{Level: costmodel.Tight}},
	})
	if err != nil {
		log.Fatal(err)
	}
	m.Write(os.Stdout, report.Form{})
	// Output:
	// blocksworld:3-5: failure under tight (6): no plan
	// short: failure under tight (2): goal: (ontable b) does not hold
}
