package search

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/tasktest"
)

// begin reduces the task and begins with all searches at once.
func (a *auto) begin() {
	a.reduce()
	for _, r := range a.racers {
		r.after = 0
	}
}

// TestAutoReduces: auto that reduces the task at once has plans of the original, at its costs.
func TestAutoReduces(t *testing.T) {
	p, err := parseSearch("auto()")
	if err != nil {
		t.Fatal(err)
	}
	reduced := 0
	rapid.Check(t, func(t *rapid.T) {
		sp := tasktest.Enumerate(anyTask(t))
		e, err := newEngine(sp.Task, p, Limits{}, Limits{}.clock(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		a := e.(*auto)
		a.begin()
		for !a.run(1000) {
		}
		a.close()
		if a.racers[0].back != nil {
			reduced++
		}
		checkResult(t, "auto()", sp, a.outcome())
	})
	if reduced == 0 && !testing.Short() {
		t.Error("no task was reduced")
	}
}
