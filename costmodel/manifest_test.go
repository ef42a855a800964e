package costmodel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/grounder"
	"github.com/planproof/planproof/search"
	"github.com/planproof/planproof/search/space"
	"github.com/planproof/planproof/search/state"
)

// items grounds bundled tasks.
func items(t testing.TB, names ...string) []Item {
	t.Helper()
	list := make([]Item, len(names))
	for i, name := range names {
		d, p, err := domains.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = itemOf(t, name, d.Text, p.Text)
	}
	return list
}

func budgetNames(stride int) (names []string) {
	for i := 1; i <= domains.BudgetTasks; i += stride {
		names = append(names, fmt.Sprintf("budget-blocksworld:1-%d", i))
	}
	return names
}

func write(t testing.TB, rows []TaskTruth) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteBudgetSet(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTruth: the number of workers changes nothing, tasks of several spaces may be mixed,
// and what is written is read back.
func TestTruth(t *testing.T) {
	names := append(budgetNames(97), "blocksworld:4-17", "blocksworld:3-5", "blocksworld:4-7")
	opt := TruthOptions{Schedules: PaperSchedules(), Reference: 2}
	one, err := Truth(context.Background(), items(t, names...), opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Workers = 3
	three, err := Truth(context.Background(), items(t, names...), opt)
	if err != nil {
		t.Fatal(err)
	}
	text := write(t, one)
	if again := write(t, three); again != text {
		t.Error("three workers give another result")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ManifestName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := LoadBudgetSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if set.Dir != dir || write(t, set.Tasks) != text {
		t.Error("read back as something else")
	}
	task, ok := set.Task("blocksworld:4-7")
	if !ok {
		t.Fatal("the last task is missing")
	}
	under, ok := task.Under(ReferenceSchedule)
	if _, absent := task.Under("unit"); !ok || absent || under.Budgets.Slack.String() != "42" {
		t.Errorf("%v %v %+v", ok, absent, under)
	}
	if _, ok := set.Task("blocksworld:4-8"); ok {
		t.Error("a task that is not in the set")
	}
}

// TestTruthReference: the reference schedule decides over length and horizon.
func TestTruthReference(t *testing.T) {
	pairs := domains.BudgetSet(1)
	names := budgetNames(90)
	named := []Named{{"unit", Unit()}, PaperSchedules()[2]}
	differ := 0
	for reference := range named {
		rows, err := Truth(context.Background(), items(t, names...), TruthOptions{Schedules: named, Reference: reference})
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			r := &rows[i]
			want := r.FewestSteps
			if reference == 1 {
				want = int64(pairs[90*i].Steps)
			}
			if r.Steps != want || r.Horizon != HorizonOf(want) {
				t.Errorf("%s: %d steps, %s, want %d", r.ID, r.Steps, r.Horizon, want)
			}
			if r.Steps != r.FewestSteps {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("the two references never differ")
	}
}

// TestTruthByItself: the row of a task does not depend on the tasks beside it, even of one
// that shares the space of another but knows other mutex groups.
func TestTruthByItself(t *testing.T) {
	list := items(t, "budget-blocksworld:1-17", "gripper:2", "budget-blocksworld:1-500", "gripper:2")
	stripped := *list[2].Task
	stripped.Mutexes = nil
	list[2].Task = &stripped
	opt := TruthOptions{Schedules: []Named{{"x", mustSchedule(t, "pick-up=1,unstack=2,put-down=3,stack=5,move=7,pick=11,drop=13,*=17")}}}
	all, err := Truth(context.Background(), list, opt)
	if err != nil {
		t.Fatal(err)
	}
	slacks := map[string]bool{}
	for i := range list {
		alone, err := Truth(context.Background(), list[i:i+1], opt)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := write(t, all[i:i+1]), write(t, alone); got != want {
			t.Errorf("among others:\n%sby itself:\n%s", got, want)
		}
		slacks[all[i].Schedules[0].Budgets.Slack.String()] = true
	}
	if len(slacks) != 3 {
		t.Errorf("slacks %v: the mutex groups play no part in this test", slacks)
	}
}

func TestTruthErrors(t *testing.T) {
	island := `(define (domain d) (:predicates (p) (q)) (:action go :parameters () :precondition (not (p)) :effect (p)))`
	unsolvable := itemOf(t, "island", strings.Replace(island, "(:predicates", "(:requirements :negative-preconditions) (:predicates", 1), `(define (problem x) (:domain d) (:init (q)) (:goal (and (q) (p) (not (p)))))`)
	rows, err := Truth(context.Background(), append(items(t, "gripper:1"), unsolvable), TruthOptions{Schedules: []Named{{"unit", Unit()}}})
	if err != nil || len(rows) != 2 || rows[0].Schedules == nil || rows[1].Schedules != nil || rows[1].ID != "island" {
		t.Errorf("an unsolvable task: %v, %v", rows, err)
	}
	var limit *search.LimitError
	_, err = Truth(context.Background(), items(t, "blocksworld:4-1"), TruthOptions{Schedules: PaperSchedules(), Limits: search.Limits{Nodes: 100}})
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "blocksworld:4-1") {
		t.Errorf("a limit: %v", err)
	}
	_, err = Truth(context.Background(), items(t, "gripper:1"), TruthOptions{Schedules: PaperSchedules()})
	if err == nil || !strings.Contains(err.Error(), "no cost for move") {
		t.Errorf("another domain's schedule: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	list := items(t, "blocksworld:4-1")
	cancel()
	if _, err := Truth(ctx, list, TruthOptions{Schedules: PaperSchedules()}); !errors.Is(err, context.Canceled) {
		var limit *search.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

const goodRow = `{"id":"a","horizon":"short","steps":4,"fewest_steps":2,"schedules":[{"name":"s","schedule":"*=1","cost":"4","steps":4,` +
	`"budgets":{"tight":"4","loose":"8","unlimited":null},"unit_cost":"5","certain":true,"possible":true,"shifted":{"first-declared":true}}]}`

func TestReadBudgetSetRefuses(t *testing.T) {
	if _, err := ReadBudgetSet("m", strings.NewReader("\ufeff"+goodRow+"\n\n")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"id":"a"`, `"id":""`, "m:1: no id"},
		{`"id":"a"`, `"id":7`, "m:1: id is a JSON number, not a string"},
		{`"short"`, `"long"`, `m:1: the horizon of 4 steps is short`},
		{`"fewest_steps":2`, `"fewest_steps":6`, "m:1: steps is 4 and fewest_steps 6"},
		{`"cost":"4"`, `"cost":"x"`, `cost "x" is no cost`},
		{`"cost":"4"`, `"cost":"-4"`, `cost "-4" is no cost`},
		{`"tight":"4"`, `"tight":"5"`, "the tight budget is 5, the cost 4"},
		{`"tight":"4",`, ``, "no tight budget"},
		{`"loose":"8"`, `"loose":"3"`, "the loose budget is less"},
		{`"unit_cost":"5"`, `"unit_cost":"3"`, "unit_cost is less than cost"},
		{`"certain":true`, `"certain":false`, "if and only if"},
		{`"possible":true`, `"possible":false`, "certain is possible"},
		{`"schedule":"*=1"`, `"schedule":"x"`, "not name=cost"},
		{`"schedule":"*=1"`, `"schedule":""`, "no costs"},
		{`"schedules":[`, `"schedules":[],"x":[`, "no schedules"},
		{`"id"`, `id`, "m:1: invalid character"},
		{goodRow, goodRow + "\n" + goodRow, "m:2: the id a comes twice"},
		{goodRow, "", "m: no rows"},
	} {
		_, err := ReadBudgetSet("m", strings.NewReader(strings.Replace(goodRow, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	_, err := ReadBudgetSet("m", strings.NewReader(strings.Repeat("{}\n", 50)))
	if err == nil || strings.Count(err.Error(), "\n") != maxManifestErrors || !strings.Contains(err.Error(), "30 more rows") {
		t.Errorf("%v", err)
	}
}

// FuzzReadBudgetSet: a manifest that is read is written and read back the same.
func FuzzReadBudgetSet(f *testing.F) {
	f.Add(goodRow)
	f.Add(`{"id":"a","schedules":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := ReadBudgetSet("m", strings.NewReader(text))
		if err != nil {
			return
		}
		written := write(t, set.Tasks)
		again, err := ReadBudgetSet("m", strings.NewReader(written))
		if err != nil || write(t, again.Tasks) != written {
			t.Fatalf("%s\nis written as\n%s\nand then %v", text, written, err)
		}
	})
}

// BenchmarkTruth: the whole reference set under the ten schedules.
func BenchmarkTruth(b *testing.B) {
	list := items(b, budgetNames(1)...)
	for b.Loop() {
		if _, err := Truth(context.Background(), list, TruthOptions{Schedules: PaperSchedules(), Reference: 2, Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCosts: costs only, as far as they can be had without shift marks.
func BenchmarkCosts(b *testing.B) {
	list := items(b, budgetNames(1)...)
	space, err := newSharedSpace(context.Background(), list[0].Task, search.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		a := space.newAnalyst()
		for i := range list {
			_, goals, _, err := space.place(list[i].Task)
			if err != nil {
				b.Fatal(err)
			}
			if err := a.setGoal(goals); err != nil {
				b.Fatal(err)
			}
			for _, n := range PaperSchedules() {
				p, err := space.price(n.Schedule)
				if err == nil {
					err = a.price(p)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// BenchmarkAllPairs: the distances of all 7,057 states to each of the 4,051 goals.
func BenchmarkAllPairs(b *testing.B) {
	sp := budgetSpace(b)
	p, err := sp.price(PaperSchedules()[2].Schedule)
	if err != nil {
		b.Fatal(err)
	}
	var empty []state.StateID
	for v, variable := range sp.Task().Variables {
		if i := slices.Index(variable.Values, "Atom handempty()"); i >= 0 {
			if empty, err = sp.Satisfying([]grounder.Fact{{Var: int32(v), Val: int32(i)}}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if len(empty) != 4051 {
		b.Fatalf("%d hand-empty states", len(empty))
	}
	for b.Loop() {
		d := sp.NewDistances()
		for _, goal := range empty {
			if err := d.To([]state.StateID{goal}, p.costs, space.ByCost); err != nil {
				b.Fatal(err)
			}
		}
	}
}
