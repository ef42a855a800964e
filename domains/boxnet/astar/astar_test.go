package astar

import (
	"context"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/internal/seeded"
)

// TestAgainstOptimum: plans are valid and never shorter than the optimum, often longer; the weight
// solves more.
func TestAgainstOptimum(t *testing.T) {
	r := seeded.Rand(3, "boxnet astar")
	solved, excess := map[float64]int{}, 0
	for n := range 24 {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: 2 + n%3, Height: 2 + n%3, Objects: 1 + n%4, Layout: boxnet.Quincunx})
		if err != nil {
			t.Fatal(err)
		}
		best, err := joint.Solve(context.Background(), in, joint.Options{Reading: boxnet.Default})
		if err != nil || best.Status != joint.Solved {
			t.Fatalf("%v, %+v", err, best)
		}
		for _, weight := range []float64{1, 10} {
			res, err := Search(context.Background(), in, Options{Reading: boxnet.Default, Weight: weight, Iterations: 300})
			if err != nil {
				t.Fatal(err)
			}
			if !res.Found {
				continue
			}
			solved[weight]++
			got := boxnet.NewJudge(in, boxnet.Default).Judge(res.Plan)
			if !got.Verdict.Valid || len(res.Plan) < len(best.Plan) {
				t.Errorf("%d: %d steps, optimal %d, %+v", n, len(res.Plan), len(best.Plan), got.Verdict.Failure)
			}
			excess += len(res.Plan) - len(best.Plan)
		}
	}
	if solved[1] >= solved[10] || excess == 0 {
		t.Errorf("solved %v, excess %d", solved, excess)
	}
	t.Log(solved, excess)
}

// TestSwinging: plans of BoxNet3D are valid and not shorter than the optimum.
func TestSwinging(t *testing.T) {
	r := seeded.Rand(4, "boxnet 3D A*")
	solved := 0
	for n := range 6 {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Dimensions: 3, Width: 2 + n%2, Height: 3, Objects: 2, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		best, err := joint.Solve(context.Background(), in, joint.Options{Reading: boxnet.Default})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Search(context.Background(), in, Options{Reading: boxnet.Default, Weight: 10})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Found {
			continue
		}
		solved++
		if res := boxnet.NewJudge(in, boxnet.Default).Judge(got.Plan); !res.Verdict.Valid || len(got.Plan) < len(best.Plan) {
			t.Errorf("%d: %d steps, the optimum is %d: %v", n, len(got.Plan), len(best.Plan), res.Verdict.Failure)
		}
	}
	if solved < 4 {
		t.Errorf("%d of 6 solved", solved)
	}
}
