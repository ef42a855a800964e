package oracle

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// inlineTask is a task with its texts as JSON.
func inlineTask(domain, problem string) string {
	return fmt.Sprintf(`{"domain":%s,"problem":%s}`, jsonText(domain), jsonText(problem))
}

// TestPreparingWaitsForNoTable asks about new tasks while tables are made that take as long as
// they may, more of them than there are workers.
func TestPreparingWaitsForNoTable(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process", Workers: 2, Limits: Limits{TableTime: time.Minute}})
	var heavy sync.WaitGroup
	var ended atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	o.lanes = newLanes(ctx, 2)
	for i := range 6 {
		ref := endlessTask(fmt.Sprint("x", i))
		body := fmt.Sprintf(`{"items":[{"task":%s,"completion":"x"}]}`, inlineTask(ref.DomainText, ref.ProblemText))
		heavy.Go(func() {
			if r, fault := o.Call(ctx, OpScore, []byte(body)); fault != nil || !strings.Contains(string(r.Body), `"score":null`) {
				t.Errorf("%v %s", fault, r.Body)
			}
			ended.Add(1)
		})
	}
	for o.makersActive.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := range 12 {
		op, task := []Op{OpScore, OpMask, OpValidate}[i%3], fmt.Sprint("blocksworld:4-", i+1)
		r, fault := o.Call(context.Background(), op, []byte(fmt.Sprintf(`{"items":[{"task":%q,"completion":"(pick-up a)","plan":"","prefix":[]}]}`, task)))
		if fault != nil || !strings.Contains(string(r.Body), `"status":"ok"`) {
			t.Fatalf("%v %s", fault, r.Body)
		}
		if n := ended.Load(); n > 0 {
			t.Fatalf("%s of %s waited for %d of the tables", op, task, n)
		}
	}
	cancel()
	heavy.Wait()
	for o.makersActive.Load() > 0 { // they would take memory from the next test
		time.Sleep(time.Millisecond)
	}
}

// TestLanes lets short, middling and endless work run: the short waits for no turn of the
// long beyond its own length, and all that can be done is.
func TestLanes(t *testing.T) {
	l := newLanes(context.Background(), 2)
	for i := range l.lanes {
		l.lanes[i].turn /= 10
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var restarts, done atomic.Int64
	for range 5 {
		wg.Go(func() {
			l.run(context.Background(), func(ctx context.Context) bool {
				restarts.Add(1)
				select {
				case <-ctx.Done():
					return false
				case <-stop:
					return true
				}
			})
			done.Add(1)
		})
	}
	for restarts.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	for _, takes := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond} {
		err := l.run(context.Background(), func(ctx context.Context) bool {
			select {
			case <-ctx.Done():
				return false
			case <-time.After(takes):
				return true
			}
		})
		if err != nil || done.Load() > 0 {
			t.Errorf("%v: %v, after %d of the endless", takes, err, done.Load())
		}
	}
	close(stop)
	wg.Wait()
	if done.Load() != 5 || restarts.Load() > 5*int64(len(l.lanes)) {
		t.Errorf("%d done, begun %d times", done.Load(), restarts.Load())
	}
	for i := range l.lanes {
		if n := len(l.lanes[i].places); n > 0 {
			t.Errorf("lane %d: %d places are taken", i, n)
		}
	}
	// Who gives up before his work has begun leaves nothing behind.
	for range cap(l.lanes[0].places) {
		l.lanes[0].places <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := l.run(ctx, func(context.Context) bool { t.Error("begun"); return true }); err == nil {
		t.Error("no error")
	}
}

// TestSlotIsTaken holds all slots for longer than they may be held.
func TestSlotIsTaken(t *testing.T) {
	o := newTestOracle(t, Options{Workers: 2})
	a, b := o.slot(), o.slot()
	for range 100 { // goes on although nobody gives a slot back
		c := o.slot()
		c.pause()
		c.leave()
	}
	a.leave()
	b.leave()
	if len(o.slots) != 0 {
		t.Errorf("%d slots are taken", len(o.slots))
	}
}
