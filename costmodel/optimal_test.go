package costmodel

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
	"github.com/planproof/planproof/search"
)

// TestOptimalCostsUnderSchedules grounds and solves every shared case under
// several schedules and compares with the planner for tests. Judge and search see
// the same prices: the plan found costs, to the judge, what the search says.
func TestOptimalCostsUnderSchedules(t *testing.T) {
	testkit.Long(t)
	for i, c := range testkit.Cases(t) {
		p := parse(t, c.Domain, c.Problem)
		for k, pattern := range [][]int{{1}, {1, 1, 20}, {3, 0, 7, 2}, {20, 1}} {
			if k != i%4 { // all pairs take half a minute: one schedule for each case
				continue
			}
			prices := map[string]int{}
			var entries []string
			for n, a := range p.Domain.Actions {
				price := pattern[n%len(pattern)]
				prices[a.Name] = price
				entries = append(entries, fmt.Sprintf("%s=%d", a.Name, price))
			}
			schedule := strings.Join(entries, ",")
			priced, err := mustSchedule(t, schedule).Apply(p)
			if err != nil {
				t.Fatal(err)
			}
			reference := naive.New(c.Domain, c.Problem)
			reference.Prices = prices
			want, ok := reference.Solve(100_000)
			if !ok {
				t.Fatalf("%s: no plan", c.Name)
			}
			got, plan := solve(t, priced)
			if got.String() != fmt.Sprint(want.Cost) {
				t.Errorf("%s, %s: cost %s, want %d", c.Name, schedule, got, want.Cost)
			}
			if judged := cost(t, priced, plan); judged != got.String() {
				t.Errorf("%s, %s: the judge says %s, the search %s", c.Name, schedule, judged, got)
			}
		}
	}
}

// solve returns the cost of an optimal plan and its text.
func solve(t testing.TB, p *pddl.Problem) (pddl.Number, string) {
	t.Helper()
	task, err := grounder.Ground(context.Background(), p, grounder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := search.Run(context.Background(), task, search.Config{Search: "astar(blind())", Limits: search.Limits{Nodes: 1_000_000}})
	if err != nil || r.Status != search.SolvedOptimally {
		t.Fatalf("%v %+v", err, r)
	}
	var steps []string
	for _, id := range r.Plan {
		steps = append(steps, task.OperatorName(id))
	}
	return task.CostBase.Add(task.CostUnit.Mul(pddl.Int(r.Cost))), strings.Join(steps, "\n")
}
