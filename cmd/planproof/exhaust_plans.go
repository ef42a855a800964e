package main

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/planproof/planproof/internal/pipeline"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
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
	lim, err := e.searchLimits(g)
	if err != nil {
		return err
	}
	plans, err := pipeline.NewPlans(e.Context.Context, g.problem, table, lim, list.opt)
	if err != nil {
		return e.spaceError(err)
	}
	out := bufio.NewWriter(e.out)
	for rank := int64(1); list.most == 0 || rank <= list.most; rank++ {
		a, err := plans.Next()
		if err != nil {
			return e.plansEnded(out, err, rank-1)
		}
		if a == nil {
			break
		}
		if e.Bool("json") {
			err = printJSON(out, planRow{rank, a.Cost.String(), len(a.Plan), a.Plan})
		} else {
			fmt.Fprintf(out, "; plan %d: %s\n", rank, plural(len(a.Plan), "step"))
			err = a.WritePlan(out)
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
