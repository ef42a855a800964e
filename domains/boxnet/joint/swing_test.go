package joint

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/internal/seeded"
)

// fewest is the least number of steps of a plan over the points of the search, found by trying all
// steps with the judge, breadth first; -1 beyond a number of steps.
func fewest(t *testing.T, in *boxnet.Instance, rd boxnet.Reading, most int) int {
	p := newPlaces(in)
	j := boxnet.NewJudge(in, rd)
	var steps []boxnet.Step
	var build func(r int, step boxnet.Step)
	build = func(r int, step boxnet.Step) {
		if r == len(in.Robots) {
			steps = append(steps, append(boxnet.Step{}, step...))
			return
		}
		build(r+1, step)
		for _, q := range p.ordinaryReach(int32(r)) {
			for _, carry := range []bool{false, true} {
				build(r+1, append(step, boxnet.Move{Robot: in.Robots[r].Name, To: p.points[q], Carry: carry, Bare: true}))
			}
		}
	}
	build(0, nil)
	layer := []*boxnet.State{j.Start()}
	seen := map[string]bool{}
	s := new(boxnet.Scratch)
	for n := 0; n <= most; n++ {
		var next []*boxnet.State
		for _, st := range layer {
			if len(j.Away(st)) == 0 {
				return n
			}
			for _, step := range steps {
				after := st.Clone()
				if n == most || j.Step(after, step, s) != nil {
					continue
				}
				if key := fmt.Sprint(after.Arms, after.Objects); !seen[key] {
					seen[key] = true
					next = append(next, after)
				}
			}
		}
		layer = next
	}
	return -1
}

// TestSwingingAgainstSearch compares the optimum of BoxNet3D with that of a search which only knows the judge, and has
// certificates checked after they were written and read.
func TestSwingingAgainstSearch(t *testing.T) {
	r := seeded.Rand(3, "boxnet 3D")
	certified := 0
	for n := range 11 {
		opt := boxnet.SampleOptions{Dimensions: 3, Width: 2, Height: 2 + n%4/3, Objects: 1 + n%3, Obstacles: n % 2, Layout: boxnet.Interior, NewCoord: n > 7}
		if opt.Height == 3 {
			opt.Objects = 1
		}
		in, err := boxnet.Sample(r, opt)
		if err != nil {
			t.Fatal(err)
		}
		if n%4 == 2 { // an arm that is aligned with two objects, and one that starts near a target
			in.Robots[0].Arm = in.Objects[0].At
			in.Robots[0].Arm.X += boxnet.One / 20
		}
		for _, rd := range boxnet.Readings3D() {
			most := 6
			if opt.Height == 3 {
				most = 2
			}
			if testing.Short() && n > 3 && rd != boxnet.Default {
				continue
			}
			want := fewest(t, in, rd, most)
			res, err := Solve(context.Background(), in, Options{Reading: rd, MaxSteps: most, Certificate: true, Second: Moves})
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Optimum().Steps; got != want {
				t.Errorf("%d, %s: %d steps, the search by trying all finds %d", n, rd, got, want)
			}
			if res.Certificate == nil {
				continue
			}
			var b bytes.Buffer
			if _, err := res.Certificate.WriteTo(&b); err != nil {
				t.Fatal(err)
			}
			c, err := proof.Read(&b)
			if err != nil {
				t.Fatal(err)
			}
			if rep, err := proof.Check(context.Background(), c); err != nil || rep.Steps != want {
				t.Errorf("%d, %s: %+v, %v", n, rd, rep, err)
			}
			certified += len(c.Lemmas)
		}
	}
	if certified == 0 {
		t.Error("no certificate has lemmas")
	}
}
