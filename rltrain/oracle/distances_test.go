package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/planproof/planproof/domains"
	"github.com/planproof/planproof/domains/taskref"
	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/testkit"
	"github.com/planproof/planproof/rltrain/rows"
)

// unitCosts makes every action of a naive task cost one.
func unitCosts(c testkit.Case) *naive.Task {
	t := naive.New(c.Domain, c.Problem)
	t.Prices = map[string]int{}
	for _, a := range t.Actions() {
		t.Prices[a] = 1
	}
	return t
}

// TestDistancesAgreeWithNaive walks at random through the shared cases and compares
// h* after every step with the planner for tests.
func TestDistancesAgreeWithNaive(t *testing.T) {
	o := newTestOracle(t, Options{})
	for _, c := range testkit.Cases(t) {
		// The planner for tests takes minutes for the largest state spaces.
		if strings.HasPrefix(c.Name, "powergrid-5") || strings.HasPrefix(c.Name, "powergrid-4") || c.Name == "logistics-3-2-2-2" {
			continue
		}
		reference := unitCosts(c)
		want := reference.Distances(20_000)
		tk := o.task(t.Context(), taskref.Ref{DomainText: c.Domain, ProblemText: c.Problem})
		table, err := o.distances(context.Background(), tk, true)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		rapid.Check(t, func(t *rapid.T) {
			var plan []string
			state := reference.Initial()
			for i := range rapid.IntRange(0, 12).Draw(t, "steps") {
				names, next := reference.Successors(state)
				if len(names) == 0 {
					break
				}
				k := rapid.IntRange(0, len(names)-1).Draw(t, fmt.Sprint("step", i))
				plan, state = append(plan, names[k]), next[k]
			}
			p, err := table.progress(plan)
			if err != nil {
				t.Fatal(err)
			}
			d, ok := want[reference.Key(state)]
			if !ok {
				d = -1
			}
			if p.Reached != int64(d) || p.Initial != int64(want[reference.Key(reference.Initial())]) {
				t.Fatalf("%s %v: %+v, want %d", c.Name, plan, p, d)
			}
		})
	}
}

// TestBlocksworldTables counts states: hand-empty ones, and for each block that the
// arm can hold the states of the others.
func TestBlocksworldTables(t *testing.T) {
	o := newTestOracle(t, Options{})
	for n := 2; n <= 6; n++ {
		table, err := o.distances(t.Context(), o.task(t.Context(), taskref.Ref{Task: fmt.Sprintf("blocksworld:%d-1", n)}), true)
		if err != nil {
			t.Fatal(err)
		}
		want := domains.BlocksworldStates(n).Int64() + int64(n)*domains.BlocksworldStates(n-1).Int64()
		if table.table.States != want || table.table.GoalStates != 1 || table.table.DeadEnds != 0 {
			t.Errorf("%d blocks: %d states, %d goal states, %d dead ends; want %d, 1, 0", n, table.table.States, table.table.GoalStates, table.table.DeadEnds, want)
		}
	}
}

func TestNoTable(t *testing.T) {
	small := newTestOracle(t, Options{Reward: "process", Limits: Limits{TableStates: 100}})
	tiny := newTestOracle(t, Options{Reward: "process", Limits: Limits{TableBytes: 100_000}})
	unsolvable := `(define (problem p) (:domain gripper) (:objects r - room b - ball g - gripper) (:init (at-robby r)) (:goal (at b r)))`
	plan := answer("(pick-up a)")
	for _, c := range []struct {
		o    *Oracle
		item rows.Item
		want string
	}{
		{small, rows.Item{Task: taskref.Ref{Task: "blocksworld:5-1"}, Response: plan}, "more than 100 reachable states"},
		{tiny, rows.Item{Task: taskref.Ref{Task: "blocksworld:6-1"}, Response: plan}, "more than 100000 bytes"},
		{small, rows.Item{Task: taskref.Ref{DomainText: mustDomain(t, "gripper"), ProblemText: unsolvable}, Response: answer()}, "cannot be reached"},
	} {
		for range 2 {
			if s := c.o.Score(context.Background(), &c.item, ""); s.Status != rows.StatusNoTable || s.Reward != nil || !strings.Contains(s.Error, c.want) {
				t.Errorf("%+v, want %q", s, c.want)
			}
		}
		if s := c.o.Score(context.Background(), &c.item, "valid"); s.Status != rows.StatusInvalid {
			t.Errorf("without distances: %+v", s)
		}
		if err := c.o.Prepare(context.Background(), c.item.Task, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Prepare: %v, want %q", err, c.want)
		}
	}
}

// TestTablesAreKept scores with a folder of tables: made, read again, and made again
// when the file is damaged.
func TestTablesAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	var first string
	for _, damage := range []bool{false, false, true} {
		files, err := filepath.Glob(filepath.Join(dir, "*.table"))
		if err != nil || first != "" && len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		if damage {
			if err := os.Truncate(files[0], 200); err != nil {
				t.Fatal(err)
			}
		}
		var before time.Time
		if first != "" {
			// An hour ago, so that a rewrite shows whatever the clock's resolution.
			before = time.Now().Add(-time.Hour).Truncate(time.Second)
			if err := os.Chtimes(files[0], before, before); err != nil {
				t.Fatal(err)
			}
		}
		o := newTestOracle(t, Options{Reward: "process", TableDir: dir})
		got := asJSON(score(t, o, "blocksworld:5-3", answer("(pick-up c)", "(stack c d)"), ""))
		if first == "" {
			first = got
		}
		if got != first || !strings.Contains(got, `"gold_steps":`) {
			t.Errorf("%s, first %s", got, first)
		}
		if !before.IsZero() && modified(t, files[0]).Equal(before) == damage {
			t.Errorf("damaged: %v, but the file was rewritten: %v", damage, !damage)
		}
	}
}

func modified(t *testing.T, file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// TestProcessEndToEnd scores answers to a bundled task from text to points.
func TestProcessEndToEnd(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process"})
	for _, c := range testkit.Cases(t) {
		if !strings.HasPrefix(c.Name, "blocksworld") {
			continue // unit costs, so that the optimal plan is a gold plan
		}
		steps := strings.Split(strings.TrimSpace(c.Plan), "\n")
		g := float64(len(steps))
		around := []string{steps[0]}
		for range 3 { // there and back again: unstack/stack or pick-up/put-down
			around = append(around, undo(steps[0]), steps[0])
		}
		padded := append(append([]string{}, around...), steps[1:]...)
		for _, x := range []struct {
			name, response string
			want           float64
			status         rows.Status
		}{
			{"gold", answer(steps...), 100, rows.StatusValid},
			{"gold without tags", strings.Join(steps, "\n"), 80, rows.StatusValid},
			{"detour", answer(padded...), 90, rows.StatusValid},
			{"first step only", answer(steps[0]), 20 + 50/g, rows.StatusInvalid},
			{"bad second step", answer(steps[0], "(pick-up moon)", steps[1]), 20 + 50/g, rows.StatusInvalid},
			{"bad first step", answer(append([]string{"(put-down a)"}, steps...)...), 20, rows.StatusInvalid},
			{"circles", answer(append(around, undo(steps[0]))...), 20 + 50*2*min(8, g)/(7*g), rows.StatusInvalid},
			{"no plan", "<think>hm</think>", 7, rows.StatusNoPlan},
			{"nothing", "", 0, rows.StatusNoPlan},
			{"too long", strings.Repeat("[PLAN]", 100_000), 0, rows.StatusTooLong},
		} {
			s := o.Score(context.Background(), &rows.Item{Task: taskref.Ref{DomainText: c.Domain, ProblemText: c.Problem}, Response: x.response}, "")
			if s.Reward == nil || math.Abs(*s.Reward-x.want) > 1e-9 || s.Status != x.status {
				t.Errorf("%s, %s: %s, want %v\n%s", c.Name, x.name, asJSON(s), x.want, x.response[:min(200, len(x.response))])
			}
		}
	}
}

// TestProcessSkip goes on after mistakes, but does not take the plan for a valid one.
func TestProcessSkip(t *testing.T) {
	o := newTestOracle(t, Options{Reward: "process-skip"})
	for _, c := range testkit.Cases(t) {
		if !strings.HasPrefix(c.Name, "blocksworld") {
			continue
		}
		steps := strings.Split(strings.TrimSpace(c.Plan), "\n")
		var spoilt []string
		for _, s := range steps {
			spoilt = append(spoilt, "(pick-up moon)", s, s)
		}
		for _, x := range []struct {
			name  string
			steps []string
			want  float64
		}{
			{"gold", steps, 100},
			{"spoilt", spoilt, 70},
			{"spoilt first step", append([]string{"(put-down a)"}, steps...), 70},
			{"too many mistakes", append(repeat("(put-down a)", maxSkipped+1), steps...), 20},
		} {
			s := o.Score(context.Background(), &rows.Item{Task: taskref.Ref{DomainText: c.Domain, ProblemText: c.Problem}, Response: answer(x.steps...)}, "")
			if s.Reward == nil || math.Abs(*s.Reward-x.want) > 1e-9 || s.Verdict.Valid != (x.name == "gold") {
				t.Errorf("%s, %s: %s, want %v", c.Name, x.name, asJSON(s), x.want)
			}
		}
	}
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	return fmt.Sprint(string(b), err)
}

// undo is the blocksworld step that takes one back.
func undo(step string) string {
	for _, pair := range [][2]string{{"(pick-up", "(put-down"}, {"(unstack", "(stack"}} {
		if rest, ok := strings.CutPrefix(step, pair[0]); ok {
			return pair[1] + rest
		}
	}
	panic(step)
}
