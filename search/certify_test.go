package search

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
	"github.com/planproof/planproof/internal/testkit"
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

var certifiedSearches = []string{"auto()", "astar(lmcut())", "astar(hmax())", "astar(pdb())", "astar(pdb(states=8, orders=2))", "astar(blind())", "ucs()", "nbs(lmcut())",
	"astar(landmarks())", "astar(landmarks(uniform=1))", "astar(scp())"}

// TestCertifySmallTasks certifies the small tasks by every search.
func TestCertifySmallTasks(t *testing.T) {
	testkit.Long(t)
	for name, task := range tasktest.SmallTasks(t) {
		for _, s := range certifiedSearches {
			r, c := certify(t, task, s)
			if c == nil {
				continue
			}
			n, report, err := tasktest.CheckCertificate(t, task, c.Certificate)
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
		if _, _, err := tasktest.CheckCertificate(t, task, c.Certificate); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	})
}

// TestCertifyLimits: a limit is an error, and no certificate.
func TestCertifyLimits(t *testing.T) {
	task := tasktest.SmallTasks(t)["elevator-5-4-2-1"]
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
