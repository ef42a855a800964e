package search

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
)

// TestPDBKeepsLimits: building pattern databases obeys the limits on time and memory, in
// a search and in a certification.
func TestPDBKeepsLimits(t *testing.T) {
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	// Each bit can be flipped when the one before is set; all must be set.
	sizes := make([]int, 24)
	for i := range sizes {
		sizes[i] = 2
	}
	task := chainTask(t, sizes, 1)
	for v := range sizes {
		for val := range int32(2) {
			op := grounder.Operator{Schema: task.Operators[0].Schema, Cost: 1, Effects: []grounder.Effect{{Var: int32(v), Val: val}}}
			if v > 0 {
				op.Pre = []grounder.Fact{{Var: int32(v - 1), Val: 1}}
			}
			task.Operators = append(task.Operators, op)
		}
		if v > 0 {
			task.Goal = append(task.Goal, grounder.Fact{Var: int32(v), Val: 1})
		}
	}
	clock := cpuclock.Start(context.Background(), 0, 0)
	const search = "astar(pdb(states=16777216, total=134217728, orders=20))"
	for name, c := range map[string]struct {
		lim    Limits
		status Status
	}{
		"wall":   {Limits{Wall: 20 * time.Millisecond}, Timeout},
		"CPU":    {Limits{CPU: 20 * time.Millisecond}, Timeout},
		"memory": {Limits{Memory: 1 << 20}, Memout},
	} {
		start := clock.Used()
		r, err := Run(context.Background(), task, Config{Search: search, Limits: c.lim})
		used := clock.Used() - start
		if err != nil || r.Status != c.status || used > 2*time.Second {
			t.Errorf("%s: %v, %v after %v", name, r, err, used)
		}
		start = clock.Used()
		_, err = Certify(context.Background(), task, &Result{Status: SolvedOptimally, Search: search, Cost: 24}, c.lim, nil)
		var limit *LimitError
		if used := clock.Used() - start; !errors.As(err, &limit) || limit.Status != c.status || used > 2*time.Second {
			t.Errorf("certify, %s: %v after %v", name, err, used)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Run(ctx, task, Config{Search: search}); err != nil || r.Status != Timeout {
		t.Errorf("cancelled: %v, %v", r, err)
	}
}
