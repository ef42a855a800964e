package search

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/invariants"
)

// TestLongEstimates has a chain of 10,000 steps, of which LM-cut makes as many cuts, each of
// them over the rest of the chain: seconds for one state. Limits hold within an estimate, and
// auto leaves blind search, which has the plan at once, its share.
func TestLongEstimates(t *testing.T) {
	late := 400 * time.Millisecond
	if invariants.Enabled {
		late = 4 * time.Second // checks of every estimate are part of it
	}
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	task := chainTask(t, []int{10_001}, 1)
	clock := cpuclock.Start(context.Background(), 0, 0)
	start := clock.Used()
	r, err := Run(context.Background(), task, Config{})
	if used := clock.Used() - start; err != nil || r.Status != SolvedOptimally || r.Cost != 10_000 || r.Search != "astar(blind())" || used > 2*time.Second {
		t.Errorf("auto: %v, %v after %v", r, err, used)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range []string{"astar(lmcut())", "nbs(lmcut())"} {
		for _, c := range []struct {
			ctx context.Context
			lim Limits
		}{
			{context.Background(), Limits{CPU: 50 * time.Millisecond}},
			{context.Background(), Limits{Wall: 50 * time.Millisecond}},
			{ended, Limits{}},
		} {
			start := clock.Used()
			r, err := Run(c.ctx, task, Config{Search: s, Limits: c.lim})
			if used := clock.Used() - start; err != nil || r.Status != Timeout || used > late {
				t.Errorf("%s, %+v: %v, %v after %v", s, c.lim, r, err, used)
			}
		}
	}
	// A certificate by landmarks begins with those of the first state.
	start = clock.Used()
	_, err = Certify(context.Background(), task, &Result{Status: SolvedOptimally, Cost: 10_000, Search: "astar(lmcut())"}, Limits{CPU: 50 * time.Millisecond}, nil)
	var limit *LimitError
	if used := clock.Used() - start; !errors.As(err, &limit) || limit.Status != Timeout || used > late {
		t.Errorf("certify: %v after %v", err, used)
	} else if limit.States > 1 {
		t.Errorf("certify went on for %d states after the estimate that its time ended in", limit.States)
	}
}
