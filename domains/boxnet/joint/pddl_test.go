package joint_test

import (
	"context"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/seeded"
)

// TestPDDL compares the optima of exported tasks, found by the planner for all domains and confirmed by
// its judge, with ours, under every reading.
func TestPDDL(t *testing.T) {
	r := seeded.Rand(4, "boxnet pddl")
	tasks := 6
	if testing.Short() {
		tasks = 2
	}
	for n := range tasks {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: 2 + n%2, Height: 2, Objects: 1 + n/2%2, Layout: boxnet.Interior, NewCoord: n == 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, rd := range boxnet.Readings() {
			best, err := joint.Solve(context.Background(), in, joint.Options{Reading: rd})
			if err != nil || best.Status != joint.Solved {
				t.Fatalf("%v, %+v", err, best)
			}
			domain, problem, err := joint.PDDL(in, rd)
			if err != nil {
				t.Fatal(err)
			}
			task, err := planproof.ParseTask(domain, problem)
			if err != nil {
				t.Fatal(err)
			}
			found, err := planproof.Solve(context.Background(), task, planproof.SolveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if cost, ok := found.Cost.Int64(); !ok || int(cost) != len(best.Plan) {
				t.Errorf("%d under %s: cost %v, %d steps", n, rd, found.Cost, len(best.Plan))
			}
		}
	}
}
