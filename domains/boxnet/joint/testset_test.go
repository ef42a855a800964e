package joint

import (
	"context"
	"os"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/internal/seeded"
	"github.com/planproof/planproof/internal/testkit"
)

// testSet draws instances of square maps: 5 sizes x 5 numbers of objects x each.
func testSet(t testing.TB, layout boxnet.Layout, each int) (list []*boxnet.Instance) {
	r := seeded.Rand(1, "boxnet test set")
	for side := 2; side <= 6; side++ {
		for objects := 1; objects <= 5; objects++ {
			for range each {
				in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: side, Height: side, Objects: objects, Layout: layout})
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, in)
			}
		}
	}
	return list
}

// TestTestSet solves instances of all sizes; with PLANPROOF_LONG=1 all 250 of two layouts, each within a
// minute of CPU.
func TestTestSet(t *testing.T) {
	each := 1
	if os.Getenv("PLANPROOF_LONG") != "" {
		each = 10
	}
	for _, layout := range []boxnet.Layout{boxnet.Quincunx, boxnet.Interior} {
		began := testkit.CPUTime()
		steps, bound := 0, 0
		list := testSet(t, layout, each)
		for i, in := range list {
			if testing.Short() && in.Width > 4 {
				break
			}
			res, err := Solve(context.Background(), in, Options{Reading: boxnet.Default, Certificate: true})
			if err != nil || res.Status != Solved {
				t.Fatalf("%d: %v, %+v", i, err, res)
			}
			if _, err := proof.Check(context.Background(), res.Certificate); err != nil {
				t.Errorf("%d: %v", i, err)
			}
			steps += len(res.Plan)
			if res.Lower.Steps == len(res.Plan) {
				bound++
			}
		}
		took := (testkit.CPUTime() - began).Seconds()
		t.Logf("%s: %d instances, %d steps, bound reached %d, %.1f s", layout, len(list), steps, bound, took)
		if each == 10 && took > 60 {
			t.Errorf("%s: %.1f s of CPU, more than 60", layout, took)
		}
	}
}
