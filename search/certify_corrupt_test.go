package search

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/search/certificate"
)

// clone copies a certificate deeply.
func clone(c *certificate.Certificate) *certificate.Certificate {
	d := *c
	d.Plan, d.Rows, d.Bounds, d.Evidence = slices.Clone(c.Plan), slices.Clone(c.Rows), slices.Clone(c.Bounds), slices.Clone(c.Evidence)
	d.Parts = slices.Clone(c.Parts)
	for i := range d.Parts {
		p := &d.Parts[i]
		p.Vars, p.Values, p.Facts = slices.Clone(p.Vars), slices.Clone(p.Values), slices.Clone(p.Facts)
	}
	d.Groups = slices.Clone(c.Groups)
	for i := range d.Groups {
		d.Groups[i] = slices.Clone(d.Groups[i])
	}
	return &d
}

// pathRows returns the states along a plan as the text of their rows.
func pathRows(n tasktest.Naive, plan []grounder.OperatorID) (out []string) {
	lay := certificate.NewLayout(n.Task)
	row := make([]uint64, lay.Words())
	s := n.Initial()
	for _, o := range plan {
		lay.Pack(row, s)
		out = append(out, fmt.Sprint(row))
		s, _, _ = n.Apply(s, int(o))
	}
	return out
}

// TestCorruptedCertificates changes certificates in ways that matter, writes them anew with
// right checksums, and holds the checker to the reference: whatever that one refuses must be
// refused, and where only states were changed, nothing else. With PLANPROOF_CERTIFICATES set
// it takes more and larger tasks.
func TestCorruptedCertificates(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	rounds, most := 1, 130
	if os.Getenv("PLANPROOF_CERTIFICATES") != "" {
		rounds, most = 6, 400
	}
	refused, harmless, total := map[string]int{}, 0, 0
	tasks := tasktest.SmallTasks(t)
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		task := tasks[name]
		sp := tasktest.Enumerate(task)
		if len(sp.States) > most {
			continue
		}
		for _, s := range []string{"astar(blind())", "astar(lmcut())", "astar(pdb(states=200))"} {
			r, c := certify(t, task, s)
			if c == nil {
				continue // the search refuses a feature
			}
			if err := referenceCheck(sp, c.Certificate); err != nil {
				t.Fatalf("%s, %s: the reference refuses the certificate itself: %v", name, s, err)
			}
			for _, mu := range mutations {
				for range rounds {
					m := &mutant{clone(c.Certificate), task, certificate.NewLayout(task).Words(), pathRows(sp.Naive, r.Plan)}
					if !mu.change(rng, m) {
						continue
					}
					if compare(t, name+", "+s, mu, sp, m) {
						refused[mu.name]++
						total++
					} else {
						harmless++
					}
				}
			}
		}
	}
	for _, mu := range mutations {
		t.Logf("%4d refused: %s", refused[mu.name], mu.name)
		if refused[mu.name] == 0 {
			t.Errorf("no certificate was refused because %s", mu.name)
		}
	}
	t.Logf("%d refused, %d changes left a right certificate", total, harmless)
	if total < 200 {
		t.Errorf("only %d corrupted certificates were refused, want 200", total)
	}
}

// compare holds the checker to the reference and reports whether a mutant is wrong.
func compare(tb rapid.TB, where string, mu mutation, sp *tasktest.Space, m *mutant) bool {
	want := referenceCheck(sp, m.Certificate)
	_, _, err := tasktest.CheckCertificate(tb, m.task, m.Certificate)
	switch {
	case want != nil && err == nil:
		tb.Errorf("%s, %s: accepted, the reference says: %v", where, mu.name, want)
	case want == nil && err != nil && mu.states:
		tb.Errorf("%s, %s: refused (%v), the reference accepts", where, mu.name, err)
	}
	return want != nil
}

// TestCorruptedRandomTasks does the same on random tasks with axioms, conditional effects and
// costs, operators of cost 0 and goals out of reach.
func TestCorruptedRandomTasks(t *testing.T) {
	wrong := 0
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		s := rapid.SampledFrom(certifiedSearches).Draw(t, "search")
		r, c := certify(t, task, s)
		if c == nil {
			return
		}
		sp := tasktest.Enumerate(task)
		if err := referenceCheck(sp, c.Certificate); err != nil {
			t.Fatalf("the reference refuses the certificate itself: %v", err)
		}
		rng := rand.New(rand.NewSource(int64(rapid.Uint32().Draw(t, "seed"))))
		for _, mu := range mutations {
			m := &mutant{clone(c.Certificate), task, certificate.NewLayout(task).Words(), pathRows(sp.Naive, r.Plan)}
			if mu.change(rng, m) && compare(t, s, mu, sp, m) {
				wrong++
			}
		}
	})
	t.Logf("%d wrong certificates", wrong)
}

// TestForeignCertificates gives every certificate of one task to another of the same shape,
// with and without the name of the other task in it.
func TestForeignCertificates(t *testing.T) {
	tasks := map[string]*grounder.Task{}
	for name, task := range tasktest.SmallTasks(t) {
		if strings.HasPrefix(name, "blocksworld-4") || strings.HasPrefix(name, "blocksworld-5") {
			tasks[name] = task
		}
	}
	forged := 0
	for from, a := range tasks {
		_, c := certify(t, a, "astar(blind())")
		for to, b := range tasks {
			if from == to {
				continue
			}
			if _, _, err := tasktest.CheckCertificate(t, b, c.Certificate); err == nil || !strings.Contains(err.Error(), "another task") {
				t.Errorf("the certificate of %s for %s: %v", from, to, err)
			}
			if a.Operators.Len() != b.Operators.Len() || len(a.Variables) != len(b.Variables) {
				continue
			}
			m := clone(c.Certificate)
			m.Task = certificate.TaskHash(b)
			want := referenceCheck(tasktest.Enumerate(b), m)
			if _, _, err := tasktest.CheckCertificate(t, b, m); want != nil && err == nil {
				t.Errorf("the forged certificate of %s for %s is accepted; the reference says: %v", from, to, want)
			}
			if want != nil {
				forged++
			}
		}
	}
	if forged == 0 {
		t.Error("no forged certificate was wrong")
	}
}

// TestDamagedCertificates cuts files short and flips bits: the checksum refuses most, the
// reader the rest.
func TestDamagedCertificates(t *testing.T) {
	for name, task := range tasktest.SmallTasks(t) {
		_, c := certify(t, task, "auto()")
		var file bytes.Buffer
		if err := certificate.Write(&file, task, c.Certificate); err != nil {
			t.Fatal(err)
		}
		data := file.Bytes()
		try := func(what string, data []byte) {
			rd, err := certificate.NewReader(bytes.NewReader(data))
			if err != nil {
				return
			}
			if read, err := rd.Read(context.Background(), task, 1<<20); err == nil {
				_, err = certificate.Check(context.Background(), task, read, 1<<20)
				t.Errorf("%s: %s: read (%v)", name, what, err)
			}
		}
		rng := rand.New(rand.NewSource(2))
		for range 20 {
			n := rng.Intn(len(data))
			try(fmt.Sprintf("cut after %d bytes", n), data[:n])
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << rng.Intn(8)
			try(fmt.Sprintf("a flipped bit in byte %d", n), flipped)
		}
		try("a byte too many", append(bytes.Clone(data), 0))
	}
}
