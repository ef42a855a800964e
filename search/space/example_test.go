package space_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
)

func ExampleExhaust() {
	_, task := tasktest.Bundled("blocksworld:4-17")
	table, err := space.Exhaust(context.Background(), task, search.Limits{Nodes: 1_000_000})
	if err != nil {
		panic(err)
	}
	fmt.Println(table.States, "states,", table.OptimalPlans, "optimal plans")
	fmt.Println("initial state:", table.InitialDistance().Steps, "steps")
	// Output:
	// 125 states, 2 optimal plans
	// initial state: 10 steps
}

// The distance after each step of a plan shows which steps lead away from the goal.
func ExampleTable_DistanceAfter() {
	_, task := tasktest.Bundled("blocksworld:3-1")
	table, err := space.Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		panic(err)
	}
	plan, err := table.CheapestPlan()
	if err != nil {
		panic(err)
	}
	var steps []string
	for _, op := range plan.Operators {
		steps = append(steps, task.OperatorName(op))
		d, _, err := table.DistanceAfter(steps)
		if err != nil {
			panic(err)
		}
		fmt.Println(steps[len(steps)-1], d.Steps)
	}
	// Output:
	// (unstack a b) 5
	// (put-down a) 4
	// (unstack b c) 3
	// (put-down b) 2
	// (pick-up c) 1
	// (stack c a) 0
}

func ExampleTable_Plans() {
	ctx := context.Background()
	_, task := tasktest.Bundled("blocksworld:4-17")
	table, err := space.Exhaust(ctx, task, search.Limits{})
	if err != nil {
		panic(err)
	}
	plans, err := table.Plans(ctx, search.Limits{}, space.PlanOptions{})
	if err != nil {
		panic(err)
	}
	for range 3 {
		p, err := plans.Next()
		if err != nil || p == nil {
			panic(err)
		}
		fmt.Println(p.Cost, len(p.Operators))
	}
	// Output:
	// 10 10
	// 10 10
	// 12 12
}

func ExampleExporter() {
	_, task := tasktest.Bundled("gripper:1")
	table, err := space.Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		panic(err)
	}
	x, err := table.Exporter(space.CSV)
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	if err := x.Write(context.Background(), &out, nil); err != nil {
		panic(err)
	}
	lines := strings.Split(out.String(), "\n")
	fmt.Println(strings.Join(lines[:3], "\n"))
	// Output:
	// source,target,cost,action
	// 0,1,1,(move room0 room1)
	// 0,2,1,(pick ball0 room0 right)
}

// One enumeration answers for all goals that are conjunctions of facts.
func ExampleGoals() {
	ctx := context.Background()
	problem, _ := tasktest.Bundled("blocksworld:3-1")
	goals, err := space.ReadGoals(problem, pddl.NewSource("goals", "(on c a)\n(and (on b a) (on c b))\n"))
	if err != nil {
		panic(err)
	}
	g, err := space.NewGoals(ctx, problem, space.GoalOptions{})
	if err != nil {
		panic(err)
	}
	for _, goal := range goals {
		d, err := g.Distance(ctx, goal)
		if err != nil {
			panic(err)
		}
		fmt.Printf("line %d: cost %s\n", d.Line, *d.OptimalCost)
	}
	// Output:
	// line 1: cost 6
	// line 2: cost 6
}

// A state space knows no goal: the distances to any state follow from one enumeration.
func ExampleEnumerate() {
	_, task := tasktest.Bundled("blocksworld:3-1")
	s, err := space.Enumerate(context.Background(), task, search.Limits{})
	if err != nil {
		panic(err)
	}
	goals, err := s.Satisfying([]grounder.Fact{task.Goal[0]})
	if err != nil {
		panic(err)
	}
	d := s.NewDistances()
	if err := d.To(goals, s.Steps(), space.ByCost); err != nil {
		panic(err)
	}
	fmt.Println(s.Len(), "states,", s.Edges(), "transitions;", d.Cost[0], "steps from the initial state")
	// Output:
	// 22 states, 42 transitions; 2 steps from the initial state
}

func ExampleSimulator() {
	_, task := tasktest.Bundled("blocksworld:3-1")
	sim, err := space.NewSimulator(task)
	if err != nil {
		panic(err)
	}
	state := sim.Initial()
	for _, op := range sim.Applicable(state, nil) {
		fmt.Println(task.OperatorName(op))
	}
	_, _, err = sim.Apply(state, "(stack a a)")
	fmt.Println(err)
	// Output:
	// (unstack a b)
	// (stack a a): no such ground action
}

func ExampleSummary() {
	_, task := tasktest.Bundled("gripper:1")
	table, err := space.Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		panic(err)
	}
	s := table.Summary()
	if err := s.WriteText(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// states        8
	// edges         16
	// depth         4
	// goal states   2
	// dead ends     0
	// optimal cost  3
	// optimal plans 2
	// states per depth
	//      0          1 ##############
	//      1          3 ########################################
	//      2          2 ###########################
	//      3          1 ##############
	//      4          1 ##############
}
