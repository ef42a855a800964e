package main

import (
	"fmt"

	"github.com/planproof/planproof/llmbridge/treesearch"
)

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
