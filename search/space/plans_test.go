package space

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/planproof/planproof/search"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/internal/tasktest"
)

// naivePlan is a plan found by brute force.
type naivePlan struct {
	cost  int64
	steps []string
	order []string // the steps with the numbers of their operators
}

func (p naivePlan) String() string { return fmt.Sprintf("%d %s", p.cost, strings.Join(p.steps, " ")) }

// naivePlans walks all paths of at most the given length, and sorts the plans among them.
// more is true when the search has been cut off.
func naivePlans(sp *tasktest.Space, length, most int, loops bool) (plans []naivePlan, cut bool) {
	visited := map[string]bool{}
	var steps, order []string
	walked := 0
	var walk func(s []int32, cost int64)
	walk = func(s []int32, cost int64) {
		if walked++; walked > most {
			cut = true
			return
		}
		if sp.Holds(sp.Task.Goal, s) {
			plans = append(plans, naivePlan{cost, append([]string(nil), steps...), append([]string(nil), order...)})
		}
		if len(steps) == length {
			return
		}
		key := fmt.Sprint(s)
		before := visited[key]
		visited[key] = true
		type step struct {
			name string
			next []int32
			cost int64
			op   int
		}
		var out []step // one for operators of one name and outcome
	operators:
		for o := range sp.Task.Operators.Len() {
			next, c, ok := sp.Apply(s, o)
			if !ok || !loops && visited[fmt.Sprint(next)] {
				continue
			}
			name := sp.Task.OperatorName(grounder.OperatorID(o))
			for i := range out {
				if out[i].name == name && fmt.Sprint(out[i].next) == fmt.Sprint(next) {
					if c < out[i].cost {
						out[i].cost, out[i].op = c, o
					}
					continue operators
				}
			}
			out = append(out, step{name, next, c, o})
		}
		for _, o := range out {
			steps, order = append(steps, o.name), append(order, fmt.Sprintf("%s %03d", o.name, o.op))
			walk(o.next, cost+o.cost)
			steps, order = steps[:len(steps)-1], order[:len(order)-1]
		}
		visited[key] = before
	}
	walk(sp.Initial(), 0)
	sort.SliceStable(plans, func(i, j int) bool {
		a, b := plans[i], plans[j]
		if a.cost != b.cost {
			return a.cost < b.cost
		}
		if len(a.steps) != len(b.steps) {
			return len(a.steps) < len(b.steps)
		}
		for k := range a.order {
			if a.order[k] != b.order[k] {
				return a.order[k] < b.order[k]
			}
		}
		return false
	})
	return plans, cut
}

// listed returns the first k plans, all with k = 0.
func listed(t rapid.TB, tab *Table, k int, opt PlanOptions) []naivePlan {
	t.Helper()
	p, err := tab.Plans(context.Background(), search.Limits{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	var out []naivePlan
	for len(out) < k || k == 0 {
		plan, err := p.Next()
		if err != nil {
			t.Fatal(err)
		}
		if plan == nil {
			break
		}
		n := naivePlan{cost: plan.Cost}
		for _, op := range plan.Operators {
			n.steps = append(n.steps, tab.Task().OperatorName(op))
		}
		out = append(out, n)
	}
	return out
}

// planTask draws a task in which some operators share a name, or name and effects.
func planTask(t *rapid.T) *grounder.Task {
	task := anyTask(t)
	if n := task.Operators.Len(); n > 1 && rapid.Bool().Draw(t, "shared name") {
		a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
		op := task.Operators.At(a)
		op.Schema = task.Operators.Schema(b)
		task.Operators.Set(a, op)
		if rapid.Bool().Draw(t, "shared effects") {
			shared := task.Operators.At(b)
			shared.Pre = op.Pre
			task.Operators.Set(a, shared)
		}
	}
	return task
}

// TestPlansEqualBruteForce compares all loopless plans, and the first of those with loops,
// with walking all paths.
func TestPlansEqualBruteForce(t *testing.T) {
	compared := 0
	for range 4 {
		rapid.Check(t, func(t *rapid.T) {
			task := planTask(t)
			sp := tasktest.Enumerate(task)
			tab, err := Exhaust(context.Background(), task, search.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			want, cut := naivePlans(sp, len(sp.States), 3000, false)
			if !cut {
				compared++
				if got := listed(t, tab, 0, PlanOptions{}); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("loopless:\ngot  %.500v\nwant %.500v", fmt.Sprint(got), fmt.Sprint(want))
				}
				var optimal []naivePlan
				for _, p := range want {
					if p.cost == want[0].cost {
						optimal = append(optimal, p)
					}
				}
				if got := listed(t, tab, 0, PlanOptions{Optimal: true}); fmt.Sprint(got) != fmt.Sprint(optimal) {
					t.Fatalf("optimal:\ngot  %v\nwant %v", got, optimal)
				}
			}
			// With loops and steps that cost at least 1, all plans up to a cost have at most
			// that many steps.
			for o := range task.Operators.Len() {
				task.Operators.SetCost(o, task.Operators.Cost(o)+1)
			}
			if tab, err = Exhaust(context.Background(), task, search.Limits{}); err != nil {
				t.Fatal(err)
			}
			const length = 4
			want, cut = naivePlans(tasktest.Enumerate(task), length, 3000, true)
			if cut {
				return
			}
			for n, p := range want {
				if p.cost > length {
					want = want[:n]
					break
				}
			}
			if len(want) == 0 {
				return // the list would not end
			}
			if got := listed(t, tab, len(want), PlanOptions{Loops: true}); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("with loops:\ngot  %.500v\nwant %.500v", fmt.Sprint(got), fmt.Sprint(want))
			}
		})
	}
	if compared < 40 {
		t.Errorf("only %d tasks were small enough to compare", compared)
	}
}

// TestPlansBlocksworld: the list begins with as many optimal plans as the table counts, in
// a fixed order, and every plan is one.
func TestPlansBlocksworld(t *testing.T) {
	for _, name := range []string{"blocksworld-4-1", "gripper-4", "logistics-3-2-2-2"} {
		task := tasktest.SmallTasks(t)[name]
		tab, err := Exhaust(context.Background(), task, search.Limits{Nodes: 100_000})
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		plans := listed(t, tab, 2000, PlanOptions{})
		seen := map[string]bool{}
		optimal := 0
		for i, p := range plans {
			if seen[p.String()] {
				t.Fatalf("%s: %s comes twice", name, p)
			}
			seen[p.String()] = true
			last, cost, _, err := tab.Replay(p.steps)
			if err != nil || cost != p.cost || !tab.IsGoal(last) {
				t.Fatalf("%s: %s: %d, %v", name, p, cost, err)
			}
			if i > 0 && p.cost < plans[i-1].cost {
				t.Fatalf("%s: cost %d after %d", name, p.cost, plans[i-1].cost)
			}
			if p.cost == tab.InitialDistance().Cost {
				optimal++
			}
		}
		if optimal < len(plans) && fmt.Sprint(optimal) != tab.OptimalPlans {
			t.Errorf("%s: %d optimal plans, the table counts %s", name, optimal, tab.OptimalPlans)
		}
	}
}

func TestPlansLimits(t *testing.T) {
	task := tasktest.SmallTasks(t)["gripper-4"]
	tab, err := Exhaust(context.Background(), task, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := tab.Plans(context.Background(), search.Limits{Memory: tab.Bytes() + 20_000}, PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var le *search.LimitError
	for err == nil {
		_, err = p.Next()
	}
	if !errors.As(err, &le) || le.Status != search.Memout {
		t.Errorf("%v, want memout", err)
	}
	path, _ := savedTable(t, task)
	loaded, err := LoadTable(path, task)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loaded.Plans(context.Background(), search.Limits{}, PlanOptions{}); err == nil {
		t.Error("plans of a loaded table")
	}
}
