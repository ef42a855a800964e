package domains

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planproof/planproof/internal/naive"
	"github.com/planproof/planproof/internal/testkit"
)

// bundledCases are the bundled tasks that /testdata holds with their optimal cost
// and one optimal plan, found by internal/naive, for the tests of all packages.
var bundledCases = []string{
	"blocksworld:2-1", "blocksworld:3-1", "blocksworld:3-5", "blocksworld:4-1", "blocksworld:4-7", "blocksworld:4-17", "blocksworld:5-1", "blocksworld:5-3",
	"logistics:1-2-1-1", "logistics:2-2-2-1", "logistics:2-3-2-1", "logistics:3-2-2-2",
	"gripper:1", "gripper:2", "gripper:4", "gripper:3-3",
	"elevator:3-2-1-1", "elevator:4-3-1-1", "elevator:5-4-2-1", "elevator:5-4-2-2", "elevator:6-6-1-3",
	"powergrid:2-2-1-1", "powergrid:3-1-1-1", "powergrid:4-1-2-1", "powergrid:4-2-2-3", "powergrid:5-1-2-1", "powergrid:5-1-2-2",
	"trip:1-3-2", "trip:2-3-1",
}

// TestOptimalCosts solves the bundled cases by plain Dijkstra search and compares
// with the files in /testdata (UPDATE=1 rewrites them).
func TestOptimalCosts(t *testing.T) {
	for _, name := range bundledCases {
		d, p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := naive.New(d.Text, p.Text).Solve(100_000)
		if !ok || len(s.Plan) == 0 {
			t.Errorf("%s: solvable %v, plan %v", name, ok, s.Plan)
			continue
		}
		want := testkit.Case{
			Comment: name + ": a bundled task with its optimal cost and one optimal plan.",
			Domain:  d.Text, Problem: p.Text,
			Cost: fmt.Sprint(s.Cost), Plan: strings.Join(s.Plan, "\n") + "\n",
		}.Format()
		file := filepath.Join(testkit.Root(), "testdata", strings.ReplaceAll(name, ":", "-")+".txtar")
		if os.Getenv("UPDATE") != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what the generator and the search give (%v); run with UPDATE=1 and read the diff", file, err)
		}
	}
}

// TestGripperCosts checks internal/naive against a formula: with two rooms each trip
// carries two balls, so n balls take 2n picks and drops and 2*ceil(n/2)-1 moves.
func TestGripperCosts(t *testing.T) {
	for n := 1; n <= 6; n++ {
		d, p, _ := Load(fmt.Sprintf("gripper:%d", n))
		s, ok := naive.New(d.Text, p.Text).Solve(100_000)
		if want := 2*n + 2*((n+1)/2) - 1; !ok || s.Cost != want {
			t.Errorf("%d balls: cost %d, want %d", n, s.Cost, want)
		}
	}
}

// TestBlocksworldCosts compares internal/naive with a search that knows nothing of
// PDDL: it moves whole blocks, and a move is two actions.
func TestBlocksworldCosts(t *testing.T) {
	for k := 1; k <= 20; k++ {
		name := fmt.Sprintf("blocksworld:4-%d", k)
		task, err := load(name)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := naive.New(task.Domain.Text, task.Problem.Text).Solve(100_000)
		init, goal := pair(4, k)
		if want := 2 * moves(init, goal); !ok || s.Cost != want {
			t.Errorf("%s: cost %d, want %d", name, s.Cost, want)
		}
	}
}

// moves is the length of a shortest sequence of block moves.
func moves(init, goal Blocks) int {
	type entry struct {
		s Blocks
		d int
	}
	queue, seen := []entry{{init, 0}}, map[string]bool{fmt.Sprint(init): true}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		if fmt.Sprint(e.s) == fmt.Sprint(goal) {
			return e.d
		}
		covered := map[int]bool{}
		for _, under := range e.s {
			covered[under] = true
		}
		for b := range e.s {
			for u := Table; u < len(e.s); u++ {
				if covered[b] || u == b || u != Table && covered[u] {
					continue
				}
				next := append(Blocks{}, e.s...)
				next[b] = u
				if key := fmt.Sprint(next); !seen[key] {
					seen[key] = true
					queue = append(queue, entry{next, e.d + 1})
				}
			}
		}
	}
	return -1
}

// TestFirstTasksAreWorthSolving checks the purpose of the numbering: among the first tasks
// of each size most take a few moves, and no two are alike.
func TestFirstTasksAreWorthSolving(t *testing.T) {
	for n, least := range map[int]int{4: 7, 5: 9, 6: 12} { // mean plan length
		total, first := 0, map[string]bool{}
		for k := 1; k <= 20; k++ {
			init, goal := pair(n, k)
			total += 2 * moves(init, goal)
			first[fmt.Sprint(init)] = true
		}
		if total < 20*least || len(first) < 15 {
			t.Errorf("%d blocks: mean length %.1f, %d initial states among 20 tasks", n, float64(total)/20, len(first))
		}
	}
}

// TestGeneratedTasksAreSolvable tries many seeds of the kinds whose solvability is only
// argued in the comments of their generators.
func TestGeneratedTasksAreSolvable(t *testing.T) {
	shapes := []string{"elevator:3-3-1", "elevator:4-4-1", "elevator:4-3-2", "powergrid:2-1-1", "powergrid:3-1-2", "powergrid:3-2-1", "logistics:1-1-1", "logistics:2-1-1"}
	seeds := 12
	if testing.Short() {
		seeds = 3
	}
	for _, shape := range shapes {
		for seed := 1; seed <= seeds; seed++ {
			name := fmt.Sprintf("%s-%d", shape, seed)
			d, p, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			s, ok := naive.New(d.Text, p.Text).Solve(50_000)
			if !ok {
				t.Errorf("%s has no plan", name)
			}
			if s.Cost == 0 && shape != "logistics:1-1-1" {
				t.Errorf("%s is solved from the start", name)
			}
		}
	}
}
