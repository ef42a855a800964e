package joint_test

import (
	"context"
	"testing"

	"github.com/planproof/planproof"
	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/seeded"
)

// sameOptimum compares the optimum of an exported task, found by the planner for all domains and confirmed by its
// judge, with that of the joint search, and returns it.
func sameOptimum(t *testing.T, name any, in *boxnet.Instance, rd boxnet.Reading) int {
	t.Helper()
	best, err := joint.Solve(context.Background(), in, joint.Options{Reading: rd})
	if err != nil || best.Status != joint.Solved {
		t.Fatalf("%v under %s: %v, %+v", name, rd, err, best)
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
		t.Errorf("%v under %s: cost %v, %d steps", name, rd, found.Cost, len(best.Plan))
	}
	return len(best.Plan)
}

// TestPDDL compares optima of exported tasks under every reading.
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
			sameOptimum(t, n, in, rd)
		}
	}
}

// TestPDDL3D does so for BoxNet3D: maps of one robot and two, obstacles, objects off the points, and an object that
// only has to be taken to the tip that is beside it.
func TestPDDL3D(t *testing.T) {
	r := seeded.Rand(5, "boxnet pddl 3D")
	tasks := 12
	if testing.Short() {
		tasks = 2
	}
	for n := range tasks {
		opt := boxnet.SampleOptions{Dimensions: 3, Width: 2, Height: 2 + n/2%2, Objects: 1 + n%2, Layout: boxnet.Interior, NewCoord: n%2 == 1, Obstacles: n / 4 % 2}
		in, err := boxnet.Sample(r, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, rd := range boxnet.Readings3D() {
			sameOptimum(t, n, in, rd)
		}
	}
	for _, row := range []string{
		`{"dimensions": 3, "map": [2, 2], "robots": [{"name": "A", "base": [1.1, 1.1], "arm": [0.55, 0.55]}], "objects": [{"name": "x", "at": [0.55, 0.58], "target": [0.55, 0.55]}]}`,
		// The nearest object is not the one to be moved, of two as near the first is taken.
		`{"dimensions": 3, "map": [2, 2], "robots": [{"name": "A", "base": [1.1, 1.1], "arm": [0.55, 0.55]}], "objects": [
			{"name": "x", "at": [0.55, 0.58], "target": [0.55, 0.58]}, {"name": "y", "at": [0.55, 0.51], "target": [0.55, 1.65]}, {"name": "z", "at": [0.58, 0.55], "target": [1.65, 0.55]}]}`,
	} {
		in, err := boxnet.ReadInstance([]byte(row), true)
		if err != nil {
			t.Fatal(err)
		}
		for _, rd := range boxnet.Readings3D() {
			t.Log(sameOptimum(t, row, in, rd))
		}
	}
}
