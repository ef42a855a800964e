package domains

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/testkit"
)

// TestBudgetSet has the paper's histogram in several sets, and no task twice.
func TestBudgetSet(t *testing.T) {
	total := 0
	for _, n := range budgetHistogram() {
		total += n
	}
	if total != BudgetTasks {
		t.Fatalf("the histogram counts %d tasks", total)
	}
	everywhere := map[string]int{}
	for _, set := range []int{1, 2, 17, MaxBudgetSet} {
		seen, histogram, previous := map[string]bool{}, map[int]int{}, 0
		for i, p := range BudgetSet(set) {
			key := fmt.Sprint(p.Init, p.Goal)
			if seen[key] || fmt.Sprint(p.Init) == fmt.Sprint(p.Goal) {
				t.Errorf("set %d: task %d comes twice or is solved", set, i+1)
			}
			seen[key] = true
			everywhere[key]++
			histogram[p.Steps]++
			if p.Steps < previous {
				t.Errorf("set %d: task %d is shorter than the one before", set, i+1)
			}
			previous = p.Steps
		}
		if fmt.Sprint(histogram) != fmt.Sprint(budgetHistogram()) {
			t.Errorf("set %d: %v", set, histogram)
		}
	}
	if len(everywhere) < 3*BudgetTasks {
		t.Errorf("four sets hold only %d different tasks", len(everywhere))
	}
}

// TestBudgetLengths compares lengths with a planner that shares no code: one unit of cost
// for each step below a thousand for each unit of the schedule.
func TestBudgetLengths(t *testing.T) {
	testkit.Long(t)
	tasks := BudgetSet(1)
	for i := 0; i < len(tasks); i += 200 {
		d, p, err := Load(fmt.Sprintf("budget-blocksworld:1-%d", i+1))
		if err != nil {
			t.Fatal(err)
		}
		reference := naive.New(d.Text, p.Text)
		reference.Prices = map[string]int{"pick-up": 1001, "unstack": 1001, "put-down": 20001, "stack": 1001}
		s, ok := reference.Solve(100_000)
		if !ok || s.Cost%1000 != tasks[i].Steps {
			t.Errorf("task %d: %d steps, want %d", i+1, tasks[i].Steps, s.Cost%1000)
		}
	}
}

// TestLengthsUnderRenaming: renaming the blocks does not change lengths.
func TestLengthsUnderRenaming(t *testing.T) {
	l := budgetLengths()
	if len(l.toward) != 11 || len(l.states) != 4051 {
		t.Fatalf("%d shapes of %d states", len(l.toward), len(l.states))
	}
	rapid.Check(t, func(t *rapid.T) {
		a := l.states[rapid.IntRange(0, len(l.states)-1).Draw(t, "initial state")]
		b := l.states[rapid.IntRange(0, len(l.states)-1).Draw(t, "goal")]
		names := rapid.Permutation([]int{0, 1, 2, 3, 4, 5}).Draw(t, "names")
		if x, y := l.steps(a, b), l.steps(rename(a, names), rename(b, names)); x != y {
			t.Fatalf("%v to %v: %d steps, renamed %d", a, b, x, y)
		}
	})
}

// TestReferenceSet pins set 1, whose task names are published.
func TestReferenceSet(t *testing.T) {
	got := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, BudgetSet(1))))
	const want = "259fad039e27a408ba9573237888f028f1b842098035354910db8f7f79757a15"
	if got != want {
		t.Errorf("the reference set has changed: %s, want %s", got, want)
	}
}
