package proof_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains/boxnet"
	"github.com/planproof/planproof/domains/boxnet/joint"
	"github.com/planproof/planproof/domains/boxnet/proof"
	"github.com/planproof/planproof/internal/seeded"
)

// hard draws instances whose optimum is above the lower bound, so that their certificates have lemmas.
func hard(t *testing.T, n int) (list []*proof.Certificate) {
	r := seeded.Rand(5, "boxnet proofs")
	for len(list) < n {
		in, err := boxnet.Sample(r, boxnet.SampleOptions{Width: 3, Height: 3, Objects: 4, Layout: boxnet.Interior})
		if err != nil {
			t.Fatal(err)
		}
		res, err := joint.Solve(context.Background(), in, joint.Options{Reading: boxnet.Default, Certificate: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Refuted >= 0 && len(res.Certificate.Clashes) > 0 {
			list = append(list, res.Certificate)
		}
	}
	return list
}

func copyOf(t *testing.T, c *proof.Certificate) *proof.Certificate {
	t.Helper()
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	again, err := proof.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// TestCertificates: what the search writes is accepted, also after it was written and read, and
// whatever is changed so that it shows nothing is refused.
func TestCertificates(t *testing.T) {
	accepted, refused := 0, 0
	for _, c := range hard(t, 3) {
		if rep, err := proof.Check(context.Background(), copyOf(t, c)); err != nil || rep.Steps != len(c.Plan) {
			t.Fatalf("%+v, %v", rep, err)
		}
		for name, change := range map[string]func(c *proof.Certificate){
			"a longer plan": func(c *proof.Certificate) { c.Plan = append(boxnet.Plan{boxnet.Step{}}, c.Plan...) },
			"a longer refutation": func(c *proof.Certificate) {
				c.Plan, c.Refuted = append(boxnet.Plan{boxnet.Step{}}, c.Plan...), c.Refuted+1
			},
			"a shorter plan":         func(c *proof.Certificate) { c.Plan = c.Plan[:len(c.Plan)-1] },
			"no refutation":          func(c *proof.Certificate) { c.Refuted = -1 },
			"no lemmas but the last": func(c *proof.Certificate) { c.Lemmas = []proof.Lemma{{}} },
			"a lemma from nowhere": func(c *proof.Certificate) {
				c.Lemmas = slices.Insert(slices.Clone(c.Lemmas), 0, proof.Lemma{Lits: []int32{-1}}, proof.Lemma{Lits: []int32{1}})
			},
			"no variable":     func(c *proof.Certificate) { c.Lemmas = []proof.Lemma{{Lits: []int32{1 << 30}}} },
			"a made-up clash": func(c *proof.Certificate) { c.Clashes = append(c.Clashes, [6]int32{0, 0, 0, 3, 15, 15}) },
			"no such robot":   func(c *proof.Certificate) { c.Clashes = append(c.Clashes, [6]int32{0, 0, 0, 9, 0, 0}) },
			"no such point":   func(c *proof.Certificate) { c.Clashes = append(c.Clashes, [6]int32{0, 99, 0, 1, 0, -1}) },
		} {
			bad := copyOf(t, c)
			change(bad)
			if _, err := proof.Check(context.Background(), bad); err == nil {
				t.Errorf("accepted: %s", name)
			}
			refused++
		}
		// Without its collisions the formula has a solution, or the lemmas do not follow.
		bare := copyOf(t, c)
		bare.Clashes = nil
		if _, err := proof.Check(context.Background(), bare); err == nil {
			accepted++
		}
	}
	if accepted == 3 || refused == 0 {
		t.Errorf("no certificate needs its clashes")
	}
}

// TestReadCertificate names the line of what cannot be read.
func TestReadCertificate(t *testing.T) {
	good := `{"certificate":"boxnet 1","reading":"default","optimal_steps":0,"refuted":-1,"map":[2,2],"robots":[],"objects":[],"plan":[]}` + "\n"
	if c, err := proof.Read(strings.NewReader(good + "x 1 2 3 4 5 6\n1 -2 0\nd 1 -2 0\n0\n")); err != nil || len(c.Clashes) != 1 || len(c.Lemmas) != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"":                              "line 1",
		"7\n":                           "line 1",
		"{}\n":                          "not a certificate",
		good + "1 2\n":                  "line 2",
		good + "x 1 2 3\n":              "line 2",
		good + "1 0\n1 99999999999 0\n": "line 3",
		strings.Replace(good, "default", "loose", 1):     "not a reading",
		strings.Replace(good, `steps":0`, `steps":1`, 1): "0 steps, not 1",
	} {
		if _, err := proof.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
