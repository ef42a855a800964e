package main

import (
	"fmt"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/llmbridge/treesearch"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

// askAnswer judges the plan, writes it, and fills in the report. optimal is the optimal
// search result where the budget needed one.
func (e env) askAnswer(g *grounded, res *treesearch.Result, optimal *search.Result, report *askReport) error {
	report.Status, report.Proven = res.Status, res.Proven()
	if res.Status == treesearch.Timeout && e.interrupted() {
		report.Status = statusInterrupted
	}
	report.treeCounts = newTreeCounts(res)
	report.Efficiency = max(0, 1-float64(res.Expanded)/float64(e.Int("expansions")))
	if res.LowerBound != heuristic.DeadEnd {
		b := g.task.PlanCost(res.LowerBound).String()
		report.LowerBound = &b
	}
	if !res.HasPlan() {
		return nil
	}
	a, err := pipeline.Confirm(g.problem, g.task, &search.Result{Status: search.Solved, Plan: res.Plan, Cost: res.Cost}, nil)
	if err != nil {
		return err
	}
	verdict := a.Verdict
	if !report.Budget.Admits(verdict.Cost) {
		return fmt.Errorf("internal error: the plan found costs %s, which is beyond the budget: please report it", verdict.Cost)
	}
	if err := e.writePlan(a); err != nil {
		return err
	}
	report.PlanReport = a.PlanReport()
	best, known := verdict.Cost, res.Status == treesearch.SolvedOptimally
	if optimal != nil {
		best, known = g.task.PlanCost(optimal.Cost), true
	}
	if known {
		score, err := costmodel.Evaluate(costmodel.Outcome{Valid: true, Cost: verdict.Cost, Expanded: -1}, best, report.Budget, 0)
		if err != nil {
			return fmt.Errorf("internal error: %w: please report it", err)
		}
		o, _ := score.Optimality.Rat().Float64()
		report.Optimality = &o
	}
	return nil
}

// asked prints the outcome and sets the exit code.
func (e env) asked(r *askReport) error {
	code := map[treesearch.Status]int{
		treesearch.SolvedOptimally: exitYes, treesearch.Solved: exitYes,
		treesearch.Unsolvable: exitNo, treesearch.NoPlanInBudget: exitNo,
		treesearch.GaveUp: exitLimit, treesearch.Nodeout: exitLimit, treesearch.Timeout: exitLimit, statusInterrupted: exitLimit,
	}[r.Status]
	if e.Bool("json") {
		if code == exitLimit {
			fmt.Fprintf(e.err, "planproof: %s before an answer\n", r.Status)
		}
		if err := printJSON(e.out, r); err != nil {
			return err
		}
		return exit(code)
	}
	stats := fmt.Sprintf("%s with %s, budget %s; %d expanded (%d forward, %d backward), %d evaluated, %d generated",
		r.Method, r.Guide, r.Budget, r.Expanded, r.ExpandedForward, r.ExpandedBackward, r.Evaluated, r.Generated)
	switch r.Status {
	case treesearch.SolvedOptimally:
		fmt.Fprintf(e.err, "optimal: cost %s in %s; %s\n", *r.Cost, plural(*r.Steps, "step"), stats)
	case treesearch.Solved:
		fmt.Fprintf(e.err, "found: cost %s in %s, not proven optimal (no plan costs less than %s); %s\n", *r.Cost, plural(*r.Steps, "step"), *r.LowerBound, stats)
	case treesearch.Unsolvable:
		fmt.Fprintln(e.out, "unsolvable: no plan exists")
		fmt.Fprintf(e.err, "proven by %s\n", stats)
	case treesearch.NoPlanInBudget:
		fmt.Fprintf(e.out, "no plan within the budget of %s\n", r.Budget)
		fmt.Fprintf(e.err, "proven by %s\n", stats)
	default:
		fmt.Fprintf(e.err, "no answer: %s; %s\n", r.Status, stats)
	}
	return exit(code)
}
