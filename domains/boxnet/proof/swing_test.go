package proof_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/internal/seeded"
)

// TestSwingingCertificates: certificates of BoxNet3D are accepted after they were written and read; one whose
// clashes are left out, or made up, is refused.
func TestSwingingCertificates(t *testing.T) {
	r := seeded.Rand(6, "boxnet 3D proofs")
	needed, clashes := 0, 0
	for n := 0; n < 40 && (needed == 0 || clashes == 0); n++ {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Dimensions: 3, Width: 2, Height: 3 + n%2, Objects: 4, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		res, err := joint.Solve(context.Background(), in, joint.Options{Reading: boxnet.Arms, Certificate: true})
		if err != nil {
			t.Fatal(err)
		}
		c := res.Certificate
		if res.Refuted < 0 || len(c.Clashes) == 0 {
			continue
		}
		clashes++
		if _, err := proof.Check(context.Background(), copyOf(t, c)); err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string]func(c *proof.Certificate){
			"a made-up clash":       func(c *proof.Certificate) { c.Clashes = append(c.Clashes, [6]int32{0, 0, 0, 1, 0, 0}) },
			"a made-up loaded pair": func(c *proof.Certificate) { c.Loaded = append(c.Loaded, [6]int32{0, 0, 0, 1, 0, 0}) },
			"no such robot":         func(c *proof.Certificate) { c.Loaded = append(c.Loaded, [6]int32{0, 0, 0, 7, 0, 0}) },
			"no lemmas":             func(c *proof.Certificate) { c.Lemmas = []proof.Lemma{{}} },
			"another reading":       func(c *proof.Certificate) { c.Reading = boxnet.CrossingOnly },
			"a shorter plan":        func(c *proof.Certificate) { c.Plan = c.Plan[1:] },
		} {
			bad := copyOf(t, c)
			change(bad)
			if _, err := proof.Check(context.Background(), bad); err == nil {
				t.Errorf("accepted: %s", name)
			}
		}
		bare := copyOf(t, c)
		bare.Clashes, bare.Loaded = nil, nil
		if _, err := proof.Check(context.Background(), bare); err != nil {
			needed++
		}
	}
	if needed == 0 || clashes == 0 {
		t.Errorf("%d certificates with clashes, %d of them need some", clashes, needed)
	}
}

// TestLoadedClash: two motions that collide only where both robots carry are a pair of kind w, and none of kind x.
func TestLoadedClash(t *testing.T) {
	text := `{"certificate":"boxnet 1","reading":"default","optimal_steps":5,"refuted":4,"dimensions":3,"map":[3,2],
"robots":[{"name":"A","base":[1.1,1.1],"arm":[1.65,1.65]},{"name":"B","base":[2.2,1.1],"arm":[1.65,0.55]}],
"objects":[{"name":"x","at":[0.55,0.55],"target":[2.75,0.55]}],"plan":[{},{"A":"Move [0.55, 0.55], False"},{"A":"Move [1.65, 0.55], True","B":"Move [2.2, 1.6], False"},` +
		`{"A":"Move [1.1, 1.6], False","B":"Move [1.65, 0.55], False"},{"B":"Move [2.75, 0.55], True"}]}`
	text = strings.ReplaceAll(text, "\n", "") + "\n"
	c, err := proof.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if res := boxnet.NewJudge(c.Instance, c.Reading).Judge(c.Plan); !res.Verdict.Valid {
		t.Fatal(res.Verdict.Failure.Message)
	}
	// The exchange of A and B between [1.65, 1.65] and [1.65, 0.55], by the numbers of their points.
	a, b := pointsOf(c.Instance, 0), pointsOf(c.Instance, 1)
	up, down := boxnet.Point{X: 165 * boxnet.One / 100, Y: 165 * boxnet.One / 100}, boxnet.Point{X: 165 * boxnet.One / 100, Y: 55 * boxnet.One / 100}
	number := func(list []boxnet.Point, p boxnet.Point) int32 { return int32(slices.Index(list, p)) }
	exchange := [6]int32{0, number(a, up), number(a, down), 1, number(b, down), number(b, up)}
	check := func(clashes, loaded [][6]int32) string {
		cert := *c
		cert.Clashes, cert.Loaded = clashes, loaded
		if _, err := proof.Check(context.Background(), &cert); err != nil {
			return err.Error()
		}
		return "accepted"
	}
	if why := check([][6]int32{exchange}, nil); !strings.Contains(why, "do not collide") {
		t.Errorf("x: %s", why)
	}
	if why := check(nil, [][6]int32{exchange}); !strings.Contains(why, "do not end in a contradiction") {
		t.Errorf("w: %s", why)
	}
}

// pointsOf are the points of a robot, by x, then y.
func pointsOf(in *boxnet.Instance, robot int) (list []boxnet.Point) {
	for i := range in.Robots {
		list = append(append(list, in.Cells(in.Robots[i].Base)...), in.Beside(in.Robots[i].Base)...)
	}
	slices.SortFunc(list, boxnet.ComparePoints)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(p boxnet.Point) bool { return !in.Reaches(in.Robots[robot].Base, p) })
}
