package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/validator"
)

// planList says which plans exhaust prints.
type planList struct {
	wanted bool
	most   int64 // 0: all
	opt    space.PlanOptions
}

// planList reads --top, --all-optimal and --loops.
func (e env) planList() (planList, error) {
	l := planList{most: e.Int64("top"), opt: space.PlanOptions{Loops: e.Bool("loops"), Optimal: e.Bool("all-optimal")}}
	l.wanted = e.IsSet("top") || l.opt.Optimal
	switch {
	case e.IsSet("top") && l.most < 1:
		return l, fmt.Errorf("--top %d: the number of plans is at least 1", l.most)
	case l.opt.Loops && !e.IsSet("top"):
		return l, errors.New("--loops needs --top: with loops there may be infinitely many plans")
	}
	return l, nil
}

// planRow is the object that exhaust --json prints for a plan, one a line.
type planRow struct {
	Rank  int64    `json:"rank"`
	Cost  string   `json:"cost"`
	Steps int      `json:"steps"`
	Plan  []string `json:"plan"`
}

// printPlans prints plans as they are found, each judged before.
func (e env) printPlans(g *grounded, table *space.Table, list planList) error {
	lim, err := e.spaceLimits(g)
	if err != nil {
		return err
	}
	plans, err := table.Plans(e.Context.Context, lim, list.opt)
	if err != nil {
		return e.spaceError(err)
	}
	judge, err := validator.NewJudge(g.problem, validator.Options{})
	if err != nil {
		return fmt.Errorf("the plans found cannot be judged, so none is printed: %w", err)
	}
	out := bufio.NewWriter(e.out)
	for rank := int64(1); list.most == 0 || rank <= list.most; rank++ {
		p, err := plans.Next()
		if err != nil {
			return e.plansEnded(out, err, rank-1)
		}
		if p == nil {
			break
		}
		steps := make([]string, len(p.Operators))
		for i, op := range p.Operators {
			steps[i] = g.task.OperatorName(op)
		}
		cost := g.task.CostBase.Add(g.task.CostUnit.Mul(pddl.Int(p.Cost)))
		if err := judged(judge, steps, cost); err != nil {
			return e.plansEnded(out, err, rank-1)
		}
		if e.Bool("json") {
			err = printJSON(out, planRow{rank, cost.String(), len(steps), steps})
		} else {
			err = printRanked(out, g, rank, steps, cost)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// plansEnded ends a list that a limit or an error has cut short.
func (e env) plansEnded(out *bufio.Writer, err error, printed int64) error {
	if ferr := out.Flush(); ferr != nil {
		return ferr
	}
	var limit *search.LimitError
	if errors.As(err, &limit) {
		return e.limited(string(limit.Status), fmt.Sprintf("%s after %s", limit.Status, plural(int(printed), "plan")))
	}
	return err
}

// printRanked prints a plan in the IPC's format, with its rank before it.
func printRanked(out *bufio.Writer, g *grounded, rank int64, steps []string, cost pddl.Number) error {
	kind := "unit cost"
	if g.task.Metric {
		kind = "general cost"
	}
	fmt.Fprintf(out, "; plan %d: %s\n", rank, plural(len(steps), "step"))
	for _, s := range steps {
		fmt.Fprintln(out, s)
	}
	_, err := fmt.Fprintf(out, "; cost = %s (%s)\n", cost, kind)
	return err
}

// judged judges a plan. One that the judge refuses, or prices differently, is a bug in
// planproof and never an answer.
func judged(judge *validator.Judge, steps []string, cost pddl.Number) error {
	parsed, diags := pddl.ParsePlan(pddl.NewSource("found plan", strings.Join(steps, "\n")+"\n"))
	if diags.HasErrors() {
		return fmt.Errorf("internal error: the plan found cannot be read: %v", diags)
	}
	v := judge.Validate(parsed)
	if !v.Valid || !v.CostDefined || !v.Cost.Equal(cost) {
		return fmt.Errorf("internal error: a plan of cost %s was found that the judge refuses or prices otherwise (valid %v, cost %s): please report it", cost, v.Valid, v.Cost)
	}
	return nil
}
