package search

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search/certificate"
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
	read, err := rd.Read(context.Background(), task, 1<<30)
	if err != nil {
		return n, nil, err
	}
	report, err := certificate.Check(context.Background(), task, read, 1<<30)
	return n, report, err
}

var certifiedSearches = []string{"auto()", "astar(lmcut())", "astar(hmax())", "astar(pdb())", "astar(pdb(states=8, orders=2))", "astar(blind())", "ucs()", "nbs(lmcut())"}

// TestCertifySmallTasks certifies the small tasks by every search.
func TestCertifySmallTasks(t *testing.T) {
	sequential(t)
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

// TestCertifyTable certifies the distances of all states, and sees one that is too high
// refused.
func TestCertifyTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := anyTask(t)
		tab, err := Exhaust(context.Background(), task, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		cert, err := CertifyTable(tab, 0)
		if err != nil {
			t.Fatal(err)
		}
		var limit *LimitError
		if _, err := CertifyTable(tab, tab.Bytes()); len(cert.Bounds) > 0 && !errors.As(err, &limit) {
			t.Fatalf("a certificate in the memory of the table alone: %v", err)
		}
		if _, _, err := check(t, task, cert); err != nil {
			t.Fatal(err)
		}
		if len(cert.Bounds) == 0 {
			return
		}
		i := rapid.IntRange(0, len(cert.Bounds)-1).Draw(t, "state")
		if cert.Bounds[i] == certificate.Infinite {
			return
		}
		cert.Bounds[i]++
		if _, _, err := check(t, task, cert); err == nil {
			t.Fatalf("the distance of state %d is 1 too high and accepted", i)
		}
	})
}

// TestCertifyLimits: a limit is an error, and no certificate.
func TestCertifyLimits(t *testing.T) {
	task := smallTasks(t)["elevator-5-4-2-1"]
	r, c := certify(t, task, "ucs()")
	for name, lim := range map[string]Limits{"nodes": {Nodes: c.Expanded - 1}, "memory": {Memory: 20000}, "time": {Wall: 1}} {
		got, err := Certify(context.Background(), task, r, lim, nil)
		var limit *LimitError
		if got != nil || !errors.As(err, &limit) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, s := range []Status{Timeout, Memout, Nodeout, Unsupported} {
		if _, err := Certify(context.Background(), task, &Result{Status: s}, Limits{}, nil); !errors.Is(err, ErrNoClaim) {
			t.Errorf("%s: %v", s, err)
		}
	}
	wrong := *r
	wrong.Cost++
	if _, err := Certify(context.Background(), task, &wrong, Limits{}, nil); err == nil || !strings.Contains(err.Error(), "internal error") {
		t.Errorf("a cost that is too high: %v", err)
	}
}
