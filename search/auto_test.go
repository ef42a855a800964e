package search

import (
	"context"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
)

// begin reduces the task and begins with all searches at once.
func (a *auto) begin() {
	a.reduce()
	for _, r := range a.racers {
		r.after = 0
	}
}

// TestAutoReduces: auto that reduces the task at once has plans of the original, at its costs.
func TestAutoReduces(t *testing.T) {
	p, err := parseSearch("auto()")
	if err != nil {
		t.Fatal(err)
	}
	reduced := 0
	try := func(t fataler, task *grounder.Task, threads int) {
		sp := tasktest.Enumerate(task)
		e, err := newEngine(sp.Task, p, Limits{}, Limits{}.clock(context.Background()))
		if err != nil {
			t.Fatalf("%v", err)
		}
		a := e.(*auto)
		a.begin()
		a.threads = threads
		for !a.run(1000) {
		}
		a.close()
		if a.racers[0].back != nil {
			reduced++
		}
		checkResult(t, "auto()", sp, a.outcome())
	}
	rapid.Check(t, func(t *rapid.T) { try(t, anyTask(t), rapid.IntRange(1, 4).Draw(t, "threads")) })
	for _, task := range tasktest.SmallTasks(t) {
		try(t, task, 2)
	}
	if reduced < 3 {
		t.Errorf("%d tasks were reduced, want 3", reduced)
	}
}

// TestThreads: with any number of threads the cost is the optimum, and two runs give the same result.
func TestThreads(t *testing.T) {
	for name, task := range tasktest.SmallTasks(t) {
		var cost int64
		for threads := 1; threads <= 4; threads++ {
			var first *Result
			for range 2 {
				r, err := Run(context.Background(), task, Config{Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				r.SearchCPUSeconds = 0
				if first == nil {
					first = r
				} else if !reflect.DeepEqual(r, first) {
					t.Errorf("%s, %d threads: %+v then %+v", name, threads, first, r)
				}
			}
			if threads == 1 {
				cost = first.Cost
			} else if first.Cost != cost {
				t.Errorf("%s, %d threads: cost %d, want %d", name, threads, first.Cost, cost)
			}
		}
	}
}

// TestRounds: two runs on a task that no search solves at once are equal after each of some rounds.
func TestRounds(t *testing.T) {
	_, task := tasktest.Bundled("logistics:5-5-5-9")
	p, err := parseSearch("auto()")
	if err != nil {
		t.Fatal(err)
	}
	var first []Result
	for range 2 {
		e, err := newEngine(task, p, Limits{}, Limits{}.clock(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		a := e.(*auto)
		a.reduce()
		a.threads = 3
		var got []Result
		for a.total < 1<<26 && !a.run(1) {
			var r Result
			a.progress(&r)
			r.Reopened = a.total
			got = append(got, r)
		}
		a.close()
		if first == nil {
			first = got
		} else if len(got) < 5 || !reflect.DeepEqual(got, first) {
			t.Errorf("%v, then %v", first, got)
		}
	}
}

// TestAllot: threads get the same work in total, a search no more than one thread can do, and one that
// begins late catches up with its share.
func TestAllot(t *testing.T) {
	_, task := tasktest.Bundled("gripper:3")
	p, err := parseSearch("auto()")
	if err != nil {
		t.Fatal(err)
	}
	e, err := newEngine(task, p, Limits{}, Limits{}.clock(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	a := e.(*auto)
	defer a.close()
	a.threads, a.total = 2, 1<<40
	a.racers = []*racer{
		{entrant: entrant{search: "a", share: 40}, work: 40 << 30},
		{entrant: entrant{search: "b", share: 40}, work: 40 << 30},
		{entrant: entrant{search: "late", share: 20}},
	}
	got := map[string]int64{}
	for range 1000 {
		sum := int64(0)
		for _, j := range a.allot() {
			if j.quota > roundTurn {
				t.Fatalf("%s: %d is more than a thread does", j.search, j.quota)
			}
			sum += j.quota
			got[j.search] += j.quota
			j.racer.work += j.quota
		}
		if sum < 2*roundTurn*9/10 || sum > 2*roundTurn*11/10 {
			t.Fatalf("%d units for two threads, want about %d", sum, 2*roundTurn)
		}
	}
	// It needs 20 parts of 80 more than the others had; until then it has a thread of its own.
	if late := a.racers[2].work; late != 1000*roundTurn || got["a"] == 0 || max(got["a"]-got["b"], got["b"]-got["a"]) > roundTurn {
		t.Errorf("%v", got)
	}
}

// TestLateShares: the later shares hold once enough work is done.
func TestLateShares(t *testing.T) {
	a := &auto{reduceAt: -1, racers: []*racer{{entrant: entrant{share: 40, late: 12}}, {entrant: entrant{late: 30}}}}
	if a.shift(autoLateAt - 1); a.late || a.racers[0].share != 40 || !a.racers[1].waits(autoLateAt) {
		t.Error("the later shares hold before their time")
	}
	if a.shift(autoLateAt); !a.late || a.racers[0].share != 12 || a.racers[1].waits(autoLateAt) {
		t.Error("the later shares do not hold")
	}
}
