package grounder

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/planproof/planproof/internal/cpuclock"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/pddl"
)

// TestGroundEnds: grounding ends with its context, whatever it is at.
func TestGroundEnds(t *testing.T) {
	d, p := small(logisticsLike, logisticsProblem(9, 6))
	prob := parse(t, d, p)
	testkit.EndsAtEachLook(t, func(ctx context.Context) (bool, error) {
		task, err := Ground(ctx, prob, Options{})
		return task != nil, err
	})
}

// looked is a context that measures the processor time between two looks at it.
type looked struct {
	context.Context
	clock   *cpuclock.Clock
	mutex   sync.Mutex
	last    time.Duration
	longest time.Duration
}

func (c *looked) Err() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	now := c.clock.Used()
	c.longest = max(c.longest, now-c.last)
	c.last = now
	return nil
}

// TestLooks: no stage goes on for long between two looks at the context. With a look every 65,536 ticks and one slice for
// half a million operators, which was copied when it grew, some took 0.4 s.
func TestLooks(t *testing.T) {
	const most = 300 * time.Millisecond
	runtime.LockOSThread() // for the thread's CPU time
	defer runtime.UnlockOSThread()
	try := func(name string, prob *pddl.Problem, threads int) {
		clock := cpuclock.Start
		if threads > 1 {
			clock = cpuclock.StartProcess
		}
		c := &looked{Context: context.Background(), clock: clock(context.Background(), 0, 0)}
		g := newGrounder(c, prob, Options{Threads: threads})
		for _, s := range stages {
			c.last, c.longest = c.clock.Used(), 0
			s.run(g)
			if g.finished || len(g.diags) > 0 {
				break
			}
			g.checkTime()
			if c.longest > most {
				t.Errorf("%s, threads: %d: %v without a look at the context in: %s", name, threads, c.longest, s.name)
			}
		}
	}
	size := [2]int{60, 200}
	if !testing.Short() {
		size = [2]int{120, 400} // half a million operators
	}
	d, p := small(logisticsLike, logisticsProblem(size[0], size[1]))
	try("synthetic", parse(t, d, p), 1)
	try("synthetic", parse(t, d, p), 2)
	if testing.Short() {
		return
	}
	for _, r := range benchRows(t) {
		if r.cpu >= 1 {
			try(r.name, parseFiles(t, r.domain, r.problem), 1)
		}
	}
}
