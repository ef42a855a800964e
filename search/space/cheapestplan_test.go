package space

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search"
)

// TestCheapestPlan executes the plan by the definition. Costs of 0 are frequent, so that
// there are circles that cost nothing.
func TestCheapestPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		tab, err := Exhaust(context.Background(), task, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := tab.CheapestPlan()
		if err != nil {
			t.Fatal(err)
		}
		d := tab.InitialDistance()
		if p == nil || d.DeadEnd {
			if (p == nil) != d.DeadEnd {
				t.Fatalf("%+v at distance %+v", p, d)
			}
			return
		}
		cost, goal := tasktest.Naive{Task: task}.Replay(p.Operators)
		if !goal || cost != d.Cost || p.Cost != d.Cost {
			t.Fatalf("%+v costs %d, goal %v; the distance is %+v", p, cost, goal, d)
		}
	})
}
