package search

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/tasktest"
)

// TestBuildingKeepsLimits: building abstractions obeys the limits on time and memory, in a
// search and, for the one that has its tables in certificates, in a certification.
func TestBuildingKeepsLimits(t *testing.T) {
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
			op := grounder.Operator{Schema: task.Operators.Schema(0), Cost: 1, Effects: []grounder.Effect{{Var: int32(v), Val: val}}}
			if v > 0 {
				op.Pre = []grounder.Fact{{Var: int32(v - 1), Val: 1}}
			}
			task.Operators.Append(op)
		}
		if v > 0 {
			task.Goal = append(task.Goal, grounder.Fact{Var: int32(v), Val: 1})
		}
	}
	for _, search := range []string{
		"astar(pdb(states=16777216, total=134217728, orders=20))",
		"astar(pdbs(states=16777216, total=134217728, work=100000))",
		"astar(cegar(cartesian=16777216, work=100000))",
	} {
		for name, c := range map[string]struct {
			lim    Limits
			status Status
		}{
			"wall":   {Limits{Wall: 20 * time.Millisecond}, Timeout},
			"CPU":    {Limits{CPU: 20 * time.Millisecond}, Timeout},
			"memory": {Limits{Memory: 1 << 20}, Memout},
		} {
			task := task
			if strings.Contains(search, "cegar") {
				_, task = tasktest.Bundled("logistics:5-5-5-9")
			}
			checkBuilding(t, task, search, name, c.lim, c.status)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r, err := Run(ctx, task, Config{Search: search}); err != nil || r.Status != Timeout {
			t.Errorf("%s, cancelled: %v, %v", search, r, err)
		}
	}
}

func checkBuilding(t *testing.T, task *grounder.Task, search, name string, lim Limits, want Status) {
	clock := cpuclock.Start(context.Background(), 0, 0)
	r, err := Run(context.Background(), task, Config{Search: search, Limits: lim})
	if used := clock.Used(); err != nil || r.Status != want || used > 2*time.Second {
		t.Errorf("%s, %s: %v, %v after %v", search, name, r, err, used)
	}
	if !strings.Contains(search, "pdb(") {
		return
	}
	clock = cpuclock.Start(context.Background(), 0, 0)
	_, err = Certify(context.Background(), task, &Result{Status: SolvedOptimally, Search: search, Cost: 24}, lim, nil)
	var limit *LimitError
	if used := clock.Used(); !errors.As(err, &limit) || limit.Status != want || used > 2*time.Second {
		t.Errorf("%s, certify, %s: %v after %v", search, name, err, used)
	}
}
