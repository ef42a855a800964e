package costmodel_test

import (
	"context"
	"fmt"
	"log"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

func load(name string) *pddl.Problem {
	domain, problem, err := domains.Load(name)
	if err != nil {
		log.Fatal(err)
	}
	d, _ := pddl.ParseDomain(domain, pddl.Options{})
	p, diags := pddl.ParseProblem(problem, d, pddl.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	return p
}

// A schedule gives every action one cost. Solve finds a cheapest plan under it.
func ExampleSolve() {
	schedule, err := costmodel.ParseSchedule("put-down=20,*=1")
	if err != nil {
		log.Fatal(err)
	}
	s, err := costmodel.Solve(context.Background(), load("blocksworld:4-17"), schedule, grounder.Options{}, search.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Status, s.Cost, len(s.Plan))
	// Output: solved-optimally 29 10
}

// Evaluate measures a plan of cost 43 against the optimal cost 29 and a loose budget.
func ExampleEvaluate() {
	budgets := costmodel.Budgets{Optimal: pddl.Int(29), Slack: pddl.Int(42)}
	loose, err := budgets.At(costmodel.Loose)
	if err != nil {
		log.Fatal(err)
	}
	score, err := costmodel.Evaluate(costmodel.Outcome{Valid: true, Cost: pddl.Int(43), Expanded: 100}, budgets.Optimal, loose, costmodel.DefaultNodeLimit)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loose, score.Success, score.Optimality, score.Efficiency, score.Regret)
	// Output: loose (71) true 29/72 0.8 14
}
