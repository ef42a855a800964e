package oracle

import (
	"context"
	"math"
	"testing"

	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/rltrain/rows"
	"pgregory.net/rapid"
)

// TestShapingTelescopes sums the steps of walks through a real state space.
func TestShapingTelescopes(t *testing.T) {
	o := newTestOracle(t, Options{})
	ref := taskref.Ref{Task: "blocksworld:4-17"}
	if err := o.Prepare(context.Background(), ref, "shaped"); err != nil {
		t.Fatal(err)
	}
	table, err := o.distances(t.Context(), o.task(t.Context(), ref), true)
	if err != nil {
		t.Fatal(err)
	}
	actions := groundNames(table)
	rapid.Check(t, func(t *rapid.T) {
		s, sum := table.table.Initial(), 0.0
		var steps []string
		phi := func() float64 {
			p, err := table.progress(steps)
			if err != nil {
				t.Fatal(err)
			}
			return -0.5 * float64(p.Distance()) / float64(p.Initial)
		}
		before := phi()
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			var next []string
			for _, a := range actions {
				if _, _, err := table.table.Apply(s, a); err == nil {
					next = append(next, a)
				}
			}
			a := rapid.SampledFrom(next).Draw(t, "action")
			s, _, _ = table.table.Apply(s, a)
			steps = append(steps, a)
			now := phi()
			sum += now - before
			before = now
		}
		got := o.Score(context.Background(), &rows.Item{Task: ref, Response: answer(steps...)}, "shaped")
		if math.Abs(got.Components["shaping"]-sum) > 1e-9 {
			t.Fatalf("%v: shaping %v, steps sum to %v", steps, got.Components["shaping"], sum)
		}
	})
}
