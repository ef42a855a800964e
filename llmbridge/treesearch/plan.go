package treesearch

import (
	"context"
	"fmt"
	"io"

	"github.com/planproof/planproof/costmodel"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/internal/spell"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/heuristic"
)

// Request asks for a plan of one task by one method.
type Request struct {
	Problem *pddl.Problem
	Task    *grounder.Task // of Problem
	Method  Method
	// Guide makes the guide; it is not called where the budget alone decides.
	Guide  func(context.Context) (Guide, error)
	Budget *TaskBudget // of Task, see [FindBudget]
	// Options of the search. Their Budget is set from the one above.
	Options
}

// Report is the outcome of [Plan] in the form of `planproof ask --json`. Costs are in the
// units of the problem.
type Report struct {
	Status Status `json:"status"`
	Proven bool   `json:"proven"`
	pipeline.PlanReport
	LowerBound *string `json:"lower_bound"` // null: there is no plan at any cost
	Reason     string  `json:"reason,omitempty"`

	Method  string           `json:"method"`
	Guide   string           `json:"guide"` // for the caller to fill in
	Budget  costmodel.Budget `json:"budget"`
	Optimal *string          `json:"optimal_cost,omitempty"` // where the budget needed it
	Counts
	Optimality *float64 `json:"optimality,omitempty"` // optimal cost / cost, where both are known
	Efficiency float64  `json:"efficiency"`           // share of the expansions that were left
	// Model and Asked are about the language model, where one is the guide. The caller fills
	// in its name.
	Model string          `json:"model,omitempty"`
	Asked *LanguageTotals `json:"asked,omitempty"`
}

// WriteText writes an answer without a plan to out, and everything else about the outcome to
// notes. The plan itself is in [Outcome].
func (r *Report) WriteText(out, notes io.Writer) {
	stats := fmt.Sprintf("%s with %s, budget %s; %d expanded (%d forward, %d backward), %d evaluated, %d generated",
		r.Method, r.Guide, r.Budget, r.Expanded, r.ExpandedForward, r.ExpandedBackward, r.Evaluated, r.Generated)
	switch r.Status {
	case SolvedOptimally:
		fmt.Fprintf(notes, "optimal: cost %s in %s; %s\n", *r.Cost, spell.Plural(*r.Steps, "step"), stats)
	case Solved:
		fmt.Fprintf(notes, "found: cost %s in %s, not proven optimal (no plan costs less than %s); %s\n", *r.Cost, spell.Plural(*r.Steps, "step"), *r.LowerBound, stats)
	case Unsolvable:
		fmt.Fprintln(out, "unsolvable: no plan exists")
		fmt.Fprintf(notes, "proven by %s\n", stats)
	case NoPlanInBudget:
		fmt.Fprintf(out, "no plan within the budget of %s\n", r.Budget)
		fmt.Fprintf(notes, "proven by %s\n", stats)
	default:
		fmt.Fprintf(notes, "no answer: %s; %s\n", r.Status, stats)
	}
}

// Counts are the counts of a Result.
type Counts struct {
	Expanded         int `json:"expanded"`
	ExpandedForward  int `json:"expanded_forward"`
	ExpandedBackward int `json:"expanded_backward"`
	Rounds           int `json:"rounds"`
	FirstExpanded    int `json:"first_expanded"`
	BestExpanded     int `json:"best_expanded"`
	Generated        int `json:"generated"`
	Merged           int `json:"merged"`
	Pruned           int `json:"pruned"`
	Evaluated        int `json:"evaluated"`
	Calls            int `json:"calls"`
	Nodes            int `json:"nodes"`
}

// Outcome is what [Plan] gives.
type Outcome struct {
	Report
	// Result is that of the method, nil where the budget alone decided. Answer holds the
	// judged plan; it is nil without a plan.
	Result *Result
	Answer *pipeline.Answer
}

// Plan searches for a plan within the budget and has it judged. With an error of the guide
// or of the method comes the outcome so far.
func Plan(ctx context.Context, r *Request) (*Outcome, error) {
	o := &Outcome{Report: Report{Method: r.Method.Name(), Budget: r.Budget.Budget}}
	if r.Budget.Optimal != nil {
		text := r.Budget.Optimal.String()
		o.Optimal = &text
	}
	if r.Budget.Status == search.Unsolvable {
		o.Status, o.Proven = Unsolvable, true
		return o, nil
	}
	limit, affordable := BudgetUnits(r.Task, r.Budget.Budget)
	if !affordable { // not even the empty plan
		least := r.Task.CostBase.String()
		o.Status, o.Proven, o.LowerBound = NoPlanInBudget, true, &least
		return o, nil
	}
	guide, err := r.Guide(ctx)
	if err != nil {
		return o, err
	}
	space, err := NewSpace(r.Task)
	if err != nil {
		return o, err
	}
	opt := r.Options
	opt.Budget = limit
	res, err := r.Method.Search(ctx, space, guide, opt)
	if language, ok := guide.Evaluator.(*Language); ok {
		totals := language.Totals()
		o.Asked = &totals
	}
	if err != nil {
		return o, err
	}
	return o, o.finish(r, res)
}

// finish judges the plan and fills in the report.
func (o *Outcome) finish(r *Request, res *Result) error {
	o.Result, o.Status, o.Proven = res, res.Status, res.Proven()
	o.Counts = Counts{
		res.Expanded, res.ExpandedForward, res.ExpandedBackward, res.Rounds, res.FirstExpanded, res.BestExpanded,
		res.Generated, res.Merged, res.Pruned, res.Evaluated, res.Calls, res.Nodes,
	}
	o.Efficiency = max(0, 1-float64(res.Expanded)/float64(r.Expansions))
	if res.LowerBound != heuristic.DeadEnd {
		b := r.Task.PlanCost(res.LowerBound).String()
		o.LowerBound = &b
	}
	if !res.HasPlan() {
		return nil
	}
	a, err := pipeline.Confirm(r.Problem, r.Task, &search.Result{Status: search.Solved, Plan: res.Plan, Cost: res.Cost}, nil)
	if err != nil {
		return err
	}
	if !r.Budget.Admits(a.Cost) {
		return fmt.Errorf("internal error: the plan found costs %s, which is beyond the budget: please report it", a.Cost)
	}
	o.Answer, o.PlanReport = a, a.PlanReport()
	best := r.Budget.Optimal
	if best == nil && res.Status == SolvedOptimally {
		best = &a.Cost
	}
	if best == nil {
		return nil
	}
	score, err := costmodel.Evaluate(costmodel.Outcome{Valid: true, Cost: a.Cost, Expanded: -1}, *best, r.Budget.Budget, 0)
	if err != nil {
		return fmt.Errorf("internal error: %w: please report it", err)
	}
	optimality, _ := score.Optimality.Rat().Float64()
	o.Optimality = &optimality
	return nil
}
